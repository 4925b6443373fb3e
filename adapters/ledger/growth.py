"""How the ledgers of one group of appends grow: which append fits where, before anything is written.

Each append must begin where its ledger then stands, the appends before it in the group included, and a command is
recorded once. Owns these two rules; the rows are `appending`'s.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from adapters.ledger.audit import StoredHead
from adapters.ledger.batch import Entry
from adapters.ledger.group import Ticket
from kernel.errors import CommandConflictError, LedgerConflictError
from kernel.events.stored import Appended
from kernel.merkle import LogHead, extension_proof


@dataclass(frozen=True, slots=True)
class Step:
    """One append that fits: the ticket, and its ledger's head before and after it."""

    ticket: Ticket
    before: StoredHead
    after: StoredHead

    @property
    def ledger_id(self) -> str:
        """Return the ledger that grows."""
        return self.ticket.batch.ledger_id

    def appended(self) -> Appended:
        """Return what the caller is told once it is durable."""
        after = self.after
        return Appended(self.ticket.batch.expected_seq + 1, after.seq, after.root.hex(), after.revision)


@dataclass(frozen=True, slots=True)
class Growth:
    """How one ledger grows within a group."""

    before: StoredHead
    after: StoredHead
    entries: tuple[Entry, ...]

    @property
    def base(self) -> LogHead:
        """Return the head that is extended."""
        return LogHead(self.before.seq, self.before.root)

    def proof(self) -> tuple[bytes, ...]:
        """Return the proof that the head after extends the one before."""
        return extension_proof(self.before.edge, [entry.leaf_hash for entry in self.entries])


class Plan:
    """The steps of one group, in their order."""

    def __init__(self, heads: Mapping[str, StoredHead]) -> None:
        self._heads = dict(heads)
        self._commands: dict[tuple[str, str, str], bytes] = {}
        self.steps: list[Step] = []

    def step(self, ticket: Ticket) -> Step:
        """Return the step of an append, as if all that were kept before it are written.

        Raises: LedgerConflictError when it builds on another head, or when an append of the group recorded its
                command; CommandConflictError when the command's id was used there for something else.
        """
        batch, command = ticket.batch, ticket.command
        before = self._heads[batch.ledger_id]
        if command is not None:
            known = self._commands.get((batch.ledger_id, command.actor_id, command.command_id))
            if known is not None and known != command.material:
                raise reused(command.command_id)
            if known is not None:
                raise recorded_meanwhile(command.command_id, before.seq)
        if before.seq != batch.expected_seq:
            raise LedgerConflictError(
                f"the ledger {batch.ledger_id} stands at event {before.seq}, not at {batch.expected_seq}; load and "
                "decide again",
                head_seq=before.seq,
            )
        edge = batch.extend(before.edge)
        after = StoredHead(batch.head_seq, batch.revision(before.revision), edge, edge.root())
        return Step(ticket, before, after)

    def keep(self, step: Step) -> None:
        """Let the next steps build on this one."""
        self.steps.append(step)
        self._heads[step.ledger_id] = step.after
        command = step.ticket.command
        if command is not None:
            self._commands[step.ledger_id, command.actor_id, command.command_id] = command.material


def growths(steps: Sequence[Step]) -> dict[str, Growth]:
    """Return how each ledger grows by these steps, in the order of its first step."""
    grown: dict[str, Growth] = {}
    for step in steps:
        earlier = grown.get(step.ledger_id)
        before = step.before if earlier is None else earlier.before
        entries = (
            step.ticket.batch.entries if earlier is None else earlier.entries + step.ticket.batch.entries
        )
        grown[step.ledger_id] = Growth(before, step.after, entries)
    return grown


def recorded_meanwhile(command_id: str, head_seq: int) -> LedgerConflictError:
    """Return why a command that is recorded already is not written again."""
    return LedgerConflictError(
        f"the command {command_id} was recorded meanwhile; look it up", head_seq=head_seq
    )


def reused(command_id: str) -> CommandConflictError:
    """Return why a command's id cannot stand for something else."""
    return CommandConflictError(
        f"the command {command_id} was already used for something else; send a fresh id"
    )
