"""A backup brought back: into a data folder that is not there yet, and a database that holds nothing.

The folder gets its name last, so that a data folder in place is a whole one. What the backup says is believed no more
than any database: the next start compares it with its keys, and `odeu verify` reads all of it.
"""

import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from adapters.ledger.backup import DATABASE, FILES, FOLDERS, MASTER, TABLES
from adapters.ledger.copying import copy_in, schema_of
from adapters.ledger.engines import is_postgres, open_store
from adapters.ledger.migrate import migrate
from adapters.ledger.store import database_path
from kernel.errors import ConflictError, InvalidError

_PLACES: Final = (*FOLDERS, TABLES)


def restore_backup(source: Path, folder: Path, database_url: str) -> tuple[str, ...]:
    """Put a backup into a new data folder and an empty database; return the names of what was in it.

    The master key is in it only if it was asked for; put it beside before the first start. In PostgreSQL the address
    is that of the role that owns the tables.

    Raises: ConflictError when the folder or the database holds something; InvalidError when the file is no backup, is
    of the other engine, or its tables were altered; ConfigurationError for a newer schema; LedgerUnavailableError.
    """
    if folder.exists() and any(folder.iterdir()):
        raise ConflictError(
            f"{folder} is not empty; a backup is restored into a new data folder", code="not_empty"
        )
    if not is_postgres(database_url) and database_path(database_url).exists():
        raise ConflictError(f"there is a database at {database_path(database_url)} already", code="not_empty")
    folder.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        names = tuple(_unpack(source, aside))
        if is_postgres(database_url):
            _fill_tables(aside / TABLES, database_url)
        else:
            _place_file(aside / DATABASE, database_path(database_url), folder)
        aside.replace(folder)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise
    return names


def _unpack(source: Path, folder: Path) -> Iterator[str]:
    """Write what a backup may hold, and refuse what it may not: links, devices, and names that lead elsewhere."""
    try:
        with tarfile.open(source, mode="r:") as tar:
            for member in tar:
                name = PurePosixPath(member.name)
                known = name.parts[0] in _PLACES or member.name in {*FILES, MASTER, DATABASE}
                if not known or ".." in name.parts or not (member.isfile() or member.isdir()):
                    raise InvalidError(f"{member.name!r:.80} is no part of a backup", code="backup_invalid")
                _write(tar, member, folder / name)
                yield member.name
    except tarfile.TarError as error:
        message = (
            f"{source} is no backup: it is not the file that `odeu backup` writes, or its end is missing"
        )
        raise InvalidError(message, code="backup_invalid") from error
    except OSError as error:
        raise InvalidError(f"the backup cannot be unpacked: {error}", code="backup_invalid") from error


def _write(tar: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> None:
    if member.isdir():
        target.mkdir(mode=0o700)
        return
    target.parent.mkdir(mode=0o700, exist_ok=True)
    content = tar.extractfile(member)
    assert content is not None
    descriptor = os.open(
        target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, member.mode & 0o700 | 0o600
    )
    with content, os.fdopen(descriptor, "wb") as file:
        shutil.copyfileobj(content, file)
        file.flush()
        os.fsync(descriptor)


def _fill_tables(tables: Path, database_url: str) -> None:
    if not tables.is_dir():
        raise InvalidError(
            "this backup is of a SQLite database; leave ODEU_DATABASE_URL empty", code="backup_elsewhere"
        )
    # First the schema the tables are of, then the tables, then whatever this version has added since.
    migrate(database_url, to=schema_of(tables))
    store = open_store(database_url)
    try:
        copy_in(store, tables)
    finally:
        store.close()
    migrate(database_url)
    shutil.rmtree(tables)


def _place_file(file: Path, target: Path, folder: Path) -> None:
    if not file.is_file():
        raise InvalidError(
            "this backup is of a PostgreSQL database; name an empty one in ODEU_DATABASE_URL",
            code="backup_elsewhere",
        )
    if target.absolute() != (folder / DATABASE).absolute():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(file, target)
