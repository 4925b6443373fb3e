"""The brief's page: everything that leaves and why, everything that stays and why, and the exact payload."""

from dataclasses import replace

from app.views.work.brief import BriefPage
from app.web.templating import render_page
from tests.web.gallery import Reader


def test_every_shared_node_has_its_reason() -> None:
    """Each line names the node, leads to it and says which need put it there."""
    page = BriefPage.example()
    html = render_page("brief/page.html", page)
    for line in page.shared:
        assert f'<a href="{line.href}">{line.title}</a></b><span class="meta">{line.reason}</span>' in html


def test_every_withheld_title_is_for_the_owner_and_folded() -> None:
    """The groups give numbers and reasons; all titles are inside a fold that says who sees them."""
    page = BriefPage.example()
    reader = Reader(render_page("brief/page.html", page))
    fold = next(e for e in reader.elements if e.tag == "summary" and "to you only" in e.text).parent
    listed = [e.text for e in reader.elements if e.tag == "li" and e.within("details") is fold]
    assert listed == [title for group in page.withheld for title in group.titles]


def test_the_payload_is_shown_as_it_is_sent() -> None:
    """The text is complete and inert: markup and hidden characters in it are visible."""
    page = replace(BriefPage.example(), payload='{"goal": "<b>\u202e"}\n')
    reader = Reader(render_page("brief/page.html", page))
    shown = next(element for element in reader.elements if element.attributes.get("class") == "payload")
    assert shown.text == '{"goal": "<b>⟦U+202E⟧"}\n'


def test_the_act_authorises_this_brief_only() -> None:
    """The form names the brief and carries no revision: it is an operational act."""
    reader = Reader(render_page("brief/page.html", BriefPage.example()))
    form = next(element for element in reader.elements if element.attributes.get("id") == "act-authorise")
    sent = {
        e.attributes["name"]: e.attributes["value"]
        for e in reader.elements
        if e.tag == "input" and e.within("form") is form
    }
    assert sent == {"form_token": "example-form-token", "command_id": "command_01", "brief_id": "brief_1"}


def test_a_brief_that_is_out_of_date_starts_nothing() -> None:
    """There is no act, only the reason and the way to a new brief."""
    html = render_page("brief/page.html", BriefPage.examples()["out of date"])
    assert "btn-primary" not in html
    assert "Out of date: the task changed since" in html
    assert "Compile a new brief" in html
