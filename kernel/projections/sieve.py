"""Which accepted revisions a reader asks for: by what sort of act, by whom, and in which stretch of time."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kernel.projections.inbox import is_import
from kernel.state import Revision, State, revision_key
from kernel.vocabulary import Purpose

IMPORT: Final = "import"
OPENED: Final = "opened"
ACTS: Final = (
    Purpose.PLACEMENT.value,
    IMPORT,
    Purpose.CORRECTION.value,
    Purpose.RECONCILIATION.value,
    Purpose.COMPENSATION.value,
    OPENED,
)
"""Every sort of act that makes a revision, as a sieve names it."""
LOOKED_MAX: Final = 3_000
"""How many revisions one page looks at; further back is the next page."""


@dataclass(frozen=True, slots=True)
class Sieve:
    """What is asked for; an empty value asks for everything."""

    act: str = ""
    """One of `ACTS`."""
    person_id: str = ""
    """Who accepted it."""
    since: str = ""
    """A moment of the ledger: nothing before it."""
    until: str = ""
    """A moment of the ledger: nothing at it or after."""

    @property
    def is_open(self) -> bool:
        """Tell whether everything passes."""
        return not (self.act or self.person_id or self.since or self.until)

    def lets(self, state: State, revision: Revision) -> bool:
        """Tell whether a revision passes."""
        origin = revision.origin
        return (
            (not self.person_id or origin.actor.id == self.person_id)
            and (not self.until or origin.at < self.until)
            and (not self.since or origin.at >= self.since)
            and (not self.act or _is_act(state, revision, self.act))
        )


def act_of(state: State, revision: Revision) -> str:
    """Return which sort of act made a revision."""
    if revision.delta_id is None:
        return OPENED
    record = state.deltas[revision.delta_id]
    return IMPORT if is_import(state, record) else record.body.purpose.value


def _is_act(state: State, revision: Revision, act: str) -> bool:
    """Tell whether `act_of` says this act; the sources are asked only where the purpose leaves it open."""
    if revision.delta_id is None:
        return act == OPENED
    record = state.deltas[revision.delta_id]
    if act == IMPORT:
        return is_import(state, record)
    return record.body.purpose.value == act and not is_import(state, record)


def sifted(
    state: State, numbers: Sequence[int], sieve: Sieve, *, most: int
) -> tuple[tuple[int, ...], int | None]:
    """Return at most `most` of these revisions, newest first, and below which number to look on; None at the end.

    `numbers` fall. O(LOOKED_MAX) however many there are: what lies at or after `until` is passed over by halving.
    """
    start = 0
    if sieve.until:
        start = bisect_left(numbers, True, key=lambda number: _at(state, number) < sieve.until)  # noqa: FBT003
    found: list[int] = []
    for number in numbers[start : start + LOOKED_MAX]:
        revision = state.revisions[revision_key(number)]
        if sieve.since and revision.origin.at < sieve.since:
            return tuple(found), None
        if sieve.lets(state, revision):
            if len(found) == most:
                return tuple(found), found[-1]
            found.append(number)
    rest = numbers[start + LOOKED_MAX : start + LOOKED_MAX + 1]
    return tuple(found), numbers[start + LOOKED_MAX - 1] if rest else None


def _at(state: State, number: int) -> str:
    return state.revisions[revision_key(number)].origin.at
