// Single keys for the acts a page shows. A key presses the first visible element that carries it; j and k walk the
// items, and open them where one stands open beside the list: until it is there no key acts on the one being left.
// Never while typing, never with a modifier, and a person can switch them off.
// Bound to: [data-key="a"] or [aria-keyshortcuts="a"]; [data-key-item] for j and k, which open what has the value
// "open"; [data-keys-switch] a checkbox.
import { showHelp } from "./keys-help.js";

const KEY = "odeu.keys";
let isLeaving = false;

function areOn() {
  try {
    return localStorage.getItem(KEY) !== "off";
  } catch {
    return true; // storage may be switched off; so are the person's choices then
  }
}

function isTyping(target) {
  return target.isContentEditable || target.closest?.("input, textarea, select, dialog") !== null;
}

function canPress(element) {
  return !element.disabled && element.getAttribute("aria-disabled") !== "true" && element.getClientRects().length > 0;
}

function bearerOf(key) {
  const quoted = CSS.escape(key);
  const all = document.querySelectorAll(`[data-key="${quoted}"], [aria-keyshortcuts="${quoted}"]`);
  return [...all].find(canPress);
}

function walk(step) {
  const items = [...document.querySelectorAll("[data-key-item]")].filter(canPress);
  if (items.length === 0) return;
  const here = items.findIndex((item) => item === document.activeElement);
  const open = items.findIndex((item) => item.hasAttribute("aria-current"));
  const from = here >= 0 ? here : open;
  const next = items[Math.max(0, Math.min(items.length - 1, from + step))];
  next.focus();
  if (next.dataset.keyItem !== "open" || next.hasAttribute("aria-current")) return;
  isLeaving = true;
  next.click();
}

function press(event) {
  if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key.length !== 1 || isTyping(event.target) || !areOn()) return;
  if (event.key === "j" || event.key === "k") walk(event.key === "j" ? 1 : -1);
  else if (event.key === "?") showHelp();
  else {
    const bearer = bearerOf(event.key);
    if (!bearer || isLeaving) return;
    if (bearer.matches("input, textarea, select")) bearer.focus();
    else bearer.click();
  }
  event.preventDefault();
}

function switchKeys(event) {
  if (!event.target.matches?.("[data-keys-switch]")) return;
  try {
    localStorage.setItem(KEY, event.target.checked ? "on" : "off");
  } catch {
    event.target.checked = true;
  }
}

for (const box of document.querySelectorAll("[data-keys-switch]")) box.checked = areOn();
window.addEventListener("pageshow", () => (isLeaving = false)); // Back may bring this very page back
document.addEventListener("change", switchKeys);
document.addEventListener("keydown", press);
