"""A process of its own in which many threads append, each to its own ledger, until it is killed.

Arguments: folder, how many threads. Prints `LEDGER SEQ.` after each acknowledgement, in one write.
"""

import os
import sys
import threading
from pathlib import Path

from adapters.ledger import SqlLedger
from tests.ledger.building import Author, open_store, sql_ledger


def _produce(ledger: SqlLedger, ledger_id: str) -> None:
    author = Author(ledger_id)
    for seq in range(1, 100_000):
        ledger.append(ledger_id, seq - 1, [author.captured(seq)])
        os.write(1, f"{ledger_id} {seq}.\n".encode())


if __name__ == "__main__":
    opened = sql_ledger(Path(sys.argv[1]), open_store(Path(sys.argv[1])))
    for number in range(int(sys.argv[2])):
        name = f"project_{number + 1:026d}"
        threading.Thread(target=_produce, args=(opened, name)).start()
