"""One SQLite file: who may open it, how a transaction begins and ends, and how others notice a change.

Owns connections and nothing above them. Writing goes through one connection per process, inside BEGIN
IMMEDIATE, under a fair and bounded wait among processes; reading goes through read-only connections, each
block inside one snapshot. What was written counts only after COMMIT returned.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import pysqlite3
from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.pool import QueuePool, StaticPool

from adapters.ledger.database import Asked, Rows, Writer, driver_cursor
from adapters.ledger.statements import SQLITE, Statements
from adapters.ledger.turn import Turn
from kernel.errors import ConfigurationError, LedgerUnavailableError

__all__ = [
    "DRIVER_ERRORS",
    "RUNTIME_FLOOR",
    "Store",
    "database_path",
    "driver_cursor",
    "require_runtime",
    "sqlite_version",
]

RUNTIME_FLOOR: Final = (3, 51, 3)
"""Older SQLite runtimes can lose a WAL frame when two connections write at once."""

DRIVER_ERRORS: Final[tuple[type[Exception], ...]] = (pysqlite3.Error, DBAPIError)
"""What the driver, or Core around it, raises."""

_WRITE_PRAGMAS: Final = (
    "PRAGMA busy_timeout = 5000",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA recursive_triggers = ON",
    "PRAGMA trusted_schema = OFF",
    # From here on waiting is ours: see adapters/ledger/turn.py.
    "PRAGMA busy_timeout = 0",
)
_READ_PRAGMAS: Final = ("PRAGMA busy_timeout = 5000", "PRAGMA query_only = ON", "PRAGMA trusted_schema = OFF")
_BUSY: Final = 5
_LOOK_S: Final = 0.1
"""How often a waiting reader looks whether anyone wrote; a look costs a few microseconds."""
_PRIMARY_CODE: Final = 0xFF
_STOPPING: Final = frozenset({10, 11, 26})  # SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_NOTADB


def require_runtime(version: tuple[int, ...]) -> None:
    """Refuse an SQLite runtime with the WAL fault.

    Raises: ConfigurationError naming the version found and the one needed.
    """
    if version < RUNTIME_FLOOR:
        found, needed = (".".join(map(str, numbers)) for numbers in (version, RUNTIME_FLOOR))
        raise ConfigurationError(
            f"SQLite {found} can lose writes when several processes write; install one that carries {needed}"
        )


def database_path(database_url: str) -> Path:
    """Return the file that a `sqlite:///path` address names.

    Raises: ConfigurationError for another engine, or an address without a file.
    """
    try:
        url = make_url(database_url)
    except ArgumentError as err:
        raise ConfigurationError("the database address cannot be read; expected sqlite:///path") from err
    if url.get_backend_name() != "sqlite" or not url.database or url.database == ":memory:":
        raise ConfigurationError(
            f"the database address names {url.get_backend_name()}; this version keeps its ledger in one SQLite "
            "file: sqlite:///path"
        )
    return Path(url.database)


class Store:
    """The open database of one process; safe to use from several threads."""

    statements: Statements = SQLITE
    integrity_errors: tuple[type[Exception], ...] = (pysqlite3.IntegrityError,)
    keeps_its_log = False

    def __init__(self, database_url: str, *, write_timeout_s: float = 15.0) -> None:
        require_runtime(pysqlite3.sqlite_version_info)
        self._path = database_path(database_url)
        self._write_timeout_s = write_timeout_s
        self._stopped: str | None = None
        try:
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            self._turn = Turn(self._path.with_name(self._path.name + ".turn"))
        except OSError as err:
            raise LedgerUnavailableError(
                f"the database {self._path} cannot be opened: {err.strerror}"
            ) from err
        self._write_lock, self._watch_lock = threading.Lock(), threading.Lock()
        with _translated():
            self._held = self._open(readonly=False)
            self._cursor = self._held.cursor()
            self._watcher = self._open(readonly=True)
        # One connection writes; what goes through Core borrows it.
        self._writer = _engine(lambda: self._held, poolclass=StaticPool)
        self._reader = _engine(
            lambda: self._open(readonly=True), poolclass=QueuePool, pool_size=5, max_overflow=27
        )

    def _open(self, *, readonly: bool) -> Any:  # noqa: ANN401 - the driver ships no types
        mode = "ro" if readonly else "rw"
        connection = pysqlite3.connect(
            f"file:{quote(str(self._path.absolute()))}?mode={mode}",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
        )
        for pragma in _READ_PRAGMAS if readonly else _WRITE_PRAGMAS:
            connection.execute(pragma).close()
        return connection

    @contextmanager
    def writing(self, *, alone: bool = False) -> Iterator[Connection]:  # noqa: ARG002 - SQLite knows no other way
        """Hold the write lock of the database for the block; COMMIT at its end, ROLLBACK when it raises.

        Whoever writes here is alone, `alone` or not.

        Raises: LedgerUnavailableError when the lock is not free in time, when the disk fails, or when it is
                unknown whether the COMMIT took effect (code `commit_unknown`).
        """
        with self._alone(), self._writer.connect() as connection:
            # Core must believe in a transaction of its caller's, or it (and Alembic) would end ours.
            connection.begin()
            with self._transaction():
                yield connection

    @contextmanager
    def appending(self) -> Iterator[Writer]:
        """Do as `writing` does, on the driver's own cursor, whose statements stay prepared.

        Raises: LedgerUnavailableError, as `writing` does.
        """
        with self._alone(), self._transaction():
            yield _CursorWriter(self._cursor)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if not self._write_lock.acquire(timeout=self._write_timeout_s):
            raise LedgerUnavailableError("another thread has been writing for too long; try again")
        try:
            if self._stopped:
                raise LedgerUnavailableError(f"writing stopped after a failure of the disk: {self._stopped}")
            yield
        except DRIVER_ERRORS as err:
            self._note_failure(err)
            raise _refused(err) from err
        finally:
            self._write_lock.release()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        if not self._turn.take(self._attempt, timeout_s=self._write_timeout_s):
            raise LedgerUnavailableError("another process has been writing for too long; try again")
        try:
            yield
        except BaseException:
            _roll_back(self._held)
            raise
        self._commit()

    def _attempt(self) -> bool:
        try:
            self._cursor.execute("BEGIN IMMEDIATE")
        except pysqlite3.OperationalError as err:
            if _code(err) == _BUSY:
                return False
            raise
        return True

    def _commit(self) -> None:
        try:
            self._cursor.execute("COMMIT")
        except pysqlite3.Error as err:
            _roll_back(self._held)
            self._note_failure(err)
            raise LedgerUnavailableError(
                f"the database did not confirm the write ({err}); look the command up before trying again",
                code="commit_unknown",
            ) from err

    def _note_failure(self, err: Exception) -> None:
        if _code(err) in _STOPPING:
            self._stopped = str(err)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Read within one snapshot, through a connection that cannot write.

        Raises: LedgerUnavailableError when the database cannot be read.
        """
        with _translated(), self._reader.connect() as connection:
            driver_cursor(connection).execute("BEGIN")
            try:
                yield connection
            finally:
                _roll_back(connection.connection.dbapi_connection)

    def version(self) -> int:
        """Return a number that differs from the last one when anyone has written since; it has no other meaning."""
        with _translated(), self._watch_lock:
            row = self._watcher.execute("PRAGMA data_version").fetchone()
        return int(row[0])

    def wait(self, version: int, timeout_s: float) -> int:
        """Return the version once it is another than this one, or after so many seconds as it is then.

        Raises: LedgerUnavailableError when the database cannot be read.
        """
        until = time.monotonic() + timeout_s
        while (found := self.version()) == version and (left_s := until - time.monotonic()) > 0:
            time.sleep(min(_LOOK_S, left_s))
        return found

    def prepare_erasure(self, connection: Connection) -> None:
        """Let what is freed be overwritten, in the database and in the pages of its log."""
        driver_cursor(connection).execute("PRAGMA secure_delete = ON").fetchall()

    def fold_log(self) -> bool:
        """Fold the write-ahead log into the database and cut it to nothing; tell whether nobody stood in the way.

        A reader that still looks at an older moment, in any process, keeps the log as it is: ask again.
        """
        with self._write_lock, _translated(), self._writer.connect() as connection:
            row = driver_cursor(connection).execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return row is not None and row[0] == 0

    def close(self) -> None:
        """Close every connection; a block that is still open fails."""
        self._writer.dispose()
        self._reader.dispose()
        self._held.close()
        self._watcher.close()
        self._turn.close()


class _CursorWriter:
    """Writes through one cursor of the driver."""

    def __init__(self, cursor: Any) -> None:  # noqa: ANN401 - the driver ships no types
        self._cursor = cursor

    def ask(self, questions: Sequence[Asked]) -> list[Any]:
        """Return the first row of each statement."""
        return [self._cursor.execute(statement, values).fetchone() for statement, values in questions]

    def put(self, batches: Sequence[Rows]) -> list[int]:
        """Write rows; return how many each statement changed."""
        return [int(self._cursor.executemany(statement, rows).rowcount) for statement, rows in batches]

    def run(self, statement: str) -> None:
        """Run a statement without values."""
        self._cursor.execute(statement)


def _engine(creator: Callable[[], Any], **pool: Any) -> Engine:  # noqa: ANN401 - as SQLAlchemy takes them
    return create_engine(
        "sqlite://",
        module=pysqlite3,
        creator=creator,
        # Transactions are begun and ended here, in sight.
        isolation_level="AUTOCOMMIT",
        **pool,
    )


def _roll_back(raw: Any) -> None:  # noqa: ANN401 - the driver ships no types
    if raw is not None and raw.in_transaction:
        raw.execute("ROLLBACK")


def _code(err: BaseException) -> int | None:
    code = getattr(getattr(err, "orig", None) or err, "sqlite_errorcode", None)
    return code & _PRIMARY_CODE if isinstance(code, int) else None


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except DRIVER_ERRORS as err:
        raise _refused(err) from err


def _refused(err: Exception) -> LedgerUnavailableError:
    return LedgerUnavailableError(f"the database refused: {getattr(err, 'orig', None) or err}")


def sqlite_version() -> str:
    """Return the version of the SQLite that this product carries."""
    return str(pysqlite3.sqlite_version)
