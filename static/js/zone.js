// The reader's own time zone beside the days of a form, which mean UTC without this module. Bound to: a form with
// <input type="hidden" data-zone>, whose [data-zone-name] say the zone; data-zone-kept holds days that were asked for
// in the zone they name, and stays as it is.
const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

function fill(root) {
  for (const input of root.querySelectorAll("input[data-zone]:not([data-zone-kept])")) {
    input.value = zone;
    for (const name of input.form.querySelectorAll("[data-zone-name]")) name.textContent = zone;
  }
}

if (zone) {
  fill(document);
  document.addEventListener("htmx:afterSettle", () => fill(document));
}
