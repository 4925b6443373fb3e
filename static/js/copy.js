// Copies a full id whose short form is shown. Bound to: <button data-copy="FULL TEXT" hidden>; shown here, because
// without a script it could do nothing. What happened is also said to those who do not see the button.
const SAID_MS = 2000;

function reveal() {
  for (const button of document.querySelectorAll("[data-copy][hidden]")) button.hidden = false;
}

function voice() {
  const known = document.getElementById("copy-said");
  if (known) return known;
  const made = document.createElement("div");
  made.id = "copy-said";
  made.className = "visually-hidden";
  made.setAttribute("role", "status");
  return document.body.appendChild(made);
}

function say(button, words) {
  const status = voice();
  status.textContent = words;
  button.dataset.copied = words;
  setTimeout(() => {
    status.textContent = "";
    delete button.dataset.copied;
  }, SAID_MS);
}

async function copy(event) {
  const button = event.target.closest?.("[data-copy]");
  if (!button) return;
  event.preventDefault();
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    say(button, "Copied");
  } catch {
    say(button, "Could not copy");
  }
}

voice();
reveal();
document.addEventListener("click", copy);
document.addEventListener("htmx:afterSettle", reveal);
