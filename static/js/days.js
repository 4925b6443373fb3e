// Headings of days in the reader's own zone: the server parts a list by days in UTC, and near midnight that is another
// day here. Bound to: <ol data-days> with <li data-day><h2> before the items of a day; an item's day is that of its
// first <time datetime>.
const WORDS = { weekday: "long", day: "numeric", month: "long", year: "numeric" };
const language = document.documentElement.lang || "en";

function dayOf(item) {
  const at = new Date(item.querySelector("time[datetime]")?.dateTime ?? "");
  return Number.isNaN(at.getTime()) ? "" : new Intl.DateTimeFormat(language, WORDS).format(at);
}

function part(list) {
  const template = list.querySelector(":scope > [data-day]");
  if (!template) return;
  for (const heading of list.querySelectorAll(":scope > [data-day]")) heading.remove();
  let last = "";
  for (const item of [...list.children]) {
    const day = dayOf(item);
    if (!day || day === last) continue;
    const heading = template.cloneNode(true);
    heading.querySelector("h2").textContent = day;
    item.before(heading);
    last = day;
  }
}

function partAll() {
  for (const list of document.querySelectorAll("[data-days]")) part(list);
}

partAll();
document.addEventListener("htmx:afterSettle", partAll);
