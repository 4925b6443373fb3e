"""Who is known here, and what they may open."""

from typing import Protocol

from kernel.values.people import Issued, Membership, OperatorToken, Person, Session
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

    def sign_in(self, secret: str, now: str, *, label: str) -> Issued:
        """Spend a link and open a session. Raises: AuthorityError."""
        ...

    def session(self, secret: str, now: str) -> Session | None:
        """Return the live session of this secret."""
        ...

    def sessions(self, person_id: str, now: str) -> tuple[Session, ...]:
        """Return a person's live sessions."""
        ...

    def end_session(self, session_id: str, now: str, *, person_id: str) -> None:
        """End one of the person's sessions."""
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
