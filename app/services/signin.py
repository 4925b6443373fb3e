"""Ways to sign in beside the one-time link: a password, or an account at the configured provider.

The world ledger records that a credential was issued or revoked, by id; the secrets and the names of accounts
stand in tables alone. Whoever changes a way to sign in ends their other sessions. Somebody without any role is
not signed in. Nothing tells an unknown person from a wrong password.
"""

import logging
from dataclasses import dataclass
from typing import Final

from app.ports import Credentials, Provider, SignInFlows
from app.services.access import Access
from app.services.desk import Caller
from kernel.commands import IssueCredential, RevokeCredential
from kernel.errors import AuthorityError, ConflictError, InvalidError, NotFoundError
from kernel.values.people import Identity, Issued, LinkedIdentity
from kernel.values.stamp import Actor
from kernel.vocabulary import ActorKind, Role, Via

PASSWORD_CHARS_MIN: Final = 12
PASSWORD_CHARS_MAX: Final = 1024

_STRONGEST: Final = (Role.OWNER, Role.REVIEWER, Role.VIEWER)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SignIn:
    """Sets, checks and ends ways to sign in."""

    access: Access
    credentials: Credentials
    flows: SignInFlows
    provider: Provider | None

    def myself(self, person_id: str, via: Via) -> Caller:
        """Return a person as who they are at their strongest, which is enough for their own ways to sign in.

        Raises: AuthorityError when they have no role left.
        """
        held = {item.role for item in self.access.directory.memberships(person_id)}
        for role in _STRONGEST:
            if role in held:
                return Caller(Actor(kind=ActorKind.HUMAN, id=person_id, role=role), via)
        message = "you have no role here any more; ask an owner"
        raise AuthorityError(message)

    # ------------------------------------------------------------------------------------ passwords

    def set_password(self, caller: Caller, person_id: str, text: str, *, but: str | None = None) -> int:
        """Give a person a password in place of an earlier one; return how many sessions ended, all `but` one.

        Raises: InvalidError for its length; NotFoundError for somebody without a role.
        """
        if not PASSWORD_CHARS_MIN <= len(text) <= PASSWORD_CHARS_MAX:
            message = f"a password has {PASSWORD_CHARS_MIN} to {PASSWORD_CHARS_MAX} characters; a few words in a row do well"
            raise InvalidError(message)
        self._require_role(person_id)
        credential_id = self._record(caller, person_id, "password")
        now = self.access.desk.clock.now()
        earlier = self.credentials.set_password(person_id, text, now, credential_id=credential_id)
        ended = self.access.directory.end_sessions(person_id, now, but=but)
        self._revoked(caller, earlier)
        return ended

    def drop_password(self, caller: Caller, person_id: str, *, but: str | None = None) -> None:
        """Forget a person's password and end their sessions, all `but` one.

        Raises: NotFoundError when there is none.
        """
        earlier = self.credentials.drop_password(person_id)
        if earlier is None:
            message = f"{person_id} has no password"
            raise NotFoundError(message)
        self.access.directory.end_sessions(person_id, self.access.desk.clock.now(), but=but)
        self._revoked(caller, earlier)

    def require_present(self, person_id: str, current: str) -> None:
        """Refuse when a person has a password and this is not it.

        Raises: AuthorityError.
        """
        if self.credentials.password(person_id) is None or self.credentials.is_right(person_id, current):
            return
        _log.warning("refused wrong_password: %s, changing it", person_id)
        message = "the present password is another one; nothing was changed"
        raise AuthorityError(message, code="wrong_password")

    def by_password(self, person_id: str, text: str, *, label: str) -> Issued:
        """Open a session for whoever knows the password.

        Raises: AuthorityError, in the same words whatever was wrong.
        """
        is_right = self.credentials.is_right(person_id, text)
        if not is_right or not self.access.directory.memberships(person_id):
            # Neither what was typed as a name: people type their password there by mistake.
            _log.warning("refused wrong_password: signing in")
            message = "this id and this password do not belong together"
            raise AuthorityError(message, code="wrong_password")
        return self.access.directory.begin_session(person_id, self.access.desk.clock.now(), label=label)

    # ------------------------------------------------------------------------------------- accounts

    def leave(self) -> tuple[str, str]:
        """Begin a flow; return the secret for the browser's cookie and the provider's address.

        Raises: NotFoundError when no provider is configured; BoundaryError when it cannot be asked.
        """
        provider = self._provider()
        secret = self.flows.begin(self.access.desk.clock.now())
        return secret, provider.address(secret)

    def return_from(self, secret: str, state: str, code: str, issuer: str | None) -> Identity:
        """Take the provider's answer into the flow it belongs to, once; return whom it names.

        Raises: AuthorityError, `signin_flow` for a foreign, used or old flow, or the provider's own reasons.
        """
        provider = self._provider()
        if not secret or not provider.matches(secret, state):
            raise _foreign_flow()
        if not self.flows.spend(secret, self.access.desk.clock.now()):
            raise _foreign_flow()
        identity = provider.identity(secret, code, issuer)
        self.flows.keep(secret, identity)
        return identity

    def by_identity(self, identity: Identity, *, label: str) -> Issued | None:
        """Open a session for the person an account is linked to; None when it is linked to nobody with a role."""
        linked = self.credentials.linked(identity)
        if linked is None or not self.access.directory.memberships(linked.person_id):
            _log.warning("refused unlinked_identity: signing in")
            return None
        now = self.access.desk.clock.now()
        return self.access.directory.begin_session(linked.person_id, now, label=label)

    def link(self, caller: Caller, person_id: str, identity: Identity) -> None:
        """Let an account sign a person in from now on.

        Raises: ConflictError when it signs somebody in already; InvalidError; NotFoundError.
        """
        require_account(identity)
        self._require_role(person_id)
        if self.credentials.linked(identity) is not None:
            message = "this account signs somebody in already; unlink it there first"
            raise ConflictError(message)
        credential_id = self._record(caller, person_id, "identity")
        now = self.access.desk.clock.now()
        self.credentials.link(LinkedIdentity(identity, person_id, credential_id, now))

    def unlink(self, caller: Caller, person_id: str, credential_id: str, *, but: str | None = None) -> None:
        """Stop one of a person's accounts from signing them in, and end their sessions, all `but` one.

        Raises: NotFoundError when it is none of theirs.
        """
        for linked in self.credentials.identities(person_id):
            if linked.credential_id == credential_id:
                self.credentials.unlink(linked.identity)
                now = self.access.desk.clock.now()
                self.access.directory.end_sessions(person_id, now, but=but)
                self._revoked(caller, credential_id)
                return
        message = f"{person_id} has no such account"
        raise NotFoundError(message)

    def _provider(self) -> Provider:
        if self.provider is None:
            message = "no sign-in provider is configured here"
            raise NotFoundError(message)
        return self.provider

    def _require_role(self, person_id: str) -> None:
        if self.access.directory.person(person_id) is None or not self.access.directory.memberships(
            person_id
        ):
            message = f"there is no person {person_id} with a role here"
            raise NotFoundError(message)

    def _record(self, caller: Caller, person_id: str, kind: str) -> str:
        assert kind in {"password", "identity"}
        credential_id = self.access.desk.stamp(caller.again()).id(kind)
        command = IssueCredential(credential_id, person_id, kind, None)  # type: ignore[arg-type]
        self.access.desk.act(self.access.world_id, caller.again(), command)
        return credential_id

    def _revoked(self, caller: Caller, credential_id: str | None) -> None:
        if credential_id is not None:
            self.access.desk.act(self.access.world_id, caller.again(), RevokeCredential(credential_id))


def require_account(identity: Identity) -> None:
    """Refuse what no provider calls an account.

    Raises: InvalidError.
    """
    if not identity.issuer.startswith(("https://", "http://")) or not 1 <= len(identity.subject) <= 255:  # noqa: PLR2004 - the specification's bound
        message = "an account is named by its issuer's address and a subject of 1 to 255 characters"
        raise InvalidError(message)
    # A control character is in nobody's name, and PostgreSQL does not even hold a NUL.
    if not (identity.issuer + identity.subject).isprintable():
        message = "an account's issuer and subject hold no control characters"
        raise InvalidError(message)


def _foreign_flow() -> AuthorityError:
    _log.warning("refused signin_flow: returning from the provider")
    message = "this answer belongs to no sign-in that was begun in this browser, or to one that is used or too old; begin again"
    return AuthorityError(message, code="signin_flow")
