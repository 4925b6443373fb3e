"""Later, not like this, in parts, and the same again: the review acts beside yes, no, edit and move."""

from itertools import pairwise

import pytest

from kernel.commands import (
    AcceptDelta,
    Command,
    DeferDelta,
    EditDelta,
    MoveDelta,
    Part,
    ProposeCorrection,
    RebaseDelta,
    RejectDelta,
    RemandDelta,
    SplitDelta,
)
from kernel.errors import InvalidError, LifecycleError, NotFoundError, RefusedError, StaleError
from kernel.events.delta import DeltaProposed, DeltaSuperseded
from kernel.projections.inbox import inbox
from kernel.rules import require_whole
from kernel.rules.dispositions import DECISIONS, OPEN, is_queued
from kernel.vocabulary import Disposition, NodeKind, Visibility
from tests.support.acts import accept, returned, take_back, two_places, types
from tests.support.build import words
from tests.support.spec import before, next_event, refusal_of, refused
from tests.support.story import Story
from tests.support.whole import whole_project

INVALID = (InvalidError, "invalid")
NO = (RefusedError, "refused")
CYCLE = (LifecycleError, "lifecycle_conflict")
D = Disposition


def waiting(story: Story, *, remanded: bool = False) -> str:
    """Capture a text and, if asked, send its proposal back; return the proposal."""
    delta_id = story.captured("Paint the hall and order the tiles")
    if remanded:
        story.after(RemandDelta(delta_id, "Two jobs", ("Part them",), story.seen(delta_id)))
    return delta_id


def test_where_a_proposal_may_go_is_a_table() -> None:
    """Pending and deferred take every decision, remanded a replacement or a no; the rest is final."""
    decided = {D.DEFERRED, D.REMANDED, D.REJECTED, D.SUPERSEDED, D.ACCEPTED}
    assert {here: set(onward) for here, onward in DECISIONS.items()} == {
        D.PENDING: decided,
        D.DEFERRED: decided,
        D.REMANDED: {D.SUPERSEDED, D.REJECTED},
        D.REJECTED: set(),
        D.SUPERSEDED: set(),
        D.ACCEPTED: set(),
    }
    assert {D.PENDING, D.DEFERRED, D.REMANDED} == OPEN


def test_a_deferred_proposal_leaves_the_queue_until_its_moment() -> None:
    """It is open all the while, is in nobody's Inbox before its moment, and is there from then on."""
    story = Story().opened()
    delta_id = waiting(story)
    until = story.later(3600)
    story.after(DeferDelta(delta_id, until, "After the holidays", story.seen(delta_id)))
    record = story.state.deltas[delta_id]
    assert (record.disposition, record.until) == (D.DEFERRED, until)
    assert record.reason is not None
    assert record.reason.text == "After the holidays"
    assert delta_id in story.state.open_deltas
    assert [len(inbox(story.state, at)) for at in (story.later(0), until)] == [0, 1]


def test_a_proposal_deferred_without_a_moment_waits_until_somebody_asks() -> None:
    """It never comes back by itself, and takes a yes whenever somebody looks it up."""
    story = Story().opened()
    delta_id = waiting(story)
    story.after(DeferDelta(delta_id, None, None, story.seen(delta_id)))
    assert not is_queued(story.state.deltas[delta_id], "2999-01-01T00:00:00.000000Z")
    story.accepted(delta_id)
    assert story.state.deltas[delta_id].disposition is D.ACCEPTED


def test_a_deferred_proposal_takes_every_decision() -> None:
    """It is accepted after other revisions, deferred again, remanded, rejected, edited, moved and split."""
    for act in ("accept", "defer", "remand", "reject", "edit", "move", "split"):
        story = Story().opened()
        delta_id, other = waiting(story), story.captured("Something else")
        story.after(DeferDelta(delta_id, None, None, story.seen(delta_id)))
        story.accepted(other)
        story.after(_acts(story, delta_id)[act])
        assert story.state.deltas[delta_id].disposition is not D.PENDING


def _acts(story: Story, delta_id: str) -> dict[str, Command]:
    seen, root_id = story.seen(delta_id), story.state.root_id
    parts = (Part(NodeKind.TASK, "One", root_id), Part(NodeKind.IDEA, "Two", root_id))
    return {
        "accept": AcceptDelta(delta_id, 0, story.state.revision, seen),
        "defer": DeferDelta(delta_id, None, None, seen),
        "remand": RemandDelta(delta_id, "No", ("Better",), seen),
        "rebase": RebaseDelta(delta_id, seen),
        "reject": RejectDelta(delta_id, None, seen),
        "edit": EditDelta(delta_id, "Better", None, NodeKind.TASK, seen),
        "move": MoveDelta(delta_id, root_id, seen),
        "split": SplitDelta(delta_id, parts, seen),
    }


def test_a_proposal_is_deferred_to_a_moment_still_to_come() -> None:
    """A moment that passed, or that is none, is refused."""
    story = Story().opened()
    delta_id = waiting(story)
    past = "2026-11-30T08:00:00.000000Z"
    seen = story.seen(delta_id)
    assert [
        refused(story, DeferDelta(delta_id, past, None, seen)),
        refused(story, DeferDelta(delta_id, "tomorrow", None, seen)),
        refused(story, DeferDelta(delta_id, None, "x" * 8193, seen)),
    ] == [
        (*INVALID, "a proposal is deferred to a moment still to come; 2026-11-30 08:00 UTC has passed"),
        (
            *INVALID,
            "the moment to ask again 'tomorrow' is not a moment such as 2026-11-30T09:00:00.000000Z",
        ),
        (*INVALID, "the reason has 8193 bytes, at most 8192 are allowed"),
    ]


def test_a_remanded_proposal_waits_for_its_corrections() -> None:
    """It takes no yes, no delay and no second remand; it stays in the queue, with what has to be put right."""
    story = Story().opened()
    delta_id, other = waiting(story, remanded=True), story.captured("Something else")
    story.accepted(other)
    record = story.state.deltas[delta_id]
    assert [item.text for item in record.corrections] == ["Part them"]
    assert [item.id for item in inbox(story.state, story.later(0))] == [delta_id]
    acts = _acts(story, delta_id)
    message = f"proposal {delta_id} is remanded: it waits for its corrections; replace it or reject it"
    assert [refused(story, acts[act]) for act in ("accept", "defer", "remand")] == [(*CYCLE, message)] * 3
    again = "a remanded proposal is replaced by a corrected one, not by the same one again"
    assert refused(story, acts["rebase"]) == (*CYCLE, again)


@pytest.mark.parametrize("act", ["edit", "move", "split", "reject"])
def test_a_remanded_proposal_is_replaced_or_closed(act: str) -> None:
    """A corrected one takes its place, or a person says no after all."""
    story = Story().opened()
    delta_id = waiting(story, remanded=True)
    story.after(_acts(story, delta_id)[act])
    assert story.state.deltas[delta_id].disposition is (D.REJECTED if act == "reject" else D.SUPERSEDED)


def test_a_remand_says_why_and_what_to_put_right() -> None:
    """No correction, too many or an empty one is refused, and so is one for what is compiled from evidence."""
    story, _task, closure_id = returned()
    result = story.reconciled(closure_id, story.validated(closure_id))
    delta_id = waiting(story)
    seen = story.seen(delta_id)
    evidence = "a reconciliation is compiled from evidence; reject it and let the work be done again"
    empty = "the reason and every correction of a remand say something"
    assert [
        refused(story, RemandDelta(delta_id, "No", (), seen)),
        refused(story, RemandDelta(delta_id, "No", ("x",) * 17, seen)),
        refused(story, RemandDelta(delta_id, "No", (" ",), seen)),
        refused(story, RemandDelta(delta_id, "", ("x",), seen)),
        refused(story, RemandDelta(result, "No", ("x",), story.seen(result))),
    ] == [
        (*INVALID, "a remand requires 1 to 16 corrections, this one has 0"),
        (*INVALID, "a remand requires 1 to 16 corrections, this one has 17"),
        (*INVALID, empty),
        (*INVALID, empty),
        (*NO, evidence),
    ]


def test_a_deferred_result_keeps_its_closure_taken() -> None:
    """A reconciliation that waits for later is not proposed a second time beside itself."""
    story, _task, closure_id = returned()
    validation_id = story.validated(closure_id)
    delta_id = story.reconciled(closure_id, validation_id)
    story.after(DeferDelta(delta_id, None, None, story.seen(delta_id)))
    refusal = refusal_of(lambda: story.reconciled(closure_id, validation_id))
    assert refusal == (*CYCLE, f"the closure already has the reconciliation {delta_id}")


def test_a_split_keeps_the_sources_and_gives_each_part_its_own_words_and_place() -> None:
    """One event closes the old proposal and names the parts, which follow in the same append."""
    story = Story().opened()
    bath, hall = two_places(story)
    delta_id = story.captured("Paint the hall and order the tiles", private=True)
    old = story.state.deltas[delta_id].body
    parts = (Part(NodeKind.TASK, "Paint", hall, "White"), Part(NodeKind.IDEA, "Tiles", bath))
    story.after(SplitDelta(delta_id, parts, story.seen(delta_id)))
    assert types(story, 3) == ["delta.split.v1", "delta.proposed.v1", "delta.proposed.v1"]
    record = story.state.deltas[delta_id]
    bodies = [story.state.deltas[item].body for item in record.replacement_ids]
    assert (record.disposition, record.why, len(bodies)) == (D.SUPERSEDED, "split", 2)
    assert [(body.source_ids, body.exchange_id, body.supersedes) for body in bodies] == [
        (old.source_ids, old.exchange_id, delta_id)
    ] * 2
    first, second = (story.accepted(body.delta_id) for body in bodies)
    nodes = story.state.tables.nodes
    assert [(nodes[item].kind, nodes[item].title.text) for item in (first, second)] == [
        (NodeKind.TASK, "Paint"),
        (NodeKind.IDEA, "Tiles"),
    ]
    assert [nodes[item].visibility for item in (first, second)] == [Visibility.PRIVATE] * 2
    assert [story.state.tables.parent[item] for item in (first, second)] == [hall, bath]


def test_a_split_has_two_to_eight_parts_at_places_that_exist() -> None:
    """One part is an edit, nine are an outline; a place that is not there is not found."""
    story = Story().opened()
    delta_id, root_id = waiting(story), story.state.root_id
    seen = story.seen(delta_id)
    part = Part(NodeKind.TASK, "One", root_id)
    count = (*INVALID, "a placement is split into 2 to 8 different proposals")
    assert [
        refused(story, SplitDelta(delta_id, (part,), seen)),
        refused(story, SplitDelta(delta_id, (part,) * 9, seen)),
        refused(story, SplitDelta(delta_id, (part, Part(NodeKind.TASK, "Two", "node_x")), seen)),
        refused(story, SplitDelta(delta_id, (part, Part(NodeKind.TASK, "", root_id)), seen)),
    ] == [
        count,
        count,
        (NotFoundError, "not_found", "node node_x does not exist"),
        (*INVALID, "the proposal's title is empty; give it a few words"),
    ]


def test_only_a_placement_is_split() -> None:
    """Not a correction, not into what exists, and not twice the same."""
    story = Story().opened()
    story.after(ProposeCorrection(story.state.root_id, "Better", title="House"))
    (correction,) = story.state.open_deltas.keys()
    moment = before(whole_project(), "delta.split.v1")
    ids = moment.event.body.replacement_ids  # type: ignore[attr-defined]
    assert [
        moment.but(replacement_ids=(ids[0], ids[0])).refusal(),
        moment.but(replacement_ids=("d", ids[0])).refusal(),
        next_event(story, moment.event.body).but(delta_id=correction).refusal(),
    ] == [
        (*INVALID, "a placement is split into 2 to 8 different proposals"),
        (*INVALID, "the replacement 'd' is malformed or already exists"),
        (*NO, "only a placement can be split, not a correction"),
    ]


def test_what_replaces_a_proposal_follows_at_once() -> None:
    """After a supersession or a split, the next event is the replacement, of the same command, or nothing at all."""
    events = whole_project().events
    followed = [
        after for event, after in pairwise(events) if event.type in {"delta.superseded.v1", "delta.split.v1"}
    ]
    assert {event.type for event in followed} == {"delta.proposed.v1"}
    moment = before(whole_project(), "delta.proposed.v1", 5)
    owed = moment.state.owed
    body = moment.event.body
    assert isinstance(body, DeltaProposed)
    message = f"the replacement {body.delta_id} that was named has to be proposed next, by the same command"
    assert owed == (body.delta_id,)
    assert refusal_of(lambda: require_whole(moment.state)) == (
        *CYCLE,
        f"the replacement {body.delta_id} was named and never proposed",
    )
    other = before(whole_project(), "source.captured.v1", 0).event.body
    late = next_event(Story(moment.event.ledger, moment.state), body)
    assert [
        moment.refusal(),
        moment.but(delta_id="delta_x").refusal(),
        late.refusal(),
        next_event(Story(moment.event.ledger, moment.state), other).refusal(),
    ] == [None] + [(*CYCLE, message)] * 3


def test_a_proposal_is_renewed_about_the_head_though_what_it_touches_moved() -> None:
    """The same operations wait again, with the touched records as they are now; a yes then is a plain one."""
    story = Story().opened()
    task_id = story.accepted(story.captured("Paint the hall"))
    for title in ("Paint the hall white", "Paint the hall blue"):
        story.after(ProposeCorrection(task_id, "Colour", title=title))
    first, second = (item for item, _ in sorted(story.state.open_deltas.items(), key=lambda item: item[1]))
    story.after(accept(story, first))
    old = story.state.deltas[second].body
    superseded, proposed = story.after(RebaseDelta(second, story.seen(second)))
    assert isinstance(superseded.body, DeltaSuperseded)
    assert isinstance(proposed.body, DeltaProposed)
    assert (superseded.body.why, proposed.body.base_revision, proposed.body.operations) == (
        "rebased",
        2,
        old.operations,
    )
    assert proposed.body.touches != old.touches
    story.after(accept(story, proposed.body.delta_id))
    assert story.state.tables.nodes[task_id].title.text == "Paint the hall blue"


def test_what_no_longer_applies_is_told_step_by_step() -> None:
    """Operations that became unlawful are not renewed, and each is named with its reason."""
    story = Story().opened()
    parent_id = story.accepted(story.captured("Bath", NodeKind.GOAL))
    delta_id = story.captured("Choose the tiles", under=parent_id)
    story.after(take_back(story, 1))
    story.after(accept(story, story.events[-1].body.delta_id))  # type: ignore[attr-defined]
    assert refused(story, RebaseDelta(delta_id, story.seen(delta_id))) == (
        StaleError,
        "conflict",
        f"this no longer applies at revision 2: node {parent_id} was retired in revision 2",
    )


def test_a_proposal_about_the_head_is_not_renewed() -> None:
    """There is nothing to renew, and another digest than the one shown is stale."""
    story = Story().opened()
    delta_id = waiting(story)
    assert refused(story, RebaseDelta(delta_id, story.seen(delta_id))) == (
        *CYCLE,
        f"proposal {delta_id} is about revision 0 already",
    )
    stale = (StaleError, "stale", "what was shown is not what this proposal is now; look at it again")
    acts: list[Command] = [
        DeferDelta(delta_id, None, None, "sha256:x"),
        RemandDelta(delta_id, "No", ("x",), "sha256:x"),
        RebaseDelta(delta_id, "sha256:x"),
        SplitDelta(delta_id, (), "sha256:x"),
    ]
    assert [refused(story, act) for act in acts] == [stale] * 4


def test_a_renewed_proposal_of_evidence_is_the_hosts() -> None:
    """A person asks, the host proposes: what is compiled from evidence has no other author."""
    story, _task, closure_id = returned()
    delta_id = story.reconciled(closure_id, story.validated(closure_id))
    story.accepted(story.captured("Something else"))
    superseded, proposed = story.after(RebaseDelta(delta_id, story.seen(delta_id)))
    assert (superseded.actor.kind.value, proposed.actor.kind.value) == ("human", "system")


def test_words_of_acts_stay_within_bounds() -> None:
    """A correction longer than the limit is refused."""
    moment = before(whole_project(), "delta.remanded.v1")
    expected = (*INVALID, "the reason or correction has 8193 bytes, at most 8192 are allowed")
    assert moment.but(corrections=(words("x" * 8193),)).refusal() == expected
