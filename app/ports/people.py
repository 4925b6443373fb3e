"""Who is known here, and what they may open."""

from typing import Protocol

from kernel.values.people import (
    Identity,
    Issued,
    LinkedIdentity,
    Membership,
    OperatorToken,
    PasswordFacts,
    Person,
    Session,
)
from kernel.vocabulary import Role


class Directory(Protocol):
    """People, roles, sessions, links and tokens: who may act now."""

    def add_person(self, person_id: str, name: str, now: str) -> Person:
        """Add a person without a role. Raises: ConflictError."""
        ...

    def person(self, person_id: str) -> Person | None:
        """Return the person, or None."""
        ...

    def people(self) -> tuple[Person, ...]:
        """Return everybody."""
        ...

    def grant(self, person_id: str, role: Role, *, ledger_id: str | None) -> None:
        """Let the person act in a role."""
        ...

    def withdraw(self, person_id: str, *, ledger_id: str | None) -> None:
        """End the person's role in one ledger, or the one that holds everywhere."""
        ...

    def memberships(self, person_id: str | None = None) -> tuple[Membership, ...]:
        """Return roles of one person or of all."""
        ...

    def role_of(self, person_id: str, ledger_id: str) -> Role | None:
        """Return the role that holds in a ledger."""
        ...

    def issue_link(self, person_id: str, now: str) -> Issued:
        """Make a one-time sign-in link."""
        ...

    def link_holder(self, secret: str, now: str) -> tuple[str, str] | None:
        """Return whom a link would sign in and until when, without spending it; or None."""
        ...

    def open_links(self, now: str) -> tuple[tuple[str, str, str], ...]:
        """Return (id, person, until when) of every sign-in link that still opens a session."""
        ...

    def sign_in(self, secret: str, now: str, *, label: str) -> Issued:
        """Spend a link and open a session. Raises: AuthorityError."""
        ...

    def begin_session(self, person_id: str, now: str, *, label: str) -> Issued:
        """Open a session for a person who proved otherwise who they are. Raises: NotFoundError."""
        ...

    def rotate(self, secret: str, now: str) -> Issued:
        """Give a live session a new secret. Raises: AuthorityError."""
        ...

    def session(self, secret: str, now: str) -> Session | None:
        """Return the live session of this secret."""
        ...

    def sessions(self, person_id: str, now: str) -> tuple[Session, ...]:
        """Return a person's live sessions."""
        ...

    def last_seen(self) -> dict[str, str]:
        """Return when each person was last here."""
        ...

    def end_session(self, session_id: str, now: str, *, person_id: str) -> None:
        """End one of the person's sessions."""
        ...

    def end_sessions(self, person_id: str, now: str, *, but: str | None = None) -> int:
        """End every session of the person but one; return how many ended."""
        ...

    def end_links(self, person_id: str, now: str) -> None:
        """Stop every unused sign-in link of the person."""
        ...

    def issue_operator_token(self, person_id: str, name: str, now: str, *, lifetime_s: int = ...) -> Issued:
        """Make a Bearer for an operator."""
        ...

    def operator(self, secret: str, now: str) -> OperatorToken | None:
        """Return the live operator token of this secret."""
        ...

    def operator_tokens(self, person_id: str | None = None) -> tuple[OperatorToken, ...]:
        """Return tokens ever made."""
        ...

    def revoke_token(self, token_id: str, now: str) -> None:
        """Stop a token from working."""
        ...


class Credentials(Protocol):
    """Passwords, and accounts at a provider, that prove who somebody is."""

    def set_password(self, person_id: str, text: str, now: str, *, credential_id: str) -> str | None:
        """Keep a password in place of an earlier one; return the earlier one's credential. Raises: InvalidError."""
        ...

    def drop_password(self, person_id: str) -> str | None:
        """Forget the person's password; return its credential, None when there was none."""
        ...

    def password(self, person_id: str) -> PasswordFacts | None:
        """Return when the person's password was set, or None."""
        ...

    def is_right(self, person_id: str, text: str) -> bool:
        """Tell whether this is the person's password; takes as long when there is none."""
        ...

    def link(self, linked: LinkedIdentity) -> None:
        """Let an account sign a person in. Raises: ConflictError when it signs somebody in already."""
        ...

    def unlink(self, identity: Identity) -> LinkedIdentity | None:
        """Stop an account from signing anybody in; return what it was."""
        ...

    def linked(self, identity: Identity) -> LinkedIdentity | None:
        """Return whom an account signs in, or None."""
        ...

    def identities(self, person_id: str) -> tuple[LinkedIdentity, ...]:
        """Return a person's accounts."""
        ...


class SignInFlows(Protocol):
    """The time between leaving for the provider and coming back, bound to one browser's cookie."""

    def begin(self, now: str) -> str:
        """Begin a flow; return the secret for the cookie."""
        ...

    def spend(self, secret: str, now: str) -> bool:
        """Use a flow up, once; False when it is unknown, used or too old."""
        ...

    def keep(self, secret: str, identity: Identity) -> None:
        """Keep what the provider said in a spent flow, until the person says whether it is theirs."""
        ...

    def take(self, secret: str, now: str) -> Identity | None:
        """Return what was kept and forget it, once."""
        ...

    def kept(self, secret: str, now: str) -> Identity | None:
        """Return what was kept, and keep it."""
        ...


class Provider(Protocol):
    """An OpenID provider that the configuration names."""

    @property
    def label(self) -> str:
        """Return what people call it."""
        ...

    @property
    def issuer(self) -> str:
        """Return its exact address."""
        ...

    def address(self, secret: str) -> str:
        """Return where to send the browser of this flow. Raises: BoundaryError."""
        ...

    def matches(self, secret: str, state: str) -> bool:
        """Tell whether a state belongs to this flow."""
        ...

    def identity(self, secret: str, code: str, issuer: str | None) -> Identity:
        """Redeem a code and return whom the provider's checked ID token names. Raises: BoundaryError."""
        ...
