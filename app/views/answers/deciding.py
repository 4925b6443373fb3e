"""Answers of the review acts beside yes, no, edit and move, shared by the API and the command line."""

from app.views.answers.records import Answer
from kernel.state import State


class SplitAnswer(Answer):
    """A proposal that became several."""

    project_id: str
    delta_id: str
    """The proposal that was split."""
    replacement_ids: tuple[str, ...]
    """What took its place, in the order of the parts."""


class SetAsideAnswer(Answer):
    """A proposal that stays open: put off, or sent back."""

    project_id: str
    delta_id: str
    disposition: str
    until: str | None
    """The moment at which a deferred one asks again; null when it waits until somebody looks for it."""
    reason: str | None
    corrections: tuple[str, ...]
    """What a remanded one has to put right."""


class RenewedAnswer(Answer):
    """A proposal that waits about the head: a renewed one, or one that takes a revision back."""

    project_id: str
    delta_id: str
    """The proposal that waits now."""
    disposition: str
    supersedes: str | None
    compensates: int | None
    """The revision it takes back."""
    base_revision: int
    uncertainty: tuple[str, ...]
    """What later records would lose, or what cannot come back, one sentence each."""


class ArchiveAnswer(Answer):
    """Whether a project is put away."""

    project_id: str
    archived: bool
    since: str | None


def set_aside_answer(state: State, delta_id: str) -> SetAsideAnswer:
    """Return how an open proposal was set aside."""
    record = state.deltas[delta_id]
    return SetAsideAnswer(
        project_id=state.ledger,
        delta_id=delta_id,
        disposition=record.disposition.value,
        until=record.until,
        reason=None if record.reason is None else record.reason.or_erased(),
        corrections=tuple(item.or_erased() for item in record.corrections),
    )


def renewed_answer(state: State, delta_id: str) -> RenewedAnswer:
    """Return a proposal that was just made about the head."""
    record = state.deltas[delta_id]
    return RenewedAnswer(
        project_id=state.ledger,
        delta_id=delta_id,
        disposition=record.disposition.value,
        supersedes=record.body.supersedes,
        compensates=record.body.compensates,
        base_revision=record.body.base_revision,
        uncertainty=tuple(item.or_erased() for item in record.body.uncertainty),
    )


def archive_answer(state: State) -> ArchiveAnswer:
    """Return whether a project is put away, and since when."""
    since = None if state.archived is None else state.archived.at
    return ArchiveAnswer(project_id=state.ledger, archived=state.archived is not None, since=since)
