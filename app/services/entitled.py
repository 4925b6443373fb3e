"""Whether the tables that decide who may act now say what the world ledger recorded.

Roles, people, live tokens, passwords and linked accounts all follow from events of the world ledger; whoever reaches
the database past the product can add a row, and this names it. Not compared, because no event holds it: sessions, and
the codes that secrets are checked against.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

from app.ports import Credentials
from app.services.access import Access
from kernel.state import Authority
from kernel.vocabulary import Role

_LOOK_AGAIN_S: Final = 0.25
"""A row and its event are two writes; what is amiss only for so long is somebody's act under way."""


@dataclass(frozen=True, slots=True)
class Entitlements:
    """Compares the tables of people with the world ledger."""

    access: Access
    credentials: Credentials

    def problems(self, ledger_id: str) -> tuple[str, ...]:
        """Return what the tables say otherwise: about one project, or in the world ledger about everything else."""
        found = tuple(self._look(ledger_id))
        if not found:
            return ()
        time.sleep(_LOOK_AGAIN_S)
        again = set(self._look(ledger_id))
        return tuple(problem for problem in found if problem in again)

    def _look(self, ledger_id: str) -> Iterator[str]:
        is_world = ledger_id == self.access.world_id
        authority = self.access.desk.state(self.access.world_id).authority
        yield from self._role_problems(authority, ledger_id, is_world=is_world)
        if is_world:
            yield from self._people_problems(authority)
            yield from self._credential_problems(authority)

    def _role_problems(self, authority: Authority, ledger_id: str, *, is_world: bool) -> Iterator[str]:
        # What holds in no ledger that is here is told with the world, so that no row is told of by nobody.
        others = set(self.access.desk.ledger.ledgers()) - {ledger_id}
        held = {
            (item.person_id, item.ledger_id): item.role
            for item in self.access.directory.memberships()
            if (item.ledger_id not in others if is_world else item.ledger_id == ledger_id)
        }
        given = {
            (person.principal_id, scope): role
            for person in authority.principals.rows()
            for scope, role in person.roles
            if (scope not in others if is_world else scope == ledger_id)
        }
        for person, scope in sorted(held.keys() | given.keys(), key=str):
            has, may = held.get((person, scope)), given.get((person, scope))
            if has is not may:
                yield (
                    f"the table memberships lets {person} act as {_role(has)} in {scope or 'every project'}, the world "
                    f"ledger as {_role(may)}; the next start of the server follows the ledger"
                )

    def _people_problems(self, authority: Authority) -> Iterator[str]:
        named = {person.id: person.name for person in self.access.directory.people()}
        for person_id, name in sorted(named.items()):
            record = authority.principals.get(person_id)
            if record is None:
                yield f"the table people names {person_id}, whom the world ledger does not know"
            elif record.name.text not in {None, name}:
                yield f"the table people calls {person_id} {name!r}, the world ledger {record.name.text!r}"
        for record in authority.principals.rows():
            if record.principal_id not in named:
                yield f"the table people has no row for {record.principal_id}, whom the world ledger knows"

    def _credential_problems(self, authority: Authority) -> Iterator[str]:
        now, directory = self.access.desk.clock.now(), self.access.directory
        for token in directory.operator_tokens():
            if token.revoked_at is None and token.expires_at > now:
                row: _Row = ("tokens", token.person_id, "operator_token", token.expires_at)
                yield from _unissued(authority, token.id, row)
        for link_id, person_id, expires_at in directory.open_links(now):
            yield from _unissued(authority, link_id, ("tokens", person_id, "signin_link", expires_at))
        for person in directory.people():
            facts = self.credentials.password(person.id)
            if facts is not None:
                row = ("passwords", person.id, "password", None)
                yield from _unissued(authority, facts.credential_id, row)
            for linked in self.credentials.identities(person.id):
                row = ("identities", person.id, "identity", None)
                yield from _unissued(authority, linked.credential_id, row)


_Row: TypeAlias = tuple[str, str, str, str | None]
"""table, person, kind of credential, until when it opens anything"""


def _unissued(authority: Authority, credential_id: str, row: _Row) -> Iterator[str]:
    """Yield why a row that opens something should not: nobody issued it so, or it was revoked."""
    table, person_id, kind, expires_at = row
    record = authority.credentials.get(credential_id)
    said = f"the table {table} holds {credential_id}, with which {person_id} can act"
    if record is None:
        yield f"{said}, but the world ledger never issued it"
    elif (record.body.principal_id, record.body.kind) != (person_id, kind):
        yield f"{said}, but the world ledger issued it to {record.body.principal_id} as {record.body.kind}"
    elif record.body.expires_at != expires_at:
        yield f"{said} until {expires_at}, but the world ledger says until {record.body.expires_at}"
    elif record.revoked is not None:
        yield f"{said}, but event {record.revoked.seq} of the world ledger revoked it"


def _role(role: Role | None) -> str:
    return "nobody" if role is None else role.value
