"""The tree over a log as tiles: its hashes in runs of 256, computed from the stored leaf hashes when they are asked for.

A tile at level 0 holds leaf hashes, one above it the roots of full tiles below. Only the roots of full tiles are
remembered, since those never change: so a proof or a root reads a few hundred leaves, however long the log is, and
never holds a log whole. Owns no rows; what reads leaves is given.

Source: c2sp.org/tlog-tiles.
"""

from collections.abc import Callable, Sequence
from typing import Final

from kernel.errors import HistoryError, NotFoundError
from kernel.events.stored import InclusionPath
from kernel.merkle import Edge, consistency_spans, edge_of, inclusion_spans, root_of

WIDTH: Final = 256
"""Hashes in a full tile."""
_KNOWN_MAX: Final = 100_000

LeafReader = Callable[[str, int, int], Sequence[bytes]]
"""(ledger, after, count) -> the leaf hashes of that many events after a sequence number."""


class Tiles:
    """The tiles of every ledger of a store; safe to use from several threads."""

    def __init__(self, leaves: LeafReader) -> None:
        self._leaves = leaves
        self._known: dict[tuple[str, int, int], bytes] = {}

    def tile(self, ledger_id: str, level: int, index: int, *, width: int = WIDTH) -> tuple[bytes, ...]:
        """Return the first `width` hashes of the tile `index` of a level.

        Raises: HistoryError when the log is not long enough.
        """
        return self._hashes(ledger_id, level, index * WIDTH, width)

    def _hashes(self, ledger_id: str, level: int, start: int, count: int) -> tuple[bytes, ...]:
        if level:
            return tuple(self._full(ledger_id, level - 1, index) for index in range(start, start + count))
        found = tuple(self._leaves(ledger_id, start, count)) if count else ()
        if len(found) != count:
            raise HistoryError(f"the ledger {ledger_id} lacks events after {start + len(found)}")
        return found

    def _full(self, ledger_id: str, level: int, index: int) -> bytes:
        """Return the root of a full tile."""
        key = (ledger_id, level, index)
        root = self._known.get(key)
        if root is None:
            root = root_of(self.tile(ledger_id, level, index))
            if len(self._known) >= _KNOWN_MAX:
                self._known = {}
            self._known[key] = root
        return root

    def leaf(self, ledger_id: str, seq: int) -> bytes:
        """Return the leaf hash of event `seq`. Raises: HistoryError when it is not there."""
        return self._hashes(ledger_id, 0, seq - 1, 1)[0]

    def root(self, ledger_id: str, size: int) -> bytes:
        """Return the root of the log of the first `size` events. Raises: HistoryError when it has fewer."""
        return self._span(ledger_id, 0, size)

    def inclusion(self, ledger_id: str, seq: int, size: int) -> tuple[bytes, ...]:
        """Return the proof that event `seq` is in the log of `size` events. Raises: IndexError, HistoryError."""
        return tuple(self._span(ledger_id, *span) for span in inclusion_spans(seq - 1, size))

    def consistency(self, ledger_id: str, first: int, size: int) -> tuple[bytes, ...]:
        """Return the proof that the log of `first` events begins the one of `size`. Raises: IndexError, HistoryError."""
        return tuple(self._span(ledger_id, *span) for span in consistency_spans(first, size))

    def _span(self, ledger_id: str, start: int, end: int) -> bytes:
        """Return the root over the leaves from `start` to `end`, which is a tree of its own within the log's."""
        level = 0
        while WIDTH ** (level + 1) <= end - start:
            level += 1
        perfect: list[bytes] = []
        at = start
        for height in range(level, -1, -1):
            unit = WIDTH**height
            count = (end - at) // unit
            perfect.extend(edge_of(self._hashes(ledger_id, height, at // unit, count)).hashes)
            at += count * unit
        return Edge(end - start, tuple(perfect)).root()


def inclusion_path(tiles: Tiles, ledger_id: str, seq: int, *, size: int, checkpoint: str) -> InclusionPath:
    """Return the proof for the event at `seq` (1-based) of the log of this size, under this signed note.

    Raises: NotFoundError when there is no such event; HistoryError when the log has fewer than `size`.
    """
    if not 1 <= seq <= size:
        raise NotFoundError(f"there is no event {seq} in the ledger {ledger_id}; it has {size}")
    return InclusionPath(
        ledger_id=ledger_id,
        seq=seq,
        leaf_hash=tiles.leaf(ledger_id, seq).hex(),
        size=size,
        root=tiles.root(ledger_id, size).hex(),
        hashes=tuple(step.hex() for step in tiles.inclusion(ledger_id, seq, size)),
        checkpoint=checkpoint,
    )


def require_tile(level: int, index: int, width: int, *, size: int) -> None:
    """Refuse a tile that a log of this size does not have. Raises: NotFoundError."""
    if index * WIDTH + width > size // WIDTH**level:
        raise NotFoundError(f"a log of {size} events has no tile {index} of width {width} at level {level}")
