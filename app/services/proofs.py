"""Proofs over a ledger's log, for whoever kept an earlier head, and of single nodes, for whoever kept a key."""

import re
from dataclasses import dataclass
from typing import Final

from app.services.access import Access
from app.services.desk import Desk
from kernel.errors import AuthorityError, InvalidError, NotFoundError
from kernel.merkle import LogHead
from kernel.projections.past import revision_of
from kernel.provenance.node_proof import LogLink, NodeProof, prove_node
from kernel.vocabulary import Role

TILE_WIDTH: Final = 256
"""Hashes, or events, of a full tile."""

_TILE_PATH: Final = re.compile(r"((?:x[0-9]{3}/){0,3}[0-9]{3})(?:\.p/([1-9][0-9]{0,2}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class TilePlace:
    """Which tile: its level, its index in the level, and how many of its 256 hashes."""

    level: int
    index: int
    width: int = TILE_WIDTH

    @classmethod
    def read(cls, level: int, path: str) -> "TilePlace":
        """Return the place that a path such as `x001/x234/067.p/12` names. Raises: NotFoundError.

        Source: c2sp.org/tlog-tiles.
        """
        match = _TILE_PATH.fullmatch(path)
        width = TILE_WIDTH if match is None or match[2] is None else int(match[2])
        if match is None or (match[2] and width >= TILE_WIDTH) or path.startswith("x000/"):
            message = f"{path!r:.80} names no tile"
            raise NotFoundError(message)
        return cls(level, int(match[1].replace("x", "").replace("/", "")), width)


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
        """Return the proof from the log of `first` events to that of `second`, by default the head.

        Raises: NotFoundError when the log never had these sizes, in this order.
        """
        head = self.desk.ledger.head(ledger_id).seq
        size = head if second is None else second
        if not 1 <= first <= size <= head:
            message = f"the ledger {ledger_id} has {head} events; a proof goes from a size to the same or a later one"
            raise NotFoundError(message)
        ledger = self.desk.ledger
        before, after = (
            LogHead(first, ledger.root(ledger_id, first)),
            LogHead(size, ledger.root(ledger_id, size)),
        )
        return Consistency(before, after, ledger.consistency(ledger_id, first, size))

    def tile(self, ledger_id: str, place: TilePlace) -> bytes:
        """Return a tile of the log's tree, 32 bytes a hash. Raises: NotFoundError when the log is not that long."""
        return b"".join(self.desk.ledger.tile(ledger_id, place.level, place.index, width=place.width))

    def entries(self, ledger_id: str, place: TilePlace, *, length_bytes: int) -> bytes:
        """Return the events under a tile of level 0, each after its length, a big-endian number of so many bytes.

        Raises: NotFoundError when the log is not that long; InvalidError when an event is too long for its length.
        """
        ledger = self.desk.ledger
        ledger.tile(ledger_id, 0, place.index, width=place.width)
        found = ledger.entries(ledger_id, place.index * TILE_WIDTH, place.width)
        if max(map(len, found)) >> 8 * length_bytes:
            message = f"an event here has {max(map(len, found))} bytes; ask for `tile/events`, whose lengths have four"
            raise InvalidError(message, code="entry_too_long")
        return b"".join(len(data).to_bytes(length_bytes, "big") + data for data in found)

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
