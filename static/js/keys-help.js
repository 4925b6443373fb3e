// The list behind "?": the keys that do something on this page right now, in the page's own words.
function labelOf(element) {
  if (element.labels?.length) return element.labels[0].textContent.trim();
  const copy = element.cloneNode(true);
  for (const part of copy.querySelectorAll("kbd, svg, .count")) part.remove();
  return element.getAttribute("aria-label") ?? copy.textContent.trim().replace(/\s+/g, " ");
}

function rows() {
  const found = new Map();
  for (const element of document.querySelectorAll("[data-key], [aria-keyshortcuts]")) {
    const key = element.dataset.key ?? element.getAttribute("aria-keyshortcuts");
    if (key.length === 1 && !found.has(key) && element.getClientRects().length > 0) found.set(key, labelOf(element));
  }
  if (document.querySelector("[data-key-item]")) found.set("j", "Next item").set("k", "Item before");
  return found.set("?", "This list");
}

function build() {
  const dialog = document.createElement("dialog");
  const heading = document.createElement("h2");
  const list = document.createElement("dl");
  const close = document.createElement("button");
  dialog.className = "keys-help";
  dialog.setAttribute("aria-labelledby", "keys-help-heading");
  heading.id = "keys-help-heading";
  heading.textContent = "Keys on this page";
  close.className = "btn";
  close.type = "button";
  close.textContent = "Close";
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  dialog.append(heading, list, close);
  return [dialog, list];
}

export function showHelp() {
  const [dialog, list] = build();
  for (const [key, label] of rows()) {
    const term = document.createElement("dt");
    const words = document.createElement("dd");
    term.appendChild(document.createElement("kbd")).textContent = key;
    words.textContent = label;
    list.append(term, words);
  }
  document.body.append(dialog);
  dialog.showModal();
}
