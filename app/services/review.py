"""Review: a person says yes, no, later, not like this, or says it better. Acts carry what the person saw."""

from dataclasses import dataclass

from app.services.desk import Caller, Desk, Done
from kernel.commands import (
    AcceptDelta,
    DeferDelta,
    EditDelta,
    MoveDelta,
    ProposeCompensation,
    ProposeCorrection,
    RebaseDelta,
    RejectDelta,
    RemandDelta,
    SplitDelta,
)
from kernel.errors import NotFoundError
from kernel.events.delta import DeltaAccepted, DeltaProposed
from kernel.ids import revision_id
from kernel.rules.seen import delta_seen
from kernel.state import DeltaRecord, State
from kernel.values.records import NodeAdd
from kernel.vocabulary import NodeKind


@dataclass(frozen=True, slots=True)
class Accepted:
    """One yes: the revision it made and the nodes it added."""

    project_id: str
    delta_id: str
    revision: int
    revision_id: str
    state_root: str
    node_ids: tuple[str, ...]
    rebased_from: str | None
    """The proposal that was shown, when later revisions made a rebase necessary."""


@dataclass(frozen=True, slots=True)
class Reviews:
    """The acts on a proposal."""

    desk: Desk

    def shown(self, delta_id: str, choice: int = 0) -> tuple[State, DeltaRecord, str]:
        """Return the state, the proposal and the digest of what is shown of it now, with one choice of it.

        Raises: NotFoundError.
        """
        state = self.desk.state(self.desk.ledger_of(delta_id))
        record = state.deltas.get(delta_id)
        if record is None:
            message = f"there is no proposal {delta_id}"
            raise NotFoundError(message)
        return state, record, delta_seen(state, record, choice)

    def accept(self, caller: Caller, command: AcceptDelta) -> Accepted:
        """Make one revision of what was shown.

        Raises: StaleError when the head moved since, or a touched record did; LifecycleError; EvidenceError.
        """
        ledger_id = self.desk.ledger_of(command.delta_id)
        material = {
            "accept": command.delta_id,
            "choice": command.choice,
            "revision": command.expected_revision,
            "seen": command.seen,
        }
        done = self.desk.act(ledger_id, caller, command, material=material)
        body = next(event.body for event in done.events if isinstance(event.body, DeltaAccepted))
        added = tuple(item.node_id for item in body.operations if isinstance(item, NodeAdd))
        return Accepted(
            project_id=ledger_id,
            delta_id=body.delta_id,
            revision=body.revision,
            revision_id=revision_id(ledger_id, body.revision, body.state_root),
            state_root=body.state_root,
            node_ids=added,
            rebased_from=None if body.delta_id == command.delta_id else command.delta_id,
        )

    def reject(self, caller: Caller, command: RejectDelta) -> None:
        """Close the proposal with a no.

        Raises: StaleError; LifecycleError.
        """
        material = {"reject": command.delta_id, "reason": command.reason, "seen": command.seen}
        self.desk.act(self.desk.ledger_of(command.delta_id), caller, command, material=material)

    def defer(self, caller: Caller, command: DeferDelta) -> None:
        """Put the decision off, to a moment or until somebody asks for it.

        Raises: StaleError; LifecycleError; InvalidError for a moment that passed.
        """
        material = {
            "defer": command.delta_id,
            "until": command.until,
            "reason": command.reason,
            "seen": command.seen,
        }
        self.desk.act(self.desk.ledger_of(command.delta_id), caller, command, material=material)

    def remand(self, caller: Caller, command: RemandDelta) -> None:
        """Send the proposal back with what has to be put right.

        Raises: StaleError; LifecycleError; InvalidError without a correction; RefusedError for a result of work.
        """
        material = {
            "remand": command.delta_id,
            "reason": command.reason,
            "corrections": list(command.corrections),
            "seen": command.seen,
        }
        self.desk.act(self.desk.ledger_of(command.delta_id), caller, command, material=material)

    def split(self, caller: Caller, command: SplitDelta) -> tuple[str, ...]:
        """Replace the proposal by several; return them in their order.

        Raises: StaleError; NotFoundError when a place does not exist; InvalidError for another number of parts.
        """
        parts = [[part.kind.value, part.title, part.parent_id, part.description] for part in command.parts]
        material = {"split": command.delta_id, "parts": parts, "seen": command.seen}
        done = self.desk.act(self.desk.ledger_of(command.delta_id), caller, command, material=material)
        return tuple(event.body.delta_id for event in done.events if isinstance(event.body, DeltaProposed))

    def rebase(self, caller: Caller, command: RebaseDelta) -> str:
        """Replace the proposal by the same one about the head, for review; return the replacement.

        Raises: StaleError naming what no longer applies; LifecycleError when it is about the head already.
        """
        material = {"rebase": command.delta_id, "seen": command.seen}
        done = self.desk.act(self.desk.ledger_of(command.delta_id), caller, command, material=material)
        return _proposed(done)

    def compensate(self, ledger_id: str, caller: Caller, command: ProposeCompensation) -> str:
        """Propose to take an accepted revision back; return the proposal.

        Raises: NotFoundError; StaleError; RefusedError when nothing of it is left to take back.
        """
        material = {"compensate": command.revision, "reason": command.reason, "seen": command.seen}
        return _proposed(self.desk.act(ledger_id, caller, command, material=material))

    def edit(self, caller: Caller, command: EditDelta) -> str:
        """Replace the proposal by the person's own words; return the replacement.

        Raises: StaleError; InvalidError when it is not the placement of one node.
        """
        material = {
            "edit": command.delta_id,
            "title": command.title,
            "description": command.description,
            "kind": command.kind.value,
            "profile": command.profile_id,
            "seen": command.seen,
        }
        done = self.desk.act(self.desk.ledger_of(command.delta_id), caller, command, material=material)
        return _proposed(done)

    def move(self, caller: Caller, command: MoveDelta) -> str:
        """Replace the proposal by the same one elsewhere; return the replacement.

        Raises: StaleError; NotFoundError when the place does not exist.
        """
        material = {"move": command.delta_id, "to": command.to_id, "seen": command.seen}
        done = self.desk.act(self.desk.ledger_of(command.delta_id), caller, command, material=material)
        return _proposed(done)

    def correct(self, ledger_id: str, caller: Caller, command: ProposeCorrection) -> str:
        """Propose a change to one node; return the proposal.

        Raises: NotFoundError; StaleError when it changed since the person looked; RefusedError when the change is
        unlawful.
        """
        material = {
            "correct": command.node_id,
            "rationale": command.rationale,
            "title": command.title,
            "description": command.description,
            "phase": None if command.phase is None else command.phase.value,
            "profile": command.profile_id,
            "path": command.artifact_path,
            "under": command.under_id,
            "joins": [[join.kind.value, join.other_id, join.is_outgoing] for join in command.joins],
            "parts": list(command.parts),
            "retires": None if command.retires is None else command.retires.value,
        }
        return _proposed(self.desk.act(ledger_id, caller, command, material=material))


def _proposed(done: Done) -> str:
    return next(event.body.delta_id for event in done.events if isinstance(event.body, DeltaProposed))


KINDS = tuple(kind for kind in NodeKind if kind not in {NodeKind.WORLD, NodeKind.PROJECT, NodeKind.AGENT_RUN})
"""Kinds a person may give a node."""
