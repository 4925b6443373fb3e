"""Erasure: what a capture said becomes unreadable, here and in every copy that lacks the old master key.

Order: (1) a tombstone, (2) a new master key aside, (3) one transaction that destroys the captures' data keys,
empties their blobs and wraps every other key anew, (4) the log of the database folded and cut, (5) the new master key
in place of the old one, whose presence until then tells a start that something is to be finished. Ended anywhere, doing
it again completes it. The event that says so was appended before.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from adapters.ledger.database import Database, driver_cursor
from adapters.ledger.master import MasterFile
from adapters.ledger.tombstones import Tombstones
from adapters.ledger.vault import Entropy, MasterKey, Vault, wrapping_of
from kernel.events.stored import Tombstone

_FOLD_S: Final = 3.0
_PAUSE_S: Final = 0.02


def _no_step(_name: str) -> None:
    """Do nothing: in the product no point of an erasure is special."""


class Eraser:
    """Destroys the data keys of captures, for one installation."""

    def __init__(
        self,
        store: Database,
        master: MasterFile,
        entropy: Entropy,
        tombstones: Tombstones,
        *,
        step: Callable[[str], None] = _no_step,
    ) -> None:
        self._store = store
        self._sql = store.statements
        self._master = master
        self._entropy = entropy
        self._tombstones = tombstones
        self._step = step

    def erase(self, ledger_id: str, source_ids: Sequence[str], at: str) -> bool:
        """Destroy the words of these captures; tell whether no older page is left in the database's log either.

        Raises: LedgerUnavailableError when the database cannot be written; what was begun is completed later.
        """
        for source_id in source_ids:
            self._tombstones.add(Tombstone(ledger_id, source_id, at))
        self._step("tombstone")
        with self._master.changing():
            vault = self._settled()
            new = self._master.begin(self._entropy)
            self._step("next_key")
            self._destroy(source_ids, vault, new)
            self._step("committed")
            is_folded = self._fold()
            self._step("folded")
            self._master.finish()
        self._step("key_in_place")
        return is_folded

    def settle(self) -> None:
        """Finish a change of the master key that a dead process left, whichever way it had gone."""
        if self._master.moved() and len(self._master.candidates()) > 1:
            with self._master.changing():
                self._fold()
                self._settled()

    def _settled(self) -> Vault:
        """Return the vault under the key in force, that key being the only one on disk."""
        vault = Vault(self._master, self._entropy)
        with self._store.writing() as connection:
            cursor = driver_cursor(connection)
            vault.settle(lambda: cursor.execute(self._sql.SELECT_KEYS).fetchone())
        found = self._master.candidates()
        if len(found) > 1 and vault.holds(found[1]):
            self._master.finish()
        elif len(found) > 1:
            self._master.abandon()
        return vault

    def _destroy(self, source_ids: Sequence[str], vault: Vault, new: MasterKey) -> None:
        wrapping = wrapping_of(new)
        with self._store.writing(alone=True) as connection:
            cursor = driver_cursor(connection)
            # What is freed is overwritten, in the database and in the pages of its log.
            self._store.prepare_erasure(connection)
            for source_id in source_ids:
                cursor.execute(self._sql.DELETE_KEY, {"key_id": source_id})
                cursor.execute(self._sql.EMPTY_BLOBS, {"of_key": source_id, "nothing": b""})
            kept: list[tuple[str, bytes]] = cursor.execute(self._sql.SELECT_KEYS).fetchall()
            cursor.executemany(
                self._sql.UPDATE_KEY,
                [
                    {
                        "key_id": name,
                        "to_wrapped": vault.wrap_under(wrapping, name, vault.unwrap(name, wrapped)),
                    }
                    for name, wrapped in kept
                ],
            )
            self._step("destroyed")

    def _fold(self) -> bool:
        until = time.monotonic() + _FOLD_S
        while not self._store.fold_log():
            if self._store.keeps_its_log or time.monotonic() > until:
                return False
            time.sleep(_PAUSE_S)
        return True

    def unfinished(self, source_ids: Sequence[str]) -> tuple[str, ...]:
        """Return those of these captures whose data key or ciphertext is still there."""
        with self._store.reading() as connection:
            cursor = driver_cursor(connection)
            return tuple(source_id for source_id in source_ids if self._is_left(cursor, source_id))

    def _is_left(self, cursor: Any, source_id: str) -> bool:  # noqa: ANN401 - a driver's cursor
        key = cursor.execute(self._sql.SELECT_KEY, {"key_id": source_id}).fetchone()
        return (
            key is not None
            or cursor.execute(self._sql.SELECT_FULL_BLOB, {"of_key": source_id, "more_than": 0}).fetchone()
            is not None
        )

    def tombstones(self) -> tuple[Tombstone, ...]:
        """Return what was ever erased here, sorted by capture. Raises: ConfigurationError."""
        return self._tombstones.all()
