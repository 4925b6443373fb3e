// The map without a round trip: larger, smaller, fit, and dragging. The links work without this module.
// Bound to: [data-map] the scrolling frame with one <svg>; [data-map-zoom] links with a factor or "fit"; [data-map-now].
const LEAST = 0.4;
const MOST = 2.5;
let drag = null;
let scaleNow = 0; // 0: as the server drew it
const frame = () => document.querySelector("[data-map]");

function show(box, drawing, scale) {
  const [, , width, height] = drawing.getAttribute("viewBox").split(" ").map(Number);
  scaleNow = scale;
  const middle = (box.scrollLeft + box.clientWidth / 2) / Math.max(1, drawing.clientWidth);
  drawing.setAttribute("width", Math.round(width * scale));
  drawing.setAttribute("height", Math.round(height * scale));
  box.scrollLeft = middle * width * scale - box.clientWidth / 2;
  const now = document.querySelector("[data-map-now]");
  if (now) now.textContent = `${Math.round(scale * 100)} %`;
}

function zoom(event) {
  const link = event.target.closest?.("[data-map-zoom]");
  const box = frame();
  const drawing = box?.querySelector("svg");
  if (!link || !drawing || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const whole = Number(drawing.getAttribute("viewBox").split(" ")[2]);
  const now = Number(drawing.getAttribute("width")) / whole;
  const wanted = link.dataset.mapZoom === "fit" ? Math.min(1, (box.clientWidth - 26) / whole) : now * link.dataset.mapZoom;
  show(box, drawing, Math.max(LEAST, Math.min(MOST, wanted)));
}

function grab(event) {
  const box = event.target.closest?.("[data-map]");
  if (!box || event.button !== 0 || event.pointerType === "touch" || event.target.closest("a")) return;
  drag = { box, x: event.clientX + box.scrollLeft, y: event.clientY + box.scrollTop };
  box.dataset.panning = "";
}

function pull(event) {
  if (!drag) return;
  drag.box.scrollLeft = drag.x - event.clientX;
  drag.box.scrollTop = drag.y - event.clientY;
}

function drop() {
  if (drag) delete drag.box.dataset.panning;
  drag = null;
}

function centre() {
  const chosen = frame()?.querySelector('[aria-current="true"]');
  if (!chosen) return;
  const box = frame();
  const [outer, inner] = [box.getBoundingClientRect(), chosen.getBoundingClientRect()];
  box.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
  box.scrollTop += inner.top + inner.height / 2 - outer.top - outer.height / 2;
}

// A drawing that is wider than its place opens as small as it can be read; an address that says a size is obeyed.
function open() {
  const [box, drawing] = [frame(), frame()?.querySelector("svg")];
  if (!drawing) return;
  const fitting = (box.clientWidth - 26) / drawing.clientWidth;
  const scale = Math.max(box.clientWidth < 600 ? 0.7 : 0.85, fitting);
  if (scale < 1 && !new URLSearchParams(location.search).has("zoom")) show(box, drawing, scale);
  centre();
}

function keep(event) {
  if (event.target.id === "map-drawing" && scaleNow) show(frame(), frame().querySelector("svg"), scaleNow);
}

document.addEventListener("htmx:afterSettle", keep);
document.addEventListener("click", zoom);
document.addEventListener("pointerdown", grab);
document.addEventListener("pointermove", pull);
document.addEventListener("pointerup", drop);
document.addEventListener("pointercancel", drop);
open();
