"""Reading a ledger out: bytes, ciphertext and data keys as they lie in the store, of one moment."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from adapters.ledger.database import Database, driver_cursor
from adapters.ledger.vault import Vault, blob_digest
from kernel.errors import HistoryError, NotFoundError
from kernel.events.stored import ExportedEvent, ExportedLedger, SealedTexts


class Exporter:
    """Reads whole ledgers out of one database; the caller has made certain who asks."""

    def __init__(self, store: Database, vault: Vault) -> None:
        self._store = store
        self._vault = vault

    @contextmanager
    def opened(self, ledger_id: str) -> Iterator[ExportedLedger]:
        """Give one moment of the ledger for the block; its events are read while they are gone through.

        Raises: NotFoundError when it is empty; HistoryError when a blob or a key is not what was written.
        """
        with self._store.reading() as connection:
            head = (
                driver_cursor(connection)
                .execute(self._store.statements.SELECT_LEDGER, {"ledger_id": ledger_id})
                .fetchone()
            )
            if head is None:
                raise NotFoundError(f"there is no ledger {ledger_id}")
            notes = driver_cursor(connection).execute(
                self._store.statements.SELECT_CHECKPOINTS, {"ledger_id": ledger_id}
            )
            asked = {
                "ledger_id": ledger_id,
                "after_seq": 0,
                "limit": self._store.statements.NO_LIMIT,
                "offset": 0,
            }
            rows = driver_cursor(connection).execute(self._store.statements.SELECT_EVENTS, asked)
            yield ExportedLedger(
                ledger_id=ledger_id,
                size=head[0],
                root=head[3].hex(),
                revision=head[1],
                events=(ExportedEvent(row[2], self._texts(row)) for row in rows),
                checkpoints=tuple((size, note) for size, note in notes.fetchall()),
            )

    def _texts(self, row: tuple[Any, ...]) -> SealedTexts | None:
        _seq, event_id, _data, _leaf, digest, key_name, blob, wrapped = row
        if digest is None or wrapped is None:
            return None
        if blob is None or blob_digest(blob) != digest:
            raise HistoryError(f"the blob of event {event_id} is not the one that was written")
        return SealedTexts(digest, key_name, self._vault.unwrap(key_name, wrapped), blob)
