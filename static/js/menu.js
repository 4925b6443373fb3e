// Closes an open menu when the person turns elsewhere: Escape, a click or focus outside. Opening is the browser's own.
// Bound to: <details data-menu>.
const openMenus = () => document.querySelectorAll("details[data-menu][open]");

function closeOthers(event) {
  for (const menu of openMenus()) if (!menu.contains(event.target)) menu.open = false;
}

function escape(event) {
  if (event.key !== "Escape") return;
  for (const menu of openMenus()) {
    menu.open = false;
    if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
  }
}

document.addEventListener("pointerdown", closeOthers);
document.addEventListener("focusin", closeOthers);
document.addEventListener("keydown", escape);
