// Copies a full id whose short form is shown. Bound to: <button data-copy="FULL TEXT">; the button is hidden in the
// page and shown here, because without a script it could do nothing. The full text stays selectable beside it.
const SAID_MS = 2000;

function reveal(root) {
  for (const button of root.querySelectorAll("[data-copy][hidden]")) button.hidden = false;
}

function say(button, words) {
  const status = button.querySelector("[data-copy-said]") ?? button.appendChild(document.createElement("span"));
  status.dataset.copySaid = "";
  status.className = "visually-hidden";
  status.setAttribute("role", "status");
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

reveal(document);
document.addEventListener("click", copy);
document.addEventListener("htmx:afterSettle", (event) => reveal(event.target.parentNode ?? document));
