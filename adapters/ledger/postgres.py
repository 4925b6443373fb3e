"""One PostgreSQL database: how a transaction begins and ends, and how others notice a change.

Keeps the contract of `store.Store` with PostgreSQL's own means: writers hold the rows of the ledgers they append to
and nobody else's; who must be alone takes a lock that every writer shares; a reader sees one snapshot and cannot
write. Owns connections and nothing above them.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final
from weakref import finalize

import psycopg
from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from adapters.ledger.database import Asked, Rows, Writer, driver_cursor
from adapters.ledger.notices import SILENCE_S, Listening, Telling
from adapters.ledger.statements import POSTGRESQL, Statements
from kernel.errors import ConfigurationError, LedgerUnavailableError

VERSION_FLOOR: Final = 150_000
"""Oldest server that is tried with every change: 15."""

_LOCK: Final = 0x0DE0_1ED6
"""The advisory lock that writers share, and that erasure and migration hold alone."""

_BEGIN_SHARED: Final = f"BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock_shared({_LOCK})"
_BEGIN_ALONE: Final = f"BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock({_LOCK})"
_BEGIN_READING: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_ERRORS: Final = (psycopg.Error, DBAPIError)


def postgres_url(database_url: str) -> URL:
    """Return the address of a PostgreSQL database, with the driver this product carries.

    Raises: ConfigurationError when it is none, or names no database.
    """
    try:
        url = make_url(database_url)
    except ArgumentError as err:
        raise ConfigurationError(
            "the database address cannot be read; expected postgresql://user@host/name"
        ) from err
    if url.get_backend_name() != "postgresql" or not url.database:
        raise ConfigurationError("expected a PostgreSQL database: postgresql://user@host/name")
    return url.set(drivername="postgresql+psycopg")


class PostgresStore:
    """The open database of one process; safe to use from several threads."""

    statements: Statements = POSTGRESQL
    integrity_errors: tuple[type[Exception], ...] = (psycopg.IntegrityError,)
    keeps_its_log = True

    def __init__(self, database_url: str, *, write_timeout_s: float = 15.0) -> None:
        settings = {
            "synchronous_commit": "on",
            "lock_timeout": f"{int(write_timeout_s * 1000)}ms",
            "idle_in_transaction_session_timeout": "0",
            "timezone": "UTC",
        }
        self._engine = create_engine(
            postgres_url(database_url),
            connect_args={
                "connect_timeout": 10,
                "options": " ".join(f"-c {name}={value}" for name, value in settings.items()),
            },
            # Transactions are begun and ended here, in sight.
            isolation_level="AUTOCOMMIT",
            pool_size=5,
            max_overflow=27,
        )
        self._telling = Telling(partial(_run_apart, self._engine))
        self._listening = Listening(partial(_connection_of_its_own, self._engine))
        self._heard, self._asked_at, self._waiting = 0, 0.0, threading.Lock()
        # Whoever lets go of the store lets go of its sessions at the server.
        finalize(self, _let_go, self._telling, self._listening, self._engine)
        try:
            self._require_durable()
        except BaseException:
            self._engine.dispose()
            raise

    def _require_durable(self) -> None:
        with _translated(), self._engine.connect() as connection:
            cursor = driver_cursor(connection)
            shown = [cursor.execute(f"SHOW {name}").fetchone()[0] for name in ("server_version_num", "fsync")]
        if int(shown[0]) < VERSION_FLOOR:
            raise ConfigurationError(f"this PostgreSQL is older than {VERSION_FLOOR // 10_000}; upgrade it")
        if shown[1] != "on":
            raise ConfigurationError(
                "this PostgreSQL runs with fsync = off: what it acknowledges is not on the disk. Switch it on"
            )

    @contextmanager
    def writing(self, *, alone: bool = False) -> Iterator[Connection]:
        """Write in one transaction; COMMIT at the end of the block, ROLLBACK when it raises.

        Raises: LedgerUnavailableError when a lock is not free in time, when the server cannot be reached or
                refuses, or when it is unknown whether the COMMIT took effect (code `commit_unknown`).
        """
        with _translated(), self._begun(_BEGIN_ALONE if alone else _BEGIN_SHARED) as connection:
            # Core must believe in a transaction of its caller's, or it (and Alembic) would end ours.
            connection.begin()
            yield connection
            _commit(connection)
        self._telling.told()

    @contextmanager
    def appending(self) -> Iterator[Writer]:
        """Do as `writing` does, on a connection that stays open, several statements to a round trip.

        Raises: LedgerUnavailableError, as `writing` does.
        """
        with _translated(), self._begun(_BEGIN_SHARED) as connection:
            writer = _PipelineWriter(_raw(connection))
            yield writer
            writer.finish()
            _commit(connection)
        self._telling.told()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Read within one snapshot, in a transaction that cannot write.

        Raises: LedgerUnavailableError when the database cannot be read.
        """
        with _translated(), self._begun(_BEGIN_READING) as connection:
            yield connection

    @contextmanager
    def _begun(self, begin: str) -> Iterator[Connection]:
        """Yield a connection in a transaction; whatever is left of it at the end is rolled back."""
        connection = self._engine.connect()
        try:
            try:
                driver_cursor(connection).execute(begin)
            except psycopg.OperationalError:
                if not _raw(connection).closed:
                    raise
                # The server went away since this connection was used last: one fresh try.
                connection.close()
                self._engine.dispose()
                connection = self._engine.connect()
                driver_cursor(connection).execute(begin)
            yield connection
        finally:
            _roll_back(connection)
            connection.close()

    def version(self) -> int:
        """Return a number that differs from the last one when anyone has written to a ledger since."""
        with _translated(), self._engine.connect() as connection:
            row = driver_cursor(connection).execute(self.statements.SUM_HEADS).fetchone()
        return int(row[0] or 0)

    def wait(self, version: int, timeout_s: float) -> int:
        """Return the version once it is another than this one, or after so many seconds as far as it is known.

        Other processes tell when they wrote. Without a word the database is asked every `SILENCE_S` seconds, and at
        every call while nobody can be heard.
        Raises: LedgerUnavailableError when the database is asked and cannot be read.
        """
        with self._waiting:
            heard = self._listening.wait(self._heard, timeout_s)
            quiet = heard == self._heard and time.monotonic() < self._asked_at + SILENCE_S
            if quiet and self._listening.hears:
                return version
            self._heard, self._asked_at = heard, time.monotonic()
        return self.version()

    def prepare_erasure(self, connection: Connection) -> None:
        """Do nothing: what PostgreSQL removes is overwritten by its own housekeeping, see docs/databases.md."""

    def fold_log(self) -> bool:
        """Let the server take out older row versions, where this role owns the tables; its log it keeps: False.

        A role that owns nothing is passed over without a word, and the server's own vacuum does it later.
        """
        with _translated(), self._engine.connect() as connection:
            driver_cursor(connection).execute("VACUUM (SKIP_LOCKED) blobs, blob_keys")
        return False

    def close(self) -> None:
        """Close every connection; a block that is still open fails."""
        _let_go(self._telling, self._listening, self._engine)


def _let_go(telling: Telling, listening: Listening, engine: Engine) -> None:
    telling.end()
    listening.stop()
    engine.dispose()


def _connection_of_its_own(engine: Engine) -> Any:  # noqa: ANN401 - Core hides the driver's type
    """Return a fresh connection that the pool forgets; whoever takes it closes it."""
    fairy = engine.raw_connection()
    raw = fairy.dbapi_connection
    fairy.detach()
    return raw


def _run_apart(engine: Engine, statements: str) -> None:
    """Run statements that end their own transaction, on a connection of the pool."""
    with _translated(), engine.connect() as connection:
        driver_cursor(connection).execute(statements)


class _PipelineWriter:
    """Sends statements without waiting for each one's answer."""

    def __init__(self, raw: Any) -> None:  # noqa: ANN401 - Core hides the driver's type
        self._raw = raw
        self._waiting: list[str] = []

    def ask(self, questions: Sequence[Asked]) -> list[Any]:
        """Return the first row of each statement."""
        with self._raw.pipeline():
            self._send()
            asked = [self._raw.execute(statement, values) for statement, values in questions]
            return [cursor.fetchone() for cursor in asked]

    def put(self, batches: Sequence[Rows]) -> list[int]:
        """Write rows; return how many each statement changed."""
        cursors = [self._raw.cursor() for _ in batches]
        with self._raw.pipeline():
            self._send()
            for cursor, (statement, rows) in zip(cursors, batches, strict=True):
                cursor.executemany(statement, rows)
        return [int(cursor.rowcount) for cursor in cursors]

    def run(self, statement: str) -> None:
        """Run a statement without values, in the round trip of what follows."""
        self._waiting.append(statement)

    def finish(self) -> None:
        """Run what nothing followed."""
        with self._raw.pipeline():
            self._send()

    def _send(self) -> None:
        waiting, self._waiting = self._waiting, []
        for statement in waiting:
            self._raw.execute(statement)


def _raw(connection: Connection) -> Any:  # noqa: ANN401 - Core hides the driver's type
    return connection.connection.dbapi_connection


def _commit(connection: Connection) -> None:
    try:
        driver_cursor(connection).execute("COMMIT")
    except psycopg.Error as err:
        raise LedgerUnavailableError(
            f"the database did not confirm the write ({err}); look the command up before trying again",
            code="commit_unknown",
        ) from err


def _roll_back(connection: Connection) -> None:
    raw = None if connection.closed else _raw(connection)
    if raw is None:
        return
    try:
        if not raw.closed and raw.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
            raw.execute("ROLLBACK")
    except psycopg.Error:
        raw.close()
    if raw.closed:
        connection.invalidate()


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except _ERRORS as err:
        raise LedgerUnavailableError(f"the database refused: {getattr(err, 'orig', None) or err}") from err
