// Times in the reader's own zone and language. The exact UTC stays in the title; without this module the server's
// text stands. Bound to: every <time datetime>; data-local="day" asks for the day alone.
const CLOCK = { hour: "2-digit", minute: "2-digit" };
const DAY = { weekday: "short", day: "numeric", month: "short" };
const language = document.documentElement.lang || "en";

function dayName(at, now) {
  const midnight = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const days = Math.round((midnight(now) - midnight(at)) / 86_400_000);
  if (days === 0) return "today";
  if (days === 1) return "yesterday";
  const sameYear = at.getFullYear() === now.getFullYear();
  return new Intl.DateTimeFormat(language, sameYear ? DAY : { ...DAY, year: "numeric" }).format(at);
}

function words(at, now, form) {
  const day = dayName(at, now);
  return form === "day" ? day : `${day} ${new Intl.DateTimeFormat(language, CLOCK).format(at)}`;
}

export function localise(root) {
  const now = new Date();
  for (const time of root.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    if (!time.title) time.title = `${time.dateTime.replace("T", " ").replace(/(\.\d+)?Z$/, "")} UTC`;
    const text = words(at, now, time.dataset.local);
    time.textContent = /^[A-Z]/.test(time.textContent.trim()) ? text[0].toUpperCase() + text.slice(1) : text;
  }
}

localise(document);
document.addEventListener("htmx:afterSettle", (event) => localise(event.target.parentNode ?? document));
