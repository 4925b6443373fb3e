"""A canary goes the whole way with a server, its pages and the command line, and is nowhere once it was erased."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from adapters.bundles import events_of, examine, judge, judge_proof, read_proof, read_trust
from app.bootstrap import open_studio
from app.cli import main
from app.web.origin import SESSION_COOKIE
from tests.crash.stage import in_a_process
from tests.ledger.postgres_server import Server
from tests.support.sandbox import install, sandbox_texts, settings_for
from tests.support.walk import Walk

ROOT = Path(__file__).resolve().parents[2]
CANARY = "quetzalcoatlus"
SPELLINGS = (CANARY.encode(), CANARY.encode("utf-16-le"), CANARY.encode().hex().encode())


@dataclass(frozen=True)
class Place:
    """A data folder, its database, and the command line over both."""

    data: Path
    url: str

    def odeu(self, *arguments: str) -> dict[str, Any]:
        """Run a command that has to succeed, in a fork that need not import anything; return what it answers."""
        answer = self.data.parent / "answer"

        def run() -> None:
            os.environ.update(ODEU_DATA=str(self.data), ODEU_DATABASE_URL=self.url)
            sys.argv = ["odeu", *arguments, "--json"]
            with answer.open("w") as file:
                os.dup2(file.fileno(), sys.__stdout__.fileno())
                sys.stdout = file
                main()

        assert in_a_process(run) == 0, answer.read_text()
        record: dict[str, Any] = json.loads(answer.read_text().splitlines()[-1])
        return record


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Return an installation on each engine whose project has an accepted outline."""
    server = request.getfixturevalue("postgres_server") if request.param == "postgresql" else None
    place = Place(tmp_path / "data", "" if server is None else server.fresh_database())

    def begin() -> None:
        Walk(open_studio(install(place.data, place.url)), sandbox_texts()).until("capture")

    assert in_a_process(begin) == 0
    return place


@contextmanager
def served(place: Place, log: Path) -> Iterator[httpx2.Client]:
    """Serve the installation as its owner starts it, everything it says kept; give a signed-in client."""
    program = [sys.executable, "-c", "from app.cli import main; main()", "serve", "--json", "--port", "0"]
    environment = {**os.environ, "ODEU_DATA": str(place.data), "ODEU_DATABASE_URL": place.url}
    with (
        log.open("wb") as said,
        subprocess.Popen(program, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=said) as server,
    ):
        try:
            assert server.stdout is not None
            line = server.stdout.readline()
            origin = json.loads(line)["origin"]
            with httpx2.Client(
                base_url=origin, cookies={SESSION_COOKIE: _session(place)}, timeout=30
            ) as client:
                yield client
        finally:
            server.send_signal(signal.SIGTERM)
            said.write(server.communicate(timeout=30)[0])


def _session(place: Place) -> str:
    file = place.data.parent / "session"

    def sign_in() -> None:
        studio = open_studio(settings_for(place.data, place.url))
        me = studio.access.caller(studio.world_id, "owner", Walk(studio, sandbox_texts()).owner.via)
        link = studio.access.issue_link(me, "owner").secret
        file.write_text(studio.directory.sign_in(link, studio.clock.now(), label="a test").secret)

    assert in_a_process(sign_in) == 0
    return file.read_text()


def _tells(files: Iterator[Path]) -> list[str]:
    return [
        path.name for path in files if path.is_file() and any(word in path.read_bytes() for word in SPELLINGS)
    ]


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_canary_is_nowhere_once_it_was_erased(
    place: Place, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Not in database, log, index, logs, pages, later bundle or backup, or a restored one; every proof still verifies."""
    kept, log = tmp_path / "kept", tmp_path / "server.log"
    kept.mkdir()
    bundle, trust, proof, later = (str(kept / name) for name in ("bundle", "trust", "proof", "later"))
    project = place.odeu("projects")["projects"][0]["project_id"]
    with served(place, log) as client:
        captured = place.odeu("capture", f"Ask about the {CANARY} at the wall", "-p", project)
        pages = [
            "/",
            f"/p/{project}",
            f"/p/{project}/inbox",
            f"/p/{project}/outline",
            f"/p/{project}/timeline",
        ]
        assert any(CANARY in client.get(page, follow_redirects=True).text for page in pages)
        edited = place.odeu("edit", captured["delta_id"], "--title", "Ask about the wall", "--kind", "Task")
        node = place.odeu("accept", edited["delta_id"])["node_ids"][0]
        client.get(f"/p/{project}/search", params={"q": CANARY})
        place.odeu("export", "-p", project, bundle, "--trust", trust)
        place.odeu("backup", str(kept / "with.tar"), "--with-master-key")
        place.odeu("backup", str(kept / "without.tar"))
        Path(proof).write_text(json.dumps(place.odeu("prove", node)))
        place.odeu("erase", captured["source_id"])
        place.odeu("export", "-p", project, later)
        place.odeu("backup", str(kept / "later.tar"), "--with-master-key")
        for page in pages:
            assert CANARY not in client.get(page, follow_redirects=True).text
        assert place.odeu("verify", "--strict")["verified"]
    _assert_gone(place, log, kept, request)
    _assert_proved(kept)
    for name in ("with.tar", "later.tar"):
        _assert_restored_without(place, kept / name, tmp_path / name.partition(".")[0], request)


def _assert_gone(place: Place, log: Path, kept: Path, request: pytest.FixtureRequest) -> None:
    assert _tells(place.data.rglob("*")) == []
    assert _tells(iter([log])) == []
    assert _tells(iter([kept / "later.tar", kept / "without.tar", kept / "with.tar"])) == []
    if place.url:
        server: Server = request.getfixturevalue("postgres_server")
        assert _tells(server.files()) == []


def _assert_proved(kept: Path) -> None:
    trust, later = read_trust(kept / "trust"), examine(kept / "later")
    assert any(CANARY in repr(item) for item in events_of(kept / "bundle", examine(kept / "bundle")))
    assert not any(CANARY in repr(item) for item in events_of(kept / "later", later))
    for verdicts in (judge(later, trust), judge_proof(read_proof(kept / "proof"), trust)):
        assert (verdicts.self_consistent.standing, verdicts.signed_by_pinned.standing) == ("passed", "passed")
    assert judge(later, trust).extends_known.standing == "passed"


def _assert_restored_without(
    place: Place, archive: Path, folder: Path, request: pytest.FixtureRequest
) -> None:
    """Restore a backup, lay the tombstones over it, and find no trace after the first start."""
    url = request.getfixturevalue("postgres_server").fresh_database() if place.url else ""
    again = Place(folder, url)
    again.odeu("restore", str(archive))
    shutil.copytree(place.data / "erased", folder / "erased", dirs_exist_ok=True)
    assert again.odeu("verify", "--strict")["verified"]
    project = again.odeu("projects")["projects"][0]["project_id"]
    bundle = folder.parent / f"{folder.name}.bundle"
    again.odeu("export", "-p", project, str(bundle))
    found = examine(bundle)
    assert (found.problems, any(CANARY in repr(item) for item in events_of(bundle, found))) == ([], False)
    assert _tells(folder.rglob("*")) == []
