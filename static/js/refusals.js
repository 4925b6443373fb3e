// What HTMX does with a refusal (4xx, 5xx). The answer to an act is a whole page that says why and keeps what was
// typed: its #main takes the place of ours, and the address stays. A background read that fails changes nothing.
// Bound to: every element with hx-post or hx-get.
const REFUSED = 400;

function show(event) {
  const detail = event.detail;
  if (!(detail.xhr?.status >= REFUSED)) return;
  const isAct = detail.requestConfig.verb === "post";
  detail.shouldSwap = isAct;
  if (!isAct) return;
  detail.isError = false; // it is shown, so it is no fault of the page
  detail.target = document.getElementById("main");
  detail.selectOverride = "#main";
  detail.swapOverride = "outerHTML show:top";
}

function keepAddress(event) {
  if (!(event.detail.xhr?.status >= REFUSED)) return;
  Object.assign(event.detail.history, { type: "replace", path: location.pathname + location.search });
}

function sayIt(event) {
  if (event.detail.xhr?.status >= REFUSED) document.querySelector('#main [role="alert"]')?.focus();
}

document.addEventListener("htmx:beforeSwap", show);
document.addEventListener("htmx:beforeHistoryUpdate", keepAddress);
document.addEventListener("htmx:afterSettle", sayIt);
