"""Brings a database to the schema of this version, and tells whether it is there.

Every step of an upgrade runs in one transaction under the write lock, so that two processes that start at once
upgrade one after the other, and a process that dies leaves the older schema whole.
"""

from pathlib import Path
from typing import Final

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError

from adapters.ledger.database import Database
from adapters.ledger.engines import open_store
from adapters.ledger.schema import metadata
from kernel.errors import ConfigurationError

_FOLDER: Final = Path(__file__).resolve().parents[2] / "migrations"


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config


def migrate(database_url: str, *, to: str = "head") -> None:
    """Create the database when it is absent, and upgrade it to the newest schema, or only to an older one.

    Raises: ConfigurationError when the database was made by a newer version; LedgerUnavailableError when it
            cannot be opened or written.
    """
    store = open_store(database_url)
    try:
        with store.writing(alone=True) as connection:
            config = _config()
            config.attributes["connection"] = connection
            command.upgrade(config, to)
    except CommandError as err:
        raise ConfigurationError(
            "the database was made by a newer version of this product; start that version instead"
        ) from err
    finally:
        store.close()


def schema_problems(store: Database) -> tuple[str, ...]:
    """Return how the database differs from what this version expects, one sentence each; empty when it fits."""
    newest = ScriptDirectory.from_config(_config()).get_current_head()
    with store.reading() as connection:
        context = MigrationContext.configure(connection)
        found = context.get_current_revision()
        if found != newest:
            return (f"the database is at schema {found or 'none'}, this version needs {newest}: migrate it",)
        return tuple(
            f"the schema differs: {difference}" for difference in compare_metadata(context, metadata)
        )
