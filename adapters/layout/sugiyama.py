"""Orders the nodes of a layered graph so that few of its lines cross: Sugiyama's method, by igraph.

The same graph always gets the same places. What was laid out is kept by the digest of the graph's shape, which
holds neither ids nor words.
"""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import Final

KEPT: Final = 256
"""How many layouts are kept; the one used longest ago is forgotten first."""
ROUNDS: Final = 60
"""How often the method goes over the layers at most."""


class Sugiyama:
    """Finds rows for the nodes of a layered graph, and remembers them by the graph's shape."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[float, ...]] = OrderedDict()
        self._turn = Lock()

    def rows(self, layers: Sequence[int], lines: Sequence[tuple[int, int]]) -> tuple[float, ...]:
        """Return a row for every node, the smallest 0; nodes of one layer are at least one row apart.

        `layers` are the layers of the nodes 0, 1, 2 and so on; a line names two of them by number.
        """
        if not layers:
            return ()
        lowest = min(layers)
        shape = json.dumps([[layer - lowest for layer in layers], [list(line) for line in lines]])
        key = hashlib.sha256(shape.encode()).hexdigest()
        with self._turn:
            known = self._kept.get(key)
            if known is None:
                known = _rows([layer - lowest for layer in layers], lines)
            self._kept[key] = known
            self._kept.move_to_end(key)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return known


def _rows(layers: list[int], lines: Sequence[tuple[int, int]]) -> tuple[float, ...]:
    import igraph  # a heavy library that only a map needs

    # Lines go from the lower layer to the higher one: which way they point matters to the drawing, not to places.
    # A line inside one layer says nothing about rows.
    forward = sorted(
        {(a, b) if layers[a] < layers[b] else (b, a) for a, b in lines if layers[a] != layers[b]}
    )
    graph = igraph.Graph(n=len(layers), edges=forward, directed=True)
    found = graph.layout_sugiyama(layers=layers, maxiter=ROUNDS).coords
    rows = [float(found[node][0]) for node in range(len(layers))]
    top = min(rows)
    return tuple(round(row - top, 3) for row in rows)
