"""Nothing a repository's own configuration names is ever started, and no byte is changed by it."""

import os
from pathlib import Path

import pytest

from adapters.git.command import GitBounds, git_argv, git_output, run_git
from kernel.errors import GitRefusedError
from tests.git.building import MAIN, RUN, Bench, make_bench, plain_git

ODD_FILES = {
    "a.txt": b"$Id$\r\none\r\n",
    "src/tool.py": b"$Id$\none\n",
    ".gitattributes": b"* text eol=crlf ident filter=evil diff=evil working-tree-encoding=UTF-16\n",
}


def _arm(bench: Bench) -> Path:
    """Give the repository every setting that can run a program; return the file that would prove that one ran."""
    git_dir, proof = bench.place.path, bench.root / "proof"
    trap = bench.root / "trap"
    trap.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{proof}'\ncat\n")
    trap.chmod(0o755)
    for name in (
        *("filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "core.fsmonitor"),
        *("diff.evil.textconv", "diff.evil.command", "diff.external", "core.pager", "core.editor"),
        *(
            "core.sshCommand",
            "core.askPass",
            "credential.helper",
            "gpg.program",
            "uploadpack.packObjectsHook",
        ),
        *("core.alternateRefsCommand", "interactive.diffFilter", "sequence.editor"),
    ):
        plain_git(git_dir, "config", name, str(trap))
    for name, value in (
        *(("core.autocrlf", "true"), ("core.eol", "crlf"), ("commit.gpgSign", "true")),
        *(("diff.noprefix", "true"), ("diff.context", "9"), ("diff.algorithm", "patience")),
        *(("core.attributesFile", f"{git_dir}/info/attributes"), ("filter.evil.required", "true")),
    ):
        plain_git(git_dir, "config", name, value)
    Path(git_dir, "info").mkdir(exist_ok=True)
    Path(git_dir, "info/attributes").write_bytes(ODD_FILES[".gitattributes"])
    hooks = Path(git_dir, "hooks")
    hooks.mkdir(exist_ok=True)
    for name in ("reference-transaction", "post-index-change", "pre-commit", "post-commit", "update"):
        (hooks / name).symlink_to(trap)
    return proof


def test_nothing_runs_and_no_byte_changes_from_lease_to_verification(tmp_path: Path) -> None:
    """With every trap set, the folder, the candidate, its patch and its digests are those of a plain repository."""
    benches = {}
    for name in ("plain", "armed"):
        (tmp_path / name).mkdir()
        benches[name] = make_bench((tmp_path / name).resolve(), ODD_FILES)
    proof = _arm(benches["armed"])
    found = {}
    for name, bench in benches.items():
        assert bench.git.inspect(bench.place) == ()
        lease = bench.git.lease(RUN, bench.place, bench.base, uid=None)
        folder = Path(lease.folder)
        held = {
            str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()
        }
        assert held == ODD_FILES
        (folder / "src/tool.py").write_bytes(b"$Id$\r\ntwo\n\r\n")
        facts = bench.git.seal(lease, bench.order())
        assert bench.git.verify_candidate(bench.place, facts) == ()
        blob = bench.git.read_blob(bench.place, facts.commit, "src/tool.py", max_bytes=100)
        patch = bench.git.patch(bench.place, bench.base, facts.commit, max_bytes=4096)
        bench.git.release(lease)
        found[name] = (facts, blob, patch)
    assert found["armed"] == found["plain"]
    assert found["armed"][1] == b"$Id$\r\ntwo\n\r\n"
    assert not proof.exists()


def test_the_traps_are_real(tmp_path: Path) -> None:
    """Plain git falls into them, so the test above would notice."""
    bench = make_bench(tmp_path.resolve(), ODD_FILES)
    proof = _arm(bench)
    plain_git(bench.place.path, "update-ref", "refs/heads/side", bench.base)
    assert "reference-transaction" in proof.read_text()


def test_a_ref_written_by_the_hardened_command_runs_no_hook(tmp_path: Path) -> None:
    """The same write through the one door leaves no trace of a hook."""
    bench = make_bench(tmp_path.resolve(), ODD_FILES)
    proof = _arm(bench)
    answer = run_git(
        bench.place.path, "update-ref", "--stdin", stdin=f"create refs/heads/side {bench.base}\n".encode()
    )
    assert (answer.code, answer.stdout, answer.stderr, answer.truncated) == (0, b"", b"", False)
    assert bench.refs() == [f"commit {MAIN}", "commit refs/heads/side"]
    assert not proof.exists()


def test_every_call_names_its_repository_and_switches_everything_off() -> None:
    """The fixed options come before the command, so no caller can leave one out."""
    argv = git_argv("/some/where.git", "update-ref", "x")
    assert argv[-2:] == ("update-ref", "x")
    assert {
        "--git-dir=/some/where.git",
        "--no-replace-objects",
        "core.hooksPath=/dev/null",
        "core.fsmonitor=false",
        "protocol.allow=never",
        "safe.directory=/some/where.git",
        "core.fsync=all",
    } <= set(argv[:-2])


def test_the_callers_environment_does_not_reach_git(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables that redirect Git are not passed on, and no configuration outside the repository is read."""
    home = bench.root / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[alias]\n\tx = y\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_DIR", "/elsewhere")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "alias.z")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "y")
    names = git_output(bench.place.path, "config", "--list", "--name-only").decode().splitlines()
    assert [name for name in names if name.startswith("alias")] == []


def test_protocols_are_refused(bench: Bench) -> None:
    """Not even another repository on this machine is fetched from."""
    answer = run_git(bench.place.path, "fetch", bench.place.path, MAIN)
    assert (answer.code, answer.sentence()) == (128, "fatal: transport 'file' not allowed")


def test_output_and_time_are_bounded(bench: Bench) -> None:
    """A call that says too much is cut there; one that never ends is killed and named."""
    answer = run_git(bench.place.path, "cat-file", "-p", bench.base, bounds=GitBounds(output_bytes=10))
    assert (len(answer.stdout), answer.truncated) == (10, True)
    with pytest.raises(GitRefusedError, match="more than 10 bytes") as caught:
        git_output(bench.place.path, "cat-file", "-p", bench.base, bounds=GitBounds(output_bytes=10))
    assert caught.value.reason_code == "too_large"
    pipe = bench.root / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(GitRefusedError, match=r"longer than 0\.2 seconds"):
        run_git(bench.place.path, "config", f"--file={pipe}", "--list", bounds=GitBounds(wall_s=0.2))


def test_a_large_input_and_output_do_not_block_each_other(bench: Bench) -> None:
    """More than a pipe holds goes in and comes out of one call."""
    request = f"{bench.base}\n".encode() * 20_000
    answer = git_output(bench.place.path, "cat-file", "--batch-check", stdin=request)
    assert answer.count(b"\n") == 20_000
