"""Passwords and accounts at a provider. Only argon2id's own encoding of a password is stored.

The cost is the library's default, and a password that was kept at another cost is kept anew when it is next
right. Somebody without a password costs as much as somebody with one, so that time tells nobody who exists.
At most two are worked out at once, because each takes 64 MiB of memory.
"""

import threading
import unicodedata
from functools import cached_property
from typing import Any, Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError, VerifyMismatchError
from sqlalchemy import and_, delete, insert, select, update
from sqlalchemy.engine import Row
from sqlalchemy.exc import IntegrityError

from adapters.ledger.database import Database
from adapters.ledger.schema import identities, passwords
from kernel.errors import ConflictError, InvalidError, NotFoundError
from kernel.values.people import Identity, LinkedIdentity, PasswordFacts

PASSWORD_CHARS_MIN: Final = 12
PASSWORD_CHARS_MAX: Final = 1024
_AT_ONCE: Final = 2


class PasswordsAndIdentities:
    """What proves who somebody is; safe to use from several threads and processes."""

    def __init__(self, store: Database) -> None:
        self._store = store
        self._hasher = PasswordHasher()
        self._turns = threading.BoundedSemaphore(_AT_ONCE)

    # ------------------------------------------------------------------------------------ passwords

    def set_password(self, person_id: str, text: str, now: str, *, credential_id: str) -> str | None:
        """Keep a password in place of an earlier one; return the earlier one's credential, or None.

        Raises: InvalidError for a length outside 12 to 1024 characters; NotFoundError for an unknown person.
        """
        spelled = _spelled(text)
        if not PASSWORD_CHARS_MIN <= len(spelled) <= PASSWORD_CHARS_MAX:
            raise InvalidError(
                f"a password has {PASSWORD_CHARS_MIN} to {PASSWORD_CHARS_MAX} characters; a few words in a row do well"
            )
        with self._turns:
            encoded = self._hasher.hash(spelled.encode())
        row = {
            "person_id": person_id,
            "encoded": encoded,
            "credential_id": credential_id,
            "changed_at": now,
        }
        with self._store.writing() as connection:
            mine = passwords.c.person_id == person_id
            earlier = connection.execute(select(passwords.c.credential_id).where(mine)).scalar()
            connection.execute(delete(passwords).where(mine))
            try:
                connection.execute(insert(passwords), row)
            except IntegrityError as err:
                raise NotFoundError(f"there is no person {person_id}") from err
        return earlier

    def drop_password(self, person_id: str) -> str | None:
        """Forget the person's password; return its credential, None when there was none."""
        gone = (
            delete(passwords).where(passwords.c.person_id == person_id).returning(passwords.c.credential_id)
        )
        with self._store.writing() as connection:
            return connection.execute(gone).scalar()

    def password(self, person_id: str) -> PasswordFacts | None:
        """Return when the person's password was set, or None."""
        row = self._row(person_id)
        return None if row is None else PasswordFacts(row.person_id, row.credential_id, row.changed_at)

    def is_right(self, person_id: str, text: str) -> bool:
        """Tell whether this is the person's password; takes as long when there is none, or no such person."""
        row, spelled = self._row(person_id), _spelled(text)
        # Longer than any password can be: it is wrong, and costs no more than a wrong one.
        tried = spelled[: PASSWORD_CHARS_MAX + 1].encode("utf-8", "surrogatepass")
        with self._turns:
            if row is None:
                self._matches(self._nobodys, tried)
                return False
            if not self._matches(row.encoded, tried):
                return False
            fresh = self._hasher.hash(tried) if self._hasher.check_needs_rehash(row.encoded) else None
        if fresh is not None:
            same = and_(passwords.c.person_id == person_id, passwords.c.encoded == row.encoded)
            with self._store.writing() as connection:
                connection.execute(update(passwords).where(same).values(encoded=fresh))
        return True

    @cached_property
    def _nobodys(self) -> str:
        """A password that nobody has, at today's cost."""
        return self._hasher.hash(b"nobody")

    def _matches(self, encoded: str, tried: bytes) -> bool:
        try:
            return self._hasher.verify(encoded, tried)
        except (VerifyMismatchError, VerificationError, InvalidHashError):
            return False

    def _row(self, person_id: str) -> Row[Any] | None:
        with self._store.reading() as connection:
            return connection.execute(select(passwords).where(passwords.c.person_id == person_id)).first()

    # ----------------------------------------------------------------------------------- identities

    def link(self, linked: LinkedIdentity) -> None:
        """Let an account sign a person in.

        Raises: ConflictError when it signs somebody in already; NotFoundError for an unknown person.
        """
        row = {
            "issuer": linked.identity.issuer,
            "subject": linked.identity.subject,
            "person_id": linked.person_id,
            "credential_id": linked.credential_id,
            "linked_at": linked.linked_at,
        }
        with self._store.writing() as connection:
            held = connection.execute(select(identities.c.person_id).where(_named(linked.identity))).first()
            if held is not None:
                raise ConflictError("this account signs somebody in already; unlink it there first")
            try:
                connection.execute(insert(identities), row)
            except IntegrityError as err:
                raise NotFoundError(f"there is no person {linked.person_id}") from err

    def unlink(self, identity: Identity) -> LinkedIdentity | None:
        """Stop an account from signing anybody in; return what it was."""
        gone = delete(identities).where(_named(identity)).returning(identities)
        with self._store.writing() as connection:
            row = connection.execute(gone).first()
        return None if row is None else _linked(row)

    def linked(self, identity: Identity) -> LinkedIdentity | None:
        """Return whom an account signs in, or None."""
        with self._store.reading() as connection:
            row = connection.execute(select(identities).where(_named(identity))).first()
        return None if row is None else _linked(row)

    def identities(self, person_id: str) -> tuple[LinkedIdentity, ...]:
        """Return a person's accounts, sorted by issuer and subject."""
        asked = select(identities).where(identities.c.person_id == person_id)
        with self._store.reading() as connection:
            rows = connection.execute(asked.order_by(identities.c.issuer, identities.c.subject)).all()
        return tuple(_linked(row) for row in rows)


def _spelled(text: str) -> str:
    """Return the one spelling of what was typed: keyboards compose accents differently."""
    return unicodedata.normalize("NFC", text[: 4 * PASSWORD_CHARS_MAX])


def _named(identity: Identity) -> Any:  # noqa: ANN401 - a clause of SQLAlchemy
    return and_(identities.c.issuer == identity.issuer, identities.c.subject == identity.subject)


def _linked(row: Row[Any]) -> LinkedIdentity:
    return LinkedIdentity(Identity(row.issuer, row.subject), row.person_id, row.credential_id, row.linked_at)
