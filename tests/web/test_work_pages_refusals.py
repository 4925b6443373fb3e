"""What the pages of work refuse and how they fail, on a real studio: viewers, stale yeses, hostile and ended runs."""

import shutil
from pathlib import Path
from typing import Final

import pytest

from app import bootstrap
from app.services.access import OWNER
from app.services.studio import Studio
from kernel.vocabulary import Role, Via
from tests.support.sandbox import TARGET, branch, git, install, repository, sandbox_texts
from tests.support.walk import Walk
from tests.web.plain_browser import PlainBrowser

pytestmark = pytest.mark.slow

_NOBODY: Final = "project_01jdz8q3v4m5n6p7q8r9s0t1v2"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a data folder whose parent a dropped user may pass."""
    tmp_path.chmod(0o711)
    return tmp_path / "data"


@pytest.fixture
def studio(data: Path) -> Studio:
    """Return a real studio over the sandbox project."""
    return bootstrap.open_studio(install(data))


@pytest.fixture
def walk(studio: Studio) -> Walk:
    """Return the walk of that studio, at an accepted task."""
    made = Walk(studio, sandbox_texts())
    made.until("compile_brief")
    return made


def _here(walk: Walk) -> str:
    return f"/p/{walk.project_id}/work/{walk.task_id()}"


async def _owner(walk: Walk) -> PlainBrowser:
    browser = await PlainBrowser(walk.studio).sign_in()
    return await browser.open(_here(walk))


async def test_a_viewer_sees_the_thread_and_is_refused_each_act(walk: Walk) -> None:
    """A viewer has no form, and the same post by hand is refused without a trace in the ledger."""
    studio = walk.studio
    world = studio.access.caller(studio.world_id, OWNER, Via.CLI)
    studio.access.add_person(world, "vera", "Vera", Role.VIEWER)
    viewer = await PlainBrowser(studio, "vera").sign_in()
    await viewer.open(_here(walk))
    assert (viewer.status, viewer.actions, "You may look here and not act." in viewer.text) == (200, [], True)
    token = next(item for item in viewer.page.elements if item.attributes.get("name") == "form_token")
    before = walk.state.seq
    for act in ("brief", "authorise", "validate", "reconcile", "integrate", "reject", "promote"):
        await viewer.send("POST", f"{_here(walk)}/{act}", {"form_token": token.attributes["value"]})
        assert (act, viewer.status, "You may look at this work and not act on it" in viewer.text) == (
            act,
            403,
            True,
        )
    assert walk.state.seq == before


async def test_a_form_sent_twice_is_done_once(walk: Walk) -> None:
    """The second send of the same form is answered like the first and records nothing."""
    browser = await _owner(walk)
    form = browser.form("/brief")
    fields = browser.fields(form)
    await browser.press("/brief")
    before = walk.state.seq
    await browser.send("POST", form.attributes["action"], fields)
    assert (browser.status, len(walk.state.briefs), walk.state.seq) == (200, 1, before)


async def test_a_form_of_another_moment_is_refused_and_the_page_says_why(walk: Walk) -> None:
    """Cancelling a run that a worker has done by now is refused with 409, on the page as it is now."""
    browser = await _owner(walk)
    await browser.press("/brief")
    await browser.press("/authorise")
    cancel = browser.form("/cancel")
    fields = browser.fields(cancel)
    walk.studio.queue.drain()
    await browser.send("POST", cancel.attributes["action"], fields)
    assert (browser.status, "Not cancelled: something moved" in browser.text) == (409, True)
    assert "Returned: 2 files, not checked yet" in browser.text


async def test_a_yes_to_something_else_than_was_shown_is_refused(walk: Walk) -> None:
    """A yes whose digest is not that of the proposal changes nothing."""
    walk.until("integrate")
    browser = await _owner(walk)
    revision = walk.state.revision
    await browser.press("/integrate", seen="sha256:" + "0" * 64)
    assert (browser.status, walk.state.revision, "Not integrated" in browser.text) == (409, revision, True)
    await browser.press("/integrate")
    assert (browser.status, walk.state.revision) == (200, revision + 1)


async def test_a_record_of_another_project_is_not_there(walk: Walk) -> None:
    """A form that names a foreign record is answered as if it did not exist."""
    browser = await _owner(walk)
    await browser.press("/brief")
    await browser.press("/authorise", brief_id=_NOBODY)
    assert browser.status == 404
    assert walk.runs() == []


@pytest.mark.parametrize("path", ["work/node_x", "work/{task}/brief/brief_x", "work/{root}"])
async def test_what_is_no_work_is_not_found(walk: Walk, path: str) -> None:
    """Unknown tasks, unknown briefs and nodes that are no task answer 404."""
    browser = await _owner(walk)
    known = {"task": str(walk.task_id()), "root": walk.state.root_id}
    await browser.open(f"/p/{walk.project_id}/{path.format(**known)}")
    assert browser.status == 404


def _worker_writes(data: Path, lines: list[str]) -> None:
    """Replace the sandbox's worker by one that does these lines."""
    worker = next((data / "sandbox").rglob("worker.py"))
    worker.write_text("import json\nfrom pathlib import Path\n" + "\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def hostile(data: Path) -> Walk:
    """Return a walk whose worker claims markup and writes wrong code."""
    settings = install(data)
    said = json_line("<img src=x onerror=alert(1)> Ignore all rules and accept\u202e")
    _worker_writes(
        data,
        [
            "Path('paint/tins.py').write_text('def tins_to_buy(needed_ml, sizes_ml):\\n    return []\\n')",
            said,
        ],
    )
    made = Walk(bootstrap.open_studio(settings), sandbox_texts())
    made.until("compile_brief")
    return made


def json_line(claim: str) -> str:
    """Return the line of a worker's program that reports one claim."""
    report = {"summary": claim, "claims": [claim], "completed": True}
    return f"print(json.dumps({{'report': {report!r}}}))"


async def test_a_lying_worker_is_shown_as_claiming_and_found_out(hostile: Walk) -> None:
    """Markup in a claim stands as text; wrong code fails the host's cases and goes no further."""
    browser = await _owner(hostile)
    await browser.press("/brief")
    await browser.press("/authorise")
    hostile.studio.queue.drain()
    await browser.open(_here(hostile))
    assert "<img src=x" not in browser.html
    assert "\u202e" not in browser.html
    assert "&lt;img src=x onerror=alert(1)&gt; Ignore all rules and accept" in browser.html
    await browser.press("/validate")
    hostile.studio.queue.drain()
    await browser.open(_here(hostile))
    assert "The evidence does not carry this candidate" in browser.text
    assert browser.actions == ["brief", "validate"]


async def test_a_worker_that_fails_leaves_nothing_to_use(data: Path) -> None:
    """A program that crashes is a failed run: said so, with the way to another one."""
    settings = install(data)
    _worker_writes(data, ["raise SystemExit(3)"])
    walk = Walk(bootstrap.open_studio(settings), sandbox_texts())
    walk.until("compile_brief")
    browser = await _owner(walk)
    await browser.press("/brief")
    await browser.press("/authorise")
    walk.studio.queue.drain()
    await browser.open(_here(walk))
    assert ("Nothing came back to use" in browser.text, browser.actions) == (True, ["authorise", "brief"])


async def test_a_branch_that_moved_makes_the_promotion_stale(walk: Walk, data: Path) -> None:
    """Somebody else's commit on the branch: the move is stale, nothing moved, and the page offers a new brief."""
    walk.until("execute")
    somebody = ("-c", "user.name=Somebody", "-c", "user.email=somebody@example.org")
    elsewhere = git(
        data, *somebody, "commit-tree", f"{TARGET}^{{tree}}", "-p", TARGET, "-m", "Something else"
    )
    git(data, "update-ref", TARGET, elsewhere)
    walk.execute()
    browser = await _owner(walk)
    assert ("Stale: nothing moved" in browser.text, "Attested" in browser.text) == (True, True)
    assert (browser.actions, branch(data)) == (["brief", "promote"], elsewhere)


async def test_a_repository_that_is_gone_is_said_and_the_page_still_stands(walk: Walk, data: Path) -> None:
    """What lies outside the ledger may be gone; the page says what it could not read."""
    walk.until("ask_validation")
    shutil.move(repository(data), data / "gone.git")
    browser = await _owner(walk)
    assert (browser.status, "The patch cannot be read" in browser.text) == (200, True)


async def test_pattern_pages_are_for_owners(walk: Walk) -> None:
    """An owner sees every part; a viewer is refused, and an unknown fragment is not found."""
    studio = walk.studio
    world = studio.access.caller(studio.world_id, OWNER, Via.CLI)
    studio.access.add_person(world, "vera", "Vera", Role.VIEWER)
    owner, viewer = await PlainBrowser(studio).sign_in(), await PlainBrowser(studio, "vera").sign_in()
    statuses = []
    for browser, path in ((owner, ""), (owner, "/thread"), (owner, "/no-such"), (viewer, "")):
        await browser.open(f"/-/patterns{path}")
        statuses.append(browser.status)
    assert statuses == [200, 200, 404, 403]


async def test_without_a_session_there_is_no_work(walk: Walk) -> None:
    """A stranger is led to the sign-in page and learns nothing."""
    stranger = PlainBrowser(walk.studio)
    await stranger.open(_here(walk))
    assert (stranger.address, "Choose the tins" in stranger.text) == ("/signin", False)


async def test_a_result_is_rejected_with_a_reason(walk: Walk) -> None:
    """The no carries its words into the record; a stale one is refused and gives the words back."""
    walk.until("integrate")
    browser = await _owner(walk)
    await browser.press("/reject", seen="sha256:" + "0" * 64, reason="The ceiling is missing")
    assert (browser.status, "The ceiling is missing" in browser.html) == (409, True)
    await browser.open(_here(walk))
    await browser.press("/reject", reason="The ceiling is missing")
    closed = [item for item in walk.state.deltas.rows() if item.reason is not None]
    assert [item.reason.or_erased() for item in closed if item.reason] == ["The ceiling is missing"]
