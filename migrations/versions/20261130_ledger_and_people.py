"""The ledger, append-only in the database itself, and the people who may act.

Order: tables first, parents before children, because foreign keys are on; triggers last, because they name
the tables. A trigger, not a right, guards the ledger: an embedded database has no roles. PostgreSQL has both:
its triggers say the same, and `migrations/env.py` gives the role of the server no more than it needs.
"""

import sqlalchemy as sa
from alembic import op

revision = "20261130_ledger_and_people"
down_revision = None
branch_labels = None
depends_on = None

_APPEND_ONLY = ("events", "blobs", "commands", "subjects", "checkpoints")

_EVENT_ORDER = """
CREATE TRIGGER events_in_order BEFORE INSERT ON events
BEGIN
  SELECT RAISE(ABORT, 'an event takes the place right after the last one of its ledger')
  WHERE NEW.seq <> 1 + coalesce((SELECT max(seq) FROM events WHERE ledger_id = NEW.ledger_id), 0);
  SELECT RAISE(ABORT, 'the head of the ledger moves before its events are written')
  WHERE NEW.seq > coalesce((SELECT head_seq FROM ledgers WHERE id = NEW.ledger_id), 0);
  SELECT RAISE(ABORT, 'an event with this id is already written')
  WHERE EXISTS (SELECT 1 FROM events WHERE id = NEW.id);
END
"""

_HEAD_FORWARD = """
CREATE TRIGGER ledgers_forward BEFORE UPDATE ON ledgers
BEGIN
  SELECT RAISE(ABORT, 'the head of a ledger only moves forward')
  WHERE NEW.id <> OLD.id OR NEW.head_seq <= OLD.head_seq;
END
"""

_PG_REFUSE = """
CREATE FUNCTION odeu_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% are never changed or removed', TG_TABLE_NAME
    USING ERRCODE = 'integrity_constraint_violation';
END $$
"""

_PG_EVENT_ORDER = """
CREATE FUNCTION odeu_event_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.seq <> 1 + coalesce((SELECT max(seq) FROM events WHERE ledger_id = NEW.ledger_id), 0) THEN
    RAISE EXCEPTION 'an event takes the place right after the last one of its ledger'
      USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  IF NEW.seq > coalesce((SELECT head_seq FROM ledgers WHERE id = NEW.ledger_id), 0) THEN
    RAISE EXCEPTION 'the head of the ledger moves before its events are written'
      USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$
"""

_PG_HEAD_FORWARD = """
CREATE FUNCTION odeu_head_forward() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.id <> OLD.id OR NEW.head_seq <= OLD.head_seq THEN
    RAISE EXCEPTION 'the head of a ledger only moves forward'
      USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$
"""


def upgrade() -> None:
    """Create every table and the triggers that guard the ledger."""
    _create_heads_and_blobs()
    _create_history()
    _create_people()
    _create_credentials()
    if op.get_bind().dialect.name == "postgresql":
        _guard_postgresql()
        return
    op.execute(_EVENT_ORDER)
    op.execute(_HEAD_FORWARD)
    for table in (*_APPEND_ONLY, "ledgers"):
        op.execute(_refusing(table, "DELETE"))
    for table in _APPEND_ONLY:
        op.execute(_refusing(table, "UPDATE"))


def _guard_postgresql() -> None:
    """Refuse in PostgreSQL's words what the other triggers refuse, and TRUNCATE, which SQLite does not have."""
    for function in (_PG_REFUSE, _PG_EVENT_ORDER, _PG_HEAD_FORWARD):
        op.execute(function)
    op.execute(
        "CREATE TRIGGER events_in_order BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION odeu_event_order()"
    )
    op.execute(
        "CREATE TRIGGER ledgers_forward BEFORE UPDATE ON ledgers FOR EACH ROW EXECUTE FUNCTION odeu_head_forward()"
    )
    for table in (*_APPEND_ONLY, "ledgers"):
        for act in ("DELETE", "UPDATE") if table != "ledgers" else ("DELETE",):
            op.execute(
                f"CREATE TRIGGER {table}_no_{act.lower()} BEFORE {act} ON {table} "
                "FOR EACH ROW EXECUTE FUNCTION odeu_refuse()"
            )
        op.execute(
            f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} EXECUTE FUNCTION odeu_refuse()"
        )


def _refusing(table: str, act: str) -> str:
    return (
        f"CREATE TRIGGER {table}_no_{act.lower()} BEFORE {act} ON {table} "
        f"BEGIN SELECT RAISE(ABORT, '{table} are never changed or removed'); END"
    )


def _create_heads_and_blobs() -> None:
    op.create_table(
        "ledgers",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("head_seq", sa.Integer, nullable=False),
        sa.Column("head_revision", sa.Integer),
        sa.Column("edge", sa.LargeBinary, nullable=False),
        sa.Column("root", sa.LargeBinary, nullable=False),
        sa.CheckConstraint("head_seq >= 0", name="ledgers_head_seq"),
    )
    op.create_table(
        "blob_keys",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("wrapped", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "blobs",
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("key_id", sa.Text, nullable=False),
        sa.Column("ciphertext", sa.LargeBinary, nullable=False),
    )
    op.create_index("blobs_key_id", "blobs", ["key_id"])


def _create_history() -> None:
    op.create_table(
        "events",
        sa.Column("ledger_id", sa.Text, sa.ForeignKey("ledgers.id"), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.Column("leaf_hash", sa.LargeBinary, nullable=False),
        sa.Column("blob_digest", sa.Text, sa.ForeignKey("blobs.digest")),
        sa.CheckConstraint("seq >= 1", name="events_seq"),
        sa.CheckConstraint("length(leaf_hash) = 32", name="events_leaf_hash"),
        sa.UniqueConstraint("id", name="events_id"),
    )
    op.create_table(
        "commands",
        sa.Column("ledger_id", sa.Text, sa.ForeignKey("ledgers.id"), primary_key=True),
        sa.Column("actor_id", sa.Text, primary_key=True),
        sa.Column("command_id", sa.Text, primary_key=True),
        sa.Column("material_mac", sa.LargeBinary, nullable=False),
        sa.Column("first_seq", sa.Integer, nullable=False),
        sa.Column("count", sa.Integer, nullable=False),
    )
    op.create_table(
        "subjects",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("ledger_id", sa.Text, sa.ForeignKey("ledgers.id"), nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
    )
    op.create_table(
        "checkpoints",
        sa.Column("ledger_id", sa.Text, sa.ForeignKey("ledgers.id"), primary_key=True),
        sa.Column("size", sa.Integer, primary_key=True),
        sa.Column("note", sa.Text, nullable=False),
    )


def _create_people() -> None:
    op.create_table(
        "people",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
    )
    op.create_table(
        "memberships",
        sa.Column("person_id", sa.Text, sa.ForeignKey("people.id"), primary_key=True),
        sa.Column("ledger_id", sa.Text, primary_key=True),
        sa.Column("role", sa.Text, nullable=False),
    )


def _create_credentials() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("person_id", sa.Text, sa.ForeignKey("people.id"), nullable=False),
        sa.Column("secret_hash", sa.LargeBinary, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("expires_at", sa.Text, nullable=False),
        sa.Column("last_used_at", sa.Text, nullable=False),
        sa.Column("revoked_at", sa.Text),
        sa.UniqueConstraint("secret_hash", name="sessions_secret_hash"),
    )
    op.create_table(
        "tokens",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("person_id", sa.Text, sa.ForeignKey("people.id"), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("secret_hash", sa.LargeBinary, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("expires_at", sa.Text, nullable=False),
        sa.Column("last_used_at", sa.Text),
        sa.Column("revoked_at", sa.Text),
        sa.CheckConstraint("kind in ('signin', 'operator')", name="tokens_kind"),
        sa.UniqueConstraint("secret_hash", name="tokens_secret_hash"),
    )


def downgrade() -> None:
    """Refuse: history is never taken back.

    Raises: RuntimeError, always.
    """
    raise RuntimeError("the ledger only moves forward; restore a backup made by the older version instead")
