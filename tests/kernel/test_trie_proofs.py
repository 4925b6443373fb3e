"""Proofs over the trie: a way shows exactly one record, or its absence, under exactly one root."""

from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from kernel.merkle import leaf_hash
from kernel.trie import EMPTY_TRIE_ROOT, Trie, TrieLeaf, TrieWay, verify_absence, verify_presence

names = st.text(max_size=3)
digests = st.integers(0, 9).map(lambda number: "sha256:" + f"{number:064x}")
tables = st.dictionaries(names, digests, max_size=30)
OTHER = "sha256:" + "ff" * 32


def _trie(rows: dict[str, str]) -> Trie:
    trie = Trie()
    for name, digest in rows.items():
        trie = trie.put("node", name, digest)
    return trie


@given(tables, st.data())
def test_a_way_shows_one_record_under_one_root(rows: dict[str, str], data: st.DataObject) -> None:
    """What is there is shown with its own digest; another digest, id, kind, root or way shows nothing."""
    assume(rows)
    name, trie = data.draw(st.sampled_from(sorted(rows))), _trie(rows)
    siblings, root, digest = trie.way("node", name).siblings, trie.root(), rows[name]
    assert verify_presence("node", name, digest, siblings=siblings, root=root)
    assert not verify_presence("node", name, OTHER, siblings=siblings, root=root)
    assert not verify_presence("node", name + "x", digest, siblings=siblings, root=root)
    assert not verify_presence("relation", name, digest, siblings=siblings, root=root)
    assert not verify_presence("node", name, digest, siblings=siblings, root=leaf_hash(b"root"))
    assert not verify_presence("node", name, digest, siblings=(*siblings, EMPTY_TRIE_ROOT), root=root)
    assert not verify_absence("node", name, way=trie.way("node", name), root=root)
    assert not verify_absence("node", name, way=TrieWay(siblings, None), root=root)
    for cut in range(len(siblings)):
        assert not verify_presence("node", name, digest, siblings=siblings[:cut], root=root)
        forged = (*siblings[:cut], leaf_hash(b"forged"), *siblings[cut + 1 :])
        assert not verify_presence("node", name, digest, siblings=forged, root=root)


@given(tables, names)
def test_a_way_shows_an_absence(rows: dict[str, str], name: str) -> None:
    """What is not there is shown to be missing, and can be shown present with no digest of the trie."""
    assume(name not in rows)
    trie = _trie(rows)
    way, root = trie.way("node", name), trie.root()
    assert verify_absence("node", name, way=way, root=root)
    assert not verify_absence("node", name, way=way, root=leaf_hash(b"root"))
    assert not verify_absence("node", name, way=replace(way, siblings=(*way.siblings, root)), root=root)
    assert not any(
        verify_presence("node", name, digest, siblings=way.siblings, root=root) for digest in rows.values()
    )
    if way.end is not None:
        assert not verify_absence("node", name, way=TrieWay(way.siblings, None), root=root)
        other = TrieLeaf(way.end.path, leaf_hash(b"other"))
        assert not verify_absence("node", name, way=TrieWay(way.siblings, other), root=root)


@given(tables, st.data())
def test_no_way_of_one_record_shows_that_another_is_absent(rows: dict[str, str], data: st.DataObject) -> None:
    """The way to any record that is there never passes for the absence of a second one that is there too."""
    assume(len(rows) > 1)
    trie = _trie(rows)
    one, two = data.draw(st.permutations(sorted(rows)))[:2]
    assert not verify_absence("node", two, way=trie.way("node", one), root=trie.root())


@given(st.lists(st.tuples(names, digests), min_size=1, max_size=20), names)
def test_every_past_trie_keeps_its_proofs(steps: list[tuple[str, str]], name: str) -> None:
    """A trie that others were made from proves what it held then, asked before or after them."""
    tries, rows, told = [Trie()], dict[str, str](), [dict[str, str]()]
    for key, digest in steps:
        rows = {**rows, key: digest}
        tries.append(tries[-1].put("node", key, digest))
        told.append(rows)
    tries[-1].root()
    for trie, then in zip(tries, told, strict=True):
        way, root = trie.way("node", name), trie.root()
        held = then.get(name)
        assert verify_absence("node", name, way=way, root=root) == (held is None)
        assert held is None or verify_presence("node", name, held, siblings=way.siblings, root=root)


def test_parts_of_another_width_are_refused() -> None:
    """A place and a digest that share a byte between them hash alike; only 32 bytes each are a leaf."""
    trie = Trie().put("node", "a", "sha256:" + "01" * 32)
    way = trie.way("node", "b")
    assert way.end is not None
    assert verify_absence("node", "b", way=way, root=trie.root())
    shifted = TrieLeaf(way.end.path + way.end.digest[:1], way.end.digest[1:])
    assert not verify_absence("node", "b", way=TrieWay((), shifted), root=trie.root())
    assert not verify_absence("node", "b", way=TrieWay((b"\0" * 33,), None), root=trie.root())
    assert not verify_absence("node", "b", way=TrieWay((EMPTY_TRIE_ROOT,) * 257, None), root=trie.root())
    assert not verify_absence("node", "\ud800", way=way, root=trie.root())
    assert not verify_presence("node", "a", "sha256:01", siblings=(), root=trie.root())
