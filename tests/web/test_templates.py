"""Templates and views fit each other both ways, and every page is well-formed, plain and complete."""

import re
from collections.abc import Iterator
from dataclasses import fields, replace
from functools import cache
from pathlib import Path

import pytest
from jinja2 import nodes
from jinja2.meta import find_referenced_templates, find_undeclared_variables

from app.web.templating import environment, render_block, render_page
from tests.web.gallery import EXAMPLES, FAMILIES, TEMPLATES, Example, Reader, parsed, rendered, view_classes

MACROS = frozenset(path.stem for path in (TEMPLATES / "macros").glob("*.html"))


def _names(tree: nodes.Template) -> Iterator[str]:
    """Yield every attribute name that a template reads from something that is no macro file and no loop."""
    for node in tree.find_all(nodes.Getattr):
        if not (isinstance(node.node, nodes.Name) and node.node.name in {*MACROS, "loop"}):
            yield node.attr


def _reached(template: str) -> set[str]:
    """Return a page template and everything it extends, includes or may call."""
    seen: set[str] = set()
    waiting = [template, *(f"macros/{name}.html" for name in MACROS)]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        source = (TEMPLATES / name).read_text()
        waiting += [found for found in find_referenced_templates(environment().parse(source)) if found]
    return seen


@cache
def _read_names(template: str) -> set[str]:
    return {
        attribute
        for name in _reached(template)
        for attribute in _names(environment().parse((TEMPLATES / name).read_text()))
    }


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_every_example_renders_to_a_well_formed_page(example: Example) -> None:
    """A page renders in every state, its tags match, its ids are unique and every reference has its target."""
    reader = parsed(example.template, example.state)
    ids = [element.attributes["id"] for element in reader.elements if "id" in element.attributes]
    wanted = {
        target
        for element in reader.elements
        for name in ("for", "form", "aria-labelledby", "aria-describedby", "aria-controls")
        for target in element.attributes.get(name, "").split()
    }
    repeated = sorted({name for name in ids if ids.count(name) > 1})
    assert (reader.faults, repeated, sorted(wanted - set(ids))) == ([], [], [])


@pytest.mark.parametrize("template", FAMILIES)
def test_every_field_of_a_view_is_shown(template: str) -> None:
    """A field that no template reads is a promise nobody keeps."""
    read = _read_names(template)
    classes = {found for page in FAMILIES[template].values() for found in view_classes(page)}
    # A property may stand for its fields: a binding prints `fields`, a moment `utc`.
    spoken_for = {"expected_revision", "seen", "command_id", "level"}
    unused = {
        f"{view.__name__}.{field.name}"
        for view in classes
        for field in fields(view)
        if field.name not in read | spoken_for
    }
    assert unused == set()


@pytest.mark.parametrize("template", FAMILIES)
def test_every_name_a_page_reads_exists(template: str) -> None:
    """A name that no view has would fail in the one state nobody tried."""
    known = {
        name
        for states in FAMILIES.values()
        for page in states.values()
        for view in view_classes(page)
        for name in dir(view)
    }
    assert sorted(_read_names(template) - known) == []


@pytest.mark.parametrize(
    "path", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: str(path.relative_to(TEMPLATES))
)
def test_a_template_knows_one_variable(path: Path) -> None:
    """Templates see `page` and the macros; an included part also sees what its page named around it."""
    source = path.read_text()
    tree = environment().parse(source)
    is_part = path.name.startswith("_")
    around = {"item", "row", "room", "stage", "act", "loop", "run", "form"} if is_part else set()
    assert sorted(find_undeclared_variables(tree) - {"page"} - MACROS - around) == []


def _own_blocks(template: str) -> list[str]:
    tree = environment().parse((TEMPLATES / template).read_text())
    frame = {"main", "styles", "scripts", "title"}
    return [block.name for block in tree.find_all(nodes.Block) if block.name not in frame]


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_a_fragment_has_one_root_named_after_its_block(example: Example) -> None:
    """Block `inbox_queue` renders exactly one element with the id `inbox-queue`, or nothing at all."""
    for block in _own_blocks(example.template):
        if block.replace("_", "-") not in rendered(example.template, example.state):
            continue
        reader = Reader(render_block(example.template, block, example.page))
        assert [root.attributes.get("id") for root in reader.roots] == [block.replace("_", "-")]
        assert reader.faults == []


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_nothing_in_a_page_needs_a_looser_policy(example: Example) -> None:
    """No inline script, style or handler, and no address outside this origin."""
    faults = []
    for element in parsed(example.template, example.state).elements:
        inline = [name for name in element.attributes if name == "style" or name.startswith(("on", "hx-on"))]
        faults += [f"<{element.tag} {name}>" for name in inline]
        if element.tag in {"script", "style"} and ("src" not in element.attributes or element.text.strip()):
            faults.append(f"inline <{element.tag}>")
        for name in ("href", "src", "action", "hx-get", "hx-post", "sse-connect"):
            value = element.attributes.get(name, "/")
            if not value.startswith(("/", "#")) and value != "data:,":
                faults.append(f"<{element.tag} {name}={value!r}>")
    assert faults == []


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_every_form_works_by_itself(example: Example) -> None:
    """A writing form names its address, carries the form token and has a button that sends it."""
    reader = parsed(example.template, example.state)
    for form in (element for element in reader.elements if element.tag == "form"):
        if "data-operator" in form.attributes:
            continue  # the one act that takes a script: the page shows the command instead
        named = form.attributes.get("id", "")
        mine = [
            element
            for element in reader.elements
            if (named and element.attributes.get("form") == named) or element.within("form") is form
        ]
        sent = {element.attributes.get("name") for element in mine}
        submits = [e for e in mine if e.tag == "button" and e.attributes.get("type") == "submit"]
        is_search = form.attributes.get("role") == "search"
        assert form.attributes.get("action", "").startswith("/")
        assert form.attributes.get("method") in {"get", "post"}
        assert submits or is_search, f"{form.attributes} has no submit button"
        if form.attributes["method"] == "post":
            assert "form_token" in sent, f"{form.attributes['action']} carries no form token"
        assert form.attributes.get("hx-post", form.attributes["action"]) == form.attributes["action"]


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_acts_on_meaning_say_what_was_seen(example: Example) -> None:
    """Accept, edit, move and reject carry the revision and the digest of what was shown."""
    reader = parsed(example.template, example.state)
    for form in (element for element in reader.elements if element.tag == "form"):
        action = form.attributes.get("action", "")
        if not re.search(r"/(accept|edit|move|reject)$", action):
            continue
        sent = {e.attributes.get("name") for e in reader.elements if e.within("form") is form}
        assert {"expected_revision", "seen", "command_id", "form_token"} <= sent


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_a_page_has_one_primary_act_at_most(example: Example) -> None:
    """One filled button per view: a second one would say that both come first."""
    elements = parsed(example.template, example.state).elements
    filled = [e for e in elements if "btn-primary" in e.attributes.get("class", "").split()]
    assert len(filled) <= 1


def test_every_page_template_is_in_the_gallery() -> None:
    """A page outside of the gallery would be looked at by no test."""
    pages = {
        str(path.relative_to(TEMPLATES))
        for path in TEMPLATES.rglob("*.html")
        if '{% extends "layout.html" %}' in path.read_text()
    }
    assert pages - set(FAMILIES) == set()


def test_hostile_text_reaches_the_page_as_text_only() -> None:
    """Markup is escaped and an invisible character is named, wherever a template prints it."""
    page = FAMILIES["focus/page.html"]["node"]
    item = replace(page.item, title="<img src=x onerror=alert(1)>\u202e{{ 7*7 }}")
    html = render_page("focus/page.html", replace(page, item=item))
    assert "&lt;img src=x onerror=alert(1)&gt;⟦U+202E⟧{{ 7*7 }}" in html
    assert "<img" not in html


def test_typed_text_comes_back_unchanged() -> None:
    """The value of a control is escaped but never rewritten, because it is sent again."""
    page = FAMILIES["capture/page.html"]["first"]
    typed = "line\u202e\n<b>"
    html = render_page("capture/page.html", replace(page, box=replace(page.box, text=typed)))
    assert "line\u202e\n&lt;b&gt;</textarea>" in html


@pytest.mark.parametrize("value", [None, True])
def test_a_template_cannot_print_what_is_no_word(value: object) -> None:
    """None or a truth value in a page is a view that forgot to decide."""
    template = environment().from_string("{{ page }}")
    with pytest.raises(TypeError, match="the view must give a ready string"):
        template.render(page=value)
