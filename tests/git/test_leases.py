"""A run folder holds the base exactly as stored, is reached by one uid, and goes away whole."""

import os
import stat
import subprocess
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.git.leases import choose_worktree_root, first_unsearchable
from adapters.git.repositories import GitRepositories
from kernel.errors import GitRefusedError
from kernel.values.execution import Lease
from tests.git.building import BASE_FILES, RUN, Bench, make_bench, plain_git, store_blob, tree_with

RUN_UID = 61_234
OTHER_UID = 61_235


def _snapshot(folder: Path) -> dict[str, tuple[str, bytes]]:
    return {
        str(path.relative_to(folder)): (oct(stat.S_IMODE(path.lstat().st_mode)), path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if not path.is_dir()
    }


def _reads(uid: int, path: str) -> bool:
    """Say whether a process of that uid can read the file."""
    done = subprocess.run(
        ["cat", path], user=uid, group=uid, extra_groups=[], capture_output=True, check=False, cwd="/"
    )
    return done.returncode == 0


def test_a_lease_is_the_base_tree_byte_for_byte_without_git(bench: Bench) -> None:
    """Plain files with modes 644, line endings untouched, nothing of Git's in or above them."""
    lease = bench.lease()
    folder = Path(lease.folder)
    assert _snapshot(folder) == {path: ("0o644", content) for path, content in BASE_FILES.items()}
    assert lease == Lease(RUN, "sample", bench.base, str(bench.root / "runs/leased" / RUN / "work"), None)
    assert [oct(stat.S_IMODE(path.stat().st_mode)) for path in (folder, *folder.parents[:3])] == ["0o700"] * 4


def test_an_executable_file_stays_executable_whatever_the_umask(bench: Bench) -> None:
    """Mode 755 in the tree is mode 755 in the folder; a tight umask changes nothing."""
    blob = store_blob(bench.place.path, b"#!/bin/sh\n")
    commit = tree_with(bench.place.path, "100755", "run.sh", blob)
    before = os.umask(0o077)
    try:
        lease = bench.git.lease(RUN, bench.place, commit, uid=None)
    finally:
        os.umask(before)
    assert _snapshot(Path(lease.folder)) == {"run.sh": ("0o755", b"#!/bin/sh\n")}


def test_a_folder_is_given_to_one_uid_and_taken_back(reachable_bench: Bench) -> None:
    """As root: only the run's uid and root reach it, and after absorbing only root; a user cannot give it away."""
    bench = reachable_bench
    if os.geteuid() != 0:
        with pytest.raises(GitRefusedError, match="only root can give") as caught:
            bench.git.lease(RUN, bench.place, bench.base, uid=RUN_UID)
        assert caught.value.reason_code == "invalid_configuration"
        assert not (bench.root / "runs").exists()
        return
    lease = bench.git.lease(RUN, bench.place, bench.base, uid=RUN_UID)
    file = f"{lease.folder}/src/tool.py"
    assert (_reads(RUN_UID, file), _reads(OTHER_UID, file)) == (True, False)
    # What the run does to its own folder opens it to nobody: the one above it is closed, too.
    subprocess.run(["chmod", "-R", "0777", lease.folder], user=RUN_UID, group=RUN_UID, check=True, cwd="/")
    assert _reads(OTHER_UID, file) is False
    absorbed = bench.git.absorb(lease)
    assert absorbed == replace(lease, folder=str(bench.root / "runs/sealing" / RUN / "work"))
    assert _reads(RUN_UID, f"{absorbed.folder}/src/tool.py") is False
    assert bench.git.absorb(lease) == absorbed


def test_work_of_another_uid_is_sealed(reachable_bench: Bench) -> None:
    """What the run's own uid wrote, with a tight mode, becomes the candidate."""
    bench = reachable_bench
    uid = RUN_UID if os.geteuid() == 0 else None
    lease = bench.git.lease(RUN, bench.place, bench.base, uid=uid)
    drop = {"user": uid, "group": uid, "extra_groups": []} if uid is not None else {}
    program = "umask 077; echo two > src/tool.py"
    subprocess.run(["sh", "-c", program], cwd=lease.folder, check=True, **drop)  # type: ignore[call-overload]
    facts = bench.git.seal(lease, bench.order())
    assert [(entry.path, entry.new_mode) for entry in facts.manifest] == [("src/tool.py", "100644")]


def test_a_root_that_the_uid_cannot_reach_is_refused(bench: Bench) -> None:
    """Rather than a run that fails later, the closed folder is named; a user is told that only root can."""
    with pytest.raises(GitRefusedError) as caught:
        bench.git.lease(RUN, bench.place, bench.base, uid=RUN_UID)
    words = "is closed to others" if os.geteuid() == 0 else "only root can give"
    assert (caught.value.reason_code, words in caught.value.message) == ("invalid_configuration", True)


def test_the_first_closed_folder_on_a_way_is_named(tmp_path: Path) -> None:
    """The outermost folder that keeps others out is found, and moves the default root out of a closed place."""
    way = tmp_path.resolve() / "closed" / "inner"
    way.mkdir(parents=True)
    way.parent.chmod(0o700)
    closed = first_unsearchable(way)
    assert closed is not None
    assert not closed.stat().st_mode & stat.S_IXOTH
    assert first_unsearchable(Path("/usr/bin")) is None
    roots = [choose_worktree_root(str(way), "one", drops_uid=drops_uid) for drops_uid in (False, True)]
    assert roots == [str(way / "runs"), "/var/tmp/odeu-one"]  # noqa: S108 - only a name


def test_a_run_has_one_folder(bench: Bench) -> None:
    """A second lease of a run is refused until the first is released, also while it is being sealed."""
    lease = bench.lease()
    codes = []
    for step in (lambda: None, lambda: bench.git.absorb(lease)):
        step()
        with pytest.raises(GitRefusedError, match="already has a folder") as caught:
            bench.lease()
        codes.append(caught.value.reason_code)
    bench.git.release(lease)
    bench.git.release(lease)
    assert codes == ["workspace_busy"] * 2
    assert bench.lease() == lease


def test_release_follows_no_link_and_needs_no_rights(bench: Bench) -> None:
    """What a link in the folder points at stays, and folders without any right still go."""
    outside = bench.root / "outside"
    outside.mkdir()
    (outside / "kept").write_bytes(b"kept")
    lease = bench.lease()
    Path(lease.folder, "src", "way").symlink_to(outside, target_is_directory=True)
    locked = Path(lease.folder, "locked", "in")
    locked.mkdir(parents=True)
    (locked / ".lifted-0").mkdir()
    (locked / "file").touch()
    locked.chmod(0)
    locked.parent.chmod(0)
    bench.git.release(lease)
    assert (outside / "kept").read_bytes() == b"kept"
    assert list((bench.root / "runs" / "leased").iterdir()) == []


def test_a_lease_that_failed_leaves_no_folder(bench: Bench) -> None:
    """When an object turns out broken while it is written, the half-written folder goes."""
    blob = store_blob(bench.place.path, BASE_FILES["src/tool.py"])
    file = Path(bench.place.path, "objects", blob[:2], blob[2:])
    file.chmod(0o644)
    file.write_bytes(zlib.compress(b"blob 14\x00print('bad')\r\n"))
    with pytest.raises(GitRefusedError) as caught:
        bench.lease()
    assert caught.value.reason_code == "git_failed"
    assert list((bench.root / "runs" / "leased").iterdir()) == []


def test_another_process_can_recall_a_lease_and_release_it(bench: Bench) -> None:
    """After a crash the run's id is enough to seal or remove what was leased."""
    lease = bench.lease()
    recalled = GitRepositories(str(bench.root / "runs")).recall(RUN, bench.place, bench.base, uid=None)
    assert recalled == lease
    bench.git.release(recalled)
    assert bench.lease() == lease


@pytest.mark.parametrize("act", ["absorb", "release"])
def test_a_lease_of_another_folder_is_refused(bench: Bench, act: str) -> None:
    """Only folders of this root are ever moved or removed."""
    lease = bench.lease()
    for other in (
        replace(lease, folder=str(bench.root)),
        replace(lease, run_id="../.."),
        replace(lease, folder=f"{lease.folder}/../work"),
    ):
        with pytest.raises(GitRefusedError) as caught:
            getattr(bench.git, act)(other)
        assert caught.value.reason_code == "invalid_configuration"
    assert Path(lease.folder).is_dir()


@pytest.mark.parametrize(("mode", "name"), [("120000", "link"), ("160000", "module")])
def test_a_base_with_links_or_submodules_is_refused(bench: Bench, mode: str, name: str) -> None:
    """A tree that a plain folder cannot hold is not leased, and leaves no folder behind."""
    target = store_blob(bench.place.path, b"/etc/passwd") if mode == "120000" else bench.base
    commit = tree_with(bench.place.path, mode, name, target)
    with pytest.raises(GitRefusedError, match="only plain files") as caught:
        bench.git.lease(RUN, bench.place, commit, uid=None)
    assert caught.value.reason_code == "unsupported_mode"
    assert not (bench.root / "runs").exists()


def test_a_base_with_an_unsafe_or_colliding_name_is_refused(bench: Bench) -> None:
    """A tree that would land elsewhere, or on itself, is not leased."""
    blob = store_blob(bench.place.path, b"x")
    odd = [tree_with(bench.place.path, "100644", name, blob) for name in (".GIT", "a\\b")]
    both = f"100644 blob {blob}\tA\n100644 blob {blob}\ta\n".encode()
    tree = plain_git(bench.place.path, "mktree", stdin=both)
    odd.append(plain_git(bench.place.path, "commit-tree", tree, "-m", "both"))
    codes = []
    for commit in odd:
        with pytest.raises(GitRefusedError) as caught:
            bench.git.lease(RUN, bench.place, commit, uid=None)
        codes.append(caught.value.reason_code)
    assert codes == ["unsafe_path"] * 3


def test_a_root_that_is_a_link_or_overlaps_the_repository_is_refused(tmp_path: Path) -> None:
    """Run folders and repositories never lie inside each other, nor behind a link."""
    bench = make_bench(tmp_path.resolve())
    (tmp_path / "link").symlink_to(tmp_path)
    roots = (bench.place.path + "/runs", str(tmp_path.resolve()), str(tmp_path / "link" / "runs"), "runs")
    for root in roots:
        with pytest.raises(GitRefusedError) as caught:
            GitRepositories(root).lease(RUN, bench.place, bench.base, uid=None)
        assert caught.value.reason_code == "invalid_configuration"
