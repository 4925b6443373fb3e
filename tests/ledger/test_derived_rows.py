"""A row that somebody changed in a table read beside the events is named by verify, on either engine.

Roles, people, tokens, passwords and linked accounts follow from the world ledger; the places of ids and the memory of
commands follow from every ledger's own events.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pysqlite3
import pytest

from app.bootstrap import open_studio
from app.services.access import OWNER
from app.services.desk import Caller
from app.services.studio import Studio
from kernel.errors import CommandConflictError
from kernel.values.people import Identity
from kernel.vocabulary import Role, Via
from tests.ledger.test_tampering import Intruder
from tests.support.sandbox import install, sandbox_texts
from tests.support.walk import Walk

PASSWORD = "four small words here"
ACCOUNT = Identity("https://login.example", "4711")


@dataclass(frozen=True)
class Scene:
    """An installation with two people, a project, and every kind of credential; and the one who alters it."""

    studio: Studio
    project_id: str
    intruder: Intruder
    names: dict[str, str]

    @property
    def me(self) -> Caller:
        """The owner, on the command line."""
        return self.studio.access.caller(self.studio.world_id, OWNER, Via.CLI)

    def problems(self) -> list[str]:
        """Return everything that verify says about the world and the project."""
        ledgers = (self.studio.world_id, self.project_id)
        return [text for name in ledgers for text in self.studio.audits.verify(name).problems]

    def run(self, statement: str) -> list[tuple[object, ...]]:
        """Run a statement with names in braces; return the rows it returns."""
        found = self.intruder.run(statement.format(**self.names))
        return [tuple(row) for row in found.fetchall()] if found.description else []


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def scene(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """Return the installation on each engine, with nothing wrong in it."""
    folder = tmp_path_factory.mktemp("rows") / "data"
    is_postgres = request.param == "postgresql"
    url = request.getfixturevalue("postgres_server").fresh_database() if is_postgres else ""
    studio = open_studio(install(folder, url))
    walk = Walk(studio, sandbox_texts())
    walk.until("capture")
    me = studio.access.caller(studio.world_id, OWNER, Via.CLI)
    studio.people.add(me, "vera", "Vera", Role.VIEWER, ledger_id=walk.project_id)
    token = studio.access.issue_operator_token(me, OWNER, "bench", lifetime_s=3600)
    studio.access.issue_link(me, "vera")
    studio.sign_in.set_password(me, "vera", PASSWORD)
    studio.sign_in.link(me, "vera", ACCOUNT)
    connection = psycopg.connect(url, autocommit=True) if is_postgres else _sqlite(folder)
    names = {"world": studio.world_id, "project": walk.project_id, "token": token.id}
    intruder = Intruder(connection, is_postgres, walk.project_id)
    intruder.open_the_way()
    found = Scene(studio, walk.project_id, intruder, names)
    assert found.problems() == []
    yield found
    connection.close()


def _sqlite(folder: Path) -> object:
    (file,) = folder.glob("*.sqlite3")
    return pysqlite3.connect(str(file), isolation_level=None)


CHANGED: tuple[tuple[str, str, str, str], ...] = (
    (
        "a role made stronger",
        "UPDATE memberships SET role = 'owner' WHERE person_id = 'vera'",
        "memberships lets vera act as owner in {project}, the world ledger as viewer",
        "UPDATE memberships SET role = 'viewer' WHERE person_id = 'vera'",
    ),
    (
        "a role added",
        "INSERT INTO memberships (person_id, ledger_id, role) VALUES ('vera', '*', 'owner')",
        "memberships lets vera act as owner in every project, the world ledger as nobody",
        "DELETE FROM memberships WHERE person_id = 'vera' AND ledger_id = '*'",
    ),
    (
        "a role taken away",
        "DELETE FROM memberships WHERE person_id = 'vera'",
        "memberships lets vera act as nobody in {project}, the world ledger as viewer",
        "INSERT INTO memberships (person_id, ledger_id, role) VALUES ('vera', '{project}', 'viewer')",
    ),
    (
        "another name",
        "UPDATE people SET name = 'Owner' WHERE id = 'vera'",
        "people calls vera 'Owner', the world ledger 'Vera'",
        "UPDATE people SET name = 'Vera' WHERE id = 'vera'",
    ),
    (
        "a person added",
        "INSERT INTO people (id, name, created_at) VALUES ('eve', 'Eve', '2026-11-30T00:00:00.000000Z')",
        "people names eve, whom the world ledger does not know",
        "DELETE FROM people WHERE id = 'eve'",
    ),
    (
        "a token of somebody else",
        "UPDATE tokens SET person_id = 'vera' WHERE id = '{token}'",
        "tokens holds {token}, with which vera can act, but the world ledger issued it to owner as operator_token",
        "UPDATE tokens SET person_id = 'owner' WHERE id = '{token}'",
    ),
    (
        "a token that lasts",
        "UPDATE tokens SET expires_at = '9' || expires_at WHERE id = '{token}'",
        "tokens holds {token}, with which owner can act until 9",
        "UPDATE tokens SET expires_at = substr(expires_at, 2) WHERE id = '{token}'",
    ),
    (
        "a token nobody issued",
        "UPDATE tokens SET id = 'operator_00' WHERE id = '{token}'",
        "tokens holds operator_00, with which owner can act, but the world ledger never issued it",
        "UPDATE tokens SET id = '{token}' WHERE id = 'operator_00'",
    ),
    (
        "a link of somebody else",
        "UPDATE tokens SET person_id = 'owner' WHERE kind = 'signin'",
        "with which owner can act, but the world ledger issued it to vera as signin_link",
        "UPDATE tokens SET person_id = 'vera' WHERE kind = 'signin'",
    ),
    (
        "a password of somebody else",
        "UPDATE passwords SET person_id = 'owner'",
        "passwords holds {password}, with which owner can act, but the world ledger issued it to vera",
        "UPDATE passwords SET person_id = 'vera'",
    ),
    (
        "an account of somebody else",
        "UPDATE identities SET person_id = 'owner'",
        "identities holds {identity}, with which owner can act, but the world ledger issued it to vera",
        "UPDATE identities SET person_id = 'vera'",
    ),
    (
        "an id of another event",
        "UPDATE subjects SET seq = seq + 1 WHERE id = {subject}",
        "subjects says that event {after} brought {subject_id} into being, the events say event {seq} did",
        "UPDATE subjects SET seq = seq - 1 WHERE id = {subject}",
    ),
    (
        "an id of another project",
        "UPDATE subjects SET ledger_id = '{world}' WHERE id = {subject}",
        "subjects has no row for {subject_id}, which event {seq} brought into being",
        "UPDATE subjects SET ledger_id = '{project}' WHERE id = {subject}",
    ),
    (
        "an id that nothing made",
        "INSERT INTO subjects (id, ledger_id, seq) VALUES ('delta_0', '{project}', 2)",
        "subjects says that event 2 brought delta_0 into being, but no event of this ledger did",
        "DELETE FROM subjects WHERE id = 'delta_0'",
    ),
    (
        "a command of other events",
        "UPDATE commands SET count = count + 1 WHERE {command}",
        "of owner recorded events 1 to 2, the events say",
        "UPDATE commands SET count = count - 1 WHERE {command}",
    ),
    (
        "a command of somebody else",
        "UPDATE commands SET actor_id = 'vera' WHERE {command}",
        "of vera recorded event 1, the events say",
        "UPDATE commands SET actor_id = 'owner' WHERE {command}",
    ),
)
"""What was changed, how, what verify says of it, and how it is put back."""


@pytest.fixture
def known(scene: Scene) -> Scene:
    """Return the scene, its names told of rows too."""
    (password,) = scene.run("SELECT credential_id FROM passwords")
    (identity,) = scene.run("SELECT credential_id FROM identities")
    ((subject, seq),) = scene.run(
        "SELECT id, seq FROM subjects WHERE ledger_id = '{project}' ORDER BY id LIMIT 1"
    )
    scene.names.update(
        command=f"ledger_id = '{scene.project_id}' AND first_seq = 1",
        password=str(password[0]),
        identity=str(identity[0]),
        subject=f"'{subject}'",
        subject_id=str(subject),
        seq=str(seq),
        after=str(int(str(seq)) + 1),
    )
    return scene


@pytest.mark.parametrize("change", CHANGED, ids=[change[0] for change in CHANGED])
def test_a_changed_row_is_named(known: Scene, change: tuple[str, str, str, str]) -> None:
    """Verify says which table and which row; once it is put back, it says nothing."""
    _what, statement, said, undo = change
    known.run(statement)
    found = "\n".join(known.problems())
    known.run(undo)
    assert said.format(**known.names) in found
    assert known.problems() == []


def test_a_forgotten_command_is_named(known: Scene) -> None:
    """A deleted row lets a command that is sent again be carried out again; verify says which."""
    ((actor, command, mac, count),) = known.run(
        "SELECT actor_id, command_id, material_mac, count FROM commands WHERE {command}"
    )
    known.run("DELETE FROM commands WHERE {command}")
    found = known.problems()
    known.intruder.run(
        "INSERT INTO commands VALUES (?, ?, ?, ?, ?, ?)", known.project_id, actor, command, mac, 1, count
    )
    said = f"the table commands has no row for {command} of owner, which recorded event 1: "
    assert found == [said + "sent again, it would be carried out again"]
    assert known.problems() == []


def test_a_revoked_token_that_lives_is_named(known: Scene) -> None:
    """Whoever wakes a token in the table does not wake it in the world ledger."""
    token = known.studio.access.issue_operator_token(known.me, OWNER, "short", lifetime_s=60)
    known.studio.access.revoke_token(known.me, token.id)
    known.intruder.run("UPDATE tokens SET revoked_at = NULL WHERE id = ?", token.id)
    (found,) = known.problems()
    known.intruder.run("DELETE FROM tokens WHERE id = ?", token.id)
    assert f"the table tokens holds {token.id}, with which owner can act, but event" in found
    assert found.endswith("of the world ledger revoked it")


def test_a_start_gives_back_the_roles_of_the_ledger(known: Scene) -> None:
    """What a start does: roles follow the world ledger again, and everything else waits for verify."""
    known.run("UPDATE memberships SET role = 'owner' WHERE person_id = 'vera'")
    known.studio.people.settle()
    assert known.studio.directory.role_of("vera", known.project_id) is Role.VIEWER
    assert known.problems() == []


def test_what_came_by_a_bundle_is_remembered(tmp_path: Path) -> None:
    """A command whose events were imported is known to have been carried out: sent again it is refused, not done."""
    home, bundle = open_studio(install(tmp_path / "home")), tmp_path / "bundle"
    walk = Walk(home, sandbox_texts())
    walk.until("capture")
    home.leaving.export(walk.project_id, OWNER, bundle)
    abroad = open_studio(install(tmp_path / "abroad"))
    abroad.importing.take(abroad.access.caller(abroad.world_id, OWNER, Via.CLI), bundle)
    assert abroad.audits.verify(walk.project_id, strict=True).problems == ()
    first = abroad.desk.ledger.read(walk.project_id, 0, 1)[0].event
    with pytest.raises(CommandConflictError, match="send a fresh id"):
        abroad.desk.ledger.find_command(walk.project_id, first.actor.id, first.command, b"{}")
