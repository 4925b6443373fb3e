"""The tables that are read beside the events, compared with what the events say must stand in them.

`subjects` says in which ledger an id came into being, `commands` which events a command recorded. Both follow from
the events to the row, so that a row that was added, changed or deleted is named. What a command's material was is in
no event: its code is not compared, and one that was altered makes a command that is sent again refused, never done.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from kernel.events.envelope import Event, subjects_of
from kernel.vocabulary import ActorKind

_ASKERS: Final = frozenset({ActorKind.HUMAN, ActorKind.AGENT, ActorKind.OPERATOR})
"""Whoever of these is the first to write in an act asked for it."""


@dataclass(frozen=True, slots=True)
class DerivedRows:
    """What the two tables hold about one ledger."""

    subjects: Iterable[tuple[str, int]]
    """(id, seq)"""
    commands: Iterable[tuple[str, str, int, int]]
    """(actor, command, first seq, count)"""


@dataclass(frozen=True, slots=True)
class _Act:
    """The events that one command recorded, as they tell it."""

    asked_by: str | None
    """None where the host or the manager is the first to write: whoever asked them is in no event."""
    command: str
    count: int

    @property
    def asker(self) -> str:
        return "" if self.asked_by is None else f" of {self.asked_by}"


class Derivation:
    """What the events of one ledger say must stand in the two tables; told event by event, in order."""

    def __init__(self) -> None:
        self._subjects: dict[str, int] = {}
        self._acts: dict[int, _Act] = {}
        self._first = 0

    def follow(self, event: Event) -> None:
        """Note what one more event brings into being, and which command it came by."""
        self._subjects.update(dict.fromkeys(subjects_of(event), event.seq))
        if event.ordinal == 0:
            self._first = event.seq
            asked_by = event.actor.id if event.actor.kind in _ASKERS else None
            self._acts[event.seq] = _Act(asked_by, event.command, 1)
        elif self._first in self._acts:
            act = self._acts[self._first]
            self._acts[self._first] = replace(act, count=act.count + 1)

    def problems(self, stored: DerivedRows, *, remembers_all: bool) -> Iterator[str]:
        """Yield what does not fit; with `remembers_all` every command must have its row."""
        yield from self._subject_problems(dict(stored.subjects))
        remembered = set()
        for actor, command, first, count in sorted(stored.commands):
            said = f"the table commands says that {command} of {actor} recorded {_events(first, count)}"
            act = self._acts.get(first)
            remembered.add(first)
            if act is None:
                yield f"{said}, but no command begins there"
            elif (act.asked_by or actor, act.command, act.count) != (actor, command, count):
                yield f"{said}, the events say {act.command}{act.asker} recorded {_events(first, act.count)}"
        for first, act in self._acts.items() if remembers_all else ():
            if first not in remembered:
                yield (
                    f"the table commands has no row for {act.command}{act.asker}, which recorded "
                    f"{_events(first, act.count)}: sent again, it would be carried out again"
                )

    def _subject_problems(self, found: dict[str, int]) -> Iterator[str]:
        for subject, seq in self._subjects.items():
            if subject not in found:
                yield f"the table subjects has no row for {subject}, which event {seq} brought into being"
        for subject, seq in sorted(found.items()):
            wanted = self._subjects.get(subject)
            said = f"the table subjects says that event {seq} brought {subject} into being"
            if wanted is None:
                yield f"{said}, but no event of this ledger did"
            elif seq != wanted:
                yield f"{said}, the events say event {wanted} did"


def _events(first: int, count: int) -> str:
    return f"event {first}" if count == 1 else f"events {first} to {first + count - 1}"
