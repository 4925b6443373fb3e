"""What a ledger needs of the database under it, whichever engine it is."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias

from sqlalchemy import Connection

from adapters.ledger.statements import Statements

Asked: TypeAlias = tuple[str, Mapping[str, object]]
"""A statement, and its values by name."""

Rows: TypeAlias = tuple[str, Sequence[Mapping[str, object]]]
"""A statement, and the values of each row it writes."""


class Writer(Protocol):
    """One writing transaction on a connection that stays open, for statements that are run at every append."""

    def ask(self, questions: Sequence[Asked]) -> list[Any]:
        """Return the first row of each statement, or None where there is none."""
        ...

    def put(self, batches: Sequence[Rows]) -> list[int]:
        """Write rows, in their order; return how many rows each statement changed."""
        ...

    def run(self, statement: str) -> None:
        """Run a statement without values."""
        ...


class Database(Protocol):
    """One open database; `Store` is SQLite's, `PostgresStore` PostgreSQL's."""

    statements: Statements
    """The SQL of this engine."""
    integrity_errors: tuple[type[Exception], ...]
    """What its driver raises when a constraint or a trigger refuses a row."""
    keeps_its_log: bool
    """True where older pages and log segments are a server's, so that asking again removes no more of them."""

    def writing(self, *, alone: bool = False) -> AbstractContextManager[Connection]:
        """Write in one transaction: COMMIT at the end of the block, ROLLBACK when it raises.

        `alone` keeps every other writer out, in whichever process.
        Raises: LedgerUnavailableError; with the code `commit_unknown` when the COMMIT was not confirmed.
        """
        ...

    def appending(self) -> AbstractContextManager[Writer]:
        """Write in one transaction as `writing` does, through a connection that stays open.

        Raises: LedgerUnavailableError; with the code `commit_unknown` when the COMMIT was not confirmed.
        """
        ...

    def reading(self) -> AbstractContextManager[Connection]:
        """Read within one snapshot, through a connection that cannot write. Raises: LedgerUnavailableError."""
        ...

    def version(self) -> int:
        """Return a number that differs from the last one when anyone has written to a ledger since."""
        ...

    def wait(self, version: int, timeout_s: float) -> int:
        """Return the version once it is another than this one, or after so many seconds as far as it is known."""
        ...

    def prepare_erasure(self, connection: Connection) -> None:
        """Within a writing transaction, see to it that what is removed from now on is overwritten, if it can be."""
        ...

    def fold_log(self) -> bool:
        """Remove what older pages are left beside the tables, as far as this engine can; tell whether none is."""
        ...

    def close(self) -> None:
        """Close every connection."""
        ...


def driver_cursor(connection: Connection) -> Any:  # noqa: ANN401 - the drivers' cursors share no type
    """Return a cursor of the driver itself on this connection."""
    return connection.connection.cursor()
