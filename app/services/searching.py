"""Search in a project with English word forms: `tiles` finds a tile, `ordered` an order."""

from functools import lru_cache
from threading import Lock
from typing import Final

import snowballstemmer

from kernel.projections.search import Ask, Results, search
from kernel.state import State

_STEMMER: Final = snowballstemmer.stemmer("english")
_TURN: Final = Lock()
"""A stemmer keeps the word it works on, so two threads may not use it at once."""


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    with _TURN:
        return str(_STEMMER.stemWord(word))


def find(state: State, ask: Ask, *, is_whole: bool) -> Results:
    """Return what a query finds in a project; `is_whole` says whether the state is what an owner sees."""
    return search(state, ask, stem=_stem, is_whole=is_whole)
