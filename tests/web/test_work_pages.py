"""What the Work room promises on every page: one open stage, three families, claims apart from observations."""

from dataclasses import replace

import pytest

from app.views.work.page import WorkListPage, WorkThreadPage
from app.views.work.parts import Seen
from app.web.templating import render_block, render_page
from tests.web.gallery import Element, Reader

THREADS = WorkThreadPage.examples()
STATES = pytest.mark.parametrize("state", THREADS)


def _thread(page: WorkThreadPage) -> Reader:
    return Reader(render_block("work/thread.html", "thread", page))


def _classed(reader: Reader, name: str) -> list[Element]:
    return [element for element in reader.elements if name in element.attributes.get("class", "").split()]


@STATES
def test_one_stage_of_eight_is_open(state: str) -> None:
    """Passed stages are receipts that unfold, exactly one is now, the rest say what they need."""
    reader = _thread(THREADS[state])
    stages = [element for element in _classed(reader, "stage") if element.tag == "li"]
    now = [at for at, element in enumerate(stages) if element.attributes.get("aria-current") == "step"]
    kinds = [element.attributes["class"].split()[1] for element in stages]
    number = THREADS[state].now.number
    assert now == [number - 1]
    assert kinds == ["stage-done"] * (number - 1) + ["stage-now"] + ["stage-next"] * (8 - number)
    receipts = [element for element in _classed(reader, "receipt") if element.tag == "details"]
    assert len(receipts) == number - 1


@STATES
def test_the_families_stand_in_their_order(state: str) -> None:
    """Knowledge, governance and work are three words, never one."""
    names = [family.name for family in THREADS[state].families]
    assert names == ["Knowledge", "Governance", "Work"]
    html = render_block("work/thread.html", "thread", THREADS[state])
    places = [
        html.index(f"{family.name}: {family.mark.word}") for family in THREADS[state].families if family.mark
    ]
    assert places == sorted(places)


@STATES
def test_every_state_has_a_way_on(state: str) -> None:
    """A thread always offers an act or a link, or says what it waits for."""
    page = THREADS[state]
    ways = [page.primary, *page.others, *page.links, page.waits or None]
    ways += [*(page.notice.ways if page.notice else ()), *(page.refusal.ways if page.refusal else ())]
    ways += page.outcome.notice.ways if page.outcome else ()
    assert any(ways)


@STATES
def test_a_part_polls_only_while_a_run_is_unfinished(state: str) -> None:
    """`every 2s` stands in the page exactly when the run is on its way and polls are left."""
    html = render_block("work/thread.html", "thread", THREADS[state])
    progress = THREADS[state].progress
    assert ('hx-trigger="every 2s"' in html) == bool(progress and progress.is_polling)


def test_claims_and_observations_never_share_a_section() -> None:
    """What the worker says stands in its own section, set as words; what the host saw in another."""
    page = replace(THREADS["validated"], candidate=None)
    assert page.reported is not None
    reader = _thread(page)
    sections = {
        element.attributes.get("aria-labelledby"): element
        for element in reader.elements
        if element.tag == "section"
    }
    claims = [e for e in reader.elements if e.tag == "li" and e.within("section") is sections["claims-h"]]
    seen = [e for e in reader.elements if e.tag == "dd" and e.within("section") is sections["observed-h"]]
    assert [element.text for element in claims] == list(page.reported.claims)
    assert [element.text for element in seen] == [one.text for one in page.reported.observations]


HOSTILE = "</pre><script>alert(1)</script>\u202eexe.txt\u200b"
SHOWN = "&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;⟦U+202E⟧exe.txt⟦U+200B⟧"


def test_what_a_worker_writes_is_text() -> None:
    """Claims, observations, questions and patches are escaped, and what hides in them is named."""
    page = THREADS["validated"]
    assert page.reported is not None
    assert page.candidate is not None
    page = replace(
        page,
        reported=replace(page.reported, claims=(HOSTILE,), observations=(Seen("Output", HOSTILE),)),
        candidate=replace(page.candidate, patch=HOSTILE),
    )
    html = render_page("work/thread.html", page)
    assert html.count(SHOWN) == 3
    assert "<script>alert" not in html


def test_an_act_that_is_not_possible_says_why() -> None:
    """Its button is disabled and described by the reason beside it."""
    page = THREADS["integrate, stale"]
    assert page.primary is not None
    reader = _thread(page)
    button = next(e for e in reader.elements if "btn-primary" in e.attributes.get("class", ""))
    reason = next(
        e for e in reader.elements if e.attributes.get("id") == button.attributes["aria-describedby"]
    )
    assert "disabled" in button.attributes
    assert page.primary.refused in reason.text


def test_a_refused_answer_is_kept() -> None:
    """What was typed stands in the field again, unchanged, and belongs to the act's form."""
    page = THREADS["blocked, refused"]
    assert page.question is not None
    reader = _thread(page)
    field = next(element for element in reader.elements if element.tag == "textarea")
    assert (field.text, field.attributes["form"]) == ("15 %, because of the diagonal cuts", "act-authorise")


def test_acts_on_meaning_carry_what_was_seen_and_others_do_not() -> None:
    """Integrate and reject name revision and digest; a validation names its command only."""
    sent = {}
    for state in ("integrate", "returned"):
        reader = _thread(THREADS[state])
        for form in (element for element in reader.elements if element.tag == "form"):
            names = {
                e.attributes["name"] for e in reader.elements if e.tag == "input" and e.within("form") is form
            }
            sent[form.attributes["id"]] = names
    meaning = {"form_token", "command_id", "expected_revision", "seen"}
    assert sent == {
        "act-integrate": meaning,
        "act-reject": meaning,
        "act-validate": {"form_token", "command_id"},
    }


def test_the_list_says_what_each_piece_waits_for() -> None:
    """Every thread shows its stage of eight and what it waits for."""
    page = WorkListPage.example()
    html = render_page("work/list.html", page)
    for line in page.threads:
        assert f"Stage {line.number} of 8: {line.stage}" in html
        assert line.waits.word in html


def test_an_empty_list_leads_on() -> None:
    """Nothing to do is said, with the way to something."""
    html = render_page("work/list.html", WorkListPage.examples()["empty"])
    assert "No work yet" in html
    assert 'href="/p/birch-lane/outline"' in html
