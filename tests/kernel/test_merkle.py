"""The log and the trie: vectors, proofs, and independence of history."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.errors import CanonicalError
from kernel.merkle import (
    Edge,
    LogHead,
    consistency_proof,
    edge_of,
    extension_proof,
    inclusion_proof,
    leaf_hash,
    root_of,
    verify_consistency,
    verify_inclusion,
)
from kernel.trie import EMPTY_TRIE_ROOT, Trie

ENTRIES = tuple(
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
)
LEAVES = tuple(leaf_hash(entry) for entry in ENTRIES)
ROOTS = (
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)

sizes = st.integers(1, 40)
digests = st.integers(0, 9).map(lambda number: "sha256:" + f"{number:064x}")
records = st.dictionaries(
    st.tuples(st.sampled_from(["node", "relation"]), st.text(max_size=3)), digests, max_size=30
)


def _leaves(count: int) -> list[bytes]:
    return [leaf_hash(b"%d" % number) for number in range(count)]


@pytest.mark.parametrize(("size", "root"), list(enumerate(ROOTS, 1)))
def test_certificate_transparency_vectors(size: int, root: str) -> None:
    """The roots of the eight published leaves are the published ones."""
    assert root_of(LEAVES[:size]).hex() == root


def test_the_empty_log_is_the_hash_of_nothing() -> None:
    """A log without entries has a root too."""
    assert Edge().root() == root_of(()) == hashlib.sha256(b"").digest()


def test_an_edge_grows_without_its_leaves() -> None:
    """Appending to the right edge gives the root over all leaves; one hash per set bit of the size."""
    edge = Edge()
    for size, leaf in enumerate(LEAVES, 1):
        edge = edge.append(leaf)
        assert edge == edge_of(LEAVES[:size])
        assert (edge.size, len(edge.hashes)) == (size, size.bit_count())
        assert edge.root().hex() == ROOTS[size - 1]


@given(sizes, st.data())
def test_inclusion_proves_exactly_one_place(size: int, data: st.DataObject) -> None:
    """A proof holds for its leaf, index, size and root, and for no other."""
    leaves, index = _leaves(size), data.draw(st.integers(0, size - 1))
    root, proof = root_of(leaves), inclusion_proof(leaves, index)
    assert verify_inclusion(leaves[index], index, size, proof, root=root)
    assert not verify_inclusion(leaf_hash(b"other"), index, size, proof, root=root)
    assert not verify_inclusion(leaves[index], index, size, (*proof, root), root=root)
    assert not verify_inclusion(leaves[index], index, size, proof, root=leaf_hash(b"root"))
    assert not any(
        verify_inclusion(leaves[index], other, size, proof, root=root)
        for other in range(size)
        if other != index
    )


@given(sizes, st.data())
def test_consistency_proves_an_extension(size: int, data: st.DataObject) -> None:
    """A proof holds between a log and its beginning, and not when the beginning was another."""
    leaves, begun = _leaves(size), data.draw(st.integers(0, size))
    later, proof = LogHead(size, root_of(leaves)), consistency_proof(leaves, begun)
    assert verify_consistency(LogHead(begun, root_of(leaves[:begun])), later, proof)
    assert not verify_consistency(LogHead(begun, leaf_hash(b"other")), later, proof)
    assert not verify_consistency(LogHead(begun, root_of(leaves[:begun])), later, (*proof, later.root))
    if proof:
        altered = (leaf_hash(b"other"), *proof[1:])
        assert not verify_consistency(LogHead(begun, root_of(leaves[:begun])), later, altered)


@given(sizes, st.data())
def test_the_edge_is_enough_to_prove_an_extension(size: int, data: st.DataObject) -> None:
    """Whoever appends can prove the extension without the leaves that were there before."""
    leaves, begun = _leaves(size), data.draw(st.integers(0, size))
    edge = edge_of(leaves[:begun])
    assert extension_proof(edge, leaves[begun:]) == consistency_proof(leaves, begun)


def test_proofs_about_absent_leaves_are_refused() -> None:
    """There is no path to a leaf that is not there, nor from a log that is longer."""
    with pytest.raises(IndexError):
        inclusion_proof(LEAVES, 8)
    with pytest.raises(IndexError):
        consistency_proof(LEAVES, 9)
    assert not verify_inclusion(LEAVES[0], 8, 8, (), root=LEAVES[0])
    assert not verify_consistency(LogHead(8, root_of(LEAVES)), LogHead(7, root_of(LEAVES[:7])), ())


def _trie(items: list[tuple[tuple[str, str], str]]) -> Trie:
    trie = Trie()
    for (kind, record_id), digest in items:
        trie = trie.put(kind, record_id, digest)
    return trie


def _root_by_definition(items: list[tuple[bytes, bytes]], bit: int = 0) -> bytes:
    """The definition of the root, written without the persistent structure."""
    if not items:
        return bytes(32)
    if len(items) == 1:
        return hashlib.sha256(b"\x00" + items[0][0] + items[0][1]).digest()
    sides: tuple[list[tuple[bytes, bytes]], list[tuple[bytes, bytes]]] = ([], [])
    for item in items:
        sides[item[0][bit // 8] >> (7 - bit % 8) & 1].append(item)
    left, right = (_root_by_definition(side, bit + 1) for side in sides)
    return hashlib.sha256(b"\x01" + left + right).digest()


@given(records, st.randoms(use_true_random=False))
def test_the_trie_depends_on_its_records_alone(rows: dict[tuple[str, str], str], random: object) -> None:
    """Order, repetition and overwritten values leave no mark on the root."""
    items = list(rows.items())
    shuffled = [(key, "sha256:" + "ff" * 32) for key, _ in items] + items
    random.shuffle(items)  # type: ignore[attr-defined]
    expected = _root_by_definition(
        [
            (
                hashlib.sha256(b"\x00".join((b"odeu.key.v1", kind.encode(), record_id.encode()))).digest(),
                bytes.fromhex(digest[7:]),
            )
            for (kind, record_id), digest in rows.items()
        ]
    )
    assert _trie(items).root() == _trie(shuffled).root() == expected
    assert _trie(items) == _trie(shuffled)


def test_the_empty_trie_is_zero() -> None:
    """A revision without records has a root of 32 zero bytes."""
    assert Trie().root() == EMPTY_TRIE_ROOT == bytes(32)


def test_a_put_leaves_the_trie_as_it_was() -> None:
    """Every past revision's trie keeps its root."""
    before = Trie().put("node", "a", "sha256:" + "01" * 32)
    root = before.root()
    after = before.put("node", "a", "sha256:" + "02" * 32).put("relation", "a", "sha256:" + "01" * 32)
    assert before.root() == root
    assert after != before


@pytest.mark.parametrize("digest", ["", "01" * 32, "sha256:" + "0g" * 32, "sha256:01"])
def test_malformed_digests_are_refused(digest: str) -> None:
    """Only a full tagged digest can be a leaf."""
    with pytest.raises(CanonicalError, match="is not a digest of the form"):
        Trie().put("node", "a", digest)
