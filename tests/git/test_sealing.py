"""A run's folder becomes exactly one candidate, or a refusal with its own code."""

import subprocess
import tempfile
import time
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from adapters.git.repositories import GitRepositories
from adapters.git.sealing import SealLimits
from adapters.git.walking import FolderLimits
from kernel.canonical import digest
from kernel.errors import SealRefusedError
from kernel.values.execution import Lease
from tests.git.building import (
    BASE_FILES,
    CANDIDATE,
    MAIN,
    SEALED_AT,
    Bench,
    make_bench,
    plain_git,
    store_blob,
)


def _work(lease: Lease, path: str, content: bytes) -> Path:
    file = Path(lease.folder, path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return file


def test_every_kind_of_change_is_in_the_manifest_and_nothing_else(bench: Bench) -> None:
    """Added, modified, deleted and made executable: one entry each, sorted by path, with raw blobs."""
    lease = bench.lease()
    _work(lease, "src/new.py", b"new\r\n").chmod(0o755)
    _work(lease, "src/tool.py", b"print('two')\n")
    Path(lease.folder, "src/gone.py").unlink()
    Path(lease.folder, "src/empty").mkdir()
    facts = bench.git.seal(lease, bench.order())
    git_dir = bench.place.path
    gone, tool = (store_blob(git_dir, BASE_FILES[path]) for path in ("src/gone.py", "src/tool.py"))
    added, changed = (store_blob(git_dir, content) for content in (b"new\r\n", b"print('two')\n"))
    assert [tuple(entry.model_dump().values()) for entry in facts.manifest] == [
        ("src/gone.py", "deleted", "100644", None, gone, None),
        ("src/new.py", "added", None, "100755", None, added),
        ("src/tool.py", "modified", "100644", "100644", tool, changed),
    ]
    assert plain_git(git_dir, "ls-tree", "-r", "--name-only", facts.tree).splitlines() == [
        "README.md",
        "docs/note.txt",
        "src/new.py",
        "src/tool.py",
    ]
    assert bench.git.verify_candidate(bench.place, facts) == ()


def test_the_digests_are_over_the_canonical_manifest_and_the_exact_binary_patch(bench: Bench) -> None:
    """Anyone can recompute both digests with plain git and the canonical rules."""
    facts = bench.sealed(b"\x00\xff binary\n")
    patch = subprocess.run(
        [
            "git",
            f"--git-dir={bench.place.path}",
            "diff",
            *("--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv"),
            facts.base_commit,
            facts.commit,
        ],
        capture_output=True,
        check=True,
    ).stdout
    assert b"GIT binary patch" in patch
    assert (facts.patch_digest, facts.patch_bytes) == (digest("odeu.patch.v1", patch), len(patch))
    assert facts.manifest_digest == digest(
        "odeu.manifest.v1", [entry.model_dump(mode="json") for entry in facts.manifest]
    )


def test_the_commit_is_deterministic_and_names_one_parent_and_its_binding(bench: Bench) -> None:
    """The raw commit holds the base as only parent, the sealer twice, the sealing time and the trailer."""
    facts = bench.sealed()
    binding = {
        "candidate_id": CANDIDATE,
        "repository_id": "sample",
        "target_ref": MAIN,
        "run_id": bench.order().run_id,
        "brief_id": bench.order().brief_id,
        "base_commit": bench.base,
        "tree": facts.tree,
        "sealed_at": SEALED_AT,
    }
    assert plain_git(bench.place.path, "cat-file", "commit", facts.commit) == (
        f"tree {facts.tree}\n"
        f"parent {bench.base}\n"
        "author ODEU Sealer <sealer@odeu.invalid> 1796041815 +0000\n"
        "committer ODEU Sealer <sealer@odeu.invalid> 1796041815 +0000\n"
        "\n"
        "Seal the work of one run\n"
        "\n"
        f"Binding-Digest: {digest('odeu.binding.v1', binding)}"
    )
    assert bench.refs() == [f"commit {MAIN}", f"commit refs/odeu/candidates/{CANDIDATE}"]


def test_two_repositories_give_the_same_candidate(tmp_path: Path) -> None:
    """The same base, order and bytes give equal facts in every field, wherever they are sealed."""
    benches = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        benches.append(make_bench((tmp_path / name).resolve()))
    assert benches[0].sealed() == benches[1].sealed()


def test_sealing_again_adopts_the_ref_a_crash_left(bench: Bench) -> None:
    """After a crash between the ref and the answer, the same order gives the same facts."""
    lease = bench.lease()
    _work(lease, "src/tool.py", b"two\n")
    first = bench.git.seal(lease, bench.order())
    assert bench.git.seal(lease, bench.order()) == first


def _seal_to_be_killed(bench: Bench, lease: Lease) -> None:
    """Seal in a process of its own, which cannot clear away its scratch folder and so keeps it with the test's."""
    tempfile.tempdir = str(bench.root)
    bench.git.seal(lease, bench.order())


def test_a_seal_killed_at_any_moment_is_completed_by_the_next(tmp_path: Path) -> None:
    """Killed before, between and after its writes, the same order then gives the candidate never killed gives."""
    root = tmp_path.resolve()
    bench = make_bench(root)
    lease = bench.lease()
    _work(lease, "src/tool.py", b"print('two')\n")
    for delay_s in (0.0, 0.002, 0.004, 0.006, 0.009, 0.012, 0.016, 0.024):
        sealing = get_context("fork").Process(target=_seal_to_be_killed, args=(bench, lease))
        sealing.start()
        time.sleep(delay_s)
        sealing.kill()
        sealing.join()
    # The last git call of a killed seal may still be ending: that, too, is a state to recover from.
    facts = bench.git.seal(lease, bench.order())
    (root / "other").mkdir()
    assert facts == make_bench(root / "other").sealed()
    assert bench.git.verify_candidate(bench.place, facts) == ()


def test_a_ref_that_holds_something_else_is_a_conflict(bench: Bench) -> None:
    """A candidate's ref is never moved: taken by another commit, or symbolic, it refuses the seal."""
    lease = bench.lease()
    _work(lease, "src/tool.py", b"two\n")
    ref = f"refs/odeu/candidates/{CANDIDATE}"
    for arguments in (("update-ref", ref, bench.base), ("symbolic-ref", ref, MAIN)):
        plain_git(bench.place.path, *arguments)
        with pytest.raises(SealRefusedError, match="ref") as caught:
            bench.git.seal(lease, bench.order())
        assert caught.value.reason_code == "candidate_conflict"
    assert plain_git(bench.place.path, "symbolic-ref", ref) == MAIN


def test_a_run_that_changed_nothing_is_refused(bench: Bench) -> None:
    """No candidate stands for no change."""
    assert bench.refusal(bench.lease(), bench.order()) == (
        "no_changes",
        "the run changed nothing, so there is nothing to seal",
    )


def test_a_target_that_moved_is_refused(bench: Bench) -> None:
    """The branch must still hold the base when the run is sealed."""
    lease = bench.lease()
    _work(lease, "src/tool.py", b"two\n")
    tree = plain_git(bench.place.path, "rev-parse", f"{bench.base}^{{tree}}")
    moved = plain_git(bench.place.path, "commit-tree", tree, "-p", bench.base, "-m", "later")
    plain_git(bench.place.path, "update-ref", MAIN, moved)
    assert bench.refusal(lease, bench.order()) == (
        "base_moved",
        f"'{MAIN}' moved from {bench.base} to {moved} while the run worked",
    )


def test_a_target_that_became_symbolic_is_refused(bench: Bench) -> None:
    """A symbolic target is no target, also when it resolves to the base."""
    lease = bench.lease()
    _work(lease, "src/tool.py", b"two\n")
    plain_git(bench.place.path, "update-ref", "refs/heads/other", bench.base)
    plain_git(bench.place.path, "symbolic-ref", MAIN, "refs/heads/other")
    with pytest.raises(SealRefusedError, match="symbolic") as caught:
        bench.git.seal(lease, bench.order())
    assert caught.value.reason_code == "base_moved"


@pytest.mark.parametrize(
    ("path", "allowed", "code"),
    [
        ("README.md", ("src/",), "disallowed_path"),
        ("srcs/x", ("src/",), "disallowed_path"),
        ("docs/note.txt", ("docs/note.tx", "docs/note.txt2"), "disallowed_path"),
        ("src/AGENTS.md", ("src/",), "control_file"),
        ("src/.Claude/settings.json", ("src/",), "control_file"),
        (".github/workflows/a.yml", (".github/",), "control_file"),
        (".mcp.json", ("src/",), "control_file"),
        ("src/.gitattributes", ("src/",), "control_file"),
    ],
)
def test_a_path_outside_the_envelope_is_refused(
    bench: Bench, path: str, allowed: tuple[str, ...], code: str
) -> None:
    """Only exact paths and named folders may change, and what steers agents or builds only by exact name."""
    lease = bench.lease()
    _work(lease, path, b"changed\n")
    found, sentence = bench.refusal(lease, bench.order(*allowed))
    assert (found, repr(path) in sentence) == (code, True)


def test_deleting_outside_the_envelope_is_refused(bench: Bench) -> None:
    """A deletion is a change like any other."""
    lease = bench.lease()
    Path(lease.folder, "README.md").unlink()
    assert bench.refusal(lease, bench.order())[0] == "disallowed_path"


def test_a_control_file_allowed_by_its_exact_name_is_sealed(bench: Bench) -> None:
    """The profile may name a control file; then it is a file."""
    lease = bench.lease()
    _work(lease, "AGENTS.md", b"Be kind.\n")
    facts = bench.git.seal(lease, bench.order("AGENTS.md"))
    assert [entry.path for entry in facts.manifest] == ["AGENTS.md"]


@pytest.mark.parametrize("path", ["src/tool.py", "src/token-s3cret-token", "s3cret-token/.git"])
def test_a_secret_in_a_file_or_a_name_is_refused(bench: Bench, path: str) -> None:
    """Configured secret bytes never enter a candidate, and the sentence does not repeat them."""
    lease = bench.lease()
    _work(lease, path, b"" if "token" in path else b"key = 's3cret-token'\n")
    code, sentence = bench.refusal(lease, bench.order(secrets=(b"unused-secret", b"s3cret-token")))
    assert code == ("unsafe_path" if path.endswith(".git") else "secret_found")
    assert b"s3cret-token" not in sentence.encode()


def test_limits_are_refused_each_in_its_own_words(bench: Bench) -> None:
    """Entries, changed paths, bytes, patch and manifest each have a cap."""
    lease = bench.lease()
    for number in range(6):
        _work(lease, f"src/{number}", b"%d" % number * 100)
    cases = {
        "entries": (SealLimits(folder=FolderLimits(entries=8)), "too_many_files"),
        "paths": (SealLimits(changed_paths=5), "too_many_files"),
        "bytes": (SealLimits(folder=FolderLimits(total_bytes=300)), "too_large"),
        "patch": (SealLimits(patch_bytes=200), "too_large"),
        "manifest": (SealLimits(manifest_bytes=100), "too_large"),
    }
    found = {}
    for name, (limits, _) in cases.items():
        git = GitRepositories(str(bench.root / "runs"), limits=limits)
        found[name] = replace(bench, git=git).refusal(lease, bench.order())[0]
    assert found == {name: code for name, (_, code) in cases.items()}


@pytest.mark.parametrize(
    "change",
    [
        {"run_id": "run_other"},
        {"base_commit": "0" * 40},
        {"target_ref": "refs/heads/other"},
        {"allowed_paths": ()},
        {"allowed_paths": ("../up/",)},
        {"secrets": (b"",)},
        {"sealed_at": "yesterday"},
        {"candidate_id": "../up"},
    ],
)
def test_an_order_that_does_not_fit_is_refused(bench: Bench, change: dict[str, Any]) -> None:
    """A malformed order is the host's fault and says so before anything is read."""
    lease = bench.lease()
    _work(lease, "src/tool.py", b"two\n")
    assert bench.refusal(lease, replace(bench.order(), **change))[0] == "invalid_configuration"


def test_a_repository_that_cannot_be_written_is_git_failed(bench: Bench) -> None:
    """When the object store is broken the seal fails by name and no ref appears."""
    lease = bench.lease()
    _work(lease, "src/tool.py", b"two\n")
    blob = store_blob(bench.place.path, b"two\n")
    fan = Path(bench.place.path, "objects", blob[:2])
    for file in fan.iterdir():
        file.unlink()
    fan.rmdir()
    fan.write_bytes(b"in the way")
    assert bench.refusal(lease, bench.order())[0] == "git_failed"
