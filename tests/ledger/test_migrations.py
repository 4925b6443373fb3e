"""The migrated schema is the one the code knows, and it only moves forward."""

import subprocess
import sys
from pathlib import Path

import pytest
from alembic import command

from adapters.ledger import Store, migrate, schema_problems
from adapters.ledger.migrate import _config
from adapters.ledger.store import driver_cursor
from kernel.errors import ConfigurationError, LedgerUnavailableError
from tests.ledger.building import LEDGER, Author, open_store, prepare, sql_ledger


def test_the_migrated_schema_does_not_drift(tmp_path: Path) -> None:
    """A database built by the migrations has exactly the tables the code describes."""
    prepare(tmp_path)
    store = open_store(tmp_path)
    assert schema_problems(store) == ()
    with store.writing() as connection:
        driver_cursor(connection).execute("ALTER TABLE people ADD COLUMN nickname TEXT")
    (problem,) = schema_problems(store)
    assert problem.startswith("the schema differs: ('remove_column'")
    store.close()


def test_an_older_database_is_named(tmp_path: Path) -> None:
    """A database without this version's schema says what it needs."""
    store = Store(f"sqlite:///{tmp_path}/odeu.db")
    assert schema_problems(store) == (
        "the database is at schema none, this version needs 20261202_passwords_identities: migrate it",
    )
    store.close()


def test_migrating_again_keeps_everything(tmp_path: Path) -> None:
    """Every start migrates; a database that is up to date stays as it is."""
    url = prepare(tmp_path)
    store = open_store(tmp_path)
    ledger = sql_ledger(tmp_path, store)
    ledger.append(LEDGER, 0, [Author().opened()])
    before = ledger.audit(LEDGER)
    migrate(url)
    assert ledger.audit(LEDGER) == before
    store.close()


def test_processes_that_start_together_migrate_once(tmp_path: Path) -> None:
    """Several first starts at once end with one schema and no error."""
    url = f"sqlite:///{tmp_path}/odeu.db"
    program = "import sys; from adapters.ledger import migrate; migrate(sys.argv[1])"
    root = Path(__file__).resolve().parents[2]
    starts = [subprocess.Popen([sys.executable, "-c", program, url], cwd=root) for _ in range(3)]
    assert [start.wait(timeout=60) for start in starts] == [0, 0, 0]
    store = Store(url)
    assert schema_problems(store) == ()
    store.close()


def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    """An upgrade is one transaction: what stands in its way leaves the database as it was."""
    url = f"sqlite:///{tmp_path}/odeu.db"
    store = Store(url)
    with store.writing() as connection:
        driver_cursor(connection).execute("CREATE TABLE tokens (id TEXT)")
    with pytest.raises(LedgerUnavailableError, match="table tokens already exists"):
        migrate(url)
    with store.reading() as connection:
        names = driver_cursor(connection).execute("SELECT name FROM sqlite_master").fetchall()
    assert names == [("tokens",)]
    store.close()


def test_a_newer_database_is_refused(tmp_path: Path) -> None:
    """A database of a later version is not touched."""
    url = prepare(tmp_path)
    store = open_store(tmp_path)
    with store.writing() as connection:
        driver_cursor(connection).execute("UPDATE alembic_version SET version_num = '29990101_later'")
    with pytest.raises(ConfigurationError, match="made by a newer version of this product"):
        migrate(url)
    store.close()


def test_history_is_not_taken_back(tmp_path: Path) -> None:
    """Going back is refused with the way out."""
    prepare(tmp_path)
    store = open_store(tmp_path)
    config = _config()
    with store.writing() as connection:
        config.attributes["connection"] = connection
        with pytest.raises(RuntimeError, match="only moves forward; restore a backup"):
            command.downgrade(config, "base")
    assert schema_problems(store) == ()
    store.close()
