// Says whether this page hears from the server, and asks for fresh fragments when the ledger's head moves.
// Bound to: [data-live-status data-live-url="..."] with a [data-live-words] inside; [data-live] fragments that carry
// hx-get and hx-trigger="live": they are asked again on every new head. The page's own forms are never touched.
const WORDS = { live: "Live, up to date", reconnecting: "Reconnecting", off: "Not live, reload to see changes" };
const PATIENCE_MS = 60_000;
const RETRY_MS = 5000;
const MIN_GAP_MS = 500;

let refreshDue = 0;
let lostAt = 0;

function say(status, state) {
  if (status.dataset.liveState === state) return;
  status.dataset.liveState = state;
  (status.querySelector("[data-live-words]") ?? status).textContent = WORDS[state];
}

function refresh() {
  if (refreshDue) return;
  refreshDue = setTimeout(() => {
    refreshDue = 0;
    for (const part of document.querySelectorAll("[data-live]")) {
      if (!part.contains(document.activeElement) || !document.activeElement.matches("input, textarea, select")) {
        window.htmx?.trigger(part, "live");
      }
    }
  }, MIN_GAP_MS);
}

function lost(status, stream) {
  lostAt ||= Date.now();
  const isOver = Date.now() - lostAt > PATIENCE_MS;
  say(status, isOver ? "off" : "reconnecting");
  if (stream.readyState === EventSource.CLOSED) setTimeout(() => listen(status), isOver ? PATIENCE_MS : RETRY_MS);
}

function listen(status) {
  const stream = new EventSource(status.dataset.liveUrl);
  let hasMissed = lostAt > 0;
  stream.addEventListener("open", () => {
    lostAt = 0;
    say(status, "live");
    if (hasMissed) refresh();
    hasMissed = true;
  });
  stream.addEventListener("head", refresh);
  stream.addEventListener("error", () => lost(status, stream));
  window.addEventListener("pagehide", () => stream.close(), { once: true });
}

const status = document.querySelector("[data-live-status][data-live-url]");
if (status) {
  say(status, "reconnecting");
  listen(status);
  window.addEventListener("pageshow", (event) => event.persisted && listen(status));
}
