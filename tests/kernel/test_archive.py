"""Projects that are put away and taken up again: what they refuse meanwhile, and what may still come to its end."""

from kernel.commands import (
    AcceptDelta,
    AnswerExchange,
    ArchiveProject,
    CancelRun,
    CaptureSource,
    DeferDelta,
    EraseSource,
    ProposeCorrection,
    ProposePlacement,
    RejectDelta,
    RestoreProject,
)
from kernel.errors import AuthorityError, InvalidError, LifecycleError, RefusedError
from kernel.events import BODIES
from kernel.rules.project import WHILE_ARCHIVED
from kernel.values.stamp import Actor
from kernel.vocabulary import ActorKind, Role, SourceKind, Visibility
from tests.support.acts import copy_of, integrated, queued
from tests.support.spec import refused
from tests.support.story import HOST, Story
from tests.support.whole import QUESTION, requested, whole_world

ARCHIVED = (
    LifecycleError,
    "project_archived",
    "this project is archived; restore it before anything is added to it",
)
CYCLE = (LifecycleError, "lifecycle_conflict")
REVIEWER = Actor(kind=ActorKind.HUMAN, id="mira", role=Role.REVIEWER)


def test_an_archived_project_takes_nothing_new() -> None:
    """No capture, no proposal, no yes and no delay; its state stays readable as it was."""
    story = Story().opened()
    delta_id = story.captured("Paint the hall")
    before = story.state.tables
    story.after(ArchiveProject("Winter"))
    assert story.state.archived is not None
    seen = story.seen(delta_id)
    assert [
        refused(story, CaptureSource("More", SourceKind.TEXT, Visibility.SHARED, "local/1")),
        refused(story, ProposeCorrection(story.state.root_id, "Better", title="House")),
        refused(story, AcceptDelta(delta_id, 0, 0, seen)),
        refused(story, DeferDelta(delta_id, None, None, seen)),
        refused(story, ArchiveProject()),
    ] == [ARCHIVED] * 5
    assert story.state.tables is before


def test_a_restored_project_goes_on_where_it_was() -> None:
    """What waited waits still and takes its yes."""
    story = Story().opened()
    delta_id = story.captured("Paint the hall")
    story.after(ArchiveProject())
    story.after(RestoreProject("Spring"))
    assert story.state.archived is None
    story.accepted(delta_id)
    refusal = refused(story, RestoreProject())
    assert refusal == (*CYCLE, "this project is not archived")


def test_what_had_begun_may_end_while_archived() -> None:
    """An answer that was on its way is kept, a text is erased and a proposal closed; nothing comes from them."""
    story = Story().opened()
    delta_id, exchange_id = story.captured("Paint the hall"), requested(story, "Order tiles")
    story.after(ArchiveProject())
    story.after(AnswerExchange(exchange_id, QUESTION.model_dump_json()), HOST)
    assert refused(story, ProposePlacement(exchange_id, QUESTION)) == ARCHIVED
    story.after(RejectDelta(delta_id, None, story.seen(delta_id)))
    story.after(EraseSource(story.state.deltas[delta_id].body.source_ids[0]))


def test_what_is_admitted_while_archived_exists() -> None:
    """The list names events of the catalogue alone."""
    assert set(BODIES) >= WHILE_ARCHIVED


def test_a_project_is_not_put_away_under_a_run_or_a_promotion() -> None:
    """A queued run is cancelled first, an authorised promotion comes to its end."""
    story, _, run_id = queued()
    running = refused(story, ArchiveProject())
    story.after(CancelRun(run_id))
    assert refused(story, ArchiveProject()) is None
    promoting, _, delta_id = integrated()
    promoting.promotable(delta_id)
    held = refused(promoting, ArchiveProject())
    assert running == (*CYCLE, "a run of this project is under way; let it end or cancel it first")
    assert held is not None
    assert held[:2] == (LifecycleError, "head_reserved")


def test_an_owner_puts_a_project_away_and_nobody_the_world() -> None:
    """A reviewer decides on proposals, not on the project; the world ledger stays open; a reason has a bound."""
    story = Story().opened()
    assert [
        refused(story, ArchiveProject(), REVIEWER),
        refused(story, ArchiveProject("x" * 8193)),
        refused(copy_of(whole_world()), ArchiveProject()),
    ] == [
        (AuthorityError, "authority_violation", "only an owner may author project.archived.v1"),
        (InvalidError, "invalid", "the reason has 8193 bytes, at most 8192 are allowed"),
        (RefusedError, "refused", "the world ledger is not archived"),
    ]
