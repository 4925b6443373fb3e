"""Style sheets, icons and pages fit each other: nothing is styled that no page shows, nothing shown lacks its sign."""

import re
from functools import cache

from tests.web.gallery import EXAMPLES, ROOT, TEMPLATES, parsed

CSS = ROOT / "static" / "css"
LINES_MAX = 500
STATES = frozenset({"htmx-request"})
"""Classes that HTMX sets while it works."""


@cache
def _styled() -> frozenset[str]:
    """Return every class that a selector names."""
    found: set[str] = set()
    for sheet in CSS.glob("*.css"):
        bare = re.sub(r"/\*.*?\*/", "", sheet.read_text(), flags=re.DOTALL)
        selectors = " ".join(re.findall(r"[^{}]+(?=\{)", bare))
        found |= set(re.findall(r"\.([a-zA-Z][\w-]*)", selectors))
    return frozenset(found)


@cache
def _shown() -> frozenset[str]:
    """Return every class that an example page carries."""
    return frozenset(
        name
        for example in EXAMPLES
        for element in parsed(example.template, example.state).elements
        for name in element.attributes.get("class", "").split()
    )


def test_every_styled_class_is_written_somewhere() -> None:
    """A rule for a class that no template or module writes is left over."""
    sources = [*TEMPLATES.rglob("*.html"), *(ROOT / "static" / "js").glob("*.js")]
    words = set(re.findall(r"[A-Za-z][\w-]*", " ".join(path.read_text() for path in sources)))
    composed = {
        name for name in _styled() if re.match(r"(i|chip|lane|tag|callout|in|lv|e|nl|nlt)-[\w-]+$", name)
    }
    assert sorted(_styled() - words - composed - STATES) == []


def test_every_icon_exists() -> None:
    """A page that names an icon the sprite does not have would show nothing."""
    sprite = set(re.findall(r'<symbol id="([\w-]+)"', (ROOT / "static" / "icons.svg").read_text()))
    used = {
        element.attributes["href"].removeprefix("/static/icons.svg#")
        for example in EXAMPLES
        for element in parsed(example.template, example.state).elements
        if element.tag == "use"
    }
    assert sorted(used - sprite) == []


def test_only_the_token_sheet_holds_colours() -> None:
    """A colour elsewhere would not follow light and dark."""
    colour = re.compile(r"#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(")
    found = [
        (sheet.name, match.group())
        for sheet in CSS.glob("*.css")
        if sheet.name != "tokens.css"
        for match in colour.finditer(re.sub(r"/\*.*?\*/", "", sheet.read_text(), flags=re.DOTALL))
    ]
    assert found == []


def test_every_sheet_stays_in_its_layers_and_is_short() -> None:
    """Rules outside of a layer win over all others, and a long sheet hides its parts."""
    loose = []
    for sheet in CSS.glob("*.css"):
        text = re.sub(r"/\*.*?\*/", "", sheet.read_text(), flags=re.DOTALL)
        outer = [line for line in text.splitlines() if re.match(r"[^\s@}]", line)]
        loose += [f"{sheet.name}: {line}" for line in outer]
        assert len(text.splitlines()) <= LINES_MAX
    assert loose == []


def test_the_pages_and_the_sheets_know_the_same_classes() -> None:
    """Every class a page carries is styled; a hook without a style is a data- attribute instead."""
    hooks = {"in-0"}
    assert sorted(_shown() - _styled() - hooks) == []
