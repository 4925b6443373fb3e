// Copies a full id whose short form is shown. Bound to: <button data-copy="FULL TEXT">; without a script the style
// sheet hides it. What happened is said in words to those who do not see the button.
const SAID_MS = 2000;

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

document.addEventListener("click", copy);
