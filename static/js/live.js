// Says whether this page hears from the server. The stream itself is HTMX's: <body sse-connect>; parts of the page
// read themselves again with hx-trigger="sse:head". This module only puts the connection into words, and asks the
// parts to catch up when the stream comes back after a gap.
// Bound to: #live, with a <span> for the words and data-live for the tone.
const WORDS = { on: "Live, up to date", wait: "Reconnecting", off: "Not live: reload to see changes" };
const PATIENCE_MS = 30_000;

const place = document.getElementById("live");
let hasBeenOpen = false;
let givingUp = 0;

function say(state) {
  if (!place || place.dataset.live === state) return;
  place.dataset.live = state;
  place.querySelector("span").textContent = WORDS[state];
}

function opened() {
  clearTimeout(givingUp);
  givingUp = 0;
  say("on");
  if (hasBeenOpen) catchUp();
  hasBeenOpen = true;
}

function lost() {
  say("wait");
  givingUp ||= setTimeout(() => say("off"), PATIENCE_MS);
}

function catchUp() {
  for (const part of document.querySelectorAll('[hx-trigger*="sse:head"]')) window.htmx?.trigger(part, "sse:head");
}

function isTouched(field) {
  if (field === document.activeElement) return true;
  if (field.type === "hidden") return false;
  const isOther = (option) => option.index > 0 && option.selected !== option.defaultSelected;
  if (field.options) return [...field.options].some(isOther);
  return field.value !== field.defaultValue || field.checked !== field.defaultChecked;
}

// A form that somebody is filling in, or filled in, is never replaced under their hands; what asks what became of it
// meanwhile, with hx-trigger="kept", is told.
function keepForms(event) {
  if (!event.detail.triggeringEvent?.type.startsWith("sse:")) return;
  const fields = event.detail.target?.querySelectorAll("input, textarea, select") ?? [];
  if (![...fields].some(isTouched)) return;
  event.preventDefault();
  for (const part of event.detail.target.querySelectorAll('[hx-trigger="kept"]')) window.htmx?.trigger(part, "kept");
}

document.addEventListener("htmx:sseOpen", opened);
document.addEventListener("htmx:sseError", lost);
document.addEventListener("htmx:sseClose", lost);
document.addEventListener("htmx:confirm", keepForms);
