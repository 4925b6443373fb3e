"""Reads a whole ledger for a replay, in pages, and proves while it reads that it is the ledger of the head.

The leaf hash of every event's bytes is computed, and the root over them must be the head's, in one snapshot: an
event that was altered, left out, added or moved is found before the replay is used. Texts are decrypted, so that a
blob that is not what was written is found too; they are parsed when somebody asks for them.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, Final, TypeAlias

from adapters.ledger.vault import Decrypt, Vault, blob_digest, decrypting, opened_blob, parsed_openings
from kernel.errors import HistoryError
from kernel.events.stored import Written
from kernel.merkle import LogHead, root_of
from kernel.values.words import Openings

PAGE: Final = 256
"""How many events are handed on at once: few enough that what they are parsed into stays near the processor."""

Row: TypeAlias = tuple[int, str, bytes, bytes, str | None, str | None, bytes | None, bytes | None]
"""seq, id, data, leaf hash, blob digest, key name, ciphertext, wrapped key."""


class SealedTexts:
    """The texts of one event, decrypted and not yet parsed."""

    __slots__ = ("_data", "_openings")

    def __init__(self, data: bytes) -> None:
        self._data: bytes | None = data
        self._openings: Openings = {}

    def __call__(self) -> Openings:
        """Return the openings; only the first call parses."""
        data = self._data
        if data is not None:
            # The openings first: another thread that sees no data must see them.
            self._openings = parsed_openings(data)
            self._data = None
        return self._openings


class Unlocking:
    """Decrypts the texts of one ledger's events, row by row; remembers the data keys that it has unwrapped."""

    def __init__(self, vault: Vault, ledger_id: str) -> None:
        self._vault = vault
        self._ledger_id = ledger_id
        self._keys: dict[tuple[str, bytes], Decrypt] = {}

    def texts(self, row: Row) -> bytes | None:
        """Return the row's texts as they were sealed, or None when it has none, or none any more.

        Raises: HistoryError when the blob, or the key, is not the one that was written.
        """
        event_id, digest, key_name, blob, wrapped = row[1], *row[4:]
        if digest is None:
            return None
        # A destroyed data key is lawful: its texts were erased, its blobs emptied, and their commitments remain.
        if wrapped is None and blob == b"":
            return None
        if blob is None or key_name is None or blob_digest(blob) != digest:
            raise HistoryError(f"the blob of event {event_id} is not the one that was written")
        if wrapped is None:
            return None
        # Only a key that opened under this very name and wrapping is found again.
        decrypt = self._keys.get((key_name, wrapped))
        if decrypt is None:
            decrypt = self._keys[key_name, wrapped] = decrypting(self._vault.unwrap(key_name, wrapped))
        return opened_blob(decrypt, blob, (self._ledger_id, event_id))


def written_pages(rows: Any, head: LogHead, unlocking: Unlocking) -> Iterator[Sequence[Written]]:  # noqa: ANN401 - a cursor
    """Yield the ledger's events, and after the last one make sure that they are those of the head.

    Raises: HistoryError when they are not, or when a text is not what was written.
    """
    leaves: list[bytes] = []
    while page := rows.fetchmany(PAGE):
        leaves.extend([sha256(b"\x00" + row[2]).digest() for row in page])
        texts = [unlocking.texts(row) for row in page]
        yield [
            (row[2], None if data is None else SealedTexts(data))
            for row, data in zip(page, texts, strict=True)
        ]
    if LogHead(len(leaves), root_of(leaves)) != head:
        raise HistoryError("the stored events are not those of the ledger's head; `odeu verify` says which")
