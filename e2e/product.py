"""The real server in a process of its own over a fresh data folder, and the command line beside it."""

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
_COMMAND_LINE: Final = (sys.executable, "-c", "from app.cli import main; main()")
_START_S: Final = 60
_END_S: Final = 20
_COMMAND_S: Final = 120


def _environment(data: Path, port: int) -> dict[str, str]:
    """Return what the product needs and nothing else, so that no setting of a person changes a story."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    mine = {"ODEU_DATA": str(data), "ODEU_PORT": str(port), "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    return kept | mine | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def _free_port() -> int:
    """Return a port that was free a moment ago: the server must know its own origin before it listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


@dataclass
class Product:
    """One installation with its server running."""

    data: Path
    port: int
    said: list[str] = field(default_factory=list)
    """What the server printed, line by line."""
    link: str = ""
    """The one-time link that the server printed at its start."""

    @property
    def origin(self) -> str:
        """Return the address of the server."""
        return f"http://127.0.0.1:{self.port}"

    def odeu(self, *arguments: str, secret: str = "") -> dict[str, Any]:
        """Run one command with `--json` and return its answer; `secret` goes in as an operator's token.

        Raises: AssertionError with everything it printed when it fails.
        """
        environment = _environment(self.data, self.port)
        if secret:
            environment["ODEU_OPERATOR_TOKEN"] = secret
        done = subprocess.run(
            [*_COMMAND_LINE, *arguments, "--json"],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=_COMMAND_S,
            check=False,
        )
        assert done.returncode == 0, f"odeu {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}"
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    def sign_in_link(self, person: str = "owner") -> str:
        """Return a fresh one-time link."""
        return str(self.odeu("signin", "--person", person)["link"])

    def git(self, *arguments: str) -> str:
        """Ask plain Git about the sandbox's repository."""
        (bare,) = self.data.glob("**/*.git")
        command = ["git", f"--git-dir={bare}", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
        return done.stdout.strip()

    def story(self) -> str:
        """Return what the server said, for the message of a failure."""
        return "the server said:\n" + "\n".join(self.said)


def _listen(product: Product, running: subprocess.Popen[str], ready: threading.Event) -> None:
    """Keep every line; the first JSON object holds the link."""
    assert running.stdout is not None
    for line in running.stdout:
        product.said.append(line.rstrip())
        if not product.link and line.startswith("{"):
            product.link = json.loads(line)["link"]
            ready.set()
    ready.set()


def _answers(port: int, running: subprocess.Popen[str]) -> bool:
    """Wait until the port takes connections; False when the server ended instead."""
    waiting = threading.Event()
    for _ in range(_START_S * 20):
        if running.poll() is not None:
            return False
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            waiting.wait(0.05)
        else:
            return True
    return False


@contextmanager
def serving(data: Path, *, more: dict[str, str] | None = None) -> Iterator[Product]:
    """Serve a data folder, made and seeded if it is new, until the block ends; only this process is ended.

    `more` are further settings of the server.
    """
    product = Product(data, _free_port())
    running = subprocess.Popen(
        [*_COMMAND_LINE, "serve", "--json"],
        cwd=ROOT,
        env=_environment(data, product.port) | (more or {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    ready = threading.Event()
    listening = threading.Thread(target=_listen, args=(product, running, ready), daemon=True)
    listening.start()
    try:
        has_started = ready.wait(_START_S) and bool(product.link) and _answers(product.port, running)
        assert has_started, f"the server did not start; {product.story()}"
        yield product
    finally:
        running.terminate()
        try:
            running.wait(_END_S)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait(_END_S)
        listening.join(5)
        if running.stdout is not None:
            running.stdout.close()
