"""Proofs over a ledger's log, for whoever kept an earlier head."""

from dataclasses import dataclass

from app.services.desk import Desk
from kernel.errors import NotFoundError
from kernel.merkle import LogHead, consistency_proof, root_of


@dataclass(frozen=True, slots=True)
class Consistency:
    """Two heads of one log, and the hashes that show that the later one begins with the earlier."""

    first: LogHead
    second: LogHead
    hashes: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Proofs:
    """Makes proofs from the leaf hashes of a ledger."""

    desk: Desk

    def consistency(self, ledger_id: str, first: int, second: int | None = None) -> Consistency:
        """Return the proof from the log of `first` events to that of `second`, by default the head. O(events).

        Raises: NotFoundError when the log never had these sizes, in this order.
        """
        head = self.desk.ledger.head(ledger_id).seq
        size = head if second is None else second
        if not 1 <= first <= size <= head:
            message = f"the ledger {ledger_id} has {head} events; a proof goes from a size to the same or a later one"
            raise NotFoundError(message)
        leaves = [item.leaf_hash for item in self.desk.ledger.read(ledger_id, 0, size)]
        before = LogHead(first, root_of(leaves[:first]))
        return Consistency(before, LogHead(size, root_of(leaves)), consistency_proof(leaves, first))
