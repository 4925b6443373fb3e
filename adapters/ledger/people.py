"""People, what they may do, and the secrets they act with: links, sessions, operator tokens.

These tables decide who may act now; the world ledger keeps the trace of every grant. Only a hash of a secret is
stored: a secret is 32 random bytes, so a plain hash cannot be searched. Every moment is given by the caller.
"""

import base64
import hashlib
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, and_, delete, func, insert, select, update
from sqlalchemy.engine import Row
from sqlalchemy.exc import IntegrityError

from adapters.ledger.database import Database
from adapters.ledger.schema import memberships, people, sessions, tokens
from adapters.ledger.vault import Entropy
from kernel.errors import AuthorityError, ConflictError, InvalidError, NotFoundError
from kernel.values.people import Issued, Membership, OperatorToken, Person, Session
from kernel.vocabulary import Role

LINK_LIFETIME_S: Final = 15 * 60
"""Seconds in which a sign-in link can be used, once."""

SESSION_LIFETIME_S: Final = 14 * 24 * 3600
"""Seconds after which a session ends whatever happens."""

SESSION_IDLE_S: Final = 3 * 24 * 3600
"""Seconds after its last use at which a session ends."""

TOKEN_LIFETIME_S: Final = 90 * 24 * 3600
"""Seconds an operator token lasts unless told otherwise."""

LABEL_MAX: Final = 200
"""Characters kept of what a browser calls itself, and of a token's name."""

_EVERYWHERE: Final = "*"
_SECRET_BYTES: Final = 32
_ID_BYTES: Final = 10
_SECRET_DOMAIN: Final = b"odeu.secret.v1\x00"
_MOMENT: Final = "%Y-%m-%dT%H:%M:%S.%fZ"
_TOUCH_S: Final = 300


class Directory:
    """Who may act in this installation; safe to use from several threads and processes."""

    def __init__(self, store: Database, entropy: Entropy) -> None:
        self._store = store
        self._entropy = entropy

    # ------------------------------------------------------------------------------- people and roles

    def add_person(self, person_id: str, name: str, now: str) -> Person:
        """Add a person, without any role.

        Raises: ConflictError when the id is taken.
        """
        person = Person(person_id, name, now)
        row = {"id": person_id, "name": name, "created_at": now}
        with self._store.writing() as connection:
            try:
                connection.execute(insert(people), row)
            except IntegrityError as err:
                raise ConflictError(f"there is already a person {person_id}; choose another id") from err
        return person

    def person(self, person_id: str) -> Person | None:
        """Return the person with this id, or None."""
        with self._store.reading() as connection:
            row = connection.execute(select(people).where(people.c.id == person_id)).first()
        return None if row is None else Person(row.id, row.name, row.created_at)

    def people(self) -> tuple[Person, ...]:
        """Return every person, sorted by id."""
        with self._store.reading() as connection:
            rows = connection.execute(select(people).order_by(people.c.id)).all()
        return tuple(Person(row.id, row.name, row.created_at) for row in rows)

    def grant(self, person_id: str, role: Role, *, ledger_id: str | None) -> None:
        """Let a person act in a role in one ledger, or in every one (None), in place of an earlier role there.

        Raises: NotFoundError when there is no such person; InvalidError for the role of programs.
        """
        if role is Role.NONE:
            raise InvalidError("no person has the role of programs; withdraw the membership instead")
        scope = ledger_id or _EVERYWHERE
        with self._store.writing() as connection:
            _remove_membership(connection, person_id, scope)
            try:
                row = {"person_id": person_id, "ledger_id": scope, "role": role.value}
                connection.execute(insert(memberships), row)
            except IntegrityError as err:
                raise NotFoundError(f"there is no person {person_id}") from err

    def withdraw(self, person_id: str, *, ledger_id: str | None) -> None:
        """End a person's role in one ledger, or the one that holds in every ledger (None)."""
        with self._store.writing() as connection:
            _remove_membership(connection, person_id, ledger_id or _EVERYWHERE)

    def memberships(self, person_id: str | None = None) -> tuple[Membership, ...]:
        """Return the roles of one person, or of all, sorted by person, those that hold everywhere first."""
        asked = select(memberships).order_by(memberships.c.person_id, memberships.c.ledger_id)
        if person_id is not None:
            asked = asked.where(memberships.c.person_id == person_id)
        with self._store.reading() as connection:
            rows = connection.execute(asked).all()
        return tuple(_membership(row) for row in rows)

    def role_of(self, person_id: str, ledger_id: str) -> Role | None:
        """Return the person's role in a ledger: the one given there, else the one that holds everywhere."""
        roles = {held.ledger_id: held.role for held in self.memberships(person_id)}
        return roles.get(ledger_id, roles.get(None))

    # -------------------------------------------------------------------------- links and sessions

    def issue_link(self, person_id: str, now: str) -> Issued:
        """Make a link with which this person can sign in once, within fifteen minutes.

        Raises: NotFoundError when there is no such person.
        """
        return self._issue_token("signin", person_id, "sign-in link", (now, later(now, LINK_LIFETIME_S)))

    def link_holder(self, secret: str, now: str) -> tuple[str, str] | None:
        """Return whom a sign-in link would sign in and when it stops working, without spending it; or None."""
        asked = select(tokens.c.person_id, tokens.c.expires_at).where(_spendable(secret, now))
        with self._store.reading() as connection:
            row = connection.execute(asked).first()
        return None if row is None else (row.person_id, row.expires_at)

    def open_links(self, now: str) -> tuple[tuple[str, str, str], ...]:
        """Return (id, person, until when) of every sign-in link that still opens a session, sorted by id."""
        asked = select(tokens.c.id, tokens.c.person_id, tokens.c.expires_at).where(_unspent(now))
        with self._store.reading() as connection:
            rows = connection.execute(asked.order_by(tokens.c.id)).all()
        return tuple((row.id, row.person_id, row.expires_at) for row in rows)

    def sign_in(self, secret: str, now: str, *, label: str) -> Issued:
        """Spend a sign-in link and open a session for its person.

        Raises: AuthorityError when the link is unknown, used, revoked or too old; nothing says which.
        """
        spend = (
            update(tokens)
            .where(_spendable(secret, now))
            .values(last_used_at=now)
            .returning(tokens.c.person_id)
        )
        with self._store.writing() as connection:
            row = connection.execute(spend).first()
            if row is None:
                raise AuthorityError("this link was used or is too old; make a fresh one with: odeu signin")
            return self._begin(connection, row.person_id, now, label=label)

    def begin_session(self, person_id: str, now: str, *, label: str) -> Issued:
        """Open a session for a person who proved otherwise who they are.

        Raises: NotFoundError when there is no such person.
        """
        with self._store.writing() as connection:
            try:
                return self._begin(connection, person_id, now, label=label)
            except IntegrityError as err:
                raise NotFoundError(f"there is no person {person_id}") from err

    def _begin(self, connection: Connection, person_id: str, now: str, *, label: str) -> Issued:
        issued, values = self._new_secret("session", person_id, later(now, SESSION_LIFETIME_S))
        moments = {"created_at": now, "last_used_at": now}
        connection.execute(insert(sessions), values | moments | {"label": label[:LABEL_MAX]})
        return issued

    def session(self, secret: str, now: str) -> Session | None:
        """Return the live session this secret belongs to, or None; its use is noted every five minutes."""
        asked = select(sessions).where(and_(sessions.c.secret_hash == _hash(secret), _live(now)))
        with self._store.reading() as connection:
            row = connection.execute(asked).first()
        if row is None:
            return None
        if later(row.last_used_at, _TOUCH_S) < now:
            with self._store.writing() as connection:
                touch = update(sessions).where(sessions.c.id == row.id).values(last_used_at=now)
                connection.execute(touch)
        return _session(row)

    def rotate(self, secret: str, now: str) -> Issued:
        """Give a live session a new secret; the old one stops working at once. The end of the session stays.

        Raises: AuthorityError when there is no live session with this secret.
        """
        fresh = self._secret("session")
        change = (
            update(sessions)
            .where(and_(sessions.c.secret_hash == _hash(secret), _live(now)))
            .values(secret_hash=_hash(fresh), last_used_at=now)
            .returning(sessions.c.id, sessions.c.person_id, sessions.c.expires_at)
        )
        with self._store.writing() as connection:
            row = connection.execute(change).first()
        if row is None:
            raise AuthorityError("this session has ended; sign in again")
        return Issued(row.id, row.person_id, fresh, row.expires_at)

    def sessions(self, person_id: str, now: str) -> tuple[Session, ...]:
        """Return a person's live sessions, the newest first."""
        asked = select(sessions).where(and_(sessions.c.person_id == person_id, _live(now)))
        with self._store.reading() as connection:
            rows = connection.execute(asked.order_by(sessions.c.created_at.desc(), sessions.c.id)).all()
        return tuple(_session(row) for row in rows)

    def last_seen(self) -> dict[str, str]:
        """Return when each person was last here, by any session; who never was is not in it."""
        asked = select(sessions.c.person_id, func.max(sessions.c.last_used_at).label("at"))
        with self._store.reading() as connection:
            rows = connection.execute(asked.group_by(sessions.c.person_id)).all()
        return {row.person_id: row.at for row in rows}

    def end_session(self, session_id: str, now: str, *, person_id: str) -> None:
        """End one session of this person, at once.

        Raises: NotFoundError when this person has no such live session.
        """
        end = (
            update(sessions)
            .where(and_(sessions.c.id == session_id, sessions.c.person_id == person_id, _live(now)))
            .values(revoked_at=now)
        )
        with self._store.writing() as connection:
            if connection.execute(end).rowcount != 1:
                raise NotFoundError(f"there is no open session {session_id}")

    def end_sessions(self, person_id: str, now: str, *, but: str | None = None) -> int:
        """End every session of this person but one, at once; return how many ended."""
        ending = and_(sessions.c.person_id == person_id, _live(now))
        if but is not None:
            ending = and_(ending, sessions.c.id != but)
        with self._store.writing() as connection:
            return connection.execute(update(sessions).where(ending).values(revoked_at=now)).rowcount

    def end_links(self, person_id: str, now: str) -> None:
        """Stop every sign-in link of this person that was not used yet."""
        ending = and_(
            tokens.c.person_id == person_id, tokens.c.kind == "signin", tokens.c.revoked_at.is_(None)
        )
        with self._store.writing() as connection:
            connection.execute(update(tokens).where(ending).values(revoked_at=now))

    # ----------------------------------------------------------------------------- operator tokens

    def issue_operator_token(
        self, person_id: str, name: str, now: str, *, lifetime_s: int = TOKEN_LIFETIME_S
    ) -> Issued:
        """Make a Bearer with which this person executes and reconciles promotions. `lifetime_s` in seconds.

        Raises: NotFoundError when there is no such person; InvalidError for a lifetime that is no time.
        """
        if lifetime_s <= 0:
            raise InvalidError("an operator token lasts at least a second")
        return self._issue_token("operator", person_id, name, (now, later(now, lifetime_s)))

    def operator(self, secret: str, now: str) -> OperatorToken | None:
        """Return the live operator token with this secret, its use noted, or None."""
        use = (
            update(tokens)
            .where(
                and_(
                    tokens.c.secret_hash == _hash(secret),
                    tokens.c.kind == "operator",
                    tokens.c.expires_at > now,
                    tokens.c.revoked_at.is_(None),
                )
            )
            .values(last_used_at=now)
            .returning(tokens)
        )
        with self._store.writing() as connection:
            row = connection.execute(use).first()
        return None if row is None else _operator_token(row)

    def operator_tokens(self, person_id: str | None = None) -> tuple[OperatorToken, ...]:
        """Return the operator tokens ever made, for one person or all, the newest first."""
        asked = select(tokens).where(tokens.c.kind == "operator")
        if person_id is not None:
            asked = asked.where(tokens.c.person_id == person_id)
        with self._store.reading() as connection:
            rows = connection.execute(asked.order_by(tokens.c.created_at.desc(), tokens.c.id)).all()
        return tuple(_operator_token(row) for row in rows)

    def revoke_token(self, token_id: str, now: str) -> None:
        """Stop a link or an operator token from working; a second time keeps the first moment.

        Raises: NotFoundError when there is no such token.
        """
        with self._store.writing() as connection:
            known = connection.execute(select(tokens.c.id).where(tokens.c.id == token_id)).first()
            if known is None:
                raise NotFoundError(f"there is no token {token_id}")
            still = and_(tokens.c.id == token_id, tokens.c.revoked_at.is_(None))
            connection.execute(update(tokens).where(still).values(revoked_at=now))

    # -------------------------------------------------------------------------------------- secrets

    def _issue_token(self, kind: str, person_id: str, name: str, moments: tuple[str, str]) -> Issued:
        created_at, expires_at = moments
        issued, values = self._new_secret(kind, person_id, expires_at)
        values |= {"kind": kind, "name": name[:LABEL_MAX], "created_at": created_at}
        with self._store.writing() as connection:
            try:
                connection.execute(insert(tokens), values)
            except IntegrityError as err:
                raise NotFoundError(f"there is no person {person_id}") from err
        return issued

    def _new_secret(
        self, kind: str, person_id: str, expires_at: str
    ) -> tuple[Issued, dict[str, str | bytes]]:
        secret = self._secret(kind)
        issued = Issued(f"{kind}_{self._entropy.bytes(_ID_BYTES).hex()}", person_id, secret, expires_at)
        return issued, {
            "id": issued.id,
            "person_id": person_id,
            "secret_hash": _hash(secret),
            "expires_at": expires_at,
        }

    def _secret(self, kind: str) -> str:
        spelled = base64.urlsafe_b64encode(self._entropy.bytes(_SECRET_BYTES)).decode("ascii").rstrip("=")
        return f"odeu_{kind}_{spelled}"


def later(moment: str, seconds: int) -> str:
    """Return the moment `seconds` after another, in the ledger's spelling."""
    return (datetime.strptime(moment, _MOMENT) + timedelta(seconds=seconds)).strftime(_MOMENT)  # noqa: DTZ007


def _hash(secret: str) -> bytes:
    return hashlib.sha256(_SECRET_DOMAIN + secret.encode("utf-8", "surrogatepass")).digest()


def _live(now: str) -> ColumnElement[bool]:
    used_since = later(now, -SESSION_IDLE_S)
    return and_(
        sessions.c.expires_at > now, sessions.c.revoked_at.is_(None), sessions.c.last_used_at > used_since
    )


def _spendable(secret: str, now: str) -> ColumnElement[bool]:
    return and_(tokens.c.secret_hash == _hash(secret), _unspent(now))


def _unspent(now: str) -> ColumnElement[bool]:
    return and_(
        tokens.c.kind == "signin",
        tokens.c.expires_at > now,
        tokens.c.last_used_at.is_(None),
        tokens.c.revoked_at.is_(None),
    )


def _remove_membership(connection: Connection, person_id: str, scope: str) -> None:
    held = and_(memberships.c.person_id == person_id, memberships.c.ledger_id == scope)
    connection.execute(delete(memberships).where(held))


def _membership(row: Row[Any]) -> Membership:
    ledger_id = None if row.ledger_id == _EVERYWHERE else row.ledger_id
    return Membership(row.person_id, Role(row.role), ledger_id)


def _session(row: Row[Any]) -> Session:
    return Session(
        id=row.id,
        person_id=row.person_id,
        label=row.label,
        created_at=row.created_at,
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
        revoked_at=row.revoked_at,
    )


def _operator_token(row: Row[Any]) -> OperatorToken:
    return OperatorToken(
        id=row.id,
        person_id=row.person_id,
        name=row.name,
        created_at=row.created_at,
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
        revoked_at=row.revoked_at,
    )
