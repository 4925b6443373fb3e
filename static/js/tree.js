// Keyboard for the outline (WAI-ARIA tree and treegrid patterns): one tab stop, arrows move, Home and End, letters.
// Bound to: [data-tree]; its [data-tree-item] elements carry aria-level and, when they have children, aria-expanded;
// [data-tree-toggle] inside an item opens and closes it, [data-tree-link] is what Enter follows.
const visible = (item) => item.getClientRects().length > 0;
const level = (item) => Number(item.getAttribute("aria-level"));

function itemsOf(tree) {
  return [...tree.querySelectorAll("[data-tree-item]")].filter(visible);
}

function settle(tree) {
  const items = [...tree.querySelectorAll("[data-tree-item]")];
  const chosen = items.find((item) => item === document.activeElement)
    ?? items.find((item) => item.getAttribute("aria-selected") === "true") ?? items[0];
  for (const item of items) item.tabIndex = item === chosen ? 0 : -1;
  for (const inner of tree.querySelectorAll("[data-tree-toggle], [data-tree-link]")) inner.tabIndex = -1;
}

function go(tree, item) {
  if (!item) return;
  item.focus();
  settle(tree);
  item.scrollIntoView({ block: "nearest" });
}

function toggle(item) {
  item.querySelector("[data-tree-toggle]")?.click();
}

function sideways(tree, items, at, wantsOpen) {
  const item = items[at];
  const expanded = item.getAttribute("aria-expanded");
  if (wantsOpen && expanded === "false") toggle(item);
  else if (wantsOpen && expanded === "true") go(tree, items[at + 1]);
  else if (!wantsOpen && expanded === "true") toggle(item);
  else if (!wantsOpen) go(tree, items.slice(0, at).findLast((other) => level(other) < level(item)));
}

function byLetter(items, at, letter) {
  const later = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  const starts = (item) => (item.dataset.treeItem || item.textContent).trim().toLowerCase().startsWith(letter);
  return later.find(starts);
}

function press(event) {
  const tree = event.target.closest?.("[data-tree]");
  const item = event.target.closest?.("[data-tree-item]");
  if (!tree || item !== event.target || event.ctrlKey || event.metaKey || event.altKey) return;
  const items = itemsOf(tree);
  const at = items.indexOf(item);
  const moves = { ArrowDown: items[at + 1], ArrowUp: items[at - 1], Home: items[0], End: items.at(-1) };
  if (event.key in moves) go(tree, moves[event.key]);
  else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
    sideways(tree, items, at, event.key === "ArrowRight");
  } else if (event.key === "Enter" || event.key === " ") item.querySelector("[data-tree-link]")?.click();
  else if (event.shiftKey && /^[A-Z]$/.test(event.key)) go(tree, byLetter(items, at, event.key.toLowerCase()));
  else return;
  event.preventDefault();
}

document.addEventListener("keydown", press);
document.addEventListener("htmx:afterSettle", () => document.querySelectorAll("[data-tree]").forEach(settle));
document.querySelectorAll("[data-tree]").forEach(settle);
