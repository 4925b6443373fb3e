"""How changes and work are said in a line: shared by the Timeline, the comparison and the command line."""

from collections.abc import Mapping
from typing import Final

from app.views.wording import capital, origin_words
from kernel.projections.changes import NodeChange
from kernel.projections.timeline import WorkEvent
from kernel.state import PromotionRecord, RunRecord, ValidationRecord
from kernel.vocabulary import CheckResult, PromotionStatus, RunStatus

_ENDED: Final = {
    RunStatus.BLOCKED: "The run stopped with a question",
    RunStatus.FAILED: "The run failed",
    RunStatus.CANCELLED: "The run was withdrawn",
    RunStatus.OUTCOME_UNKNOWN: "The run was lost; its outcome is unknown",
}
_PROMOTED: Final = {
    PromotionStatus.PROMOTED: "Promoted: the branch is the candidate",
    PromotionStatus.STALE: "Not promoted: the branch had moved",
    PromotionStatus.FAILED: "Not promoted: the move failed",
    PromotionStatus.OUTCOME_UNKNOWN: "Promotion: the outcome is unknown",
}
_SAID: Final = {
    "briefed": "Brief prepared by {who}",
    "authorized": "One run authorised by {who}",
    "returned": "A result came back; its candidate is sealed",
    "offered": "Offered to the operator by {who}",
    "released": "Released for the operator by {who}",
}


def work_words(event: WorkEvent, names: Mapping[str, str]) -> str:
    """Return what happened in the work, in one line."""
    record = event.record
    if event.what == "ended" and isinstance(record, RunRecord):
        return _ENDED.get(record.status, "The run ended")
    if event.what == "promoted" and isinstance(record, PromotionRecord):
        return _PROMOTED.get(record.status, "The promotion ended")
    if isinstance(record, ValidationRecord):
        passed = sum(check.result is CheckResult.PASSED for check in record.body.checks)
        return f"Validator: {passed} of {len(record.body.checks)} requirements passed"
    return _SAID[event.what].format(who=origin_words(event.origin, names))


def field_words(change: NodeChange) -> list[str]:
    """Return which fields of a changed node differ, in words."""
    said = []
    for field in change.fields:
        if field.name == "title":
            said.append(f"renamed from “{field.before}”")
        elif field.name == "description":
            said.append("description replaced" if field.before and field.after else "description written")
        elif field.after is None:
            said.append(f"{field.name.replace('_', ' ')} taken away")
        else:
            said.append(f"{field.name.replace('_', ' ')} {field.after}")
    return said


def field_name(name: str) -> str:
    """Return a field's name as a person reads it."""
    return capital({"phase": "work", "profile_id": "profile", "artifact_path": "path"}.get(name, name))
