"""Stands around every part that writes durably: counts and records the writes, and ends the process at one.

What the ledger acknowledged is noted in a file outside the data folder, so that whoever looks after the death
knows what this process had been told was safe.
"""

import json
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from app.bootstrap import Seams
from kernel.events.envelope import Event
from kernel.events.stored import Appended, CommandMaterial, EventAsWritten
from kernel.merkle import LogHead

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Point:
    """One moment of a walk: before a write, after it, or - for an append - when its head is signed only."""

    index: int
    """Which write, from 0."""
    phase: str


@dataclass
class Watch:
    """The writes of one process, and where it is to die."""

    notes: Path
    fatal: Point | None = None
    names: list[str] = field(default_factory=list)

    def seams(self) -> Seams:
        """Return the places to stand."""
        return Seams(
            ledger=lambda ledger: WatchedLedger(ledger, self),
            signer=lambda signer: WatchedSigner(signer, self),
            repositories=lambda repositories: WatchedRepositories(repositories, self),
            step=self.step,
        )

    def around(self, name: str, write: Callable[[], T]) -> T:
        """Do a write, or die before or after it."""
        self.names.append(name)
        self.die_if("before")
        written = write()
        self.die_if("after")
        return written

    def step(self, name: str) -> None:
        """Pass a named step of the promoter; its files and refs are written between two of them."""
        self.around(f"promoter {name}", lambda: None)

    def die_if(self, phase: str) -> None:
        """End this process at once, with no clean-up of any kind, when this is the moment."""
        if self.fatal == Point(len(self.names) - 1, phase):
            os.kill(os.getpid(), signal.SIGKILL)

    def note(self, **record: object) -> None:
        """Keep one line outside the data folder; a killed process loses nothing it wrote."""
        with self.notes.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")


class WatchedLedger:
    """A ledger whose appends are watched."""

    def __init__(self, ledger: Any, watch: Watch) -> None:
        self._ledger = ledger
        self._watch = watch

    def __getattr__(self, name: str) -> Any:
        """Pass everything else on."""
        return getattr(self._ledger, name)

    def append(
        self,
        ledger_id: str,
        expected_seq: int,
        events: Sequence[Event | EventAsWritten],
        command: CommandMaterial | None = None,
    ) -> Appended:
        """Append, and note what was acknowledged."""
        plain = [item.event if isinstance(item, EventAsWritten) else item for item in events]
        name = " ".join(event.type.removesuffix(".v1") for event in plain)
        batch = [[event.seq, event.id, event.type] for event in plain]

        def write() -> Appended:
            self._watch.note(what="asked", ledger=ledger_id, events=batch)
            appended: Appended = self._ledger.append(ledger_id, expected_seq, events, command)
            self._watch.note(what="acknowledged", ledger=ledger_id, events=batch)
            return appended

        return self._watch.around(name, write)


class WatchedSigner:
    """A signer after which the process may die: the head is signed, the events are not committed."""

    def __init__(self, signer: Any, watch: Watch) -> None:
        self._signer = signer
        self._watch = watch

    def __getattr__(self, name: str) -> Any:
        """Pass everything else on."""
        return getattr(self._signer, name)

    def sign_checkpoint(
        self,
        ledger_id: str,
        size: int,
        root: bytes,
        *,
        after: LogHead | None = None,
        proof: tuple[bytes, ...] | None = None,
    ) -> str:
        """Sign, then die before the COMMIT when this is the moment."""
        note: str = self._signer.sign_checkpoint(ledger_id, size, root, after=after, proof=proof)
        self._watch.die_if("signed")
        return note


class WatchedRepositories:
    """Git whose run folders, seals and releases are watched."""

    def __init__(self, repositories: Any, watch: Watch) -> None:
        self._repositories = repositories
        self._watch = watch

    def __getattr__(self, name: str) -> Any:
        """Pass everything else on, watching what writes."""
        method = getattr(self._repositories, name)
        if name not in {"lease", "absorb", "seal", "release"}:
            return method

        def watched(*arguments: Any, **named: Any) -> Any:
            if name == "lease":
                self._watch.note(what="dispatched", run=arguments[0])
            return self._watch.around(f"git {name}", lambda: method(*arguments, **named))

        return watched
