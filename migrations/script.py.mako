"""${message}."""

from alembic import op

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Say what becomes possible."""
    ${upgrades if upgrades else "op.execute('')"}


def downgrade() -> None:
    """Refuse: history is never taken back."""
    raise RuntimeError("the ledger only moves forward; restore a backup made by the older version instead")
