"""A past state as it can be read today: the tables of one revision, and nothing that came or moved after it."""

import re
from dataclasses import replace
from typing import Final

from kernel.errors import InvalidError, NotFoundError
from kernel.state import Revision, State, revision_key
from kernel.table import Table

_RANGE: Final = re.compile(r"(\d{1,12})\.\.(\d{1,12})", re.ASCII)


def revision_of(state: State, number: int) -> Revision:
    """Return one revision.

    Raises: NotFoundError.
    """
    revision = state.revisions.get(revision_key(number)) if number >= 0 else None
    if revision is None or number > state.revision:
        message = f"there is no revision {number}; the newest is {state.revision}"
        raise NotFoundError(message)
    return revision


def state_at(state: State, number: int) -> State:
    """Return the worldstate as it stood at one revision; nothing waits in it and nothing runs.

    The tables are the revision's own, kept by structural sharing; captures and proposals stay readable, since
    they tell where a node came from.

    Raises: NotFoundError.
    """
    revision = revision_of(state, number)
    return replace(
        state,
        revision=number,
        state_root=revision.state_root,
        tables=revision.tables,
        open_deltas=Table(),
        runs=Table(),
    )


def revision_range(text: str) -> tuple[int, int]:
    """Return the two revisions of a text such as `16..18`, the earlier one first.

    Raises: InvalidError.
    """
    match = _RANGE.fullmatch(text.strip())
    if match is None:
        message = "name two revisions such as 16..18"
        raise InvalidError(message)
    first, second = int(match[1]), int(match[2])
    return min(first, second), max(first, second)
