"""A backup of one installation: the database of one moment, the keys of that same moment, and what belongs to them.

Nothing is written to the ledger meanwhile, so that the keys never know a later head than the database. The
master key stays out unless asked for: without it the file holds nobody's words. Repositories and run folders
are no part of it; git has its own ways.
"""

import io
import os
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pysqlite3

from adapters.ledger.database import Database
from adapters.ledger.store import Store
from kernel.errors import InvalidError

DATABASE: Final = "odeu.sqlite3"
_FILES: Final = ("installation.json", "odeu.toml")
_FOLDERS: Final = ("keys", "erased", "journal")
_MASTER: Final = "master.key"


def write_backup(store: Database, folder: Path, target: Path, *, with_master_key: bool) -> tuple[str, ...]:
    """Write a new tar file of mode 0600, whole or not at all; return the names of what is in it.

    Raises: InvalidError when the file exists or cannot be written; LedgerUnavailableError when the database
    cannot be read.
    """
    if not isinstance(store, Store):
        raise InvalidError(
            "the database is a server's: back it up with pg_dump while nothing writes, as docs/databases.md says",
            code="backup_elsewhere",
        )
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


def _fill(file: io.BufferedWriter, store: Store, folder: Path, *, with_master_key: bool) -> tuple[str, ...]:
    with (
        tempfile.TemporaryDirectory(dir=folder, prefix=".backup-") as aside,
        tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        copy = Path(aside) / DATABASE
        # While nobody writes, the heads that the keys remember are those of the database.
        with store.writing():
            _copy_database(store, copy)
            for path in _paths(folder, with_master_key=with_master_key):
                tar.add(path, arcname=str(path.relative_to(folder)), recursive=False)
        tar.add(copy, arcname=DATABASE)
        return tuple(tar.getnames())


def _copy_database(store: Store, target: Path) -> None:
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    copy = pysqlite3.connect(str(target))
    try:
        with store.reading() as connection:
            raw = connection.connection.dbapi_connection
            assert raw is not None
            raw.backup(copy)
    finally:
        copy.close()


def _paths(folder: Path, *, with_master_key: bool) -> Iterator[Path]:
    names = (*_FILES, _MASTER) if with_master_key else _FILES
    yield from (folder / name for name in names if (folder / name).is_file())
    for name in _FOLDERS:
        if (folder / name).is_dir():
            yield folder / name
            inner = sorted((folder / name).rglob("*"))
            yield from (path for path in inner if not path.name.startswith(".") and not path.is_symlink())
