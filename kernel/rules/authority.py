"""Who may author which event, as data. Anything not listed is refused.

Roles and doors are narrowed where a rule names them: a viewer authors nothing, only an owner authors the
world ledger's events, only an operator role acts as operator.
"""

from typing import Final

from kernel.errors import AuthorityError
from kernel.events.envelope import Event
from kernel.values.stamp import Actor
from kernel.vocabulary import ActorKind, Boundary, Role

_HUMAN: Final = frozenset({ActorKind.HUMAN})
_SYSTEM: Final = frozenset({ActorKind.SYSTEM})

AUTHORITY: Final[dict[str, frozenset[ActorKind]]] = {
    "project.opened.v1": _HUMAN,
    "project.archived.v1": _HUMAN,
    "project.restored.v1": _HUMAN,
    "principal.added.v1": _HUMAN,
    "role.granted.v1": _HUMAN,
    "role.revoked.v1": _HUMAN,
    "credential.issued.v1": _HUMAN,
    "credential.revoked.v1": _HUMAN,
    "config.activated.v1": _HUMAN,
    "key.rotated.v1": _HUMAN,
    "project.imported.v1": _HUMAN,
    "source.captured.v1": frozenset({ActorKind.HUMAN, ActorKind.AGENT}),
    "source.erased.v1": _HUMAN,
    "exchange.requested.v1": frozenset({ActorKind.SYSTEM, ActorKind.OPERATOR}),
    "exchange.answered.v1": _SYSTEM,
    "exchange.failed.v1": _SYSTEM,
    "exchange.unreadable.v1": _SYSTEM,
    "delta.proposed.v1": frozenset({ActorKind.HUMAN, ActorKind.MANAGER, ActorKind.AGENT, ActorKind.SYSTEM}),
    "delta.deferred.v1": _HUMAN,
    "delta.remanded.v1": _HUMAN,
    "delta.rejected.v1": _HUMAN,
    "delta.superseded.v1": _HUMAN,
    "delta.split.v1": _HUMAN,
    "delta.accepted.v1": _HUMAN,
    "clarification.asked.v1": frozenset({ActorKind.MANAGER}),
    "clarification.answered.v1": _HUMAN,
    "brief.compiled.v1": _HUMAN,
    "run.authorized.v1": _HUMAN,
    "run.progressed.v1": frozenset({ActorKind.SYSTEM, ActorKind.AGENT}),
    "run.blocked.v1": _SYSTEM,
    "run.cancelled.v1": _HUMAN,
    "run.failed.v1": _SYSTEM,
    "run.lost.v1": _SYSTEM,
    "candidate.sealed.v1": _SYSTEM,
    "closure.staged.v1": _SYSTEM,
    "validation.recorded.v1": _SYSTEM,
    "promotion.proposed.v1": _HUMAN,
    "promotion.authorized.v1": _HUMAN,
    "promotion.observed.v1": _SYSTEM,
    "promotion.reconciled.v1": frozenset({ActorKind.OPERATOR}),
}
"""Wire name -> the actor kinds that may author it."""

WORLD_ONLY: Final = frozenset(
    {
        "principal.added.v1",
        "role.granted.v1",
        "role.revoked.v1",
        "credential.issued.v1",
        "credential.revoked.v1",
        "config.activated.v1",
        "key.rotated.v1",
        "project.imported.v1",
    }
)
"""Events that stand in the world ledger alone."""

OWNERS_ONLY: Final = WORLD_ONLY | {"project.archived.v1", "project.restored.v1"}
"""Events that only an owner authors."""

_ROLES: Final[dict[ActorKind, frozenset[Role]]] = {
    ActorKind.HUMAN: frozenset({Role.OWNER, Role.REVIEWER}),
    ActorKind.OPERATOR: frozenset({Role.OPERATOR}),
    ActorKind.MANAGER: frozenset({Role.NONE}),
    ActorKind.AGENT: frozenset({Role.NONE}),
    ActorKind.SYSTEM: frozenset({Role.NONE}),
}


def check_authority(event: Event, boundary: Boundary | None) -> None:
    """Refuse an event whose actor may not author it.

    `boundary` is the exchange's boundary when the event requests one: a promotion's request is the operator's,
    every other request the system's.

    Raises: AuthorityError.
    """
    actor = event.actor
    if actor.kind not in AUTHORITY.get(event.type, frozenset()):
        message = f"{_article(actor.kind.value)} may not author {event.type}"
        raise AuthorityError(message)
    if actor.role not in _ROLES[actor.kind]:
        message = f"{actor.id!r} acts here as {actor.role.value}, which may not author {event.type}"
        raise AuthorityError(message)
    if event.type in OWNERS_ONLY and actor.role is not Role.OWNER:
        message = f"only an owner may author {event.type}"
        raise AuthorityError(message)
    if boundary is not None and (boundary is Boundary.PROMOTION) != (actor.kind is ActorKind.OPERATOR):
        message = f"{_article(actor.kind.value)} may not request a {boundary.value}"
        raise AuthorityError(message)


def check_asker(actor: Actor) -> None:
    """Refuse a command from somebody who may author nothing, though its events would be the host's own.

    Raises: AuthorityError.
    """
    if actor.role not in _ROLES[actor.kind]:
        message = f"{actor.id!r} acts here as {actor.role.value}, which may not ask for this"
        raise AuthorityError(message)


def _article(word: str) -> str:
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"
