"""Who is known, signed in, and holds which role where: given and ended by owners, recorded in the world ledger, in force at once.

The world ledger is the trace and the tables decide who may act now; after every act the table follows the ledger,
and a start brings the two together again. Somebody without any role left is shut out: their sessions end, and
their links and operator tokens stop.
"""

import logging
from dataclasses import dataclass
from typing import Final

from app.services.access import OWNER, Access
from app.services.desk import Caller
from kernel.commands import GrantRole, IssueCredential, RevokeRole
from kernel.errors import AuthorityError, InvalidError, NotFoundError, RefusedError
from kernel.values.people import Issued, Person
from kernel.vocabulary import Role

_log = logging.getLogger(__name__)

GRANTED: Final = (Role.OWNER, Role.REVIEWER, Role.VIEWER)
"""The roles a person may be given, the strongest first. Operators act by a token instead."""


@dataclass(frozen=True, slots=True)
class Ended:
    """What ending somebody's roles did."""

    scopes: tuple[str | None, ...]
    """The projects in which a role ended; None for every project."""
    sessions: int
    """How many of their sessions ended."""


@dataclass(frozen=True, slots=True)
class People:
    """Makes people known and signs them in and out; gives and ends their roles."""

    access: Access

    def add(self, caller: Caller, person_id: str, name: str, role: Role, *, ledger_id: str | None) -> Person:
        """Make a person known, with their first role in one project, or in every one (None).

        Raises: AuthorityError unless the caller owns the installation; NotFoundError for an unknown project;
        InvalidError for the id, the name or the role; ConflictError when the id is taken.
        """
        self._require_owner(caller, "adds people")
        _require_given(role)
        self._require_project(ledger_id)
        return self.access.add_person(caller, person_id, name, role, ledger_id=ledger_id)

    def invite(self, caller: Caller, person_id: str) -> Issued | None:
        """Make a one-time sign-in link for a person; None when the same command made it before: it is shown once.

        Raises: AuthorityError unless the caller owns the installation; NotFoundError for somebody without a role.
        """
        self._require_owner(caller, "hands out sign-in links")
        if not self.access.directory.memberships(person_id):
            message = f"there is no person {person_id} with a role here"
            raise NotFoundError(message)
        now = self.access.desk.clock.now()
        issued = self.access.directory.issue_link(person_id, now)
        command = IssueCredential(issued.id, person_id, "signin_link", issued.expires_at)
        material = {"invite": person_id}
        done = self.access.desk.act(self.access.world_id, caller, command, material=material)
        if not done.repeated:
            return issued
        self.access.directory.revoke_token(issued.id, now)
        return None

    def sign_out(self, caller: Caller, person_id: str) -> int:
        """End every session and every unused link of a person; return how many sessions ended.

        Raises: AuthorityError unless the caller owns the installation; NotFoundError for an unknown person.
        """
        self._require_owner(caller, "ends other people's sessions")
        directory, now = self.access.directory, self.access.desk.clock.now()
        if directory.person(person_id) is None:
            message = f"there is no person {person_id}"
            raise NotFoundError(message)
        directory.end_links(person_id, now)
        ended = directory.end_sessions(person_id, now)
        _log.warning("%s ended %d sessions of %s", caller.actor.id, ended, person_id)
        return ended

    def grant(self, caller: Caller, person_id: str, role: Role, *, ledger_id: str | None) -> None:
        """Let a person act in a role in one project, or in every one (None), in place of an earlier one there.

        Raises: NotFoundError for an unknown person or project; AuthorityError unless the caller owns it;
        RefusedError when the installation would lose its last owner, or the command line its own.
        """
        _require_given(role)
        self._require_project(ledger_id)
        if role is not Role.OWNER:
            _require_owner_stays(person_id, ledger_id)
        material = {"grant": person_id, "role": role.value, "ledger": ledger_id}
        command = GrantRole(person_id, role, ledger_id)
        self.access.desk.act(self.access.world_id, caller, command, material=material)
        self._follow(person_id)

    def revoke(self, caller: Caller, person_id: str, *, ledger_id: str | None) -> None:
        """End the role a person holds in one project, or the one that holds in every project (None).

        Raises: NotFoundError when they hold none there; AuthorityError; RefusedError as for `grant`.
        """
        _require_owner_stays(person_id, ledger_id)
        material = {"revoke": person_id, "ledger": ledger_id}
        command = RevokeRole(person_id, ledger_id)
        self.access.desk.act(self.access.world_id, caller, command, material=material)
        self._follow(person_id)
        if not self.access.directory.memberships(person_id):
            self._shut_out(caller, person_id)

    def dismiss(self, caller: Caller, person_id: str) -> Ended:
        """End every role of a person; they are shut out.

        Raises: NotFoundError when they hold none; RefusedError and AuthorityError as for `revoke`.
        """
        scopes = tuple(held.ledger_id for held in self.access.directory.memberships(person_id))
        if not scopes:
            message = f"{person_id} has no role here"
            raise NotFoundError(message)
        now = self.access.desk.clock.now()
        sessions = len(self.access.directory.sessions(person_id, now))
        for scope in reversed(scopes):
            self.revoke(caller.again(), person_id, ledger_id=scope)
        return Ended(scopes, sessions)

    def opened(self, caller: Caller, ledger_id: str) -> None:
        """Make whoever opened a project its owner, unless they are that already by their role everywhere.

        Raises: the desk's errors.
        """
        person_id = caller.actor.id
        if self.access.directory.role_of(person_id, ledger_id) is Role.OWNER:
            return
        actor = caller.actor.model_copy(update={"role": Role.OWNER})
        # Under the command that opened the project: sent again, it gives nothing that was taken meanwhile.
        again = Caller(actor, caller.via, caller.command_id)
        command = GrantRole(person_id, Role.OWNER, ledger_id)
        self.access.desk.act(self.access.world_id, again, command, material={"opened": ledger_id})
        self._follow(person_id)

    def settle(self) -> None:
        """Bring the table to what the world ledger says, where a process ended between the two or a hand changed it."""
        for person in self.access.directory.people():
            before = self.access.directory.memberships(person.id)
            self._follow(person.id)
            if before != self.access.directory.memberships(person.id):
                _log.warning("the roles of %s were not those of the world ledger; they are now", person.id)

    def _require_owner(self, caller: Caller, what: str) -> None:
        """Refuse whoever owns less than the installation; `what` completes "only an owner of it ..."."""
        if self.access.directory.role_of(caller.actor.id, self.access.world_id) is not Role.OWNER:
            message = f"only an owner of the installation {what}"
            raise AuthorityError(message)

    def _require_project(self, ledger_id: str | None) -> None:
        if ledger_id == self.access.world_id:
            message = "the world is no project; give the role in every project instead"
            raise InvalidError(message)
        if ledger_id is not None:
            self.access.desk.state(ledger_id)

    def _follow(self, person_id: str) -> None:
        """Give the person exactly the roles of the world ledger, again when it moved meanwhile."""
        seq = -1
        while (state := self.access.desk.state(self.access.world_id)).seq != seq:
            seq = state.seq
            record = state.authority.principals.get(person_id)
            wanted = {} if record is None else dict(record.roles)
            held = {item.ledger_id: item.role for item in self.access.directory.memberships(person_id)}
            for scope in held.keys() - wanted.keys():
                self.access.directory.withdraw(person_id, ledger_id=scope)
            for scope, role in wanted.items():
                if held.get(scope) is not role:
                    self.access.directory.grant(person_id, role, ledger_id=scope)

    def _shut_out(self, caller: Caller, person_id: str) -> None:
        directory, now = self.access.directory, self.access.desk.clock.now()
        directory.end_sessions(person_id, now)
        directory.end_links(person_id, now)
        for token in directory.operator_tokens(person_id):
            if token.revoked_at is None and token.expires_at > now:
                self.access.revoke_token(caller.again(), token.id)


def _require_given(role: Role) -> None:
    if role not in GRANTED:
        message = "a person is owner, reviewer or viewer; an operator acts by a token of their own"
        raise InvalidError(message)


def _require_owner_stays(person_id: str, ledger_id: str | None) -> None:
    """Refuse to take the installation from the person whom its own command line acts as.

    Raises: RefusedError.
    """
    if person_id == OWNER and ledger_id is None:
        message = (
            f"`{OWNER}` is whom the command line acts as, so that person stays an owner of the installation: whoever "
            "reads the data folder is its owner anyway"
        )
        raise RefusedError(message, code="owner_stays")
