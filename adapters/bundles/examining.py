"""One pass over a bundle: whether it is the whole, lawful history with the hashes and signatures it claims.

Everything is recomputed from the bytes: the tree, each checkpoint's root, commitments, receipts; and each event
is admitted again by the kernel's rules. What it cannot tell is whose history it is: see `trust`.
"""

import base64
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from adapters.bundles.form import (
    BLOB_DOMAIN,
    FORMAT,
    NONCE_BYTES,
    BundleHead,
    BundleKey,
    records,
    refuse,
    require_readable,
)
from adapters.bundles.notes import signed_by, signers, stated, unbased
from kernel.errors import StudioError
from kernel.events.envelope import Event, words_of
from kernel.events.stored import EventAsWritten
from kernel.merkle import HASH_BYTES, Edge, leaf_hash
from kernel.receipts import pae, payload_of
from kernel.receipts.roles import receipt_of
from kernel.reducer import evolve
from kernel.rules import check
from kernel.state import INITIAL, State
from kernel.upcast import STEPS, Steps, decode_event
from kernel.values.words import Opening, opens
from kernel.vocabulary import KeyRole

PROBLEMS_MAX: Final = 100
"""After this many problems a bundle is not looked at further."""


@dataclass
class Examination:
    """What one pass over a bundle found; without problems it is self-consistent."""

    head: BundleHead | None = None
    keys: list[BundleKey] = field(default_factory=list)
    state: State = INITIAL
    """What the events mean, as far as they were lawful."""
    edge: Edge = field(default_factory=Edge)
    leaves: bytearray = field(default_factory=bytearray, repr=False)
    """The leaf hashes of all events, one after the other."""
    steps: Steps = field(default_factory=lambda: STEPS)
    notes: dict[int, str] = field(default_factory=dict)
    without_texts: int = 0
    """Events that hold words nobody can read in this bundle: erased, or withheld."""
    problems: list[str] = field(default_factory=list)
    _data_keys: dict[str, bytes] = field(default_factory=dict, repr=False)
    _unused: set[str] = field(default_factory=set, repr=False)
    _ids: set[str] = field(default_factory=set, repr=False)
    _walked: Edge = field(default_factory=Edge, repr=False)

    def take(self, record: dict[str, Any]) -> None:
        """Look at the next record. Raises: HistoryError when the bundle makes no sense from here on."""
        _TAKE[record["record"]](self, record)

    def problem(self, sentence: str) -> None:
        """Note a problem. Raises: HistoryError when there are too many to go on."""
        self.problems.append(sentence)
        if len(self.problems) >= PROBLEMS_MAX:
            refuse("there are more problems than are worth listing")

    def root_at(self, size: int) -> bytes | None:
        """Return the root of the log of the first `size` events, or None when there are fewer. O(1) in rising order."""
        if not 0 <= size <= self.edge.size:
            return None
        edge = self._walked if self._walked.size <= size else Edge()
        while edge.size < size:
            edge = edge.append(self.leaf(edge.size + 1))
        self._walked = edge
        return edge.root()

    def leaf(self, seq: int) -> bytes:
        """Return the leaf hash of event `seq`."""
        return bytes(self.leaves[(seq - 1) * HASH_BYTES : seq * HASH_BYTES])

    def key_bytes(self, role: KeyRole) -> tuple[bytes, ...]:
        """Return the raw public keys of a role that were not revoked."""
        live = (key for key in self.keys if key.role == role.value and key.revoked_at is None)
        return tuple(unbased(key.public_key) for key in live)


def examine(path: Path, steps: Steps = STEPS) -> Examination:
    """Return what a pass over the bundle found; a file that is no bundle is one with problems.

    What the events mean is kept, and their hashes, not the events: `events_of` reads them again.
    Raises: InvalidError when there is no file to read.
    """
    require_readable(path)
    found = Examination(steps=steps)
    try:
        for record in records(path):
            found.take(record)
    except StudioError as error:
        found.problems.append(error.message)
    return found


def events_of(path: Path, found: Examination, after_seq: int = 0) -> Iterator[EventAsWritten]:
    """Yield the events of a bundle after a sequence number, their words opened, as the examination found them.

    Raises: HistoryError, code `bundle_invalid`, when the file is not the one that was examined any more.
    """
    again = Examination(steps=found.steps)
    for record in records(path):
        if record["record"] == "data_key":
            _data_key(again, record)
        if record["record"] != "event":
            continue
        data = record["data"].encode("utf-8", "surrogatepass")
        again.edge = Edge(again.edge.size + 1)
        if leaf_hash(data) != found.leaf(again.edge.size):
            refuse("the bundle changed while it was read")
        if again.edge.size > after_seq:
            openings = _openings(again, record, decode_event(data, {}, found.steps))
            yield EventAsWritten(decode_event(data, openings, found.steps), data)


def _header(found: Examination, record: dict[str, Any]) -> None:
    if record["format"] != FORMAT:
        refuse(f"the bundle has the form {record['format']!r:.60}; this version reads {FORMAT}")
    found.head = BundleHead(
        record["installation"], record["ledger"], record["size"], record["root"], record["revision"]
    )


def _key(found: Examination, record: dict[str, Any]) -> None:
    key = BundleKey(**{name: record[name] for name in record if name != "record"})
    digest = hashlib.sha256(unbased(key.public_key)).hexdigest()[:16]
    if key.key_id != f"{key.role}:{digest}" or key.role not in {role.value for role in KeyRole}:
        found.problem(f"the key {key.key_id!r:.80} is not named after its role and its bytes")
    if found.keys and found.keys[-1].key_id >= key.key_id:
        refuse("the keys are not in order, or one stands twice")
    found.keys.append(key)


def _data_key(found: Examination, record: dict[str, Any]) -> None:
    if record["id"] in found._data_keys:  # noqa: SLF001 - this module is the examination
        refuse(f"the data key {record['id']!r:.80} stands twice")
    found._data_keys[record["id"]] = unbased(record["key"])  # noqa: SLF001
    found._unused.add(record["id"])  # noqa: SLF001


def _event(found: Examination, record: dict[str, Any]) -> None:
    data = record["data"].encode("utf-8", "surrogatepass")
    leaf = leaf_hash(data)
    found.edge = found.edge.append(leaf)
    found.leaves += leaf
    event = decode_event(data, {}, found.steps)
    openings = _openings(found, record, event)
    event = decode_event(data, openings, found.steps)
    _admit(found, event)
    words = list(words_of(event.body))
    if any(item.opening is not None and not opens(item) for item in words):
        found.problem(f"event {event.seq}: a text does not open its commitment")
    if set(openings) - {item.commitment for item in words}:
        found.problem(f"event {event.seq}: a text stands beside it that it does not hold")
    found.without_texts += any(item.opening is None for item in words)
    found.state = evolve(found.state, event)


def _admit(found: Examination, event: Event) -> None:
    head = found.head
    if head is None or event.ledger != head.ledger_id or event.seq != found.edge.size:
        refuse(f"event {found.edge.size} says that it is event {event.seq} of {event.ledger!r:.60}")
    if event.id in found._ids:  # noqa: SLF001
        found.problem(f"event {event.seq}: its id {event.id} stands twice")
    found._ids.add(event.id)  # noqa: SLF001
    try:
        check(found.state, event)
    except StudioError as error:
        found.problem(f"event {event.seq} ({event.type}) would not be admitted: {error.message}")
    signed = receipt_of(event.type, event.body)
    if signed is None:
        return
    role, envelope = signed
    message = pae(envelope.payload_type, payload_of(envelope, envelope.payload_type))
    keys = {key.key_id: key for key in found.keys if key.role == role.value and key.revoked_at is None}
    for one in envelope.signatures:
        key = keys.get(one.key_id)
        if key is None or not signed_by(unbased(key.public_key), unbased(one.signature), message):
            found.problem(
                f"event {event.seq} ({event.type}): the signature by {one.key_id!r:.80} does not hold"
            )


def _openings(found: Examination, record: dict[str, Any], event: Event) -> dict[str, Opening]:
    parts = (record["blob"], record["key_id"], record["texts"])
    if parts == (None, None, None):
        return {}
    digest, key_id, texts = parts
    key = None if key_id is None else found._data_keys.get(key_id)  # noqa: SLF001
    if digest is None or texts is None or key is None:
        refuse(f"event {event.seq}: its texts lack their digest or their data key")
    blob = unbased(texts)
    if f"sha256:{hashlib.sha256(blob).hexdigest()}" != digest:
        found.problem(f"event {event.seq}: the texts are not those that were written")
    found._unused.discard(key_id)  # noqa: SLF001
    place = b"\x00".join((BLOB_DOMAIN, event.ledger.encode(), event.id.encode()))
    try:
        rows = orjson.loads(AESGCM(key).decrypt(blob[:NONCE_BYTES], blob[NONCE_BYTES:], place))
        return {str(row[0]): Opening(bytes.fromhex(row[1]), str(row[2])) for row in rows}
    except (InvalidTag, ValueError, TypeError, IndexError):
        found.problem(f"event {event.seq}: the texts do not open under their data key")
        return {}


def _checkpoint(found: Examination, record: dict[str, Any]) -> None:
    size, note, head = record["size"], record["note"], found.head
    if found.notes and max(found.notes) >= size:
        refuse("the checkpoints are not in order, or one stands twice")
    found.notes[size] = note
    origin, said = stated(note)
    if head is None or origin != head.origin or said.size != size:
        found.problem(f"the checkpoint of {size} events speaks of something else")
    elif found.root_at(size) != said.root:
        found.problem(f"the checkpoint of {size} events was signed over another history")
    elif not signers(note, found.key_bytes(KeyRole.CHECKPOINT)):
        found.problem(f"the checkpoint of {size} events is signed by no live key of the bundle")


def _end(found: Examination, _record: dict[str, Any]) -> None:
    head = found.head
    if head is None:
        return
    if found.edge.size != head.size or found.edge.root().hex() != head.root:
        found.problem(f"the {found.edge.size} events do not have the size and the root that the header says")
    if found.state.revision != head.revision:
        found.problem(f"the latest revision is {found.state.revision}, the header says {head.revision}")
    if max(found.notes, default=0) != head.size:
        found.problem("the last event is covered by no checkpoint")
    if found._unused:  # noqa: SLF001
        found.problem(f"{len(found._unused)} data keys open nothing")  # noqa: SLF001


_TAKE: Final = {
    "header": _header,
    "key": _key,
    "data_key": _data_key,
    "event": _event,
    "checkpoint": _checkpoint,
    "end": _end,
}


def spelled(data: bytes) -> str:
    """Return bytes in base64."""
    return base64.b64encode(data).decode("ascii")
