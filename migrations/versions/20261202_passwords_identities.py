"""Passwords, accounts at a provider, and the short time between leaving for the provider and coming back.

None of it is history: the world ledger records that a credential was issued or revoked, and these rows decide.
"""

import sqlalchemy as sa
from alembic import op

revision = "20261202_passwords_identities"
down_revision = "20261201_erasure"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the three tables."""
    op.create_table(
        "passwords",
        sa.Column("person_id", sa.Text, sa.ForeignKey("people.id"), primary_key=True),
        sa.Column("encoded", sa.Text, nullable=False),
        sa.Column("credential_id", sa.Text, nullable=False),
        sa.Column("changed_at", sa.Text, nullable=False),
    )
    op.create_table(
        "identities",
        sa.Column("issuer", sa.Text, primary_key=True),
        sa.Column("subject", sa.Text, primary_key=True),
        sa.Column("person_id", sa.Text, sa.ForeignKey("people.id"), nullable=False),
        sa.Column("credential_id", sa.Text, nullable=False),
        sa.Column("linked_at", sa.Text, nullable=False),
    )
    op.create_table(
        "signin_flows",
        sa.Column("secret_hash", sa.LargeBinary, primary_key=True),
        sa.Column("expires_at", sa.Text, nullable=False),
        sa.Column("spent_at", sa.Text),
        sa.Column("issuer", sa.Text),
        sa.Column("subject", sa.Text),
    )


def downgrade() -> None:
    """Refuse: history is never taken back.

    Raises: RuntimeError, always.
    """
    raise RuntimeError("the ledger only moves forward; restore a backup made by the older version instead")
