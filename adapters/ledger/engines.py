"""Which engine an address names: one SQLite file, or a PostgreSQL database, whose driver is loaded only then."""

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from adapters.ledger.database import Database, driver_cursor
from adapters.ledger.store import Store, database_path
from kernel.errors import ConfigurationError

_FIRST_TABLE = "SELECT to_regclass('alembic_version') IS NOT NULL"


def is_postgres(database_url: str) -> bool:
    """Tell whether this address names a PostgreSQL database."""
    try:
        return make_url(database_url).get_backend_name() == "postgresql"
    except ArgumentError as err:
        raise ConfigurationError(
            "the database address cannot be read; expected sqlite:///path or postgresql://user@host/name"
        ) from err


def open_store(database_url: str) -> Database:
    """Open the database at this address.

    Raises: ConfigurationError for an address or a server that cannot serve; LedgerUnavailableError when it
            cannot be opened.
    """
    if is_postgres(database_url):
        from adapters.ledger.postgres import PostgresStore

        return PostgresStore(database_url)
    return Store(database_url)


def database_exists(database_url: str) -> bool:
    """Tell whether anything of this product was ever stored at this address.

    Raises: ConfigurationError, LedgerUnavailableError.
    """
    if not is_postgres(database_url):
        return database_path(database_url).exists()
    from adapters.ledger.postgres import PostgresStore, postgres_url

    postgres_url(database_url)
    store = PostgresStore(database_url)
    try:
        with store.reading() as connection:
            return bool(driver_cursor(connection).execute(_FIRST_TABLE).fetchone()[0])
    finally:
        store.close()
