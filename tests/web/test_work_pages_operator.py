"""The Operator room from lawful stories: what waits, what nobody saw, what the journal says, what is over."""

import re
from dataclasses import replace

from app.views.building.operator import OperatorSight, Read, operator_page
from app.views.operator import OperatorPage
from app.views.shell import Shell
from app.views.work.sight import Branch, Journal
from app.web.templating import render_page
from kernel.projections.threads import WorkStanding as S
from kernel.values.execution import JournalState, PromotionReceipt
from kernel.vocabulary import PromotionOutcome
from tests.support.story import BASE, CANDIDATE_COMMIT, receipt
from tests.support.works import TELLERS, Work, authorized, lapsed, moving, running


def _journal(promotion_id: str, state: str, found: PromotionReceipt | None = None) -> Journal:
    return Journal(JournalState(promotion_id, state, found, ()))


def _page(work: Work, read: Read | None = None) -> OperatorPage:
    ids = work.story.state.promotions.keys()
    shown = {item: read or Read(Branch(BASE), _journal(item, "absent")) for item in ids}
    sight = OperatorSight(
        shell=Shell.example_world("Operator", "/operator"),
        origin="http://127.0.0.1:8765",
        now=work.story.later(1),
        names={"owner": "Mira", "opal": "Opal"},
        read=shown,
        new_command=lambda: "command_01jdz8q3v4m5n6p7q8r9s0t1v2",
    )
    return operator_page((work.story.state,), sight)


def _id(work: Work) -> str:
    return str(work.story.state.promotions.keys()[-1])


def test_a_waiting_move_says_exactly_what_would_move_and_how_to_do_it() -> None:
    """The move, what was checked, the token form's address and the same as a command."""
    work = authorized()
    (waiting,) = _page(work).waiting
    assert waiting.form is not None
    assert (waiting.title, waiting.waits.word, waiting.move.base.full, waiting.move.candidate.full) == (
        "Move main to “Work out the cost of three vans”",
        "Reserved for 9 more minutes",
        BASE,
        CANDIDATE_COMMIT,
    )
    assert (waiting.form.url, waiting.form.command, waiting.refused) == (
        f"/api/v1/promotions/{_id(work)}/execute",
        f"odeu promotion execute {_id(work)}",
        "",
    )
    assert [item.tone for item in waiting.seen] == ["ok", "muted", "ok", "ok", "muted"]


def test_no_form_of_the_page_posts_a_token() -> None:
    """The input for the token has no name and the form no address: without the module nothing is sent."""
    html = render_page("operator/page.html", _page(authorized()))
    form = re.search(r"<form class=\"token\".*?</form>", html, re.DOTALL)
    assert form is not None
    named = re.findall(r'<(?:input|button)[^>]* name="', form.group(0))
    assert (named, 'method="dialog"' in form.group(0), "action=" in form.group(0)) == ([], True, False)


def test_a_lapsed_authorisation_cannot_be_executed_here() -> None:
    """When no operator acted in time there is no form, and the page says who can do what."""
    (waiting,) = _page(lapsed()).waiting
    assert (waiting.form, waiting.waits.word, waiting.refused[:31]) == (
        None,
        "Lapsed",
        "No operator acted in time. A pe",
    )


def test_a_branch_that_moved_is_said_before_the_operator_acts() -> None:
    """Executing on a moved branch records it as stale; the page says so beforehand."""
    work = authorized()
    (waiting,) = _page(work, Read(Branch("9" * 40), _journal(_id(work), "absent"))).waiting
    assert waiting.seen[3].text.startswith("main is somewhere else by now, read directly.")


def test_a_candidate_that_is_not_what_was_sealed_cannot_be_moved() -> None:
    """A difference between ledger and raw objects takes the form away."""
    work = authorized()
    read = Read(Branch(BASE), _journal(_id(work), "absent"), ("the tree differs",))
    (waiting,) = _page(work, read).waiting
    assert (waiting.form, waiting.refused) == (None, "The candidate is not what was sealed: the tree differs")


def test_a_move_without_an_outcome_is_called_unknown_with_what_is_seen_now() -> None:
    """Between the request and an outcome nothing is claimed; the branch is read and the way out offered."""
    work = moving()
    page = _page(work, Read(Branch(CANDIDATE_COMMIT), _journal(_id(work), "attempt_only")))
    (unknown,) = page.unknown
    told = (unknown.form.url, unknown.finding[:38], [line.title for line in page.stories[0].lines])
    assert told == (
        f"/api/v1/promotions/{_id(work)}/reconcile",
        "What is seen matches the candidate. Th",
        ["No status", "Attempt opened", "Intent written"],
    )


def test_an_unknown_outcome_whose_branch_is_elsewhere_or_unreadable_is_not_guessed() -> None:
    """The finding says only what the direct read says."""
    work = TELLERS[S.UNKNOWN]()
    journal = _journal(_id(work), "attempt_only")
    found = [
        _page(work, Read(branch, journal)).unknown[0].finding.partition(".")[0]
        for branch in (Branch(BASE), Branch("9" * 40), Branch(None, "not readable"))
    ]
    assert found == [
        "What is seen is where it started",
        "What is seen is neither of the two",
        "What is seen is neither of the two",
    ]


def test_an_earlier_move_is_compared_with_the_journal() -> None:
    """A finished promotion shows its outcome, its operator and whether the journal says the same."""
    work = TELLERS[S.PROMOTED]()
    same = receipt(_id(work), PromotionOutcome.PROMOTED)
    pages = (
        _page(work, Read(Branch(CANDIDATE_COMMIT), _journal(_id(work), "completed", same))),
        _page(work, Read(Branch(CANDIDATE_COMMIT), Journal(None, "the folder is not private"))),
    )
    told = [
        (page.journal.word, *[(m.outcome.word, m.operator, m.attested.word) for m in page.earlier])
        for page in pages
    ]
    assert told == [
        ("Journal readable, chain intact", ("Promoted", "Opal", "Attested")),
        ("Journal cannot be trusted", ("Promoted", "Opal", "Not attested")),
    ]
    lines = [(line.title, line.when is None) for line in pages[0].stories[0].lines]
    assert lines == [("Status: promoted", False), ("Attempt opened", False), ("Intent written", True)]


def test_stale_and_failed_moves_say_that_nothing_moved() -> None:
    """No outcome but promoted is coloured as a success."""
    marks = [_page(TELLERS[item]()).earlier[0].outcome for item in (S.STALE, S.NOT_PROMOTED)]
    assert [(mark.word, mark.tone) for mark in marks] == [
        ("Stale, nothing moved", "stale"),
        ("Failed, nothing moved", "bad"),
    ]


def test_a_claim_past_its_end_is_named_as_left_over() -> None:
    """A run whose worker should have answered long ago is on the page until it is settled."""
    work = running()
    before = _page(work).leftovers
    work.story.step += 600
    after = _page(work).leftovers
    assert (before, [item[:40] for item in after]) == ((), ["A worker took the run of “Work out the c"])


def test_the_page_says_when_nothing_waits() -> None:
    """Without any promotion the room is quiet and says so."""
    html = render_page("operator/page.html", _page(running()))
    assert "Nothing waits for an operator" in html
    assert replace(_page(running()).journal, tone="plain").word == "Journal readable, nothing in it yet"
