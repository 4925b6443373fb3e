"""The tables of a PostgreSQL database as files, and the files as tables again.

One file per table in the text form of COPY, its rows in the order of the key, and `list.json`: the schema they are of
and, for each table, its columns, rows and SHA-256. Whatever version of the server reads them, and without pg_dump.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from alembic.migration import MigrationContext
from sqlalchemy import Connection

from adapters.ledger.database import Database, driver_cursor
from adapters.ledger.schema import PASSING, metadata
from kernel.canonical import canonical_bytes
from kernel.errors import InvalidError

FORMAT: Final = "odeu.tables.v1"
LIST: Final = "list.json"
_NAME: Final = re.compile(r"[a-z][a-z_]{0,62}", re.ASCII)
_CHUNK: Final = 1024 * 1024


def copy_out(connection: Connection, folder: Path) -> tuple[str, ...]:
    """Write every table of this moment into the folder; return the names of the files, the list last.

    Those of sessions, links and tokens are empty in it.

    Raises: LedgerUnavailableError through the store when the server refuses.
    """
    tables = []
    for table in metadata.sorted_tables:
        columns = [column.name for column in table.columns]
        keys = ", ".join(column.name for column in table.primary_key)
        which = " WHERE false" if table in PASSING else ""
        order = f"SELECT {', '.join(columns)} FROM {table.name}{which} ORDER BY {keys}"  # noqa: S608 - names of our own schema
        digest, rows = hashlib.sha256(), 0
        cursor = driver_cursor(connection)
        with (
            (folder / f"{table.name}.copy").open("xb") as file,
            cursor.copy(f"COPY ({order}) TO STDOUT") as copy,
        ):
            for part in copy:
                file.write(part)
                digest.update(part)
        rows = int(cursor.rowcount)
        tables.append({"name": table.name, "columns": columns, "rows": rows, "sha256": digest.hexdigest()})
    schema = MigrationContext.configure(connection).get_current_revision()
    (folder / LIST).write_bytes(canonical_bytes({"format": FORMAT, "schema": schema, "tables": tables}))
    return (*(f"{item['name']}.copy" for item in tables), LIST)


def schema_of(folder: Path) -> str:
    """Return the schema that the files are of, once each of them is the one that was written.

    Raises: InvalidError when a file is missing, altered or not of this form.
    """
    listed = _listed(folder)
    for table in listed["tables"]:
        with (folder / f"{table['name']}.copy").open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != table["sha256"]:
                raise InvalidError(
                    f"the table {table['name']} of the backup was altered", code="backup_invalid"
                )
    return str(listed["schema"])


def _listed(folder: Path) -> Mapping[str, Any]:
    try:
        listed: Mapping[str, Any] = json.loads((folder / LIST).read_bytes())
        names = [name for table in listed["tables"] for name in (table["name"], *table["columns"])]
        if listed["format"] != FORMAT or not all(_NAME.fullmatch(name) for name in names):
            raise ValueError(FORMAT)
        for table in listed["tables"]:
            (folder / f"{table['name']}.copy").stat()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidError(
            f"the backup holds no tables of the form {FORMAT}: {error}", code="backup_invalid"
        ) from error
    return listed


def copy_in(store: Database, folder: Path) -> None:
    """Fill the empty tables of a database of the same schema, all or nothing, as the role that owns them.

    The triggers that keep history append-only stand aside within this one transaction, since it is history itself
    that comes in. `schema_of` has verified the files; what they say is for `odeu verify`.

    Raises: InvalidError when a table is not empty or has other rows than listed; LedgerUnavailableError when the
    server refuses, as it does to a role that owns nothing.
    """
    listed = _listed(folder)
    with store.writing(alone=True) as connection:
        cursor = driver_cursor(connection)
        for table in listed["tables"]:
            name, columns = table["name"], ", ".join(table["columns"])
            if cursor.execute(f"SELECT EXISTS (SELECT FROM {name})").fetchone()[0]:  # noqa: S608 - checked names
                raise InvalidError(
                    f"the table {name} is not empty; restore into a fresh database", code="not_empty"
                )
            cursor.execute(f"ALTER TABLE {name} DISABLE TRIGGER USER")
            with cursor.copy(f"COPY {name} ({columns}) FROM STDIN") as copy:
                for part in _parts(folder / f"{name}.copy"):
                    copy.write(part)
            if cursor.rowcount != table["rows"]:
                raise InvalidError(
                    f"the table {name} has {cursor.rowcount} rows, not those listed", code="backup_invalid"
                )
            cursor.execute(f"ALTER TABLE {name} ENABLE TRIGGER USER")


def _parts(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while part := file.read(_CHUNK):
            yield part
