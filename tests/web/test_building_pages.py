"""Every record of a whole ledger can be opened on its page, by whoever reads: no state of the world is a fault."""

from dataclasses import replace

import pytest

from app.views.building.change import change_page
from app.views.building.focus import focus_page
from app.views.building.inbox import inbox_page
from app.views.building.outline import Address, outline_page
from app.views.opening import Opened
from app.views.shell import Shell
from app.views.wording import Reading
from app.web.templating import render_page
from kernel.errors import NotFoundError
from kernel.vocabulary import Boundary, Role
from tests.support.story import Story, delta_with_profile
from tests.support.whole import whole_project
from tests.web.gallery import Reader

NOW = "2026-11-30T10:00:00.000000Z"
SHELL = Shell.example()


def _reading(story: Story, role: Role = Role.OWNER) -> Reading:
    return Reading(story.state, role, NOW, {"owner": "Mira"}, (("demo", "Demo"),))


def _rendered(template: str, page: object) -> str:
    html = render_page(template, page)
    assert Reader(html).faults == []
    return html


@pytest.mark.parametrize("role", [Role.OWNER, Role.VIEWER])
@pytest.mark.parametrize("act", ["", "edit", "move", "reject"])
def test_every_proposal_and_every_placement_opens(role: Role, act: str) -> None:
    """Accepted, rejected, replaced, integrated and unplaced items all have their page."""
    reading = _reading(whole_project(), role)
    state = reading.state
    placements = [
        item.body.exchange_id for item in state.exchanges.rows() if item.body.boundary is Boundary.PLACEMENT
    ]
    for item_id in (*state.deltas.keys(), *placements):
        _rendered("inbox/page.html", inbox_page(SHELL, reading, Opened(item_id, "command_1", act=act)))


@pytest.mark.parametrize("role", [Role.OWNER, Role.VIEWER])
def test_every_node_opens_in_outline_and_focus_and_for_a_change(role: Role) -> None:
    """Root, task, evidence and everything else can be selected and focused, and changed in every way it has."""
    reading = _reading(whole_project(), role)
    for node_id in reading.state.tables.nodes.keys():  # noqa: SIM118 - a table has no order of its own
        opened = Opened(node_id, "command_1")
        page = outline_page(SHELL, reading, Address(reading.base, node=node_id))
        _rendered("outline/page.html", page)
        _rendered("focus/page.html", focus_page(SHELL, reading, node_id, opened))
        node = reading.state.tables.nodes[node_id]
        for way in ("words", "move", "relate", "end", "retire"):
            change = change_page(SHELL, reading, node, replace(opened, act=way))
            _rendered("change/page.html", change)


def test_a_run_that_is_no_placement_is_not_in_the_inbox() -> None:
    """An exchange of another boundary is not something to answer."""
    reading = _reading(whole_project())
    other = next(item for item in reading.state.exchanges.rows() if item.body.boundary is Boundary.RUN)
    with pytest.raises(NotFoundError):
        inbox_page(SHELL, reading, Opened(other.body.exchange_id, "command_1"))


def test_a_result_shows_its_gates_and_is_integrated() -> None:
    """A reconciliation lists what had to hold and how it is known; its one act is called Integrate."""
    story = Story().opened()
    task = story.accepted(delta_with_profile(story, story.captured("Work out the cost")))
    closure = story.returned(story.authorized(story.briefed(task)))
    delta_id = story.reconciled(closure, story.validated(closure))
    page = inbox_page(SHELL, _reading(story), Opened(delta_id, "command_1"))
    assert page.proposal is not None
    assert [(gate.name, gate.mark.word) for gate in page.proposal.gates] == [
        ("The worldstate is what the brief was about", "Passed"),
        ("Run, candidate and result belong together", "Passed"),
        ("The candidate grows from the brief's commit", "Passed"),
        ("Required evidence passed", "Passed"),
        ("The profile allows integration", "Passed"),
        ("The worker reports completion", "Passed"),
    ]
    assert page.proposal.decide is not None
    acts = [act.name for act in page.proposal.decide.acts]
    assert (page.proposal.decide.label, acts) == ("Integrate", ["Defer"])
    assert "Said by the worker, not observed" in _rendered("inbox/page.html", page)


def test_verified_work_is_verified_on_every_page() -> None:
    """After integration Outline and Focus say the same about the task, and that evidence says so."""
    story = Story().opened()
    task, _ = story.integrated()
    reading = _reading(story)
    outline = outline_page(SHELL, reading, Address(reading.base, node=task))
    focus = focus_page(SHELL, reading, task, Opened(task, "command_1"))
    assert outline.node is not None
    assert focus.item is not None
    said = [(fact.name, fact.mark and fact.mark.word, fact.note) for fact in outline.node.families]
    assert said == [
        ("Knowledge", "Supported", "By recorded evidence"),
        ("Governance", "Adopted", "Mira, revision 1"),
        ("Work", "Completed, verified", "By recorded evidence"),
    ]
    assert focus.item.families == outline.node.families
    row = next(row for row in outline.rows if row.is_selected)
    assert row.work is not None
    assert row.work.word == "Completed, verified"


def test_a_run_under_way_lies_over_the_work_status() -> None:
    """While a worker works the task is shown as running; the stored phase stays planned."""
    story = Story().opened()
    task = story.accepted(delta_with_profile(story, story.captured("Work out the cost")))
    run = story.authorized(story.briefed(task))
    reading = _reading(story)
    address = Address(reading.base, node=task)
    queued = outline_page(SHELL, reading, address)
    story.claimed(run)
    running = outline_page(SHELL, replace(reading, state=story.state), address)
    words = [
        next(row.work.word for row in page.rows if row.is_selected and row.work) for page in (queued, running)
    ]
    assert words == ["Queued", "Running"]
