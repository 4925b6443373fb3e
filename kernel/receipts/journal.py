"""The records of the promotion journal, and the receipt that people get of a promotion.

An intent says what a promotion is bound to, an attempt claims its one swap, a status says what was observed; each
names the one before by digest. A status is signed as a SLSA verification summary v1 that carries it whole. Owns
which statuses are truthful; does not own writing, reading or the swap (`adapters/promotion`).

Source: slsa.dev `verification_summary/v1`.
"""

from typing import Final, Literal, TypeAlias

from pydantic import model_validator

from kernel.canonical import canonical_bytes, plain
from kernel.receipts.dsse import (
    STATEMENT_PAYLOAD,
    STATEMENT_TYPE,
    Statement,
    payload_of,
    record_of,
    refuse,
    require_moment,
    statement_of,
)
from kernel.receipts.statements import candidate_digest
from kernel.values.execution import PromotionOrder
from kernel.values.recorded import Recorded
from kernel.values.work import Envelope
from kernel.vocabulary import PromotionOutcome

INTENT_PAYLOAD: Final = "application/vnd.odeu.promotion-intent.v1+json"
ATTEMPT_PAYLOAD: Final = "application/vnd.odeu.promotion-attempt.v1+json"
SUMMARY: Final = "https://slsa.dev/verification_summary/v1"
PROMOTER_ID: Final = "urn:odeu:promoter:v1"


class PromotionBinding(Recorded):
    """What one promotion is bound to: the authorised ledger prefix, the ref, the candidate and its base."""

    promotion_id: str
    ledger_id: str
    authorized_size: int
    """Leaves of the log that ends at promotion.authorized."""
    authorized_root: str
    """Hex root of that log."""
    revision: int
    repository_id: str
    target_ref: str
    candidate_id: str
    candidate_digest: str
    candidate_ref: str
    base_commit: str
    commit: str
    tree: str


class PromotionIntent(Recorded):
    """First record of a promotion: what it is bound to. While only this exists the command may be repeated."""

    kind: Literal["odeu.promotion.intent.v1"] = "odeu.promotion.intent.v1"
    binding: PromotionBinding
    recorded_at: str
    key_custody: Literal["shared_host"] = "shared_host"


class PromotionAttempt(Recorded):
    """Second record: somebody claims the one swap. Whoever did not create this record never swaps."""

    kind: Literal["odeu.promotion.attempt.v1"] = "odeu.promotion.attempt.v1"
    promotion_id: str
    intent_digest: str
    operator_id: str
    edge: str
    token: str | None
    """Object id that the attempt's ref holds until the swap; None when this attempt will never swap."""
    attempted_at: str
    key_custody: Literal["shared_host"] = "shared_host"


OUTCOME_OF_CODE: Final = {
    "cas_updated": PromotionOutcome.PROMOTED,
    "already_promoted": PromotionOutcome.PROMOTED,
    "target_ref_mismatch": PromotionOutcome.STALE,
    "candidate_verification_failed": PromotionOutcome.FAILED,
    "target_ref_checked_out": PromotionOutcome.FAILED,
    "update_ref_rejected": PromotionOutcome.FAILED,
    "target_ref_unobservable": PromotionOutcome.OUTCOME_UNKNOWN,
    "status_recovery_conflict": PromotionOutcome.OUTCOME_UNKNOWN,
}
"""What each code of a promotion means; no code means two things."""


class PromotionStatusRecord(Recorded):
    """Third record: what was observed. Another may follow only while the latest is `outcome_unknown`."""

    kind: Literal["odeu.promotion.status.v1"] = "odeu.promotion.status.v1"
    binding: PromotionBinding
    number: int
    """1-based position among the statuses of this promotion."""
    intent_digest: str
    attempt_digest: str
    previous_digest: str | None
    """The status before this one; None for the first."""
    operator_id: str
    edge: str
    outcome: PromotionOutcome
    code: str
    detail: str
    observed_before: str | None
    observed_after: str | None
    attempted_at: str
    observed_at: str
    """When the target ref was read, by the host's clock."""
    key_custody: Literal["shared_host"] = "shared_host"

    @model_validator(mode="after")
    def _speaks_truly(self) -> "PromotionStatusRecord":
        """Refuse an outcome that the observed commits do not carry."""
        require_moment(self.observed_at, "observed_at")
        after, binding = self.observed_after, self.binding
        lawful = {
            "cas_updated": after == binding.commit and self.observed_before == binding.base_commit,
            "already_promoted": after == binding.commit,
            "target_ref_mismatch": after not in {None, binding.commit, binding.base_commit},
            "update_ref_rejected": after == binding.base_commit,
        }
        if OUTCOME_OF_CODE.get(self.code) is not self.outcome or not lawful.get(self.code, True):
            message = f"a status {self.outcome.value}/{self.code} does not fit what was observed"
            raise ValueError(message)
        return self


JournalRecord: TypeAlias = PromotionIntent | PromotionAttempt | PromotionStatusRecord


def binding_of(order: PromotionOrder) -> PromotionBinding:
    """Return what a promotion order is bound to; who executes it, and through which door, is not part."""
    candidate = order.candidate
    return PromotionBinding(
        promotion_id=order.promotion_id,
        ledger_id=order.ledger_id,
        authorized_size=order.authorized_size,
        authorized_root=order.authorized_root,
        revision=order.revision,
        repository_id=order.repository.id,
        target_ref=order.target_ref,
        candidate_id=candidate.candidate_id,
        candidate_digest=candidate_digest(candidate),
        candidate_ref=candidate.ref,
        base_commit=candidate.base_commit,
        commit=candidate.commit,
        tree=candidate.tree,
    )


def promotion_statement(record: PromotionStatusRecord) -> Statement:
    """State what became of a promotion: verification summary v1.

    The summary knows PASSED and FAILED only: PASSED is `promoted`, everything else, an unknown outcome
    included, is FAILED; the exact outcome stands in `odeu_promotion`.
    """
    binding = record.binding
    promoted = record.outcome is PromotionOutcome.PROMOTED
    return {
        "_type": STATEMENT_TYPE,
        "subject": [
            {"name": binding.target_ref, "digest": {"gitCommit": binding.commit, "gitTree": binding.tree}}
        ],
        "predicateType": SUMMARY,
        "predicate": {
            "verifier": {"id": PROMOTER_ID},
            "timeVerified": record.observed_at,
            "resourceUri": f"urn:odeu:repository:{binding.repository_id}:{binding.target_ref}",
            "policy": {
                "uri": f"urn:odeu:ledger:{binding.ledger_id}:{binding.authorized_size}",
                "digest": {"sha256": binding.authorized_root},
            },
            "verificationResult": "PASSED" if promoted else "FAILED",
            "verifiedLevels": [],
            "odeu_promotion": plain(record),
        },
    }


def record_payload(record: JournalRecord) -> tuple[str, bytes]:
    """Return the payload type and payload by which a journal record is signed."""
    if isinstance(record, PromotionIntent):
        return INTENT_PAYLOAD, canonical_bytes(plain(record))
    if isinstance(record, PromotionAttempt):
        return ATTEMPT_PAYLOAD, canonical_bytes(plain(record))
    return STATEMENT_PAYLOAD, canonical_bytes(promotion_statement(record))


def intent_of(envelope: Envelope) -> PromotionIntent:
    """Return the intent of an envelope, parsed strictly and without trusting its signature."""
    return record_of(payload_of(envelope, INTENT_PAYLOAD), PromotionIntent)


def attempt_of(envelope: Envelope) -> PromotionAttempt:
    """Return the attempt of an envelope, parsed strictly and without trusting its signature."""
    return record_of(payload_of(envelope, ATTEMPT_PAYLOAD), PromotionAttempt)


def status_of(envelope: Envelope) -> PromotionStatusRecord:
    """Return the status of a promotion receipt, refusing a summary that says anything but its record.

    Raises: InvalidError when it is no promotion receipt or the two disagree.
    """
    statement = statement_of(envelope)
    inner = statement["predicate"].get("odeu_promotion")
    record = record_of(canonical_bytes(inner), PromotionStatusRecord)
    if promotion_statement(record) != statement:
        refuse("the verification summary says something else than the record it carries")
    return record
