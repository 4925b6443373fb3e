"""Who may act: from an authenticated person or token to the caller a command carries."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from app.ports import Directory
from app.services.desk import Caller, Desk
from app.services.registry import Registry
from kernel.commands import AddPrincipal, GrantRole, IssueCredential, RevokeCredential
from kernel.errors import AuthorityError, ConflictError, InvalidError, NotFoundError
from kernel.ids import is_id
from kernel.rules.unseen import require_meant
from kernel.state import ImportRecord, State
from kernel.values.people import Issued, OperatorToken, Person
from kernel.values.stamp import Actor
from kernel.vocabulary import ActorKind, Role, Via

OWNER: Final = "owner"
"""The person that `init` creates and the command line acts as."""

_SLUG: Final = re.compile(r"[a-z][a-z0-9-]{0,39}")
_CROCKFORD: Final = "0123456789abcdefghjkmnpqrstvwxyz"


def command_id_for(actor_id: str, key: str | None) -> str | None:
    """Return the command id of an idempotency key: itself when it is one, else derived from actor and key.

    Raises: InvalidError for an empty or overlong key.
    """
    if key is None:
        return None
    if not 1 <= len(key) <= 200:  # noqa: PLR2004 - the bound named in the message
        message = "an Idempotency-Key has 1 to 200 characters"
        raise InvalidError(message)
    if is_id(key, "command"):
        return key
    number = int.from_bytes(hashlib.sha256(f"{actor_id}\0{key}".encode()).digest()[:16], "big") >> 3
    digits = []
    for _ in range(26):
        number, digit = divmod(number, 32)
        digits.append(_CROCKFORD[digit])
    return "command_" + "".join(reversed(digits))


class ImportedNames(Mapping[str, str]):
    """The people of another installation: none of ours, even when the ids are alike."""

    def __getitem__(self, key: str) -> str:
        """Return the id, marked."""
        return f"imported:{key}"

    def __iter__(self) -> Iterator[str]:
        """Yield nothing: who they are is not known here."""
        return iter(())

    def __len__(self) -> int:
        """Return 0."""
        return 0


@dataclass(frozen=True, slots=True)
class Access:
    """Turns people and tokens into callers; keeps the world ledger's trace of authority."""

    desk: Desk
    directory: Directory
    registry: Registry
    world_id: str

    def role(self, ledger_id: str, person_id: str) -> Role:
        """Return the person's role in a ledger.

        Raises: NotFoundError when there is none: a ledger one may not see does not exist.
        """
        role = self.directory.role_of(person_id, ledger_id)
        if role is None:
            message = f"there is no project {ledger_id}"
            raise NotFoundError(message)
        return role

    def caller(self, ledger_id: str, person_id: str, via: Via, *, key: str | None = None) -> Caller:
        """Return the person as an actor in this ledger.

        Raises: NotFoundError when they have no role; AuthorityError when the door is closed to people.
        """
        role = self.role(ledger_id, person_id)
        if self.imported(ledger_id) is not None:
            message = (
                "this project was recorded by another installation: it is read here, and nobody acts on it"
            )
            raise AuthorityError(message, code="imported")
        if via not in self.registry.doors:
            message = f"people may not act through {via.value} here; the configuration forbids it"
            raise AuthorityError(message)
        actor = Actor(kind=ActorKind.HUMAN, id=person_id, role=role)
        return Caller(actor, via, command_id_for(person_id, key))

    def imported(self, ledger_id: str) -> ImportRecord | None:
        """Return where a project comes from when another installation recorded it."""
        if ledger_id == self.world_id:
            return None
        return self.desk.state(self.world_id).authority.imports.get(ledger_id)

    def keeper(self, ledger_id: str | None, person_id: str, via: Via, *, key: str | None = None) -> Caller:
        """Return the person as who they are where a role is to hold: in the installation, or in one project.

        An owner of the installation is that everywhere. Whether the role suffices is the kernel's to say.
        Raises: NotFoundError when they have no role there; AuthorityError when the door is closed to people.
        """
        is_owner = self.directory.role_of(person_id, self.world_id) is Role.OWNER
        scope = self.world_id if ledger_id is None or is_owner else ledger_id
        return self.caller(scope, person_id, via, key=key)

    def names(self, ledger_id: str | None = None) -> Mapping[str, str]:
        """Return what people are called; in an imported project each is `imported:` and their id there."""
        if ledger_id is not None and self.imported(ledger_id) is not None:
            return ImportedNames()
        return {person.id: person.name for person in self.directory.people()}

    def operator(self, secret: str, now: str) -> OperatorToken:
        """Return the live token of this secret.

        Raises: AuthorityError; nothing says whether it is unknown, expired or revoked.
        """
        token = self.directory.operator(secret, now)
        if token is None:
            message = "this operator token is unknown, expired or revoked"
            raise AuthorityError(message, code="operator_token")
        return token

    def operator_caller(self, person_id: str, via: Via) -> Caller:
        """Return the holder of an operator token as the operator they act as."""
        return Caller(Actor(kind=ActorKind.OPERATOR, id=person_id, role=Role.OPERATOR), via)

    def add_person(
        self, caller: Caller, person_id: str, name: str, role: Role, *, ledger_id: str | None = None
    ) -> Person:
        """Make a person known, with one role in one project, or in every one (None), and leave the trace.

        The same command again adds nobody and gives nothing anew.
        Raises: InvalidError for a malformed id; ConflictError when it is taken; AuthorityError.
        """
        if not _SLUG.fullmatch(person_id):
            message = "a person's id is a lower-case name such as `mira`, up to 40 letters, digits and dashes"
            raise InvalidError(message)

        def command(state: State) -> AddPrincipal:
            if person_id in state.authority.principals:
                message = f"{person_id} is already known here; choose another id"
                raise ConflictError(message)
            return AddPrincipal(person_id, name)

        known = self.desk.state(self.world_id).authority.principals.get(person_id)
        person = self.directory.person(person_id)
        has_role = person is not None and bool(self.directory.memberships(person_id))
        if known is None or has_role:
            material = {"person": person_id, "name": name, "role": role.value, "ledger": ledger_id}
            done = self.desk.act(self.world_id, caller, command, material=material)
            if done.repeated and person is not None and has_role:
                return person
        # Whoever was added only in part, because a process ended between these steps, is added to the end.
        self.desk.act(self.world_id, caller.again(), GrantRole(person_id, role, ledger_id))
        if person is None:
            person = self.directory.add_person(person_id, name, self.desk.clock.now())
        self.directory.grant(person_id, role, ledger_id=ledger_id)
        return person

    def issue_link(self, caller: Caller, person_id: str) -> Issued:
        """Make a one-time sign-in link and leave its trace.

        Raises: NotFoundError when there is no such person.
        """
        issued = self.directory.issue_link(person_id, self.desk.clock.now())
        command = IssueCredential(issued.id, person_id, "signin_link", issued.expires_at)
        self.desk.act(self.world_id, caller, command)
        return issued

    def issue_operator_token(self, caller: Caller, person_id: str, name: str, *, lifetime_s: int) -> Issued:
        """Make an operator's Bearer and leave its trace; the secret is shown once.

        Raises: NotFoundError; InvalidError; AuthorityError unless the caller is an owner.
        """
        if caller.actor.role is not Role.OWNER or caller.via is not Via.CLI:
            message = "operator tokens are made on the command line, by the owner"
            raise AuthorityError(message)
        require_meant(name, "name")
        issued = self.directory.issue_operator_token(
            person_id, name, self.desk.clock.now(), lifetime_s=lifetime_s
        )
        command = IssueCredential(issued.id, person_id, "operator_token", issued.expires_at)
        self.desk.act(self.world_id, caller, command)
        return issued

    def revoke_token(self, caller: Caller, token_id: str) -> None:
        """Stop a token at once, and leave the trace.

        Raises: NotFoundError.
        """
        self.directory.revoke_token(token_id, self.desk.clock.now())
        self.desk.act(self.world_id, caller, RevokeCredential(token_id))
