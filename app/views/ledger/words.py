"""What each type of event is called in a line, and in which family a reader looks for it."""

from typing import Final

FAMILIES: Final[dict[str, str]] = {
    "captures": "Captures",
    "proposals": "Proposals",
    "decisions": "Decisions",
    "manager": "Questions and answers",
    "work": "Work",
    "promotion": "Promotion",
    "project": "Project",
    "authority": "People and keys",
}
"""Name of a family in an address -> what it is called."""

_WORDS: Final[dict[str, tuple[str, str]]] = {
    "source.captured": ("captures", "Words captured"),
    "source.erased": ("captures", "Words erased"),
    "delta.proposed": ("proposals", "Change proposed"),
    "delta.superseded": ("proposals", "Proposal replaced"),
    "delta.split": ("proposals", "Proposal split"),
    "delta.accepted": ("decisions", "Change accepted"),
    "delta.rejected": ("decisions", "Proposal rejected"),
    "delta.deferred": ("decisions", "Decision deferred"),
    "delta.remanded": ("decisions", "Proposal sent back"),
    "exchange.requested": ("manager", "Question sent"),
    "exchange.answered": ("manager", "Answer kept"),
    "exchange.failed": ("manager", "No answer"),
    "exchange.unreadable": ("manager", "Answer unusable"),
    "clarification.asked": ("manager", "Question to a person"),
    "clarification.answered": ("manager", "Question answered"),
    "brief.compiled": ("work", "Brief compiled"),
    "run.authorized": ("work", "Run authorised"),
    "run.progressed": ("work", "Run reported"),
    "run.blocked": ("work", "Run stopped with a question"),
    "run.cancelled": ("work", "Run withdrawn"),
    "run.failed": ("work", "Run failed"),
    "run.lost": ("work", "Run lost"),
    "candidate.sealed": ("work", "Candidate sealed"),
    "closure.staged": ("work", "Result staged"),
    "validation.recorded": ("work", "Validation recorded"),
    "promotion.proposed": ("promotion", "Promotion proposed"),
    "promotion.authorized": ("promotion", "Promotion authorised"),
    "promotion.observed": ("promotion", "Promotion observed"),
    "promotion.reconciled": ("promotion", "Promotion reconciled"),
    "project.opened": ("project", "Project opened"),
    "project.archived": ("project", "Project put away"),
    "project.restored": ("project", "Project taken up again"),
    "project.imported": ("authority", "Project imported"),
    "principal.added": ("authority", "Person added"),
    "role.granted": ("authority", "Role given"),
    "role.revoked": ("authority", "Role taken away"),
    "credential.issued": ("authority", "Credential given out"),
    "credential.revoked": ("authority", "Credential withdrawn"),
    "config.activated": ("authority", "Configuration in force"),
    "key.rotated": ("authority", "Signing key in force"),
}
"""Type without its version -> (family, words)."""


def bare_type(wire: str) -> str:
    """Return a type without its version: `delta.accepted` for `delta.accepted.v1`."""
    return wire.rpartition(".v")[0] or wire


def type_words(wire: str) -> str:
    """Return what an event of this type is called; a type without words keeps its name."""
    bare = bare_type(wire)
    return _WORDS[bare][1] if bare in _WORDS else bare


def family_of(wire: str) -> str:
    """Return the family of a type; one without a family is of the project."""
    return _WORDS.get(bare_type(wire), ("project", ""))[0]


def types_in(family: str) -> tuple[tuple[str, str], ...]:
    """Return the (type, words) of a family, in their order."""
    return tuple((bare, words) for bare, (of, words) in _WORDS.items() if of == family)
