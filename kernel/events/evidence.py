"""Events of independent evidence."""

from typing import ClassVar

from kernel.events.body import Body
from kernel.values.recorded import Recorded
from kernel.values.words import Words
from kernel.values.work import Envelope, IsolationFact
from kernel.vocabulary import CheckResult, Grade


class CheckedRequirement(Recorded):
    """The result of one requirement; the detail never holds an expected value."""

    requirement_id: str
    result: CheckResult
    grade: Grade
    cases_total: int
    cases_passed: int
    reason: str
    detail: Words


class ValidationRecorded(Body):
    """An independent validator looked at the sealed objects; failures are recorded too."""

    TYPE: ClassVar[str] = "validation.recorded.v1"
    CREATES: ClassVar[tuple[str, ...]] = ("validation_id",)

    validation_id: str
    exchange_id: str
    closure_id: str
    brief_id: str
    candidate_id: str
    attempt: int
    checks: tuple[CheckedRequirement, ...]
    """One per requirement of the brief, in its order."""
    tier: str
    """How strongly the machine confined the code: `uid_drop`, `same_uid` or `unavailable`."""
    isolation: tuple[IsolationFact, ...]
    harness_digests: tuple[str, ...]
    wall_ms: int
    receipt: Envelope
