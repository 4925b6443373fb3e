// Where the keyboard lands when an act replaces the part of the page it stood in: on the first heading of what came
// instead, so that Tab goes on from there and it is read out. What keeps its id keeps the focus by HTMX itself.
// Bound to: every element with hx-post.
let left = "";

function remember(event) {
  const { requestConfig, target } = event.detail;
  left = requestConfig.verb === "post" && target?.contains(document.activeElement) ? target.id : "";
}

function land() {
  const part = left && document.activeElement === document.body ? document.getElementById(left) : null;
  left = "";
  const heading = [...(part?.querySelectorAll("h1, h2") ?? [])].find((item) => item.getBoundingClientRect().width > 1);
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

document.addEventListener("htmx:beforeSwap", remember);
document.addEventListener("htmx:afterSettle", land);
