"""Signed ledger heads: C2SP checkpoints in signed notes, and the memory of what was signed before.

Owns the note's text, its Ed25519 signature, and the rule of what may be signed after what: a database put back
from an older copy, or forked, is noticed here. Does not own the tree (`kernel/merkle`), the file of what was signed
(`head_memory`) nor where a note is stored.

Sources: c2sp.org/signed-note and c2sp.org/tlog-checkpoint.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final, NoReturn

from adapters.keys._ed25519 import HeldKey, is_signed_by, note_signature
from adapters.keys.beside import Beside
from adapters.keys.head_memory import HeadMemory, SignedHeads
from adapters.keys.held_heads import HEADS, HeldHeads
from adapters.keys.verification import PublicKey
from kernel.errors import HistoryError, InvalidError, LedgerUnavailableError
from kernel.events.stored import LastAppend
from kernel.merkle import HASH_BYTES, LogHead, verify_consistency
from kernel.receipts import decode_base64

NOTE_BYTES_MAX: Final = 4096
"""Largest note that is read."""

SIGNATURE_LINES_MAX: Final = 16
"""Most signature lines that are looked at."""

_ED25519: Final = b"\x01"
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_\-]{0,99}", re.ASCII)
_NAMES_MAX: Final = 256
_SIZE_END: Final = 10**16
_SIZE: Final = re.compile(r"0|[1-9][0-9]{0,15}", re.ASCII)
_SIGNATURE: Final = re.compile(r"\u2014 (?P<name>\S+) (?P<blob>[A-Za-z0-9+/=]+)")


class CheckpointSigner:
    """Signs the heads of this installation's ledgers, and only ever an extension of what it signed before.

    A head is signed inside the transaction that appends, so a crash can leave a signature whose events were
    never committed. That is why two heads are remembered: the next append may build on the last signed head, or,
    while nobody said that it was committed, on the one before. What is checked is stated at `sign_checkpoint`.

    The memory is written before the COMMIT, whatever happens, and is durable before anybody is told. Within
    `beside_commit` one sync for all heads of the block runs beside that of the COMMIT, so a failure of the power in
    that moment can leave a memory one append behind the database. Never more: a ledger's lock is held until the sync
    is done, and what a dead process wrote is synced before the next write. `follow` closes that gap at the next start.
    """

    def __init__(
        self, installation_id: str, held: HeldKey, live: tuple[PublicKey, ...], *, folder: str
    ) -> None:
        _require_name(installation_id)
        self._installation_id = installation_id
        self._held = held
        self._live = live
        self._heads = HeldHeads(folder)
        self._beside = Beside()
        self._durable: dict[str, int] = {}
        self._stopped = False
        self._names: dict[str, tuple[str, bytes]] = {}

    def beside_commit(self) -> AbstractContextManager[Callable[[], None]]:
        """Let heads signed within the block, which ends after the COMMIT, be synced beside it.

        Yields what begins the one sync of the block: call it once every head is signed, right before the COMMIT.
        When the block ends, every head is on the disk. One head per ledger and block.

        Raises: LedgerUnavailableError, code `commit_unknown`, when the disk did not take one; from then on this
                signer signs nothing.
        """
        return self._beside.blocked(self._heads.open(), self._stop)

    def _stop(self) -> None:
        self._stopped = True

    def origin(self, ledger_id: str) -> str:
        """Return the origin line of a ledger's checkpoints, which is also the name of its key."""
        return self._name(ledger_id)[0]

    def _name(self, ledger_id: str) -> tuple[str, bytes]:
        """Return a ledger's origin line, and how its signature lines name the key."""
        known = self._names.get(ledger_id)
        if known is None:
            _require_name(ledger_id)
            origin = f"odeu/{self._installation_id}/{ledger_id}"
            known = origin, key_hash(origin, self._held.public_key)
            if len(self._names) >= _NAMES_MAX:
                self._names.clear()
            self._names[ledger_id] = known
        return known

    def sign_checkpoint(
        self,
        ledger_id: str,
        size: int,
        root: bytes,
        *,
        after: LogHead | None = None,
        proof: tuple[bytes, ...] | None = None,
    ) -> str:
        """Return the signed note of a ledger head, having remembered the head durably before.

        Checked always: the size is not smaller than the last signed one, and the same size has the same root.
        Checked with `after`, the committed head this append builds on: it is the last signed head, or the one
        before while the last was not confirmed; only then may a lost signature's size be signed again.
        Checked with `proof`: the RFC 9162 consistency proof from that head to this one. Without a proof the
        signer trusts the appending process that the larger tree contains the smaller. The first head of a
        ledger is taken as it is.

        Raises: HistoryError with the code `checkpoint_not_extension` when a check fails, InvalidError for a
                head that cannot be, ConfigurationError when the memory is unsafe or damaged.
        """
        if self._stopped:
            message = "signing stopped after a failure of the disk; start this program anew once it is sound"
            raise LedgerUnavailableError(message)
        new, named = LogHead(size, root), self._name(ledger_id)
        text = _text_of(named[0], new)
        block, handed_over = self._beside.block, False
        seat = (self._heads.open() if block is None else block.heads).take(ledger_id)
        try:
            content = self._remember(seat.memory, new, after, proof)
            if content is not None and block is not None:
                # From here on the lock belongs to the block, which gives it back when all is on the disk.
                handed_over = True
                block.hold(seat, content)
            elif content is not None:
                seat.memory.sync()
        finally:
            if not handed_over:
                seat.release()
        return _note(text, named, self._held)

    def _remember(
        self, memory: HeadMemory, new: LogHead, after: LogHead | None, proof: tuple[bytes, ...] | None
    ) -> bytes | None:
        """Write what may be signed to its ledger's memory; return the bytes that are still to be synced."""
        known, content = memory.read(), None
        base = after if known is None else _base(known, new, after)
        _require_extension(base, new, proof)
        if self._durable.get(memory.ledger_id) != memory.generation:
            # Its writer may have been ended before its sync; one write at most may be on its way to the disk.
            memory.sync()
        if known is None or (new, base) != (known.signed, known.signed):
            content = memory.write_unsynced(SignedHeads(new, base))
        self._durable[memory.ledger_id] = memory.generation
        return content

    def confirm(self, ledger_id: str, head: LogHead) -> None:
        """Remember that a signed head was committed, so that nothing may build on the one before it any more.

        Optional: the next append says the same by its `after`. Until then a database that lost exactly its
        last append is not told from a crash before the commit.
        """
        with self._taken(ledger_id) as memory:
            known = memory.read()
            if known is not None and known.signed == head and known.committed != head:
                memory.write(SignedHeads(head, head))

    def catch_up(self, ledger_id: str, head: LogHead, proof: tuple[bytes, ...]) -> None:
        """Move the memory forward to a larger committed head, as after restoring older keys beside a newer ledger.

        Raises: HistoryError, code `checkpoint_not_extension`, unless the RFC 9162 proof shows that the head
                extends the last signed one.
        """
        with self._taken(ledger_id) as memory:
            known = memory.read()
            if known is not None:
                _require_extension(known.signed, head, proof)
            memory.write(SignedHeads(head, head))

    def follow(self, last: LastAppend) -> bool:
        """Move the memory forward by the one append whose sync a failure of the power took; tell whether it did.

        Only ever forward, and only when this installation's own notes say so: the database's last checkpoint and
        the one before verify under a live key, the one before is what the memory holds, and the proof shows that
        the last extends it. A database behind the memory, or further ahead than one append, stays refused.

        Raises: HistoryError when a note does not verify.
        """
        head = self.verify_note(last.ledger_id, last.note)
        before = self.verify_note(last.ledger_id, last.note_before)
        if not verify_consistency(before, head, last.proof):
            return False
        with self._taken(last.ledger_id) as memory:
            known = memory.read()
            if known is None or before not in {known.signed, known.committed}:
                return False
            if head.size <= known.signed.size:
                return False
            memory.write(SignedHeads(head, before))
        return True

    def ledgers(self) -> tuple[str, ...]:
        """Return the ids of the ledgers whose heads were ever signed, sorted."""
        return self._heads.ledgers()

    def head_problems(self, ledger_id: str, head: LogHead) -> tuple[str, ...]:
        """Return why a ledger at this committed head may not be served, with the way out; empty when it may.

        An append between reading the head and this call looks like a ledger that is behind: ask while nothing
        appends, or once more with the head of now.
        """
        with self._taken(ledger_id) as memory:
            known = memory.read()
        if known is None or head in {known.signed, known.committed}:
            return ()
        aside = f"put the file {ledger_id}.head in the folder {HEADS!r} of the keys aside"
        if head.size > known.signed.size:
            problem = (
                f"the ledger {ledger_id} stands at event {head.size}, but the keys know only of event "
                f"{known.signed.size}: they are an older copy. Restore newer keys; or, to trust the ledger, {aside}"
            )
        else:
            problem = (
                f"the ledger {ledger_id} stands at event {head.size}, but event {known.signed.size} was signed: it "
                "is an older copy or another history. Restore a newer copy; or, to go on from this one, "
                f"{aside}, which others will notice"
            )
        return (problem,)

    def verify_note(self, ledger_id: str, note: str) -> LogHead:
        """Return the head that a note of this ledger states, after testing its signature with the live keys.

        Raises: HistoryError when the note is malformed, of another ledger or not signed by a live key.
        """
        return read_note(note, self.origin(ledger_id), self._live)

    def verifier_key(self, ledger_id: str) -> str:
        """Return the public key of a ledger's checkpoints in the form other note tools take."""
        origin, public = self.origin(ledger_id), self._held.public_key
        spelled = base64.b64encode(_ED25519 + public).decode("ascii")
        return f"{origin}+{key_hash(origin, public).hex()}+{spelled}"

    def _taken(self, ledger_id: str) -> AbstractContextManager[HeadMemory]:
        _require_name(ledger_id)
        return self._heads.taken(ledger_id)


def key_hash(name: str, public_key: bytes) -> bytes:
    """Return the four bytes by which a signature line names its Ed25519 key."""
    return hashlib.sha256(name.encode("utf-8") + b"\n" + _ED25519 + public_key).digest()[:4]


def open_note(note: str, name: str, public_keys: tuple[bytes, ...]) -> str:
    """Return the text of a signed note once one of these keys, under this name, is shown to have signed it.

    Lines by other keys are skipped, as the format asks; a line by a key of ours that does not verify is refused.

    Raises: HistoryError, code `checkpoint_invalid`, when the note is malformed or no key of ours signed it.
    """
    if len(note.encode("utf-8", "replace")) > NOTE_BYTES_MAX or not note.endswith("\n"):
        _refuse("the note is too long or does not end with a line feed")
    body, gap, lines = note.rpartition("\n\n")
    text = body + "\n"
    signatures = lines.removesuffix("\n").split("\n")
    if not gap or not 1 <= len(signatures) <= SIGNATURE_LINES_MAX or _has_control(text):
        _refuse("the note has no text, no signature, or characters that a note may not hold")
    ours = {key_hash(name, key): key for key in public_keys}
    signed = False
    for line in signatures:
        match = _SIGNATURE.fullmatch(line)
        if match is None:
            _refuse("a signature line of the note is malformed")
        blob = _blob(match["blob"])
        key = ours.get(blob[:4]) if match["name"] == name else None
        if key is not None and not is_signed_by(key, blob[4:], text.encode("utf-8")):
            _refuse(f"a signature of {name} does not fit the note")
        signed = signed or key is not None
    if not signed:
        _refuse(f"no live key of {name} signed the note")
    return text


def read_note(note: str, origin: str, keys: tuple[PublicKey, ...]) -> LogHead:
    """Return the head stated by a checkpoint of this origin, signed by one of these keys.

    Raises: HistoryError, code `checkpoint_invalid`, for anything else, extension lines included.
    """
    text = open_note(note, origin, tuple(decode_base64(key.public_key) for key in keys))
    lines = text.removesuffix("\n").split("\n")
    if len(lines) != 3 or lines[0] != origin or _SIZE.fullmatch(lines[1]) is None:  # noqa: PLR2004
        _refuse(f"the note is no checkpoint of {origin}")
    root = _blob(lines[2])
    if len(root) != HASH_BYTES:
        _refuse("the root of the checkpoint is not 32 bytes")
    return LogHead(int(lines[1]), root)


def _base(known: SignedHeads, new: LogHead, after: LogHead | None) -> LogHead:
    """Return the remembered head that this one must extend."""
    if after is None or known.signed in {after, new}:
        return known.signed
    if after == known.committed:
        return after
    message = (
        f"this append builds on event {after.size}, but event {known.signed.size} was the last one signed; "
        "ledger and keys are not of the same time, or this is another history"
    )
    raise HistoryError(message, code="checkpoint_not_extension")


def _require_extension(base: LogHead | None, new: LogHead, proof: tuple[bytes, ...] | None) -> None:
    if base is None:
        return
    problem = None
    if new.size < base.size:
        problem = (
            f"event {base.size} of this ledger was signed; a head at event {new.size} is not signed after it"
        )
    elif new.size == base.size and new.root != base.root:
        problem = f"another history of {base.size} events of this ledger was signed before"
    elif proof is not None and new != base and not verify_consistency(base, new, proof):
        # The very head that was signed may be signed again: its COMMIT was not confirmed and is retried.
        problem = f"the proof does not show that {new.size} events extend the {base.size} signed ones"
    if problem is not None:
        raise HistoryError(problem, code="checkpoint_not_extension")


def _text_of(origin: str, head: LogHead) -> str:
    if len(head.root) != HASH_BYTES or not 0 <= head.size < _SIZE_END:
        message = "a checkpoint has a size of 0 or more and a root of 32 bytes"
        raise InvalidError(message)
    return f"{origin}\n{head.size}\n{_base64(head.root)}\n"


def _note(text: str, named: tuple[str, bytes], held: HeldKey) -> str:
    origin, key = named
    return f"{text}\n\u2014 {origin} {_base64(key + note_signature(held, text))}\n"


def _base64(data: bytes) -> str:
    return binascii.b2a_base64(data, newline=False).decode("ascii")


def _require_name(name: str) -> None:
    if _NAME.fullmatch(name) is None:
        message = f"{name[:80]!r} cannot stand in the origin of a checkpoint"
        raise InvalidError(message)


def _has_control(text: str) -> bool:
    return any(character < " " and character != "\n" for character in text)


def _blob(text: str) -> bytes:
    try:
        return base64.b64decode(text.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error) as err:
        message = "the note holds something that is not base64"
        raise HistoryError(message, code="checkpoint_invalid") from err


def _refuse(message: str) -> NoReturn:
    raise HistoryError(message, code="checkpoint_invalid")
