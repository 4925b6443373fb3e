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
    """The requirement of the brief."""
    result: CheckResult
    """How it came out."""
    grade: Grade
    """How strong the evidence is."""
    cases_total: int
    """How many cases there are."""
    cases_passed: int
    """How many of them passed."""
    reason: str
    """The machine's name for the result."""
    detail: Words
    """The result in a sentence."""


class ValidationRecorded(Body):
    """An independent validator looked at the sealed objects; failures are recorded too."""

    TYPE: ClassVar[str] = "validation.recorded.v1"
    CREATES: ClassVar[tuple[str, ...]] = ("validation_id",)

    validation_id: str
    """The validation's new id."""
    exchange_id: str
    """The exchange that holds the exact answer."""
    closure_id: str
    """The closure it judges."""
    brief_id: str
    """The brief whose requirements it answers."""
    candidate_id: str
    """The candidate it looked at."""
    attempt: int
    """1 for the first validation of the closure."""
    checks: tuple[CheckedRequirement, ...]
    """One per requirement of the brief, in its order."""
    tier: str
    """How strongly the machine confined the code: `uid_drop`, `same_uid` or `unavailable`."""
    isolation: tuple[IsolationFact, ...]
    """How the code was confined, fact by fact."""
    harness_digests: tuple[str, ...]
    """Digests of the host's harnesses that were used."""
    wall_ms: int
    """How long it took, in milliseconds."""
    receipt: Envelope
    """The validator's signed statement."""
