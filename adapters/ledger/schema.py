"""The tables of the ledger and of people, as SQLAlchemy Core knows them.

Migrations build the real database, with the triggers that make it append-only; a test holds the two to each
other. Moments are the exact strings of the kernel, so that they sort as they stand.
"""

from typing import Final

from sqlalchemy import (
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

metadata: Final = MetaData()
"""Every table of this product."""

ledgers: Final = Table(
    "ledgers",
    metadata,
    Column("id", Text, primary_key=True),
    Column("head_seq", Integer, nullable=False),
    Column("head_revision", Integer),
    # The right edge of the log: 32 bytes per set bit of head_seq, the largest subtree first.
    Column("edge", LargeBinary, nullable=False),
    Column("root", LargeBinary, nullable=False),
    CheckConstraint("head_seq >= 0", name="ledgers_head_seq"),
)

blob_keys: Final = Table(
    "blob_keys",
    metadata,
    Column("id", Text, primary_key=True),
    Column("wrapped", LargeBinary, nullable=False),
)

blobs: Final = Table(
    "blobs",
    metadata,
    Column("digest", Text, primary_key=True),
    # No foreign key: a destroyed data key leaves its blobs as ciphertext that nobody can read.
    Column("key_id", Text, nullable=False),
    Column("ciphertext", LargeBinary, nullable=False),
    Index("blobs_key_id", "key_id"),
)

events: Final = Table(
    "events",
    metadata,
    Column("ledger_id", Text, ForeignKey("ledgers.id"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("id", Text, nullable=False),
    Column("data", LargeBinary, nullable=False),
    Column("leaf_hash", LargeBinary, nullable=False),
    Column("blob_digest", Text, ForeignKey("blobs.digest")),
    CheckConstraint("seq >= 1", name="events_seq"),
    CheckConstraint("length(leaf_hash) = 32", name="events_leaf_hash"),
    UniqueConstraint("id", name="events_id"),
)

commands: Final = Table(
    "commands",
    metadata,
    Column("ledger_id", Text, ForeignKey("ledgers.id"), primary_key=True),
    Column("actor_id", Text, primary_key=True),
    Column("command_id", Text, primary_key=True),
    Column("material_mac", LargeBinary, nullable=False),
    Column("first_seq", Integer, nullable=False),
    Column("count", Integer, nullable=False),
)

subjects: Final = Table(
    "subjects",
    metadata,
    Column("id", Text, primary_key=True),
    Column("ledger_id", Text, ForeignKey("ledgers.id"), nullable=False),
    Column("seq", Integer, nullable=False),
)

checkpoints: Final = Table(
    "checkpoints",
    metadata,
    Column("ledger_id", Text, ForeignKey("ledgers.id"), primary_key=True),
    Column("size", Integer, primary_key=True),
    Column("note", Text, nullable=False),
)

people: Final = Table(
    "people",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("created_at", Text, nullable=False),
)

memberships: Final = Table(
    "memberships",
    metadata,
    Column("person_id", Text, ForeignKey("people.id"), primary_key=True),
    # `*` stands for every ledger of the installation.
    Column("ledger_id", Text, primary_key=True),
    Column("role", Text, nullable=False),
)

sessions: Final = Table(
    "sessions",
    metadata,
    Column("id", Text, primary_key=True),
    Column("person_id", Text, ForeignKey("people.id"), nullable=False),
    Column("secret_hash", LargeBinary, nullable=False),
    Column("label", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("expires_at", Text, nullable=False),
    Column("last_used_at", Text, nullable=False),
    Column("revoked_at", Text),
    UniqueConstraint("secret_hash", name="sessions_secret_hash"),
)

passwords: Final = Table(
    "passwords",
    metadata,
    Column("person_id", Text, ForeignKey("people.id"), primary_key=True),
    # The whole of argon2's own encoding: variant, parameters, salt and hash.
    Column("encoded", Text, nullable=False),
    Column("credential_id", Text, nullable=False),
    Column("changed_at", Text, nullable=False),
)

identities: Final = Table(
    "identities",
    metadata,
    Column("issuer", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("person_id", Text, ForeignKey("people.id"), nullable=False),
    Column("credential_id", Text, nullable=False),
    Column("linked_at", Text, nullable=False),
)

signin_flows: Final = Table(
    "signin_flows",
    metadata,
    # The browser's cookie is the secret, and state, nonce and verifier follow from it: none of them stands here.
    Column("secret_hash", LargeBinary, primary_key=True),
    Column("expires_at", Text, nullable=False),
    Column("spent_at", Text),
    # What the provider said, until the person at this browser says whether it is theirs.
    Column("issuer", Text),
    Column("subject", Text),
)

tokens: Final = Table(
    "tokens",
    metadata,
    Column("id", Text, primary_key=True),
    # `signin` is used once and is then spent; `operator` is used until it expires or is revoked.
    Column("kind", Text, nullable=False),
    Column("person_id", Text, ForeignKey("people.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("secret_hash", LargeBinary, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("expires_at", Text, nullable=False),
    Column("last_used_at", Text),
    Column("revoked_at", Text),
    CheckConstraint("kind in ('signin', 'operator')", name="tokens_kind"),
    UniqueConstraint("secret_hash", name="tokens_secret_hash"),
)

PASSING: Final = (sessions, signin_flows, tokens)
"""What lets somebody in for a time. No backup holds it: what was ended since would let in again once restored."""
