"""A decision before it has an envelope: bodies and who authors them."""

from dataclasses import dataclass
from typing import Final

from kernel.events.body import Body
from kernel.values.stamp import Actor
from kernel.vocabulary import ActorKind, Role

SYSTEM: Final = Actor(kind=ActorKind.SYSTEM, id="host", role=Role.NONE)
"""The host itself: what it requests, receives and observes."""


@dataclass(frozen=True, slots=True)
class Draft:
    """One event to be; `actor` None means the stamp's own."""

    body: Body
    actor: Actor | None = None


def manager_actor(name: str) -> Actor:
    """Return the actor for a manager's proposals, such as `local/1`."""
    return Actor(kind=ActorKind.MANAGER, id=name, role=Role.NONE)
