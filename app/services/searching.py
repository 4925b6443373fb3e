"""Search in a project with English word forms: `tiles` finds a tile, `ordered` an order."""

from collections import OrderedDict
from functools import lru_cache
from threading import Lock
from typing import Final

import snowballstemmer

from kernel.projections.search import Found, Lines, search
from kernel.state import State

_STEMMER: Final = snowballstemmer.stemmer("english")
PROJECTS_KEPT: Final = 16
"""How many projects keep their folded texts; the one searched longest ago is forgotten first."""
_TURN: Final = Lock()
"""A stemmer keeps the word it works on, so two threads may not use it at once."""


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    with _TURN:
        return str(_STEMMER.stemWord(word))


class Searches:
    """Searches projects and keeps their folded texts from one search to the next."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, bool], Lines] = OrderedDict()
        self._turn = Lock()

    def find(self, state: State, query: str, start: int = 0, *, is_whole: bool = True) -> Found:
        """Return what a query finds in a project from the `start`-th hit on, the best answer first.

        The whole of a project and what others see of it (not `is_whole`) are kept apart.
        """
        key = (state.ledger, is_whole)
        with self._turn:
            lines = self._kept.pop(key, Lines())
        lines = lines.of(state.tables.nodes)
        with self._turn:
            self._kept[key] = lines
            while len(self._kept) > PROJECTS_KEPT:
                self._kept.popitem(last=False)
        return search(state, lines, query, stem=_stem, start=start)
