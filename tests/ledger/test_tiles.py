"""Tiles: the whole log rebuilt from them by a verifier of the test's own, and every proof the same as from all leaves."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.ledger.tiles import Tiles
from kernel.errors import HistoryError
from kernel.merkle import consistency_proof, inclusion_proof, leaf_hash, root_of

LEAVES = [leaf_hash(b"%d" % number) for number in range(70_000)]
sizes = st.one_of(st.integers(1, 600), st.sampled_from([65_535, 65_536, 65_537, 70_000]))


class Reader:
    """Reads leaves and counts them."""

    def __init__(self) -> None:
        self.read = 0

    def __call__(self, _ledger: str, after: int, count: int) -> Sequence[bytes]:
        """Return leaf hashes of the one log."""
        self.read += count
        return LEAVES[after : after + count]


KNOWN = Tiles(Reader())


def test_the_specifications_example() -> None:
    """70,000 entries are 273 full tiles and one of 112 at level 0, one full and one of 17 above, one of 1 on top."""
    assert [len(KNOWN.tile("l", 0, n)) for n in (0, 272)] == [256, 256]
    assert KNOWN.tile("l", 0, 273, width=112) == tuple(LEAVES[273 * 256 :])
    assert KNOWN.tile("l", 1, 0)[255] == root_of(LEAVES[255 * 256 : 256 * 256])
    assert len(KNOWN.tile("l", 1, 1, width=17)) == 17
    assert KNOWN.tile("l", 2, 0, width=1) == (root_of(LEAVES[: 256 * 256]),)
    for level, index, width in ((0, 273, 113), (0, 274, 1), (1, 1, 18), (2, 0, 2)):
        with pytest.raises(HistoryError, match="lacks events"):
            KNOWN.tile("l", level, index, width=width)


@settings(deadline=None, max_examples=60)
@given(sizes, st.data())
def test_proofs_from_tiles_are_the_proofs(size: int, data: st.DataObject) -> None:
    """Roots, inclusion and consistency proofs computed from tiles are those computed from all leaves."""
    leaves, first = LEAVES[:size], data.draw(st.integers(0, size))
    assert KNOWN.root("l", size) == root_of(leaves)
    assert KNOWN.consistency("l", first, size) == consistency_proof(leaves, first)
    if first:
        assert KNOWN.inclusion("l", first, size) == inclusion_proof(leaves, first - 1)


def test_a_proof_reads_a_few_hundred_leaves() -> None:
    """Once full tiles are known, a proof reads at most two tiles of leaves, and the first one never more than all."""
    reader = Reader()
    tiles = Tiles(reader)
    tiles.inclusion("l", 12_345, 70_000)
    assert reader.read < 70_000
    tiles.root("l", 70_000)
    reader.read = 0
    tiles.consistency("l", 54_321, 70_000)
    tiles.inclusion("l", 12_346, 70_000)
    assert reader.read <= 4 * 256
