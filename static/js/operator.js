// The operator's token lives in this function's arguments for one request: no storage, no address, no cookie, no form
// post, no log. The field is emptied before the request is sent. Without this module the page shows the command.
// Bound to: <form data-operator data-operator-url="..." data-operator-key="..."> with one nameless password input and a
// button, inside a [data-operator-scope] that holds a [data-operator-said] place for what happened. The form is
// hidden in the page and shown here; [data-without-script] is the reverse.
const OUTCOMES = {
  promoted: "Promoted: the branch is at the candidate.",
  stale: "Stale: the branch was elsewhere, so nothing moved.",
  failed: "Failed: nothing moved.",
  outcome_unknown: "Outcome unknown: nobody saw whether the branch moved. Reconcile it on this page.",
};

function say(scope, words, tone) {
  const place = scope.querySelector("[data-operator-said]");
  place.hidden = false;
  place.className = `callout callout-${tone}`;
  place.textContent = words;
  place.scrollIntoView({ block: "nearest" });
}

async function send(form, token) {
  const response = await fetch(form.dataset.operatorUrl, {
    method: "POST",
    body: "{}",
    cache: "no-store",
    credentials: "omit",
    redirect: "error",
    headers: {
      Accept: "application/json",
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      "Idempotency-Key": form.dataset.operatorKey,
    },
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) return [answer.detail ?? `Refused with status ${response.status}. Nothing is known to have moved.`, "bad"];
  const tone = answer.outcome === "promoted" ? "ok" : "unknown";
  return [OUTCOMES[answer.outcome] ?? "Recorded. Reload to see it.", tone];
}

async function act(event) {
  const form = event.target.closest?.("form[data-operator]");
  if (!form) return;
  event.preventDefault();
  const scope = form.closest("[data-operator-scope]"); // stays, while the form may be renewed before the answer comes
  const field = form.querySelector("input[type=password]");
  const button = event.submitter ?? form.querySelector("button[type=submit]");
  const token = field.value;
  field.value = "";
  if (button.disabled) return;
  button.disabled = true;
  say(scope, "Sent. Checking everything again before anything moves.", "info");
  try {
    say(scope, ...(await send(form, token)));
    window.htmx?.trigger(document.body, "operator-done");
  } catch {
    say(scope, "No answer came back. Whether anything moved is unknown; reload before trying again.", "unknown");
  } finally {
    button.disabled = false;
  }
}

function reveal() {
  for (const form of document.querySelectorAll("form[data-operator][hidden]")) form.hidden = false;
  for (const note of document.querySelectorAll("[data-without-script]")) note.hidden = true;
}

reveal();
document.addEventListener("submit", act);
document.addEventListener("htmx:afterSettle", reveal);
