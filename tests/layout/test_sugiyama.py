"""The layout of a layered graph: deterministic, apart in a layer, with few crossings, and remembered."""

from itertools import pairwise

from adapters.layout import Sugiyama

LAYERS = (0, 1, 1, 1, 2, 2)
LINES = ((0, 1), (0, 2), (3, 0), (1, 5), (2, 4), (1, 2))


def test_the_same_graph_gets_the_same_rows() -> None:
    """Two layouts of one graph agree, whichever way its lines point and wherever its layers begin."""
    rows = Sugiyama().rows(LAYERS, LINES)
    assert Sugiyama().rows(LAYERS, LINES) == rows
    assert Sugiyama().rows([layer - 4 for layer in LAYERS], [(b, a) for a, b in LINES]) == rows


def test_nodes_of_a_layer_stand_apart() -> None:
    """No two nodes of one layer share a place, and the topmost row is 0."""
    rows = Sugiyama().rows(LAYERS, LINES)
    assert min(rows) == 0
    for layer in set(LAYERS):
        inside = sorted(row for row, at in zip(rows, LAYERS, strict=True) if at == layer)
        assert all(b - a >= 1 for a, b in pairwise(inside))


def test_lines_that_need_not_cross_do_not() -> None:
    """Two pairs are put in the same order in both layers."""
    rows = Sugiyama().rows((0, 0, 1, 1), ((0, 3), (1, 2)))
    assert (rows[0] < rows[1]) == (rows[3] < rows[2])


def test_graphs_without_lines_or_nodes_are_laid_out_too() -> None:
    """Nothing has no rows; one node stands at the top."""
    assert (Sugiyama().rows((), ()), Sugiyama().rows((7,), ())) == ((), (0.0,))
