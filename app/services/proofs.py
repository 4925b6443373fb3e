"""Proofs over a ledger's log, for whoever kept an earlier head, and of single nodes, for whoever kept a key."""

from dataclasses import dataclass

from app.services.access import Access
from app.services.desk import Desk
from kernel.errors import AuthorityError, NotFoundError
from kernel.merkle import LogHead, consistency_proof, root_of
from kernel.projections.past import revision_of
from kernel.provenance.node_proof import LogLink, NodeProof, prove_node
from kernel.vocabulary import Role


@dataclass(frozen=True, slots=True)
class Consistency:
    """Two heads of one log, and the hashes that show that the later one begins with the earlier."""

    first: LogHead
    second: LogHead
    hashes: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Proofs:
    """Makes proofs from the leaf hashes of a ledger and the states it went through."""

    desk: Desk
    access: Access

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

    def node(
        self, ledger_id: str, person_id: str, node_id: str, *, at: int | None = None, with_words: bool = True
    ) -> NodeProof:
        """Return the proof of one node at a revision, by default the newest, under the head as it is now.

        A node that was not there then gives the proof of its absence.
        Raises: NotFoundError for the project or the revision; AuthorityError unless the person owns the project:
        a proof shows how much was ever written here, private captures included.
        """
        if self.access.role(ledger_id, person_id) is not Role.OWNER:
            message = (
                "a proof shows how much is in a project, what is private included: only an owner makes one"
            )
            raise AuthorityError(message)
        state = self.desk.state(ledger_id)
        revision = revision_of(state, state.revision if at is None else at)
        seq = revision.origin.seq
        (event,) = self.desk.ledger.entries(ledger_id, seq - 1, 1)
        path = self.desk.ledger.path(ledger_id, seq)
        link = LogLink(event=event.decode("utf-8"), hashes=path.hashes, checkpoint=path.checkpoint)
        return prove_node(revision, node_id, link, ledger=ledger_id, with_words=with_words)

    def project_of(self, node_id: str) -> str:
        """Return the project in whose newest revision this node stands, retired or not.

        Raises: NotFoundError.
        """
        for ledger_id in self.desk.ledger.ledgers():
            if node_id in self.desk.state(ledger_id).tables.nodes:
                return ledger_id
        message = (
            f"no project holds the node {node_id:.64}; name the project to prove that it is absent there"
        )
        raise NotFoundError(message)
