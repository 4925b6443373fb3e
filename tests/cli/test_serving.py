"""The server's door: nothing is promised before it stands open, and links name where it is."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from app.config.address import FILE, address_in_use
from tests.cli.conftest import ROOT, Odeu


@contextmanager
def serving(data: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """Run `odeu serve` and yield it with the first thing it says."""
    program = [sys.executable, "-c", "from app.cli import main; main()", "serve", "--json", *arguments]
    environment = {"PATH": "/usr/bin:/bin", "ODEU_DATA": str(data), "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        program, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        try:
            assert server.stdout is not None
            yield server, json.loads(server.stdout.readline())
        finally:
            server.kill()


def test_a_free_port_is_named_in_every_link_until_the_server_stops(odeu: Odeu, data: Path) -> None:
    """Port 0 takes a free one; `odeu signin` asks the running server's file for it, and a clean stop removes that."""
    with serving(data, "--port", "0") as (server, said):
        port = int(said["origin"].rpartition(":")[2])
        assert port > 0
        assert said["link"].startswith(f"{said['origin']}/signin?link=")
        caller = HTTPConnection("127.0.0.1", port, timeout=20)
        caller.request("GET", "/signin")
        assert caller.getresponse().status == 200
        caller.close()
        assert odeu("signin", "--json").record["link"].startswith(f"{said['origin']}/signin?link=")
        server.send_signal(signal.SIGTERM)
        server.wait(20)
    assert not (data / FILE).exists()
    assert odeu("signin", "--json").record["link"].startswith("http://127.0.0.1:8765/")


def test_what_a_killed_server_left_behind_counts_for_nothing(tmp_path: Path) -> None:
    """Only a process that lives is a server; a file that does not read is none."""
    ended = subprocess.Popen(["/bin/true"])
    ended.wait()
    file = tmp_path / FILE
    for text, origin in (
        (json.dumps({"origin": "http://127.0.0.1:9", "pid": ended.pid}), None),
        (json.dumps({"origin": "http://127.0.0.1:9", "pid": os.getpid()}), "http://127.0.0.1:9"),
        ("not json", None),
    ):
        file.write_text(text, encoding="utf-8")
        assert address_in_use(tmp_path) == origin


def test_a_busy_port_is_refused_before_any_link(odeu: Odeu) -> None:
    """The only thing said is the refusal."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        said = odeu("serve", "--port", port, "--json")
    assert (said.status, said.record["error"]["code"]) == (1, "port_busy")
    assert len(said.out.splitlines()) == 1


def test_an_origin_that_is_none_is_refused_before_any_link(odeu: Odeu) -> None:
    """A public origin with a path could never answer; nothing is issued for it."""
    environment = {"ODEU_PUBLIC_ORIGIN": "https://studio.example/path"}
    said = odeu("serve", "--port", "0", "--json", environment=environment)
    assert (said.status, said.record["error"]["code"]) == (1, "configuration_invalid")
    assert len(said.out.splitlines()) == 1
