"""How Alembic reaches the database: through the connection that `adapters.ledger.migrate` hands over.

There is no `alembic.ini` and no offline mode: the product migrates its own database when it starts, inside one
transaction that this module neither begins nor ends.
"""

from alembic import context

from adapters.ledger.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # The caller holds the transaction: every step of an upgrade takes effect, or none.
    transactional_ddl=False,
)
context.run_migrations()
