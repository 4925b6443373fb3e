"""Templates hold no inline script, style or handler, and no unescaped text.

Danger: every page is sent with a content security policy that allows nothing inline. An inline piece does not
run for anybody, and the day somebody loosens the policy for it, text that an agent wrote runs with a person's
authority. `|safe` opens the same door from the other side.
Cure:   behaviour is an ES module under static/js bound to a `data-` attribute; looks are a class; a measured
width is a `<progress>`; markup is made by a macro or in app/web.
Skip:   lint: allow csp-templates - reason
"""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Final

from tests.lint.rule import Fault, Rule, Source

_JINJA_TAG: Final = re.compile(r"\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_JINJA_VALUE: Final = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_UNSAFE: Final = (
    (re.compile(r"\|\s*safe\b"), "`|safe` prints text as markup; let a macro or app/web make the markup"),
    (re.compile(r"\{%-?\s*autoescape\s+false"), "escaping is never switched off"),
)
_URL_ATTRIBUTES: Final = frozenset({"href", "src", "action", "formaction", "xlink:href", "hx-get", "hx-post"})
_EVALUATED: Final = frozenset({"hx-vals", "hx-headers", "hx-vars", "hx-request"})


class _Reader(HTMLParser):
    """Collects faults of one template whose Jinja was blanked out."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[Fault] = []
        self._open_script = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {name for name, _ in attrs}
        self._open_script = tag == "script"
        if tag == "script" and "src" not in names:
            self._report("inline <script>: move it to a module under static/js")
        if tag == "style":
            self._report("inline <style>: move it to the stylesheet")
        for name, value in attrs:
            fault = _attribute_fault(name, (value or "").strip().lower())
            if fault:
                self._report(fault)

    def handle_data(self, data: str) -> None:
        if self._open_script and data.strip():
            self._report("a <script> with a body: move it to a module under static/js")

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._open_script = False

    def _report(self, message: str) -> None:
        self.faults.append(Fault(self.getpos()[0], message))


def _attribute_fault(name: str, value: str) -> str | None:
    if name == "style":
        return "style= attribute: give the element a class"
    if name.startswith(("hx-on", "data-hx-on")):
        return f"{name}: bind a module under static/js to a data- attribute"
    if name.startswith("on"):
        return f"{name}= handler: bind a module under static/js to a data- attribute"
    if name == "srcdoc":
        return "srcdoc= holds a page inside the page; link to it"
    if name in _URL_ATTRIBUTES and value.startswith(("javascript:", "vbscript:")):
        return f"{name}= holds a script address"
    if name in _EVALUATED and value.startswith(("js:", "javascript:")):
        return f"{name}= is evaluated; send plain values"
    if name == "hx-trigger" and "[" in value:
        return "hx-trigger= filter is evaluated; decide on the server"
    return None


def _blank(match: re.Match[str]) -> str:
    return "".join("\n" if letter == "\n" else " " for letter in match.group())


def _stand_in(match: re.Match[str]) -> str:
    return "".join("\n" if letter == "\n" else "x" for letter in match.group())


def find(source: Source) -> Iterator[Fault]:
    """Yield every inline piece and unescaped value of one template."""
    for pattern, message in _UNSAFE:
        for match in pattern.finditer(source.text):
            yield Fault(source.text.count("\n", 0, match.start()) + 1, message)
    reader = _Reader()
    reader.feed(_JINJA_VALUE.sub(_stand_in, _JINJA_TAG.sub(_blank, source.text)))
    reader.close()
    yield from reader.faults


RULE: Final = Rule(
    name="csp-templates",
    applies=lambda path: path.startswith("templates/") and path.endswith((".html", ".svg", ".xml")),
    find=find,
)
