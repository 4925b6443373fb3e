"""A backup of one installation: the database of one moment, the keys of that same moment, and what belongs to them.

Nobody writes while the keys are read, so that they never know a later head than the database. The master key stays
out unless asked for: without it the file holds nobody's words. Sessions, sign-in links and operator tokens stay out
always: one that was ended since would let in again after a restore. Repositories and run folders are no part of it; git
has its own ways. A SQLite database is in it as a file, a PostgreSQL database as the files of `copying`.
"""

import io
import os
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

import pysqlite3

from adapters.ledger.copying import copy_out
from adapters.ledger.database import Database, driver_cursor
from adapters.ledger.schema import PASSING
from adapters.ledger.store import Store
from kernel.errors import InvalidError

DATABASE: Final = "odeu.sqlite3"
TABLES: Final = "database"
"""The folder of a PostgreSQL database's tables."""
FILES: Final = ("installation.json", "odeu.toml")
FOLDERS: Final = ("keys", "erased", "journal")
MASTER: Final = "master.key"


def write_backup(store: Database, folder: Path, target: Path, *, with_master_key: bool) -> tuple[str, ...]:
    """Write a new tar file of mode 0600, whole or not at all; return the names of what is in it.

    Raises: InvalidError when the file exists or cannot be written; LedgerUnavailableError when the database
    cannot be read.
    """
    draft = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                names = _fill(file, store, folder, with_master_key=with_master_key)
                file.flush()
                os.fsync(descriptor)
            target.hardlink_to(draft)
        finally:
            draft.unlink()
    except FileExistsError as error:
        raise InvalidError(
            f"there is already a file {target}; name another one", code="file_exists"
        ) from error
    except OSError as error:
        raise InvalidError(f"{target} cannot be written: {error.strerror}", code="file_unwritable") from error
    return names


def _fill(
    file: io.BufferedWriter, store: Database, folder: Path, *, with_master_key: bool
) -> tuple[str, ...]:
    with (
        tempfile.TemporaryDirectory(dir=folder, prefix=".backup-") as aside,
        tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        keys = partial(_add_paths, tar, folder, with_master_key=with_master_key)
        if isinstance(store, Store):
            _take_file(store, Path(aside) / DATABASE, keys)
            tar.add(Path(aside) / DATABASE, arcname=DATABASE)
        else:
            for name in _take_tables(store, Path(aside), keys):
                tar.add(Path(aside) / name, arcname=f"{TABLES}/{name}")
        return tuple(tar.getnames())


def _take_file(store: Store, copy: Path, keys: Callable[[], None]) -> None:
    # While nobody writes, the heads that the keys remember are those of the database.
    with store.writing():
        _copy_database(store, copy)
        keys()


def _take_tables(store: Database, folder: Path, keys: Callable[[], None]) -> tuple[str, ...]:
    with ExitStack() as snapshot:
        # Writers wait for the keys alone: the tables are read afterwards, as they stood at the same moment.
        with store.writing(alone=True):
            connection = snapshot.enter_context(store.reading())
            driver_cursor(connection).execute("SELECT 1")
            keys()
        return copy_out(connection, folder)


def _add_paths(tar: tarfile.TarFile, folder: Path, *, with_master_key: bool) -> None:
    for path in _paths(folder, with_master_key=with_master_key):
        tar.add(path, arcname=str(path.relative_to(folder)), recursive=False)


def _copy_database(store: Store, target: Path) -> None:
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    copy = pysqlite3.connect(str(target))
    try:
        with store.reading() as connection:
            raw = connection.connection.dbapi_connection
            assert raw is not None
            raw.backup(copy)
        # Overwritten, not only unlinked: a tar file is read as bytes too.
        copy.execute("PRAGMA secure_delete = ON")
        for table in PASSING:
            copy.execute(f"DELETE FROM {table.name}")  # noqa: S608 - names of our own schema
        copy.commit()
    finally:
        copy.close()


def _paths(folder: Path, *, with_master_key: bool) -> Iterator[Path]:
    names = (*FILES, MASTER) if with_master_key else FILES
    yield from (folder / name for name in names if (folder / name).is_file())
    for name in FOLDERS:
        if (folder / name).is_dir():
            yield folder / name
            inner = sorted((folder / name).rglob("*"))
            yield from (path for path in inner if not path.name.startswith(".") and not path.is_symlink())
