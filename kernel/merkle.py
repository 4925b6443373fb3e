"""The hash tree of the log over events.

It is the tree of RFC 9162, section 2.1: it proves that an event is in a history and that one history extends
another. Owns the hashing and the proofs; does not own which bytes are a leaf (`kernel/canonical`), nor who signs a
root. The tree over canonical records is `kernel/trie`.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

HASH_BYTES: Final = 32
"""Length of every hash here."""


def _sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of one log entry: SHA-256 of a zero byte and the entry."""
    return _sha256(b"\x00" + data)


def _parent(left: bytes, right: bytes) -> bytes:
    return _sha256(b"\x01" + left + right)


@dataclass(frozen=True, slots=True)
class Edge:
    """The right edge of a log: all that is needed to append and to know the root.

    `hashes` are the roots of the perfect subtrees that `size` splits into, the largest (leftmost) first:
    one per set bit of `size`.
    """

    size: int = 0
    hashes: tuple[bytes, ...] = ()

    def append(self, leaf: bytes) -> "Edge":
        """Return the edge after one more leaf hash. O(log n)."""
        kept, rest, right, sha256 = len(self.hashes), self.size, leaf, hashlib.sha256
        # Each trailing one bit of the size is a perfect subtree that the new leaf makes into a larger one.
        while rest & 1:
            kept -= 1
            right = sha256(b"\x01" + self.hashes[kept] + right).digest()
            rest >>= 1
        return Edge(self.size + 1, (*self.hashes[:kept], right))

    def root(self) -> bytes:
        """Return the root of the log: the hash of nothing when it is empty. O(log n)."""
        if not self.hashes:
            return _sha256(b"")
        root, sha256 = self.hashes[-1], hashlib.sha256
        for left in self.hashes[-2::-1]:
            root = sha256(b"\x01" + left + root).digest()
        return root


def edge_of(leaves: Sequence[bytes]) -> Edge:
    """Return the right edge of the log with these leaf hashes."""
    edge = Edge()
    for leaf in leaves:
        edge = edge.append(leaf)
    return edge


def root_of(leaves: Sequence[bytes]) -> bytes:
    """Return the root of the log with these leaf hashes.

    Level by level: a leaf without a neighbour moves up as it is, which is where RFC 9162 cuts the tree too.
    """
    level = list(leaves)
    if not level:
        return _sha256(b"")
    sha256 = hashlib.sha256
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        above = [sha256(b"\x01" + left + right).digest() for left, right in pairs]
        level = [*above, level[-1]] if len(level) & 1 else above
    return level[0]


def _split(size: int) -> int:
    """Return the largest power of two below `size`: where the tree over `size` leaves is cut."""
    return 1 << (size - 1).bit_length() - 1


def inclusion_spans(index: int, size: int) -> tuple[tuple[int, int], ...]:
    """Return the spans (start, end) of leaves whose roots prove the leaf at `index` (0-based), the lowest first.

    Raises: IndexError when there is no such leaf in a log of `size`.
    Source: RFC 9162, section 2.1.3.1.
    """
    if not 0 <= index < size:
        message = f"there is no leaf {index} among {size}"
        raise IndexError(message)
    spans, start, end = [], 0, size
    while end - start > 1:
        cut = start + _split(end - start)
        spans.append((cut, end) if index < cut else (start, cut))
        start, end = (start, cut) if index < cut else (cut, end)
    return tuple(reversed(spans))


def inclusion_proof(leaves: Sequence[bytes], index: int) -> tuple[bytes, ...]:
    """Return the path from the leaf at `index` (0-based) to the root, the lowest sibling first.

    Raises: IndexError when there is no such leaf.
    """
    return tuple(root_of(leaves[start:end]) for start, end in inclusion_spans(index, len(leaves)))


def verify_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes], *, root: bytes) -> bool:
    """Tell whether `proof` shows that `leaf` stands at `index` (0-based) in the log of `size` and `root`.

    Source: RFC 9162, section 2.1.3.2.
    """
    if not 0 <= index < size:
        return False
    position, last, current = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if position & 1 or position == last:
            current = _parent(sibling, current)
            while not position & 1 and position:
                position, last = position >> 1, last >> 1
        else:
            current = _parent(current, sibling)
        position, last = position >> 1, last >> 1
    return last == 0 and current == root


def consistency_spans(first: int, size: int) -> tuple[tuple[int, int], ...]:
    """Return the spans (start, end) of leaves whose roots prove that the log of `first` begins the one of `size`.

    None when the two are the same log, or when the earlier one is empty.

    Raises: IndexError when `first` is negative or larger than `size`.
    Source: RFC 9162, section 2.1.4.1.
    """
    if not 0 <= first <= size:
        message = f"there is no log of {first} leaves before one of {size}"
        raise IndexError(message)
    spans, start, end = [], 0, size
    while first and end != first:
        cut = start + _split(end - start)
        spans.append((cut, end) if first <= cut else (start, cut))
        start, end = (start, cut) if first <= cut else (cut, end)
    # A beginning that is a whole tree by itself is known already, and so is no part of the proof.
    return tuple(reversed([*spans, (start, end)] if start else spans))


def consistency_proof(leaves: Sequence[bytes], size: int) -> tuple[bytes, ...]:
    """Return the proof that the log of the first `size` leaves is a beginning of the log of all of them.

    Raises: IndexError when `size` is negative or larger than the log.
    """
    return tuple(root_of(leaves[start:end]) for start, end in consistency_spans(size, len(leaves)))


def extension_proof(edge: Edge, leaves: Sequence[bytes]) -> tuple[bytes, ...]:
    """Return the consistency proof from the log with this edge to the same log with these leaf hashes appended.

    The same proof as `consistency_proof` over all leaves, without the leaves before the edge. O(log n + leaves).
    """
    if edge.size == 0:
        return ()
    # Down to where the edge ends, collecting what lies beside the way; it is known whole while nothing lies left.
    beside: list[bytes] = []
    start, end = 0, edge.size + len(leaves)
    while end != edge.size:
        middle = start + _split(end - start)
        if edge.size <= middle:
            beside.append(root_of(leaves[middle - edge.size : end - edge.size]))
            end = middle
        else:
            beside.append(_edge_hash(edge, start))
            start = middle
    if start:
        beside.append(_edge_hash(edge, start))
    beside.reverse()
    return tuple(beside)


def _edge_hash(edge: Edge, start: int) -> bytes:
    """Return the root of the perfect subtree of the edge that begins at leaf `start`."""
    # The subtrees before `start` are the high bits of the size that it holds.
    return edge.hashes[start.bit_count()]


@dataclass(frozen=True, slots=True)
class LogHead:
    """A log as others know it: how many leaves, and the root over them."""

    size: int
    root: bytes


def verify_consistency(earlier: LogHead, later: LogHead, proof: Sequence[bytes]) -> bool:
    """Tell whether `proof` shows that the later log extends the earlier one without changing it.

    Source: RFC 9162, section 2.1.4.2.
    """
    if earlier.size > later.size or earlier.size < 0:
        return False
    if earlier.size == later.size:
        return not proof and earlier.root == later.root
    if earlier.size == 0:
        return not proof and earlier.root == _sha256(b"")
    # A complete earlier tree is a node of the later one, so its own root is the first step of the proof.
    path = [earlier.root, *proof] if earlier.size & (earlier.size - 1) == 0 else list(proof)
    return bool(path) and _roots_match(earlier, later, path)


def _roots_match(earlier: LogHead, later: LogHead, path: list[bytes]) -> bool:
    position, last = earlier.size - 1, later.size - 1
    while position & 1:
        position, last = position >> 1, last >> 1
    before = after = path[0]
    # Not through `_parent`: every append is checked here before its head is signed.
    sha256 = hashlib.sha256
    for step in path[1:]:
        if last == 0:
            return False
        if position & 1 or position == last:
            left = b"\x01" + step
            before, after = sha256(left + before).digest(), sha256(left + after).digest()
            while not position & 1 and position:
                position, last = position >> 1, last >> 1
        else:
            after = sha256(b"\x01" + after + step).digest()
        position, last = position >> 1, last >> 1
    return last == 0 and before == earlier.root and after == later.root
