"""A process of its own that appends to a ledger and says what was acknowledged; started by the tests.

Arguments: folder, name, how many appends, events per append, and optionally `die-before-commit`.
The database is the file in the folder, or the one whose address DATABASE_UNDER_TEST holds.
"""

import os
import signal
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from adapters.keys.ring import KeyRing
from adapters.ledger import MasterKey, SqlLedger, Vault
from adapters.ledger import open_store as open_database
from adapters.system import SystemEntropy
from kernel.errors import LedgerConflictError
from kernel.events.stored import LastAppend
from kernel.merkle import LogHead
from tests.ledger.building import LEDGER, NOW, Author, open_store


class DyingSigner:
    """Signs like the real one, remembers it durably, and dies before the append can be committed."""

    def __init__(self, folder: Path) -> None:
        self._signer = KeyRing.open(str(folder / "keys"), lambda: NOW).checkpoint_signer("here")

    def sign_checkpoint(
        self,
        ledger_id: str,
        size: int,
        root: bytes,
        *,
        after: LogHead | None = None,
        proof: tuple[bytes, ...] | None = None,
    ) -> str:
        """Sign, then die."""
        self._signer.sign_checkpoint(ledger_id, size, root, after=after, proof=proof)
        os.kill(os.getpid(), signal.SIGKILL)
        return ""

    def beside_commit(self) -> AbstractContextManager[Callable[[], None]]:
        """Let the real one be synced beside the COMMIT that never comes."""
        return self._signer.beside_commit()

    def follow(self, last: LastAppend) -> bool:
        """Follow like the real one."""
        return self._signer.follow(last)

    def verify_note(self, ledger_id: str, note: str) -> LogHead:
        """Verify like the real one."""
        return self._signer.verify_note(ledger_id, note)


def run(folder: Path, name: str, appends: int, size: int, *, dying: bool) -> None:
    """Append again and again; print the last sequence number of each append that was acknowledged."""
    ring = KeyRing.open(str(folder / "keys"), lambda: NOW)
    signer = DyingSigner(folder) if dying else ring.checkpoint_signer("here")
    vault = Vault(MasterKey.load(folder / "master.key"), SystemEntropy())
    url = os.environ.get("DATABASE_UNDER_TEST")
    ledger = SqlLedger(open_database(url) if url else open_store(folder), vault, signer)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    done, seq = 0, ledger.head(LEDGER).seq
    while done < appends:
        author = Author(name=f"{name} {done}")
        events = [author.captured(place, f"{name} wrote {place}") for place in range(seq + 1, seq + size + 1)]
        try:
            seq = ledger.append(
                LEDGER, seq, [replace(event, command=f"command_{name}") for event in events]
            ).head_seq
        except LedgerConflictError as conflict:
            seq = conflict.head_seq
            continue
        done += 1
        sys.stdout.write(f"{name} {seq}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    run(
        Path(sys.argv[1]),
        sys.argv[2],
        int(sys.argv[3]),
        int(sys.argv[4]),
        dying=sys.argv[5:] == ["die-before-commit"],
    )
