"""What a yes is bound to: one digest over exactly what the person was shown."""

from typing import Final

from kernel.canonical import digest, plain
from kernel.rules.reconciliation import gates
from kernel.state import DeltaRecord, PromotionRecord, State
from kernel.vocabulary import Purpose

SEEN_DOMAIN: Final = "odeu.seen.v1"
CHOICE_DOMAIN: Final = "odeu.seen.v2"


def delta_seen(state: State, record: DeltaRecord, choice: int = 0) -> str:
    """Return the digest of a proposal as shown with one choice of it: 0 as proposed, n the n-th alternative.

    It covers the operations, the alternatives, which of them was shown and, for evidence, the gate list. The
    proposal's id and base are not part of it, so a rebased proposal that changes nothing else keeps it.
    """
    return digest(CHOICE_DOMAIN, {"choice": choice, **_shown(state, record)})


def is_what_was_shown(state: State, record: DeltaRecord, choice: int, seen: str) -> bool:
    """Tell whether a yes is about what was shown with this choice.

    Before the digest named the choice, one page showed every alternative under one digest. A yes that was recorded
    then stays lawful; nothing hands that digest out any more.
    """
    if seen == delta_seen(state, record, choice):
        return True
    return seen == digest(SEEN_DOMAIN, _shown(state, record))


def shown_choice(state: State, record: DeltaRecord, seen: str) -> int | None:
    """Return the choice that was shown under a digest; None when it is not of this proposal as it is now."""
    choices = range(len(record.body.alternatives) + 1)
    return next((item for item in choices if delta_seen(state, record, item) == seen), None)


def _shown(state: State, record: DeltaRecord) -> dict[str, object]:
    """Return what every choice of a proposal has in common."""
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
    return shown


def promotion_seen(record: PromotionRecord) -> str:
    """Return the digest of a promotion as shown: exactly which commit would become which branch."""
    return digest(SEEN_DOMAIN, {"promotion": plain(record.body)})
