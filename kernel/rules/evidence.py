"""Rules for independent evidence."""

from typing import Final

from kernel.errors import InvalidError, LifecycleError, NotFoundError, RefusedError
from kernel.events.envelope import Event
from kernel.events.evidence import CheckedRequirement, ValidationRecorded
from kernel.ids import is_id
from kernel.rules.limits import REASON_BYTES_MAX
from kernel.rules.registry import admits
from kernel.rules.text import require_bytes, require_code
from kernel.state import State
from kernel.vocabulary import CheckResult

TIERS: Final = ("uid_drop", "same_uid", "unavailable")
"""How strongly a machine confines code, the strongest first."""


@admits(ValidationRecorded)
def validation_recorded(state: State, body: ValidationRecorded, _event: Event) -> None:
    """The result answers a durable request about this closure, one check per requirement of its brief."""
    if not is_id(body.validation_id, "validation") or body.validation_id in state.validations:
        message = f"validation id {body.validation_id!r} is malformed or already used"
        raise InvalidError(message)
    closure = state.closures.get(body.closure_id)
    if closure is None:
        message = f"there is no closure {body.closure_id}"
        raise NotFoundError(message)
    if (body.brief_id, body.candidate_id) != (closure.body.brief_id, closure.body.candidate_id):
        message = "the validation looked at another brief or candidate"
        raise RefusedError(message)
    exchange = state.exchanges.get(body.exchange_id)
    if exchange is None or exchange.status != "answered" or exchange.body.subject_id != body.closure_id:
        message = "the validator's answer is not durable yet"
        raise LifecycleError(message)
    if body.attempt != exchange.body.attempt or _recorded(state, body.exchange_id):
        message = f"attempt {body.attempt} of this validation is already recorded or is another"
        raise LifecycleError(message)
    terms = state.briefs[closure.body.brief_id].body.terms
    if [check.requirement_id for check in body.checks] != [term.id for term in terms.requirements]:
        message = "a validation answers each requirement of the brief once, in its order"
        raise InvalidError(message)
    if body.tier not in TIERS:
        message = f"a machine confines code as one of {', '.join(TIERS)}, not {body.tier!r:.40}"
        raise InvalidError(message)
    for check in body.checks:
        _check_result(check, body.tier)
    if not body.receipt.signatures:
        message = "a validation needs the validator's signed receipt"
        raise InvalidError(message)


def _recorded(state: State, exchange_id: str) -> bool:
    closure_id = state.exchanges[exchange_id].body.subject_id
    followers = (state.validations.get(item) for item in state.followed_by.get(closure_id) or ())
    return any(record is not None and record.body.exchange_id == exchange_id for record in followers)


def _check_result(check: CheckedRequirement, tier: str) -> None:
    require_code(check.reason)
    require_bytes(check.detail, REASON_BYTES_MAX, "detail")
    if not 0 <= check.cases_passed <= check.cases_total:
        message = f"requirement {check.requirement_id} passes more cases than it has"
        raise InvalidError(message)
    complete = check.cases_total > 0 and check.cases_passed == check.cases_total
    if check.result is CheckResult.PASSED and not complete:
        message = (
            f"requirement {check.requirement_id} cannot pass with {check.cases_passed} of {check.cases_total}"
        )
        raise InvalidError(message)
    if check.result is CheckResult.PASSED and check.grade.value == "host_oracle" and tier == "unavailable":
        message = "nothing that needs a sandbox passes without one"
        raise InvalidError(message)
