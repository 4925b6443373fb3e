"""A process of its own that writes one group of appends to several ledgers and dies at one step of it.

Arguments: folder, step. Steps, in their order: `signed-1` to `signed-4` (that many heads signed), `syncing` (their one
sync begun), `committed` (the COMMIT returned, the sync not waited for), `answered` (everyone was told, by a line).
"""

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from adapters.ledger.appending import Appender
from adapters.ledger.batch import batch_of
from adapters.ledger.group import Ticket
from tests.ledger.building import Author, open_store, sql_ledger

LEDGERS = tuple(f"project_{number:026d}" for number in range(1, 5))
STEPS = ("signed-1", "signed-2", "signed-3", "signed-4", "syncing", "committed", "answered")
BEFORE = 3
"""Events that each ledger has when the fatal group comes."""


def group(seq: int, name: str = "a") -> list[Ticket]:
    """Return one append for every ledger, for this place."""
    return [
        Ticket(batch_of(ledger_id, seq - 1, [Author(ledger_id, name).captured(seq)]), None)
        for ledger_id in LEDGERS
    ]


class FatalSigner:
    """Signs like the real one until the fatal step."""

    def __init__(self, signer: Any, fatal: str) -> None:
        self._signer = signer
        self._fatal = fatal
        self._signed = 0
        self.armed = False

    def __getattr__(self, name: str) -> Any:
        """Pass everything else on."""
        return getattr(self._signer, name)

    def pass_by(self, step: str) -> None:
        """End this process with no clean-up of any kind when this is the step."""
        if self.armed and step == self._fatal:
            os.kill(os.getpid(), signal.SIGKILL)

    def sign_checkpoint(self, *arguments: Any, **named: Any) -> str:
        """Sign one head."""
        note: str = self._signer.sign_checkpoint(*arguments, **named)
        self._signed += self.armed
        self.pass_by(f"signed-{self._signed}")
        return note

    @contextmanager
    def beside_commit(self) -> Iterator[Callable[[], None]]:
        """Pass by the steps around the sync."""
        with self._signer.beside_commit() as begin:

            def begin_sync() -> None:
                begin()
                self.pass_by("syncing")

            yield begin_sync
            self.pass_by("committed")


def run(folder: Path, fatal: str) -> None:
    """Write three groups, then the fatal one; what the first one synced of each memory is kept in `synced`."""
    ledger = sql_ledger(folder, open_store(folder))
    signer = FatalSigner(ledger._signer, fatal)
    appender = Appender(ledger._store, ledger._vault, signer)
    for seq in range(1, BEFORE + 1):
        appender.write(group(seq))
        if seq == 1:
            shutil.copytree(folder / "keys" / "heads", folder / "synced")
    signer.armed = True
    tickets = group(BEFORE + 1)
    appender.write(tickets)
    told = [str(ticket.answer().head_seq) for ticket in tickets]
    os.write(1, f"{' '.join(told)}\n".encode())
    signer.pass_by("answered")


if __name__ == "__main__":
    run(Path(sys.argv[1]), sys.argv[2])
