"""What a yes is bound to: one digest over exactly what the person was shown."""

from typing import Final

from kernel.canonical import digest, plain
from kernel.rules.reconciliation import gates
from kernel.state import DeltaRecord, PromotionRecord, State
from kernel.vocabulary import Purpose

SEEN_DOMAIN: Final = "odeu.seen.v1"


def delta_seen(state: State, record: DeltaRecord) -> str:
    """Return the digest of a proposal as shown: operations, alternatives and, for evidence, the gate list.

    The proposal's id and base are not part of it, so a rebased proposal that changes nothing else keeps it.
    """
    body = record.body
    shown: dict[str, object] = {
        "purpose": body.purpose.value,
        "title": plain(body.title),
        "operations": plain(body.operations),
        "alternatives": plain(body.alternatives),
        "reasons": plain(body.reasons),
        "uncertainty": plain(body.uncertainty),
        "closure": body.closure_id,
        "validation": body.validation_id,
    }
    if body.purpose is Purpose.RECONCILIATION and body.closure_id and body.validation_id:
        listed = gates(state, body.closure_id, body.validation_id)
        shown["gates"] = [{"name": gate.name, "standing": gate.standing} for gate in listed]
    return digest(SEEN_DOMAIN, shown)


def promotion_seen(record: PromotionRecord) -> str:
    """Return the digest of a promotion as shown: exactly which commit would become which branch."""
    return digest(SEEN_DOMAIN, {"promotion": plain(record.body)})
