"""The same ledger in memory: for tests, and for trying an act without writing it.

Keeps canonical bytes and openings, not objects, and decodes on read, so that whatever would not survive a
database does not survive here. Held to the same contract suite.
"""

import hmac
import threading
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from adapters.ledger.audit import Audit, CheckpointSigner, StoredHead, StoredRow
from adapters.ledger.batch import Batch, Entry, batch_of
from adapters.ledger.derived import DerivedRows
from adapters.ledger.tiles import Tiles, inclusion_path, require_tile
from kernel.errors import CommandConflictError, HistoryError, LedgerConflictError, NotFoundError
from kernel.events.envelope import Event
from kernel.events.stored import (
    Appended,
    AuditReport,
    CommandMaterial,
    EventAsWritten,
    Head,
    InclusionPath,
    RecordedCommand,
    StoredEvent,
    Written,
)
from kernel.merkle import Edge, LogHead
from kernel.upcast import STEPS, Steps, decode_event
from kernel.values.words import Openings

_LOOK_S: Final = 0.01
_UNKNOWN: Final = b"\0"
"""Stands for the material of a command that came from elsewhere: no command of ours has it."""


@dataclass(slots=True)
class _Log:
    entries: list[Entry] = field(default_factory=list)
    head: StoredHead = field(default_factory=lambda: StoredHead(0, None, Edge(), Edge().root()))
    checkpoints: dict[int, str] = field(default_factory=dict)


class MemoryLedger:
    """Ledgers that last as long as the process; safe to use from several threads."""

    def __init__(self, signer: CheckpointSigner, *, steps: Steps = STEPS) -> None:
        self._signer = signer
        self._steps = steps
        self._lock = threading.Lock()
        self._logs: dict[str, _Log] = {}
        self._subjects: dict[str, str] = {}
        self._event_ids: set[str] = set()
        self._commands: dict[tuple[str, str, str], tuple[bytes, RecordedCommand]] = {}
        self._version = 0
        self._tiles = Tiles(self._leaves)

    def append(
        self,
        ledger_id: str,
        expected_seq: int,
        events: Sequence[Event | EventAsWritten],
        command: CommandMaterial | None = None,
    ) -> Appended:
        """Write these events right after `expected_seq`, all or none.

        Raises: LedgerConflictError when the head is elsewhere, or when this command was recorded meanwhile;
                CommandConflictError when its id was used for something else; HistoryError when the events do
                not fit or an id is taken.
        """
        batch = batch_of(ledger_id, expected_seq, events, self._steps)
        with self._lock:
            log = self._logs.get(ledger_id, _Log())
            self._refuse(batch, log, command)
            edge = batch.extend(log.head.edge)
            head = StoredHead(batch.head_seq, batch.revision(log.head.revision), edge, edge.root())
            after = LogHead(log.head.seq, log.head.root)
            note = self._signer.sign_checkpoint(
                ledger_id, head.seq, head.root, after=after, proof=batch.proof(log.head.edge)
            )
            self._publish(batch, log, head, note)
            for actor, name, first_seq, count in () if command is not None else batch.brought:
                recorded = RecordedCommand(ledger_id, name, first_seq, count)
                self._commands[ledger_id, actor, name] = (_UNKNOWN, recorded)
            if command is not None:
                recorded = RecordedCommand(
                    ledger_id, command.command_id, expected_seq + 1, len(batch.entries)
                )
                key = (ledger_id, command.actor_id, command.command_id)
                self._commands[key] = (command.material, recorded)
        return Appended(expected_seq + 1, head.seq, head.root.hex(), head.revision)

    def _refuse(self, batch: Batch, log: _Log, command: CommandMaterial | None) -> None:
        if command is not None and self._recorded(batch.ledger_id, command) is not None:
            raise LedgerConflictError(
                f"the command {command.command_id} was recorded meanwhile; look it up", head_seq=log.head.seq
            )
        if log.head.seq != batch.expected_seq:
            raise LedgerConflictError(
                f"the ledger {batch.ledger_id} stands at event {log.head.seq}, not at {batch.expected_seq}; load "
                "and decide again",
                head_seq=log.head.seq,
            )
        event_ids = [entry.event.id for entry in batch.entries]
        subjects = [subject for entry in batch.entries for subject in entry.subjects]
        taken = [*self._event_ids.intersection(event_ids), *(set(subjects) & self._subjects.keys())]
        if taken or len(set(event_ids)) < len(event_ids) or len(set(subjects)) < len(subjects):
            raise HistoryError(f"the ledger refused these events: an id is taken: {', '.join(sorted(taken))}")

    def _publish(self, batch: Batch, log: _Log, head: StoredHead, note: str) -> None:
        self._logs[batch.ledger_id] = log
        log.entries.extend(batch.entries)
        log.head = head
        log.checkpoints[head.seq] = note
        self._version += 1
        for entry in batch.entries:
            self._event_ids.add(entry.event.id)
            self._subjects.update(dict.fromkeys(entry.subjects, batch.ledger_id))

    def find_command(
        self, ledger_id: str, actor_id: str, command_id: str, material: bytes
    ) -> RecordedCommand | None:
        """Return what this actor's command recorded, or None when the id is unused by this actor.

        Raises: CommandConflictError when the id was used for other material.
        """
        with self._lock:
            return self._recorded(ledger_id, CommandMaterial(actor_id, command_id, material))

    def _recorded(self, ledger_id: str, command: CommandMaterial) -> RecordedCommand | None:
        found = self._commands.get((ledger_id, command.actor_id, command.command_id))
        if found is None:
            return None
        if not hmac.compare_digest(found[0], command.material):
            raise CommandConflictError(
                f"the command {command.command_id} was already used for something else; send a fresh id"
            )
        return found[1]

    def head(self, ledger_id: str) -> Head:
        """Return where the ledger stands; an unknown ledger is empty."""
        stored = self._log(ledger_id).head
        return Head(stored.seq, stored.root.hex(), stored.revision)

    def _log(self, ledger_id: str) -> _Log:
        """Return a copy of one moment of the ledger."""
        with self._lock:
            log = self._logs.get(ledger_id, _Log())
            return _Log(list(log.entries), log.head, dict(log.checkpoints))

    def read(self, ledger_id: str, after_seq: int = 0, limit: int | None = None) -> list[StoredEvent]:
        """Return the events after `after_seq`, oldest first, at most `limit`, their words opened."""
        entries = self._log(ledger_id).entries[max(after_seq, 0) :]
        return [self._stored(entry) for entry in (entries if limit is None else entries[:limit])]

    def history(self, ledger_id: str) -> Generator[Sequence[Written], None, None]:
        """Yield the whole ledger as it was written, oldest first."""
        yield [(entry.data, partial(_same, entry.openings)) for entry in self._log(ledger_id).entries]

    def entries(self, ledger_id: str, after_seq: int = 0, limit: int | None = None) -> list[bytes]:
        """Return the canonical bytes of the events after `after_seq`, at most `limit`."""
        entries = self._log(ledger_id).entries[max(after_seq, 0) :]
        return [entry.data for entry in (entries if limit is None else entries[:limit])]

    def page(self, ledger_id: str, before_seq: int | None, limit: int) -> list[StoredEvent]:
        """Return at most `limit` events before `before_seq` (None: up to the head), newest first."""
        entries = self._log(ledger_id).entries
        before = entries if before_seq is None else entries[: max(before_seq - 1, 0)]
        return [self._stored(entry) for entry in before[::-1][:limit]]

    def picked(self, ledger_id: str, seqs: Sequence[int]) -> list[StoredEvent]:
        """Return the events of exactly these sequence numbers, in the order given."""
        entries = self._log(ledger_id).entries
        return [self._stored(entries[seq - 1]) for seq in seqs if 1 <= seq <= len(entries)]

    def _stored(self, entry: Entry) -> StoredEvent:
        return StoredEvent(decode_event(entry.data, entry.openings, self._steps), entry.leaf_hash)

    def ledgers(self) -> list[str]:
        """Return the ids of every ledger, sorted."""
        with self._lock:
            return sorted(self._logs)

    def ledger_of(self, subject_id: str) -> str | None:
        """Return the ledger whose event created this id, or None."""
        with self._lock:
            return self._subjects.get(subject_id)

    def changed(self) -> int:
        """Return a number that differs from the last one when anyone has written since."""
        with self._lock:
            return self._version

    def wait(self, version: int, timeout_s: float) -> int:
        """Return what `changed` says once it is another than `version`, or after at most so many seconds."""
        until = time.monotonic() + timeout_s
        while self.changed() == version and time.monotonic() < until:
            time.sleep(_LOOK_S)
        return self.changed()

    def checkpoint(self, ledger_id: str) -> str:
        """Return the signed note of the ledger's head.

        Raises: NotFoundError when the ledger is empty.
        """
        log = self._log(ledger_id)
        if not log.entries:
            raise NotFoundError(f"there is no ledger {ledger_id}, so it has no checkpoint")
        return log.checkpoints[log.head.seq]

    def path(self, ledger_id: str, seq: int) -> InclusionPath:
        """Return the proof that event `seq` is in the log of the current head, with the head's signed note.

        Raises: NotFoundError when there is no such event.
        """
        log = self._log(ledger_id)
        note = log.checkpoints.get(log.head.seq, "")
        return inclusion_path(self._tiles, ledger_id, seq, size=log.head.seq, checkpoint=note)

    def root(self, ledger_id: str, size: int) -> bytes:
        """Return the root of the log of the first `size` events. Raises: HistoryError when it has fewer."""
        return self._tiles.root(ledger_id, size)

    def consistency(self, ledger_id: str, first: int, size: int) -> tuple[bytes, ...]:
        """Return the proof that the log of `first` events begins the one of `size`. Raises: HistoryError."""
        return self._tiles.consistency(ledger_id, first, size)

    def tile(self, ledger_id: str, level: int, index: int, *, width: int) -> tuple[bytes, ...]:
        """Return the first `width` hashes of a tile of the log. Raises: NotFoundError when it is not that long."""
        require_tile(level, index, width, size=self.head(ledger_id).seq)
        return self._tiles.tile(ledger_id, level, index, width=width)

    def _leaves(self, ledger_id: str, after: int, count: int) -> list[bytes]:
        return [entry.leaf_hash for entry in self._log(ledger_id).entries[after : after + count]]

    def audit(self, ledger_id: str, *, remembers_all: bool = False) -> AuditReport:
        """Re-read the whole ledger, recompute everything, and say each thing that is not as it was written.

        With `remembers_all`, an event whose command is not remembered is one of them.
        """
        log, audit = self._log(ledger_id), Audit(ledger_id, self._signer, self._steps)
        rows = (_row(seq, entry) for seq, entry in enumerate(log.entries, 1))
        report = audit.report(log.head, rows, log.checkpoints)
        subjects = [(name, entry.event.seq) for entry in log.entries for name in entry.subjects]
        with self._lock:
            commands = [
                (actor, command, recorded.first_seq, recorded.count)
                for (ledger, actor, command), (_, recorded) in self._commands.items()
                if ledger == ledger_id
            ]
        return audit.compare(report, DerivedRows(subjects, commands), remembers_all=remembers_all)


def _same(openings: Openings) -> Openings:
    return openings


def _row(seq: int, entry: Entry) -> StoredRow:
    return StoredRow(seq, entry.event.id, entry.data, entry.leaf_hash, lambda: entry.openings)
