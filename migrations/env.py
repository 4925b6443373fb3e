"""How Alembic reaches the database: through the connection that `adapters.ledger.migrate` hands over.

There is no `alembic.ini` and no offline mode: the product migrates its own database when it starts, inside one
transaction that this module neither begins nor ends.
"""

from alembic import context
from sqlalchemy import Connection, text

from adapters.ledger.schema import metadata

SERVER_ROLE = "odeu_server"
"""Where a role of this name exists in PostgreSQL, the server signs in as it, and it owns no table."""

_LEDGER = "events, commands, subjects, checkpoints, blobs, blob_keys, ledgers"
_PEOPLE = "people, memberships, sessions, tokens, passwords, identities, signin_flows"
_GRANTS = (
    f"GRANT SELECT, INSERT ON {_LEDGER} TO {SERVER_ROLE}",
    f"GRANT UPDATE ON ledgers, blob_keys TO {SERVER_ROLE}",
    f"GRANT UPDATE (ciphertext) ON blobs TO {SERVER_ROLE}",
    f"GRANT DELETE ON blob_keys TO {SERVER_ROLE}",
    f"GRANT SELECT, INSERT, UPDATE, DELETE ON {_PEOPLE} TO {SERVER_ROLE}",
    f"GRANT SELECT ON alembic_version TO {SERVER_ROLE}",
)


def _grant(connection: Connection) -> None:
    """Give the server's role what appending, erasing and signing in need, when the tables' owner migrates."""
    if connection.dialect.name != "postgresql":
        return
    asked = text(
        "SELECT count(*) FROM pg_roles, pg_tables WHERE rolname = :role AND tablename = 'events' "
        "AND schemaname = current_schema() AND tableowner = current_user AND rolname <> current_user"
    )
    if connection.execute(asked, {"role": SERVER_ROLE}).scalar_one():
        for grant in _GRANTS:
            connection.execute(text(grant))


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # The caller holds the transaction: every step of an upgrade takes effect, or none.
    transactional_ddl=False,
)
context.run_migrations()
_grant(context.config.attributes["connection"])
