// Light, dark or as the system says. <html data-theme> overrides; absent means the system.
// Bound to: [data-theme-choice="light|dark|system"], buttons or radio inputs.
const KEY = "odeu.theme";
const CHOICES = ["light", "dark", "system"];

function remembered() {
  try {
    const choice = localStorage.getItem(KEY);
    return CHOICES.includes(choice) ? choice : "system";
  } catch {
    return "system"; // storage may be switched off; the choice then lasts for this page
  }
}

function apply(choice) {
  if (choice === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = choice;
  for (const control of document.querySelectorAll("[data-theme-choice]")) {
    const isChosen = control.dataset.themeChoice === choice;
    if (control instanceof HTMLInputElement) control.checked = isChosen;
    else control.setAttribute("aria-pressed", String(isChosen));
  }
}

function choose(event) {
  const control = event.target.closest?.("[data-theme-choice]");
  if (!control || !CHOICES.includes(control.dataset.themeChoice)) return;
  apply(control.dataset.themeChoice);
  try {
    localStorage.setItem(KEY, control.dataset.themeChoice);
  } catch {
    // nothing to do: see remembered()
  }
}

apply(remembered());
document.addEventListener("click", choose);
document.addEventListener("htmx:afterSettle", () => apply(remembered()));
