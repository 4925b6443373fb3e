"""Decisions on proposals: yes, no, later, not like this, and the same again about the head."""

from kernel.commands import AcceptDelta, DeferDelta, RebaseDelta, RejectDelta, RemandDelta
from kernel.decide.drafts import SYSTEM, Draft
from kernel.errors import LifecycleError, StaleError
from kernel.events.delta import (
    DeltaAccepted,
    DeltaDeferred,
    DeltaProposed,
    DeltaRejected,
    DeltaRemanded,
    DeltaSuperseded,
)
from kernel.reducer.operations import Acceptance, foresee, state_root
from kernel.rules.delta import bundles_of, chosen
from kernel.rules.dispositions import open_delta
from kernel.rules.operations import moved, touched, unlawful
from kernel.rules.seen import shown_choice
from kernel.state import DeltaRecord, State
from kernel.values.stamp import Stamp
from kernel.vocabulary import Disposition, Purpose


def accept_delta(state: State, command: AcceptDelta, stamp: Stamp) -> tuple[Draft, ...]:
    """Make the revision; when the head moved and nothing touched did, rebase in the same append.

    Raises: NotFoundError; LifecycleError when it was already decided; InvalidError for a choice it does not offer;
    StaleError when a record the proposal touches moved: a conflict for review.
    """
    record = open_delta(state, command.delta_id, Disposition.ACCEPTED)
    # Before any rebase, so that a refusal names the proposal the person named, not a draft nobody will see.
    chosen(record, command.choice)
    if record.body.base_revision == state.revision:
        return (Draft(_acceptance(state, record, command, stamp=stamp)),)
    changed = moved(state.tables, record.body.touches)
    if changed:
        message = (
            f"{len(changed)} of the records this proposal touches changed since revision "
            f"{record.body.base_revision}; rebase, edit, move or reject it"
        )
        raise StaleError(message, code="conflict")
    replacement = rebased(state, record, stamp.id("delta", "rebased"))
    replacing = _replacing(record, replacement)
    accepted = _acceptance(state, DeltaRecord(replacement, record.origin), command, stamp=stamp)
    return (*replacing, Draft(accepted))


def _replacing(record: DeltaRecord, replacement: DeltaProposed) -> tuple[Draft, Draft]:
    closing = DeltaSuperseded(
        delta_id=record.body.delta_id, replacement_id=replacement.delta_id, why="rebased"
    )
    # Only the host proposes what is compiled from evidence, also when a person asks for it.
    proposer = SYSTEM if record.body.purpose is Purpose.RECONCILIATION else None
    return Draft(closing), Draft(replacement, proposer)


def rebased(state: State, record: DeltaRecord, delta_id: str) -> DeltaProposed:
    """Return the same proposal about the head; only its id, base and touched digests are new."""
    return record.body.model_copy(
        update={
            "delta_id": delta_id,
            "base_revision": state.revision,
            "touches": touched(state.tables, *bundles_of(record.body)),
            "supersedes": record.body.delta_id,
        }
    )


def _acceptance(state: State, record: DeltaRecord, command: AcceptDelta, *, stamp: Stamp) -> DeltaAccepted:
    operations = chosen(record, command.choice)
    by_evidence = record.body.purpose is Purpose.RECONCILIATION
    try:
        after = foresee(state.tables, operations, Acceptance(state.revision + 1, stamp.actor.id, by_evidence))
    except KeyError as error:
        message = f"the proposal points at a record that is gone: {error}"
        raise StaleError(message, code="conflict") from error
    return DeltaAccepted(
        delta_id=record.body.delta_id,
        choice=command.choice,
        seen=command.seen,
        base_revision=command.expected_revision,
        revision=state.revision + 1,
        operations=operations,
        state_root=state_root(after),
    )


def reject_delta(state: State, command: RejectDelta, stamp: Stamp) -> tuple[Draft, ...]:
    """Close the proposal.

    Raises: NotFoundError; LifecycleError; StaleError when what was shown is not what it is now.
    """
    record = open_delta(state, command.delta_id, Disposition.REJECTED)
    require_seen(state, record, command.seen)
    reason = None if command.reason is None else stamp.words(command.reason, "reason")
    return (Draft(DeltaRejected(delta_id=command.delta_id, reason=reason)),)


def defer_delta(state: State, command: DeferDelta, stamp: Stamp) -> tuple[Draft, ...]:
    """Put the decision off.

    Raises: NotFoundError; LifecycleError; StaleError when what was shown is not what it is now.
    """
    record = open_delta(state, command.delta_id, Disposition.DEFERRED)
    require_seen(state, record, command.seen)
    reason = None if command.reason is None else stamp.words(command.reason, "reason")
    return (Draft(DeltaDeferred(delta_id=command.delta_id, until=command.until, reason=reason)),)


def remand_delta(state: State, command: RemandDelta, stamp: Stamp) -> tuple[Draft, ...]:
    """Send the proposal back.

    Raises: NotFoundError; LifecycleError; StaleError when what was shown is not what it is now.
    """
    record = open_delta(state, command.delta_id, Disposition.REMANDED)
    require_seen(state, record, command.seen)
    corrections = tuple(
        stamp.words(text, f"correction {index}") for index, text in enumerate(command.corrections)
    )
    reason = stamp.words(command.reason, "reason")
    return (Draft(DeltaRemanded(delta_id=command.delta_id, reason=reason, corrections=corrections)),)


def rebase_delta(state: State, command: RebaseDelta, stamp: Stamp) -> tuple[Draft, ...]:
    """Replace the proposal by the same one about the head, for review: also when records it touches moved.

    Raises: NotFoundError; LifecycleError when it is about the head already; StaleError when what was shown is not
    what it is now, or naming every step that no longer applies.
    """
    record = open_delta(state, command.delta_id, Disposition.SUPERSEDED)
    require_seen(state, record, command.seen)
    if record.body.base_revision == state.revision:
        message = f"proposal {command.delta_id} is about revision {state.revision} already"
        raise LifecycleError(message)
    acceptance = Acceptance(state.revision + 1, "", record.body.purpose is Purpose.RECONCILIATION)
    told: list[str] = []
    for operations in bundles_of(record.body):
        told.extend(item for item in unlawful(state.tables, operations, acceptance) if item not in told)
    if told:
        message = f"this no longer applies at revision {state.revision}: {'; '.join(told)}"
        raise StaleError(message, code="conflict")
    return _replacing(record, rebased(state, record, stamp.id("delta", "rebased")))


def require_seen(state: State, record: DeltaRecord, seen: str) -> None:
    """Refuse an act on something else than what was shown, whichever choice of it; the event does not carry it.

    Raises: StaleError.
    """
    if shown_choice(state, record, seen) is None:
        message = "what was shown is not what this proposal is now; look at it again"
        raise StaleError(message)
