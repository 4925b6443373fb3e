"""Two whole ledgers that hold every event type at least once, told by `Story`.

They are the ground for tables of refusals (an event of the ledger, altered), for the laws and for golden files.
"""

from functools import cache

from kernel.commands import (
    ActivateConfig,
    AddPrincipal,
    AnswerExchange,
    ArchiveProject,
    BlockRun,
    CancelRun,
    CaptureSource,
    DeferDelta,
    EraseSource,
    FailExchange,
    FailRun,
    GrantRole,
    ImportProject,
    IssueCredential,
    LoseRun,
    MarkUnreadable,
    OpenProject,
    Part,
    ProposePlacement,
    ReconcilePromotion,
    RejectDelta,
    RemandDelta,
    ReportProgress,
    RestoreProject,
    RetryPlacement,
    RevokeCredential,
    RevokeRole,
    RotateKey,
    SplitDelta,
)
from kernel.values.execution import BundleFacts
from kernel.values.placement import PlacementAnswer
from kernel.vocabulary import KeyRole, NodeKind, PromotionOutcome, Role, SourceKind, Visibility
from tests.support.story import HOST, OPERATOR, Story, receipt

QUESTION = PlacementAnswer(
    kind=NodeKind.IDEA, title="?", places=(), kind_reason="Nothing fits", question="Which room do you mean?"
)


@cache
def whole_world() -> Story:
    """Return a world ledger with every event about people, credentials, configuration and keys. Do not add to it."""
    story = Story()
    stamp = story.stamp()
    story.ledger = stamp.id("project")
    story.after(OpenProject(story.ledger, "world", "My world", "All of it"))
    story.after(AddPrincipal("mira", "Mira"))
    story.after(GrantRole("mira", Role.REVIEWER, None))
    story.after(GrantRole("mira", Role.VIEWER, story.ledger))
    story.after(RevokeRole("mira", story.ledger))
    story.after(IssueCredential("token_1", "mira", "operator_token", story.later(3600)))
    story.after(RevokeCredential("token_1"))
    story.after(ActivateConfig("sha256:" + "a" * 64, 0))
    story.after(RotateKey(KeyRole.SEALER, "key:1", "cHVibGlj"))
    foreign = stamp.id("project", "foreign")
    key = (KeyRole.SEALER, "sealer:" + "0" * 16, "A" * 43 + "=")
    story.after(ImportProject(BundleFacts(foreign, "elsewhere", 7, "0" * 64, (key,))))
    return story


@cache
def whole_project() -> Story:
    """Return a project ledger with every other event, up to a reconciled promotion. Do not add to it."""
    story = Story().opened()
    rejected = story.captured("Buy a boat")
    story.after(RejectDelta(rejected, "Too expensive", story.seen(rejected)))
    asked(story, "Something about the room")
    failed = failed_exchange(story)
    put_off_and_split(story)
    task_id, reconciliation = story.integrated()
    ended_runs(story, story.briefed(task_id))
    promotion_id = story.promotable(reconciliation)
    story.promoted(promotion_id, PromotionOutcome.OUTCOME_UNKNOWN)
    command = ReconcilePromotion(promotion_id, receipt(promotion_id, PromotionOutcome.PROMOTED))
    story.after(command, OPERATOR)
    story.after(EraseSource(failed))
    return story


def put_off_and_split(story: Story) -> None:
    """Defer, remand and split one proposal, reject its parts, and put the project away for a moment."""
    delta_id = story.captured("Paint the hall and order the tiles")
    story.after(DeferDelta(delta_id, story.later(3600), "After the holidays", story.seen(delta_id)))
    story.after(RemandDelta(delta_id, "Two jobs in one", ("Part them",), story.seen(delta_id)))
    root_id = story.state.root_id
    parts = tuple(Part(NodeKind.TASK, title, root_id) for title in ("Paint the hall", "Order the tiles"))
    story.after(SplitDelta(delta_id, parts, story.seen(delta_id)))
    for part_id in story.state.deltas[delta_id].replacement_ids:
        story.after(RejectDelta(part_id, None, story.seen(part_id)))
    story.after(ArchiveProject("Winter"))
    story.after(RestoreProject("Spring"))


def requested(story: Story, text: str, visibility: Visibility = Visibility.SHARED) -> str:
    """Capture a text and leave its exchange unanswered; return the exchange."""
    events = story.after(CaptureSource(text, SourceKind.TEXT, visibility, "local/1"))
    return str(events[-1].body.exchange_id)  # type: ignore[attr-defined]


def asked(story: Story, text: str, visibility: Visibility = Visibility.SHARED) -> str:
    """Let the manager ask about a text, and the person answer it; return the question's exchange."""
    exchange_id = questioned(story, text, visibility)
    command = CaptureSource(
        "The bathroom", SourceKind.TEXT, Visibility.SHARED, "local/1", answers=exchange_id
    )
    story.after(command)
    return exchange_id


def questioned(story: Story, text: str, visibility: Visibility = Visibility.SHARED) -> str:
    """Let the manager ask about a text; return the question's exchange."""
    exchange_id = requested(story, text, visibility)
    story.after(AnswerExchange(exchange_id, QUESTION.model_dump_json()), HOST)
    story.after(ProposePlacement(exchange_id, QUESTION))
    return exchange_id


def failed_exchange(story: Story) -> str:
    """Let one call fail and the next answer be unreadable; return the source."""
    exchange_id = requested(story, "Paint the hall")
    story.after(FailExchange(exchange_id, "manager_unavailable", "It did not answer"), HOST)
    source_id = story.state.exchanges[exchange_id].body.subject_id
    (again,) = story.after(RetryPlacement(source_id, "local/1"))
    second = str(again.body.exchange_id)  # type: ignore[attr-defined]
    story.after(AnswerExchange(second, "{}"), HOST)
    story.after(MarkUnreadable(second, "answer_malformed", "It has no places"), HOST)
    return source_id


def ended_runs(story: Story, brief_id: str) -> None:
    """End four runs of a brief, each in another way: cancelled, failed, blocked, lost."""
    story.after(CancelRun(story.authorized(brief_id), "Not today"))
    story.after(FailRun(story.authorized(brief_id), None, "stale", "The branch moved"), HOST)
    blocked = story.authorized(brief_id)
    _, fence = story.claimed(blocked)
    story.after(ReportProgress(blocked, fence, "worker", "Reading the brief"), HOST)
    story.after(BlockRun(blocked, fence, "Which currency?"), HOST)
    lost = story.authorized(brief_id)
    _, fence = story.claimed(lost)
    story.after(LoseRun(lost, fence, "The worker is gone"), HOST)
