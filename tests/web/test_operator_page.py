"""The Operator room: exactly what would move, no field that could leak a token, and the truth about outcomes."""

from app.views.operator import OperatorPage
from app.web.templating import render_page
from tests.web.gallery import Element, Reader

PAGES = OperatorPage.examples()


def _reader(state: str) -> Reader:
    return Reader(render_page("operator/page.html", PAGES[state]))


def _forms(reader: Reader) -> list[Element]:
    return [element for element in reader.elements if "data-operator" in element.attributes]


def test_a_token_has_no_field_that_a_form_could_send() -> None:
    """The input has no name, the browser is told not to fill it in, and the form is hidden without a script."""
    reader = _reader("all")
    inputs = [e for e in reader.elements if e.attributes.get("type") == "password"]
    assert [(e.attributes.get("name"), e.attributes["autocomplete"]) for e in inputs] == [(None, "off")] * 2
    assert [("hidden" in form.attributes, form.attributes["method"]) for form in _forms(reader)] == [
        (True, "dialog")
    ] * 2
    assert all("action" not in form.attributes for form in _forms(reader))


def test_each_act_names_its_address_and_its_command() -> None:
    """What the module sends and what a person types are the same act on the same promotion."""
    page = PAGES["all"]
    reader = _reader("all")
    urls = [form.attributes["data-operator-url"] for form in _forms(reader)]
    commands = [e.text for e in reader.elements if e.tag == "code"]
    unknown, waiting = page.unknown[0].form, page.waiting[0].form
    assert waiting is not None
    assert urls == [unknown.url, waiting.url]
    assert commands == [unknown.command, waiting.command]
    assert [url.rsplit("/", 1)[1] for url in urls] == [command.split()[2] for command in commands]


def test_what_would_move_is_whole() -> None:
    """Repository, ref, base and candidate stand there, each commit with its full id to copy."""
    page = PAGES["waiting"]
    move = page.waiting[0].move
    html = render_page("operator/page.html", page)
    for text in (move.repository, f"{move.ref} is", f"{move.ref} becomes", move.contains):
        assert text in html
    for commit in (move.base, move.candidate):
        assert f'data-copy="{commit.full}"' in html


def test_a_stale_move_has_no_form() -> None:
    """What cannot be executed offers nothing to execute, and says why."""
    html = render_page("operator/page.html", PAGES["stale"])
    assert "data-operator-url" not in html
    assert PAGES["stale"].waiting[0].refused in html


def test_an_unknown_outcome_is_neither_shipped_nor_failed() -> None:
    """The page says that nobody saw it, and offers to record what is seen now, which moves nothing."""
    html = render_page("operator/page.html", PAGES["unknown"])
    assert "counts neither as shipped nor as failed" in html
    assert "it moves nothing" in html
    assert "/reconcile" in html


def test_what_crashes_left_is_listed() -> None:
    """A lock that a dead process left is said, and so is a journal that cannot be trusted."""
    html = render_page("operator/page.html", PAGES["journal broken, lock left"])
    assert PAGES["journal broken, lock left"].leftovers[0] in html
    assert "Journal cannot be trusted" in html
