// Looks at a laid-out page for what axe does not: anything wider than the window, regions outside of it, and text
// that is cut off with no full form. Returns one line per finding. Runs inside the page.
() => {
  const found = [];
  const page = document.documentElement;
  const width = page.clientWidth;

  const name = (element) => {
    const id = element.id ? `#${element.id}` : "";
    const kind = element.classList.length ? `.${[...element.classList].join(".")}` : "";
    return `<${element.localName}${id}${kind}>`;
  };
  const words = (text) => JSON.stringify(text.trim().replace(/\s+/g, " ").slice(0, 60));
  const isHiddenOnPurpose = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const box = at.getBoundingClientRect();
      if (box.width <= 1 && box.height <= 1 && getComputedStyle(at).overflow !== "visible") return true;
      if (at.classList.contains("skip") && !at.matches(":focus")) return true;
    }
    return false;
  };
  const isShown = (element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true, contentVisibilityAuto: true }) &&
    element.getClientRects().length > 0 && !isHiddenOnPurpose(element);

  // The element that cuts this one at its right or left edge, and whether a person can scroll it.
  const cutter = (element) => {
    for (let at = element; at && at !== page && at !== document.body; at = at.parentElement) {
      const { overflowX } = getComputedStyle(at);
      if (overflowX !== "visible") return { at, scrolls: overflowX === "auto" || overflowX === "scroll" };
      if (getComputedStyle(at).position === "fixed") return null;
    }
    return null;
  };
  const fullForm = (element, text) => {
    const wanted = text.trim().replace(/\s+/g, " ");
    for (let at = element; at; at = at.parentElement) {
      for (const said of [at.title, at.getAttribute("aria-label"), at.dataset?.copy]) {
        if (said?.replace(/\s+/g, " ").includes(wanted)) return true;
      }
      if (at.matches("input, textarea, select")) return true;
    }
    return false;
  };

  if (page.scrollWidth > width) found.push(`the document is ${page.scrollWidth} wide in a window of ${width}`);

  const regions = "header, nav, main, aside, section, article, form, footer, dialog, table, [role=region], [role=group], h1, h2, h3, button, a, input, select, textarea, summary";
  for (const element of document.body.querySelectorAll(regions)) {
    if (!isShown(element) || cutter(element.parentElement)?.scrolls) continue;
    const box = element.getBoundingClientRect();
    if (box.left < -1 || box.right > width + 1) {
      found.push(`${name(element)} reaches from ${Math.round(box.left)} to ${Math.round(box.right)} in a window of ${width}`);
    }
  }

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || element.closest("script, style, noscript, option, datalist") || !isShown(element)) continue;
    range.selectNodeContents(node);
    const cut = cutter(element);
    if (!cut || cut.scrolls) continue;
    const edge = cut.at.getBoundingClientRect();
    const clipsDown = getComputedStyle(cut.at).overflowY !== "visible" && getComputedStyle(cut.at).overflowY !== "auto";
    const isCut = [...range.getClientRects()].some((box) => box.width > 0 &&
      (box.right > edge.right + 1 || box.left < edge.left - 1 || (clipsDown && box.bottom > edge.bottom + 3)));
    if (isCut && !fullForm(element, node.data)) found.push(`${name(element)} cuts ${words(node.data)} off`);
  }
  return [...new Set(found)];
}
