"""The promotion journal on disk: signed records, created once, each naming the one before by digest.

Owns the file names, the strict reading and the check of the chain. Does not own what the records say
(`kernel/receipts/journal`) nor when they are written (`session`). One folder may serve several repositories.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from pydantic import ValidationError

from adapters.keys.private_folder import PrivateFolder
from adapters.keys.signers import JournalSigner
from kernel.canonical import canonical_bytes, decode_canonical, plain
from kernel.errors import JournalError, StudioError
from kernel.receipts import (
    JournalRecord,
    PromotionAttempt,
    PromotionIntent,
    PromotionStatusRecord,
    attempt_of,
    envelope_digest,
    intent_of,
    status_of,
)
from kernel.values.work import Envelope
from kernel.vocabulary import PromotionOutcome

STATUSES_MAX: Final = 32
"""Most observations one promotion may collect."""

_Record = TypeVar("_Record", PromotionIntent, PromotionAttempt, PromotionStatusRecord)


@dataclass(frozen=True, slots=True)
class Entry(Generic[_Record]):
    """A record as it lies in the journal: what it says, its signed form and the digest that names it."""

    record: _Record
    envelope: Envelope
    digest: str


@dataclass(frozen=True, slots=True)
class Chain:
    """All that the journal holds of one promotion. `state` counts files, also damaged ones; problems name them."""

    state: str
    intent: Entry[PromotionIntent] | None
    attempt: Entry[PromotionAttempt] | None
    statuses: tuple[Entry[PromotionStatusRecord], ...]
    problems: tuple[str, ...]

    @property
    def latest(self) -> Entry[PromotionStatusRecord] | None:
        """Return the last status, or None when nothing was observed yet."""
        return self.statuses[-1] if self.statuses else None


class PromotionJournal:
    """The records of one promotion in an open private folder."""

    def __init__(self, folder: PrivateFolder, signer: JournalSigner, promotion_id: str) -> None:
        self._folder = folder
        self._signer = signer
        self._promotion_id = promotion_id

    def read(self) -> Chain:
        """Return the chain, with a sentence for each record or link that does not verify."""
        reading = _Reading(self._folder, self._signer)
        intent = reading.entry(self._name("intent"), intent_of)
        attempt = reading.entry(self._name("attempt"), attempt_of)
        statuses = []
        for number in range(1, STATUSES_MAX + 1):
            status = reading.entry(self._name(f"status-{number:02d}"), status_of)
            if status is None:
                break
            statuses.append(status)
        problems = tuple(reading.problems) or _link_problems(
            self._promotion_id, intent, attempt, tuple(statuses)
        )
        return Chain(self._state(reading.found), intent, attempt, tuple(statuses), problems)

    def write_intent(self, record: PromotionIntent) -> bool:
        """Write the intent; False when there is one already."""
        return self._write("intent", record)

    def write_attempt(self, record: PromotionAttempt) -> bool:
        """Claim the attempt; False when somebody else has it, who then is the only one that may swap."""
        return self._write("attempt", record)

    def write_status(self, record: PromotionStatusRecord) -> bool:
        """Write an observation; False when its number is taken.

        Raises: JournalError when the promotion has collected `STATUSES_MAX` observations.
        """
        if record.number > STATUSES_MAX:
            message = f"this promotion was observed {STATUSES_MAX} times; look at its repository"
            raise JournalError(message)
        return self._write(f"status-{record.number:02d}", record)

    def _write(self, part: str, record: JournalRecord) -> bool:
        content = canonical_bytes(plain(self._signer.sign_record(record)))
        return self._folder.create(self._name(part), content)

    def _name(self, part: str) -> str:
        return f"{self._promotion_id}.{part}.json"

    def _state(self, found: set[str]) -> str:
        if any(name.startswith(f"{self._promotion_id}.status-") for name in found):
            return "completed"
        if self._name("attempt") in found:
            return "attempt_only"
        return "intent_only" if self._name("intent") in found else "absent"


class _Reading:
    """Reads files one by one and keeps what was wrong with them."""

    def __init__(self, folder: PrivateFolder, signer: JournalSigner) -> None:
        self._folder = folder
        self._signer = signer
        self.found: set[str] = set()
        self.problems: list[str] = []

    def entry(self, name: str, parse: Callable[[Envelope], _Record]) -> Entry[_Record] | None:
        """Return the verified record in a file; None when there is no file or, with a problem, a bad one."""
        try:
            content = self._folder.read(name)
            if content is None:
                return None
            self.found.add(name)
            decode_canonical(content)
            envelope = Envelope.model_validate_json(content)
            record = parse(envelope)
            signing = self._signer.problems(envelope)
        except ValidationError:
            self.problems.append(f"the journal file {name} is no signed record")
            return None
        except StudioError as err:
            self.found.add(name)
            self.problems.append(f"the journal file {name} cannot be trusted: {err.message}")
            return None
        if signing:
            self.problems.append(f"the journal file {name} cannot be trusted: {signing[0]}")
            return None
        return Entry(record, envelope, envelope_digest(envelope))


def _link_problems(
    promotion_id: str,
    intent: Entry[PromotionIntent] | None,
    attempt: Entry[PromotionAttempt] | None,
    statuses: tuple[Entry[PromotionStatusRecord], ...],
) -> tuple[str, ...]:
    """Return each link of the chain that does not hold."""
    problems = []
    if intent is None:
        if attempt is not None or statuses:
            problems.append("the journal has an attempt or a status but lost the intent before it")
        return tuple(problems)
    if intent.record.binding.promotion_id != promotion_id:
        problems.append("the intent belongs to another promotion")
    if attempt is None:
        if statuses:
            problems.append("the journal has a status but lost the attempt before it")
        return tuple(problems)
    if (attempt.record.promotion_id, attempt.record.intent_digest) != (promotion_id, intent.digest):
        problems.append("the attempt does not follow from the intent")
    previous: Entry[PromotionStatusRecord] | None = None
    for number, status in enumerate(statuses, start=1):
        if not _follows(status.record, intent, attempt, previous) or status.record.number != number:
            problems.append(f"status {number} does not follow from the record before it")
        previous = status
    return tuple(problems)


def _follows(
    record: PromotionStatusRecord,
    intent: Entry[PromotionIntent],
    attempt: Entry[PromotionAttempt],
    previous: Entry[PromotionStatusRecord] | None,
) -> bool:
    is_open = previous is None or previous.record.outcome is PromotionOutcome.OUTCOME_UNKNOWN
    return (
        is_open
        and record.binding == intent.record.binding
        and record.intent_digest == intent.digest
        and record.attempt_digest == attempt.digest
        and record.attempted_at == attempt.record.attempted_at
        and record.previous_digest == (None if previous is None else previous.digest)
    )
