"""Reading events of earlier versions: a raw event of version n becomes one of version n + 1, step by step.

A changed meaning is a new version of the event and one step here. Steps are pure, take and return the raw JSON
data of a whole event, and never touch the stored bytes: leaf hashes and proofs stay those of what was written.
A step can only say again what the old version said; what it did not say, it must not make up.
"""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from kernel.errors import HistoryError
from kernel.events.envelope import Event, Upcast
from kernel.events.envelope import decode_event as decode_current
from kernel.values.words import Openings

Steps: TypeAlias = Mapping[str, Upcast]
"""Wire name of version n -> the step to version n + 1."""

STEPS: Final[Steps] = {}
"""Every step there is. No event has had a second version yet."""


def upcast(raw: dict[str, Any], steps: Steps = STEPS) -> dict[str, Any]:
    """Return the raw event in its latest version; one that is current already comes back as it is.

    Raises: HistoryError when a step does not lead to the next version of the same event.
    """
    while (step := steps.get(raw["type"])) is not None:
        after = step(raw)
        if after["type"] != next_version(raw["type"]):
            message = (
                f"the step from {raw['type']} leads to {after['type']}, not to {next_version(raw['type'])}"
            )
            raise HistoryError(message)
        raw = after
    return raw


def next_version(event_type: str) -> str:
    """Return the wire name one version on, such as `run.lost.v2` for `run.lost.v1`."""
    name, _, number = event_type.rpartition(".v")
    return f"{name}.v{int(number) + 1}"


def decode_event(data: bytes, openings: Openings, steps: Steps = STEPS) -> Event:
    """Return the event whose canonical bytes these are, of whichever version, as the current one.

    Raises: UnknownEventError for a type this version does not know; HistoryError for anything malformed.
    """
    return decode_current(data, openings, lambda raw: upcast(raw, steps))
