"""Evidence: ask an independent validator about a closure, and offer the result for a human yes."""

from dataclasses import dataclass
from typing import Final

from app.ports import Keys, Repositories, Validator, ValidatorKey
from app.services.desk import Caller, Desk
from app.services.execution import HOST
from app.services.registry import Registry
from app.services.sentences import cut
from kernel.canonical import canonical_bytes, plain
from kernel.commands import (
    AnswerExchange,
    FailExchange,
    MarkUnreadable,
    ProposeReconciliation,
    RecordValidation,
    RequestExchange,
)
from kernel.errors import AuthorityError, LifecycleError, NotFoundError, RefusedError, StudioError
from kernel.events.delta import DeltaProposed
from kernel.events.source import ExchangeRequested
from kernel.receipts import ValidationBinding, envelope_digest
from kernel.rules.delegation import brief_of
from kernel.state import CandidateRecord, ClosureRecord, ExchangeRecord, State
from kernel.values.execution import RepositoryPlace, ValidationJob, ValidationReport
from kernel.values.recorded import Recorded
from kernel.values.work import CheckFacts, Envelope, IsolationFact, Requirement
from kernel.vocabulary import Boundary, KeyRole, Role

BLOB_BYTES_MAX: Final = 4 * 1024 * 1024


class ValidationAnswer(Recorded):
    """The exact answer of a validation as it stands in its exchange."""

    validation_id: str
    checks: tuple[CheckFacts, ...]
    isolation: tuple[IsolationFact, ...]
    harness_digests: tuple[str, ...]
    input_blobs: tuple[str, ...]
    tier: str
    wall_ms: int
    output_digest: str
    receipt: Envelope


@dataclass(frozen=True, slots=True)
class Evidence:
    """Requests, performs and records validations; compiles reconciliations."""

    desk: Desk
    registry: Registry
    repositories: Repositories
    validator: Validator
    key: ValidatorKey
    keys: Keys

    def request(self, caller: Caller, closure_id: str) -> str:
        """Make a validation request durable and return its exchange; a worker performs it.

        Raises: NotFoundError; LifecycleError while an earlier request has no outcome; AuthorityError.
        """
        if caller.actor.role not in {Role.OWNER, Role.REVIEWER}:
            message = "a viewer may not ask for a validation"
            raise AuthorityError(message)
        ledger_id = self.desk.ledger_of(closure_id)
        state = self.desk.state(ledger_id)
        closure = closure_of(state, closure_id)
        request = canonical_bytes({"closure": closure_id, "candidate": closure.body.candidate_id}).decode()
        command = RequestExchange("validation", closure_id, request)
        done = self.desk.act(ledger_id, caller, command, material={"validate": closure_id})
        body = next(event.body for event in done.events if isinstance(event.body, ExchangeRequested))
        return body.exchange_id

    def perform(self, ledger_id: str, exchange_id: str) -> str | None:
        """Judge the sealed candidate of a durable request, keep the answer and record it.

        Returns the validation's id, or None when the validator failed and that is what was recorded.
        """
        state = self.desk.state(ledger_id)
        record = state.exchanges[exchange_id]
        closure = closure_of(state, record.body.subject_id)
        try:
            answer = self._judge(state, closure)
        except StudioError as error:
            self.desk.act(ledger_id, HOST, FailExchange(exchange_id, error.reason_code, cut(error.message)))
            return None
        exact = canonical_bytes(plain(answer)).decode()
        self.desk.act(ledger_id, HOST, AnswerExchange(exchange_id, exact))
        return self.record(ledger_id, exchange_id)

    def _judge(self, state: State, closure: ClosureRecord) -> ValidationAnswer:
        report = self.judged(state, closure)
        candidate = state.candidates[closure.body.candidate_id].body
        brief = brief_of(state, closure.body.brief_id).body
        stamp = self.desk.stamp(HOST)
        validation_id = stamp.id("validation")
        binding = ValidationBinding(
            validation_id=validation_id,
            run_id=closure.body.run_id,
            brief_id=closure.body.brief_id,
            brief_digest=brief.payload_digest,
            profile_digest=brief.terms.profile_digest,
            candidate_receipt=envelope_digest(candidate.receipt),
            validated_at=stamp.at,
        )
        return ValidationAnswer(
            validation_id=validation_id,
            checks=report.checks,
            isolation=report.isolation,
            harness_digests=report.harness_digests,
            input_blobs=report.input_blobs,
            tier=report.tier,
            wall_ms=report.wall_ms,
            output_digest=report.output_digest,
            receipt=self.key.attest(candidate.candidate, report, binding),
        )

    def judged(self, state: State, closure: ClosureRecord) -> ValidationReport:
        """Return a fresh judgement of a closure's sealed candidate; nothing is recorded.

        Raises: GitRefusedError when the sealed objects are not what the ledger says; NotFoundError when a
        validator is no longer configured.
        """
        candidate = state.candidates[closure.body.candidate_id].body.candidate
        place = self.registry.repository(candidate.repository_id)
        problems = self.repositories.verify_candidate(place, candidate, expect_target_base=False)
        if problems:
            message = "the sealed candidate is not what the ledger says: " + "; ".join(problems)
            raise StudioError(message, code="candidate_invalid")
        requirements = tuple(
            Requirement.model_validate({**term.model_dump(mode="python"), "label": term.id})
            for term in brief_of(state, closure.body.brief_id).body.terms.requirements
        )
        wanted = {item.validator_id for item in requirements if item.validator_id is not None}
        validators = tuple(self.registry.validator(name) for name in sorted(wanted))
        job = ValidationJob(place, candidate, requirements, validators)
        return self.validator.validate(job, self._read)

    def _read(self, place: RepositoryPlace, commit: str, path: str, max_bytes: int) -> bytes:
        return self.repositories.read_blob(place, commit, path, max_bytes=min(max_bytes, BLOB_BYTES_MAX))

    def record(self, ledger_id: str, exchange_id: str) -> str | None:
        """Record the validation that a durable answer holds; nothing is judged again.

        An answer that the rules do not take is recorded as unreadable, and None returned.
        """
        try:
            return self._record(ledger_id, exchange_id)
        except LifecycleError:
            raise
        except (RefusedError, ValueError) as error:
            sentence = cut(f"The validator's answer cannot be kept: {error}")
            self.desk.act(ledger_id, HOST, MarkUnreadable(exchange_id, "answer_refused", sentence))
            return None

    def _record(self, ledger_id: str, exchange_id: str) -> str:
        record = self.desk.state(ledger_id).exchanges[exchange_id]
        text = None if record.response is None else record.response.text
        answer = ValidationAnswer.model_validate_json(text or "")
        command = RecordValidation(
            validation_id=answer.validation_id,
            exchange_id=exchange_id,
            checks=answer.checks,
            tier=answer.tier,
            isolation=answer.isolation,
            harness_digests=answer.harness_digests,
            wall_ms=answer.wall_ms,
            receipt=answer.receipt,
        )
        self.desk.act(ledger_id, HOST, command)
        return answer.validation_id

    def recover(self, ledger_id: str, started: frozenset[str]) -> None:
        """Settle validations a dead worker left: record durable answers, call started ones lost.

        `started` names the exchanges a worker had begun; requests nobody began stay queued.
        """
        state = self.desk.state(ledger_id)
        recorded = {item.body.exchange_id for item in state.validations.rows()}
        for record in validations_waiting(state):
            exchange_id = record.body.exchange_id
            if record.status == "answered" and exchange_id not in recorded:
                self.record(ledger_id, exchange_id)
            elif record.status == "requested" and exchange_id in started:
                detail = "The validator ended before its answer was kept. Ask again."
                self.desk.act(ledger_id, HOST, FailExchange(exchange_id, "lost", detail))

    def receipt_problems(self, record: CandidateRecord) -> tuple[str, ...]:
        """Return what is wrong with the sealer's signature on a candidate; empty when it verifies."""
        return self.keys.verify_envelope(record.body.receipt, KeyRole.SEALER)

    def reconcile(self, caller: Caller, closure_id: str, validation_id: str | None = None) -> str:
        """Compile the result into a proposal for a human yes; return the proposal.

        Takes the latest validation when none is named. Raises: EvidenceError naming each closed gate.
        """
        if caller.actor.role not in {Role.OWNER, Role.REVIEWER}:
            message = "a viewer may not prepare a reconciliation"
            raise AuthorityError(message)
        ledger_id = self.desk.ledger_of(closure_id)
        chosen = validation_id or latest_validation(self.desk.state(ledger_id), closure_id)
        command = ProposeReconciliation(closure_id, chosen)
        material = {"reconcile": closure_id, "validation": chosen}
        done = self.desk.act(ledger_id, caller, command, material=material)
        return next(event.body.delta_id for event in done.events if isinstance(event.body, DeltaProposed))


def closure_of(state: State, closure_id: str) -> ClosureRecord:
    """Return the closure. Raises: NotFoundError."""
    closure = state.closures.get(closure_id)
    if closure is None:
        message = f"there is no closure {closure_id}"
        raise NotFoundError(message)
    return closure


def validations_waiting(state: State) -> tuple[ExchangeRecord, ...]:
    """Return validation exchanges that are requested or answered, in order of their ids."""
    return tuple(
        record
        for record in state.exchanges.rows()
        if record.body.boundary is Boundary.VALIDATION and record.status in {"requested", "answered"}
    )


def latest_validation(state: State, closure_id: str) -> str:
    """Return the id of a closure's latest validation. Raises: NotFoundError when it has none."""
    found = [item for item in state.followed_by.get(closure_id) or () if item in state.validations]
    if not found:
        message = f"closure {closure_id} has not been validated yet"
        raise NotFoundError(message)
    return found[-1]
