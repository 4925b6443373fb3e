"""Reads a whole ledger for a replay, in pages, and proves while it reads that it is the ledger of the head.

The leaf hash of every event's bytes is computed, and the root over them must be the head's, in one snapshot: an
event that was altered, left out, added or moved is found before the replay is used. Texts stay where they are
until somebody asks for one; then it must open the commitment that the proved event holds (ADR 0023).
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, Final, TypeAlias

from adapters.ledger.vault import Decrypt, Vault, blob_digest, decrypting, opened_blob, parsed_openings
from kernel.errors import HistoryError
from kernel.events.stored import Written
from kernel.merkle import LogHead, root_of
from kernel.values.words import Openings, Words, opens

PAGE: Final = 64
"""How many events are handed on at once, and how many events' texts are read at once.

More would make whoever asks for one text wait; fewer would make whoever asks for all of them."""

Row: TypeAlias = tuple[int, str, bytes, bytes, str | None, str | None, bytes | None, bytes | None]
"""seq, id, data, leaf hash, blob digest, key name, ciphertext, wrapped key."""


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


class TextPage:
    """The texts of some events in a row: read together when one is asked for, and opened one by one."""

    __slots__ = ("_openings", "_read", "_rows", "_unlocking")

    def __init__(self, read: Callable[[], Sequence[Row]], unlocking: Unlocking) -> None:
        self._read = read
        self._unlocking = unlocking
        self._rows: dict[int, Row] = {}
        self._openings: dict[int, Openings] = {}

    def of(self, seq: int) -> Openings:
        """Return what opens the words of event `seq`.

        Raises: HistoryError when its texts are not those that it commits to; LedgerUnavailableError.
        """
        found = self._openings.get(seq)
        if found is None:
            # Two threads may read the same page, and find the same.
            if not self._rows:
                self._rows = {row[0]: row for row in self._read()}
            found = self._openings[seq] = self._opened(self._rows[seq])
        return found

    def _opened(self, row: Row) -> Openings:
        texts = self._unlocking.texts(row)
        found = {} if texts is None else parsed_openings(texts)
        for commitment, opening in found.items():
            if not opens(Words(commitment, opening)):
                raise HistoryError(f"event {row[0]}: a text does not open {commitment}")
        return found


def written_pages(
    rows: Any,  # noqa: ANN401 - a driver's cursor
    head: LogHead,
    texts: Callable[[int], TextPage],
) -> Iterator[Sequence[Written]]:
    """Yield the ledger's events, and after the last one make sure that they are those of the head.

    `rows` are the events' bytes in order; `texts` gives the page of texts after a sequence number.

    Raises: HistoryError when they are not.
    """
    leaves: list[bytes] = []
    while page := [row[0] for row in rows.fetchmany(PAGE)]:
        after = len(leaves)
        leaves.extend([sha256(b"\x00" + data).digest() for data in page])
        of = texts(after).of
        yield [(data, partial(of, seq)) for seq, data in enumerate(page, after + 1)]
    if LogHead(len(leaves), root_of(leaves)) != head:
        raise HistoryError("the stored events are not those of the ledger's head; `odeu verify` says which")
