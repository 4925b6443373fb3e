"""People, their roles, and what lets them act: sessions, one-time links, operator tokens.

Plain frozen dataclasses. A secret is shown once in `Issued` and never stored; the rest knows only ids.
"""

from dataclasses import dataclass, field

from kernel.vocabulary import Role


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who may act in this installation."""

    id: str
    """A slug such as `owner`."""
    name: str
    created_at: str


@dataclass(frozen=True, slots=True)
class Membership:
    """A role a person holds in one ledger, or in every one when `ledger_id` is None."""

    person_id: str
    role: Role
    ledger_id: str | None


@dataclass(frozen=True, slots=True)
class Issued:
    """A credential just made; `secret` is shown once and cannot be asked for again."""

    id: str
    person_id: str
    secret: str = field(repr=False)
    expires_at: str


@dataclass(frozen=True, slots=True)
class Session:
    """A signed-in browser."""

    id: str
    person_id: str
    label: str
    """What the browser calls itself, as the list of sessions shows it."""
    created_at: str
    expires_at: str
    last_used_at: str
    revoked_at: str | None


@dataclass(frozen=True, slots=True)
class PasswordFacts:
    """That a person has a password; the password itself is known to them alone."""

    person_id: str
    credential_id: str
    changed_at: str


@dataclass(frozen=True, slots=True)
class Identity:
    """An account at an OpenID provider: only the two together name somebody."""

    issuer: str
    """The provider's exact address."""
    subject: str
    """What the provider calls the account, for ever."""


@dataclass(frozen=True, slots=True)
class LinkedIdentity:
    """An account that signs a person in."""

    identity: Identity
    person_id: str
    credential_id: str
    linked_at: str


@dataclass(frozen=True, slots=True)
class OperatorToken:
    """A Bearer that may execute and reconcile promotions; the secret itself is known only to its holder."""

    id: str
    person_id: str
    name: str
    created_at: str
    expires_at: str
    last_used_at: str | None
    revoked_at: str | None
