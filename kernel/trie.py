"""The hash tree over canonical records: the trie whose root stands in every acceptance.

Its root depends only on the records it holds, never on the order they came in. Owns the hashing and the proofs that a
record is there or is not; does not own what a record's digest covers (`kernel/reducer/operations`). The tree of the
log over events is `kernel/merkle`.
"""

import hashlib
from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import itemgetter
from typing import Final, NamedTuple, TypeAlias

from kernel.errors import CanonicalError
from kernel.merkle import HASH_BYTES

EMPTY_TRIE_ROOT: Final = bytes(HASH_BYTES)
"""Root of a trie without records, and of every empty side of a branch."""

_KEY_DOMAIN: Final = b"odeu.key.v1"
_DIGEST_PREFIX: Final = "sha256:"
_DIGEST_LENGTH: Final = len(_DIGEST_PREFIX) + 2 * HASH_BYTES
_PATH_BITS: Final = 8 * HASH_BYTES

Records: TypeAlias = Iterable[tuple[str, str, bytes]]
"""Kind, id and digest (32 raw bytes) of records, each id of a kind once."""


def _sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def _parent(left: bytes, right: bytes) -> bytes:
    return _sha256(b"\x01" + left + right)


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


class _Waiting(NamedTuple):
    """All records of a trie that nobody asked yet."""

    records: Callable[[], Records]


class Trie:
    """A persistent binary trie from (kind, id) to a record's digest, known by its root.

    The path of a record is the bits of SHA-256 over `odeu.key.v1` NUL kind NUL id, the highest first. An
    empty subtree is 32 zero bytes, one with a single record is SHA-256(0x00 path digest), any other is
    SHA-256(0x01 left right). Two tries are equal when they hold the same records, whatever came first.

    Records are hashed when somebody asks for the root, all that wait at once: a replay asks once at its end.
    """

    __slots__ = ("_form",)
    _form: _Subtree | _Put | _Waiting

    def __init__(self) -> None:
        self._form = None

    @classmethod
    def of(cls, records: Callable[[], Records]) -> "Trie":
        """Return the trie of these records; the pure function that tells them is called when it is needed."""
        trie = cls()
        trie._form = _Waiting(records)
        return trie

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
        if isinstance(form, _Waiting):
            form = _grown(_leaves(form.records()))
        if waiting:
            leaves = [_leaf(_path(*name), _raw_of(digest)) for name, digest in waiting.items()]
            form = _inserted(form, leaves)
        # One assignment, and any other thread would assign the same: nobody sees half of it.
        self._form = form
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


def _leaf(path: bytes, raw: bytes) -> _Leaf:
    return _Leaf(int.from_bytes(path, "big"), _sha256(b"\x00" + path + raw), raw)


def _leaves(records: Records) -> list[_Leaf]:
    """Return the leaves of these records: `_leaf` of `_path` for each, without a call for every hash."""
    sha256, new, number, leaves = hashlib.sha256, tuple.__new__, int.from_bytes, []
    for kind, record_id, raw in records:
        path = sha256(b"%b\x00%b\x00%b" % (_KEY_DOMAIN, kind.encode(), record_id.encode())).digest()
        leaves.append(new(_Leaf, (number(path, "big"), sha256(b"\x00" + path + raw).digest(), raw)))
    return leaves


def _raw_of(digest: str | Callable[[], str]) -> bytes:
    return _raw(digest if isinstance(digest, str) else digest())


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


def _grown(leaves: list[_Leaf]) -> _Subtree:
    """Return the trie of these leaves, which are of distinct paths: the same as inserting them, in half the time."""
    leaves.sort(key=itemgetter(0))
    paths = [leaf.path for leaf in leaves]
    sha256, new, empty = hashlib.sha256, tuple.__new__, EMPTY_TRIE_ROOT

    def grown(start: int, end: int, bit: int) -> _Subtree:
        middle = bisect_left(paths, paths[start] & -(1 << bit) | 1 << bit, start, end)
        left: _Subtree = None
        right: _Subtree = None
        above, below = empty, empty
        # Most sides are one leaf, or nothing: no call for these.
        if start < middle:
            left = leaves[start] if middle - start == 1 else grown(start, middle, bit - 1)
            above = left.hash  # type: ignore[union-attr]
        if middle < end:
            right = leaves[middle] if end - middle == 1 else grown(middle, end, bit - 1)
            below = right.hash  # type: ignore[union-attr]
        return new(_Branch, (left, right, sha256(b"\x01" + above + below).digest()))

    if len(leaves) <= 1:
        return leaves[0] if leaves else None
    return grown(0, len(leaves), _PATH_BITS - 1)
