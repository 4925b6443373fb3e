"""The two hash trees: the log over events, and the trie over canonical records.

The log is the tree of RFC 9162, section 2.1: it proves that an event is in a history and that one history
extends another. The trie's root depends only on the records it holds, never on the order they came in. Owns
the hashing and the proofs; does not own which bytes are a leaf (`kernel/canonical`), nor who signs a root.
"""

import hashlib
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from kernel.errors import CanonicalError

HASH_BYTES: Final = 32
"""Length of every hash here."""

EMPTY_TRIE_ROOT: Final = bytes(HASH_BYTES)
"""Root of a trie without records, and of every empty side of a branch."""

_KEY_DOMAIN: Final = b"odeu.key.v1"
_DIGEST_PREFIX: Final = "sha256:"
_DIGEST_LENGTH: Final = len(_DIGEST_PREFIX) + 2 * HASH_BYTES
_PATH_BITS: Final = 8 * HASH_BYTES


def _sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of one log entry: SHA-256 of a zero byte and the entry."""
    return _sha256(b"\x00" + data)


def _parent(left: bytes, right: bytes) -> bytes:
    return _sha256(b"\x01" + left + right)


# ------------------------------------------------------------------------------------------------ the log


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
        hashes, rest, right = list(self.hashes), self.size, leaf
        # Each trailing one bit of the size is a perfect subtree that the new leaf makes into a larger one.
        while rest & 1:
            right = _parent(hashes.pop(), right)
            rest >>= 1
        return Edge(self.size + 1, (*hashes, right))

    def root(self) -> bytes:
        """Return the root of the log: the hash of nothing when it is empty. O(log n)."""
        if not self.hashes:
            return _sha256(b"")
        root = self.hashes[-1]
        for left in reversed(self.hashes[:-1]):
            root = _parent(left, root)
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
    return () if edge.size == 0 else _extension(edge, leaves, (0, edge.size + len(leaves)), whole=True)


def _extension(
    edge: Edge, leaves: Sequence[bytes], span: tuple[int, int], *, whole: bool
) -> tuple[bytes, ...]:
    start, end = span
    if end == edge.size:
        return () if whole else (_edge_hash(edge, start),)
    middle = start + _split(end - start)
    if edge.size <= middle:
        right = root_of(leaves[middle - edge.size : end - edge.size])
        return (*_extension(edge, leaves, (start, middle), whole=whole), right)
    return (*_extension(edge, leaves, (middle, end), whole=False), _edge_hash(edge, start))


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
    for step in path[1:]:
        if last == 0:
            return False
        if position & 1 or position == last:
            before, after = _parent(step, before), _parent(step, after)
            while not position & 1 and position:
                position, last = position >> 1, last >> 1
        else:
            after = _parent(after, step)
        position, last = position >> 1, last >> 1
    return last == 0 and before == earlier.root and after == later.root


# ----------------------------------------------------------------------------------------------- the trie


@dataclass(frozen=True, slots=True)
class TrieLeaf:
    """A record as it stands in the trie: the bits of its place, and its digest, 32 raw bytes each."""

    path: bytes
    digest: bytes


@dataclass(frozen=True, slots=True)
class TrieWay:
    """The way from a trie's root to where a record stands, or would stand.

    `siblings` are the subtrees beside the way, the top one first. `end` is what stands alone where it ends: the
    record itself, another one, or nothing.
    """

    siblings: tuple[bytes, ...]
    end: TrieLeaf | None


# Tuples, since a replay makes some hundred thousand of each: half the cost of a frozen dataclass.
class _Leaf(NamedTuple):
    path: int
    hash: bytes
    digest: bytes


class _Branch(NamedTuple):
    left: "_Subtree"
    right: "_Subtree"
    hash: bytes


_Subtree: TypeAlias = _Leaf | _Branch | None


class _Put(NamedTuple):
    """A record that is not hashed yet, and the trie it goes into."""

    before: "Trie"
    kind: str
    record_id: str
    digest: str | Callable[[], str]


class Trie:
    """A persistent binary trie from (kind, id) to a record's digest, known by its root.

    The path of a record is the bits of SHA-256 over `odeu.key.v1` NUL kind NUL id, the highest first. An
    empty subtree is 32 zero bytes, one with a single record is SHA-256(0x00 path digest), any other is
    SHA-256(0x01 left right). Two tries are equal when they hold the same records, whatever came first.

    Records are hashed when somebody asks for the root, all that wait at once: a replay asks once at its end.
    """

    __slots__ = ("_form",)
    _form: _Subtree | _Put

    def __init__(self) -> None:
        self._form = None

    def put(self, kind: str, record_id: str, digest: str | Callable[[], str]) -> "Trie":
        """Return the trie in which this record has this digest (`sha256:<hex>`), sharing the rest. O(1).

        `digest` may be a pure function that computes it; it is called when it is needed.

        Raises: CanonicalError when the digest is malformed, at once or, when computed, from `root`.
        """
        if isinstance(digest, str):
            _raw(digest)
        after = Trie()
        after._form = _Put(self, kind, record_id, digest)
        return after

    def root(self) -> bytes:
        """Return the 32 bytes that stand for every record of this trie. O(log n) for each record that waits."""
        return _hash_of(self._hashed())

    def way(self, kind: str, record_id: str) -> TrieWay:
        """Return the way to a record: it proves to whoever knows the root that it is there, or that it is not."""
        place = int.from_bytes(_path(kind, record_id), "big")
        subtree, siblings, bit = self._hashed(), [], _PATH_BITS
        while isinstance(subtree, _Branch):
            bit -= 1
            beside, subtree = (
                (subtree.left, subtree.right) if place >> bit & 1 else (subtree.right, subtree.left)
            )
            siblings.append(_hash_of(beside))
        end = None if subtree is None else TrieLeaf(subtree.path.to_bytes(HASH_BYTES, "big"), subtree.digest)
        return TrieWay(tuple(siblings), end)

    def _hashed(self) -> _Subtree:
        form = self._form
        waiting: dict[tuple[str, str], str | Callable[[], str]] = {}
        while isinstance(form, _Put):
            # The latest record of an id comes first on the way back, and is the one that counts.
            waiting.setdefault((form.kind, form.record_id), form.digest)
            form = form.before._form  # noqa: SLF001 - another value of this very class
        if waiting:
            leaves = [_leaf(kind, record_id, digest) for (kind, record_id), digest in waiting.items()]
            # One assignment, and any other thread would assign the same: nobody sees half of it.
            self._form = form = _inserted(form, leaves)
        return form

    def __eq__(self, other: object) -> bool:
        """Tell whether both hold the same records."""
        return isinstance(other, Trie) and other.root() == self.root()

    def __hash__(self) -> int:
        """Return a hash of the root."""
        return hash(self.root())


def verify_presence(
    kind: str, record_id: str, digest: str, *, siblings: tuple[bytes, ...], root: bytes
) -> bool:
    """Tell whether `siblings` show that the trie with this root holds the record with this digest."""
    try:
        leaf = TrieLeaf(_path(kind, record_id), _raw(digest))
    except (CanonicalError, UnicodeError):
        return False
    return _root_along(leaf.path, TrieWay(siblings, leaf)) == root


def verify_absence(kind: str, record_id: str, *, way: TrieWay, root: bytes) -> bool:
    """Tell whether `way` shows that the trie with this root holds no record of this kind and id.

    That the root is one of a well-formed trie is not shown: whoever re-admits the ledger's events sees that.
    """
    try:
        path = _path(kind, record_id)
    except UnicodeError:
        return False
    if way.end is not None:
        # Another record stands alone in the subtree that this one's place lies in too.
        below = _PATH_BITS - len(way.siblings)
        parted = int.from_bytes(path, "big") ^ int.from_bytes(way.end.path, "big")
        if not parted or below < 0 or parted >> below:
            return False
    return _root_along(path, way) == root


def _root_along(path: bytes, way: TrieWay) -> bytes | None:
    """Return the root of the trie in which this way leads to its end; None when no way is this long or wide."""
    parts = way.siblings if way.end is None else (*way.siblings, way.end.path, way.end.digest)
    if len(way.siblings) > _PATH_BITS or any(len(part) != HASH_BYTES for part in parts):
        return None
    current = EMPTY_TRIE_ROOT if way.end is None else _sha256(b"\x00" + way.end.path + way.end.digest)
    place = int.from_bytes(path, "big") >> _PATH_BITS - len(way.siblings)
    for beside in reversed(way.siblings):
        current = _parent(beside, current) if place & 1 else _parent(current, beside)
        place >>= 1
    return current


def _path(kind: str, record_id: str) -> bytes:
    return _sha256(b"\x00".join((_KEY_DOMAIN, kind.encode("utf-8"), record_id.encode("utf-8"))))


def _leaf(kind: str, record_id: str, digest: str | Callable[[], str]) -> _Leaf:
    path = _path(kind, record_id)
    raw = _raw(digest if isinstance(digest, str) else digest())
    return _Leaf(int.from_bytes(path, "big"), _sha256(b"\x00" + path + raw), raw)


def _raw(digest: str) -> bytes:
    try:
        if len(digest) == _DIGEST_LENGTH and digest.startswith(_DIGEST_PREFIX):
            return bytes.fromhex(digest[len(_DIGEST_PREFIX) :])
    except ValueError:
        pass
    message = f"{digest[:80]!r} is not a digest of the form sha256:<64 hex>"
    raise CanonicalError(message)


def _hash_of(subtree: _Subtree) -> bytes:
    return EMPTY_TRIE_ROOT if subtree is None else subtree.hash


def _branch(left: _Subtree, right: _Subtree) -> _Branch:
    return _Branch(left, right, _parent(_hash_of(left), _hash_of(right)))


def _inserted(subtree: _Subtree, leaves: list[_Leaf]) -> _Subtree:
    """Return the trie with this form and these leaves, which are of distinct paths."""
    leaves.sort()
    return _Insertion(leaves).into(subtree, (0, len(leaves)), _PATH_BITS - 1)


class _Insertion:
    """Leaves on their way into a trie, sorted by their paths, so that those of one subtree lie side by side."""

    def __init__(self, leaves: list[_Leaf]) -> None:
        self._leaves = leaves
        self._paths = [leaf.path for leaf in leaves]

    def into(self, subtree: _Subtree, span: tuple[int, int], bit: int) -> _Subtree:
        """Return `subtree`, whose branches part at `bit` (255 is the highest), with the leaves of this span."""
        start, end = span
        if start == end:
            return subtree
        if isinstance(subtree, _Leaf):
            return self._beside(subtree, span, bit)
        if subtree is None and end - start == 1:
            return self._leaves[start]
        left, right = (None, None) if subtree is None else (subtree.left, subtree.right)
        upper = 1 << bit
        middle = bisect_left(self._paths, self._paths[start] & -upper | upper, start, end)
        return _branch(self.into(left, (start, middle), bit - 1), self.into(right, (middle, end), bit - 1))

    def _beside(self, older: _Leaf, span: tuple[int, int], bit: int) -> _Subtree:
        """Return the subtree that this leaf stood for: it moves down with the new ones, unless one replaces it."""
        leaves = self._leaves[slice(*span)]
        if all(leaf.path != older.path for leaf in leaves):
            leaves = sorted([older, *leaves])
        return _Insertion(leaves).into(None, (0, len(leaves)), bit)
