"""Blobs may be emptied, once the data key that opened them is destroyed: the words of a capture were erased.

Nothing else about a blob ever changes, and no blob row goes: its digest is what the event names.
"""

from alembic import op

revision = "20261201_erasure"
down_revision = "20261130_ledger_and_people"
branch_labels = None
depends_on = None

_ONLY_EMPTIED = """
CREATE TRIGGER blobs_no_update BEFORE UPDATE ON blobs
WHEN NEW.digest IS NOT OLD.digest OR NEW.key_id IS NOT OLD.key_id OR length(NEW.ciphertext) <> 0
  OR EXISTS (SELECT 1 FROM blob_keys WHERE id = OLD.key_id)
BEGIN SELECT RAISE(ABORT, 'blobs are never changed or removed'); END
"""

_PG_ONLY_EMPTIED = """
CREATE FUNCTION odeu_blob_only_emptied() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.digest <> OLD.digest OR NEW.key_id <> OLD.key_id OR length(NEW.ciphertext) <> 0
    OR EXISTS (SELECT 1 FROM blob_keys WHERE id = OLD.key_id) THEN
    RAISE EXCEPTION 'blobs are never changed or removed' USING ERRCODE = 'integrity_constraint_violation';
  END IF;
  RETURN NEW;
END $$
"""


def upgrade() -> None:
    """Narrow the trigger that guards blobs."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(_PG_ONLY_EMPTIED)
        op.execute("DROP TRIGGER blobs_no_update ON blobs")
        op.execute(
            "CREATE TRIGGER blobs_no_update BEFORE UPDATE ON blobs "
            "FOR EACH ROW EXECUTE FUNCTION odeu_blob_only_emptied()"
        )
        return
    op.execute("DROP TRIGGER blobs_no_update")
    op.execute(_ONLY_EMPTIED)


def downgrade() -> None:
    """Refuse: history is never taken back.

    Raises: RuntimeError, always.
    """
    raise RuntimeError("the ledger only moves forward; restore a backup made by the older version instead")
