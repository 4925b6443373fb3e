"""Flows of signing in through a provider: begun, spent once, and gone after ten minutes.

A flow is a secret in one browser's cookie; here only its hash stands, so whoever reads the table can finish none.
"""

import base64
import hashlib
from typing import Final

from sqlalchemy import ColumnElement, and_, delete, insert, select, update

from adapters.ledger.database import Database
from adapters.ledger.people import later
from adapters.ledger.schema import signin_flows
from adapters.ledger.vault import Entropy
from kernel.values.people import Identity

FLOW_LIFETIME_S: Final = 10 * 60
"""Seconds in which somebody must be back from the provider, and have said whether the account is theirs."""

_DOMAIN: Final = b"odeu.signin-flow.v1\x00"


class Flows:
    """The flows that are under way; several processes may share them."""

    def __init__(self, store: Database, entropy: Entropy) -> None:
        self._store = store
        self._entropy = entropy

    def begin(self, now: str) -> str:
        """Begin a flow and return its secret; flows that are over are forgotten."""
        secret = base64.urlsafe_b64encode(self._entropy.bytes(32)).decode("ascii").rstrip("=")
        row = {"secret_hash": _hash(secret), "expires_at": later(now, FLOW_LIFETIME_S)}
        with self._store.writing() as connection:
            connection.execute(delete(signin_flows).where(signin_flows.c.expires_at <= now))
            connection.execute(insert(signin_flows), row)
        return secret

    def spend(self, secret: str, now: str) -> bool:
        """Use a flow up, once; False when it is unknown, used or too old."""
        fresh = and_(_live(secret, now), signin_flows.c.spent_at.is_(None))
        with self._store.writing() as connection:
            return connection.execute(update(signin_flows).where(fresh).values(spent_at=now)).rowcount == 1

    def keep(self, secret: str, identity: Identity) -> None:
        """Keep what the provider said in a spent flow."""
        spent = and_(signin_flows.c.secret_hash == _hash(secret), signin_flows.c.spent_at.is_not(None))
        said = {"issuer": identity.issuer, "subject": identity.subject}
        with self._store.writing() as connection:
            connection.execute(update(signin_flows).where(spent).values(said))

    def kept(self, secret: str, now: str) -> Identity | None:
        """Return what was kept, and keep it."""
        asked = select(signin_flows.c.issuer, signin_flows.c.subject).where(
            and_(_live(secret, now), signin_flows.c.issuer.is_not(None))
        )
        with self._store.reading() as connection:
            row = connection.execute(asked).first()
        return None if row is None else Identity(row.issuer, row.subject)

    def take(self, secret: str, now: str) -> Identity | None:
        """Return what was kept and forget it, once."""
        gone = (
            delete(signin_flows)
            .where(and_(_live(secret, now), signin_flows.c.issuer.is_not(None)))
            .returning(signin_flows.c.issuer, signin_flows.c.subject)
        )
        with self._store.writing() as connection:
            row = connection.execute(gone).first()
        return None if row is None else Identity(row.issuer, row.subject)


def _hash(secret: str) -> bytes:
    return hashlib.sha256(_DOMAIN + secret.encode("utf-8", "surrogatepass")).digest()


def _live(secret: str, now: str) -> ColumnElement[bool]:
    return and_(signin_flows.c.secret_hash == _hash(secret), signin_flows.c.expires_at > now)
