"""A PostgreSQL server of the tests' own: in a temporary folder, on a Unix socket, ended by its process id."""

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

BINARIES = "/usr/lib/postgresql"
"""Where Debian keeps the server's programs, one folder per version."""


def server_programs() -> Path | None:
    """Return the folder of the newest installed server's programs, or None."""
    found = [path.parent for path in Path(BINARIES).glob("*/bin/postgres")]
    beside = shutil.which("postgres")
    if beside is not None:
        found.append(Path(beside).resolve().parent)
    usable = [path for path in found if (path / "initdb").exists()]
    return max(
        usable, key=lambda path: int(path.parent.name) if path.parent.name.isdigit() else 0, default=None
    )


def _ordinary_user() -> str | None:
    """Return whom the server runs as: it refuses to run as root. None when this user is already ordinary."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


class Server:
    """A running server; every database made in it has its own address."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs = programs
        self._folder = folder
        self._user = _ordinary_user()
        self._process: subprocess.Popen[bytes] | None = None
        self._made = 0

    def create(self) -> None:
        """Make the server's files, owned by whom it runs as."""
        if self._user is not None:
            shutil.chown(self._folder, self._user)
        command = [
            str(self._programs / "initdb"),
            "-D",
            str(self._folder / "data"),
            "-U",
            "owner",
            "-A",
            "trust",
        ]
        subprocess.run(
            [*command, "-E", "UTF8", "--locale=C"], user=self._user, check=True, capture_output=True, cwd="/"
        )

    def start(self) -> None:
        """Start the server and wait until it answers."""
        command = [
            str(self._programs / "postgres"),
            "-D",
            str(self._folder / "data"),
            "-k",
            str(self._folder),
        ]
        settings = ("listen_addresses=", "max_connections=100", "fsync=on", "autovacuum=off")
        for setting in settings:
            command += ["-c", setting]
        self._process = subprocess.Popen(
            command, user=self._user, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/"
        )
        for _ in range(400):
            try:
                psycopg.connect(self.url("postgres"), connect_timeout=2).close()
            except psycopg.OperationalError:
                if self._process.poll() is not None:
                    raise
                time.sleep(0.05)
            else:
                return
        message = "the server did not start"
        raise RuntimeError(message)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End the server: SIGINT ends its sessions, SIGQUIT is a crash."""
        assert self._process is not None
        self._process.send_signal(how)
        self._process.wait(timeout=60)

    def url(self, database: str, user: str = "owner") -> str:
        """Return the address of a database in it."""
        return f"postgresql://{user}@/{database}?host={self._folder}"

    def copy_of(self, address: str) -> str:
        """Make a copy of a database that nobody has open and return its address."""
        template = address.partition("?")[0].rpartition("/")[2]
        # Forked processes copy too, so that a counter would give two of them the same name.
        name = f"odeu_copy_{secrets.token_hex(6)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}".encode())
        return self.url(name)

    def files(self) -> Iterator[Path]:
        """Yield every file of the server: tables, indexes, and the segments of its write-ahead log."""
        return (path for path in (self._folder / "data").rglob("*") if path.is_file())

    def fresh_database(self) -> str:
        """Make an empty database and return its address."""
        self._made += 1
        name = f"odeu_{self._made}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self.url(name)


@contextmanager
def running_server(folder: Path, programs: Path) -> Iterator[Server]:
    """Run a server for the block."""
    server = Server(programs, folder)
    server.create()
    server.start()
    try:
        yield server
    finally:
        server.stop()
