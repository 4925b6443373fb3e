"""Refs, files, trees and patches are read raw, within bounds."""

from pathlib import Path

import pytest

from adapters.git.objects import TREE_ENTRIES_MAX
from kernel.errors import GitRefusedError
from kernel.values.execution import RefFacts
from tests.git.building import AT, BASE_FILES, MAIN, Bench, make_bench, plain_git, store_blob, tree_with


def test_a_branch_resolves_to_its_commit_and_tree(bench: Bench) -> None:
    """The answer is what plain git says, also when the ref is packed."""
    tree = plain_git(bench.place.path, "rev-parse", f"{MAIN}^{{tree}}")
    loose = bench.git.resolve(bench.place, MAIN)
    plain_git(bench.place.path, "pack-refs", "--all")
    assert loose == RefFacts(MAIN, bench.base, tree) == bench.git.resolve(bench.place, MAIN)


@pytest.mark.parametrize(
    "ref",
    [
        "main",
        "HEAD",
        "refs/heads/",
        "refs/heads/-x",
        "refs/heads/a/-x",
        "refs/heads/a..b",
        "refs/heads/a.lock",
        "refs/heads/a./b",
        "refs/heads/.a",
        "refs/heads/a b",
        "refs/heads/a\n",
        "refs/heads/../../x",
        "refs/heads/caf\u00e9",
        "refs/heads/" + "a" * 300,
        "refs/odeu/candidates/x",
        "refs/tags/v1",
    ],
)
def test_a_name_that_is_no_plain_branch_is_refused(bench: Bench, ref: str) -> None:
    """No leading dash, nothing outside refs/heads/, nothing Git itself refuses."""
    with pytest.raises(GitRefusedError) as caught:
        bench.git.resolve(bench.place, ref)
    assert caught.value.reason_code == "unsafe_ref"


def test_a_ref_that_is_not_a_direct_commit_is_refused(bench: Bench) -> None:
    """Missing, symbolic, behind a link, a tag object, a blob, an object that is not there: each by its code."""
    git_dir = bench.place.path
    plain_git(git_dir, "symbolic-ref", "refs/heads/alias", MAIN)
    plain_git(git_dir, "tag", "-a", "v1", "-m", "one", bench.base)
    heads = Path(git_dir, "refs/heads")
    (heads / "linked").symlink_to("main")
    (heads / "tag").write_text(plain_git(git_dir, "rev-parse", "refs/tags/v1") + "\n")
    (heads / "blob").write_text(store_blob(git_dir, b"x") + "\n")
    (heads / "lost").write_text("1" * 40 + "\n")
    codes = {}
    for name in ("none", "alias", "linked", "tag", "blob", "lost"):
        with pytest.raises(GitRefusedError) as caught:
            bench.git.resolve(bench.place, f"refs/heads/{name}")
        codes[name] = caught.value.reason_code
    assert codes == {
        "none": "ref_missing",
        "alias": "ref_symbolic",
        "linked": "ref_symbolic",
        "tag": "ref_not_commit",
        "blob": "ref_not_commit",
        "lost": "ref_not_commit",
    }


def test_files_are_read_as_stored(bench: Bench) -> None:
    """Paths come sorted by bytes, and a file's line endings are its own."""
    assert bench.git.tree_paths(bench.place, bench.base) == tuple(sorted(BASE_FILES))
    content = {path: bench.git.read_blob(bench.place, bench.base, path, max_bytes=100) for path in BASE_FILES}
    assert content == BASE_FILES


@pytest.mark.parametrize(
    ("path", "max_bytes", "code"),
    [
        ("src/tool.py", 13, "too_large"),
        ("src", 100, "unsupported_mode"),
        ("src/none.py", 100, "not_found"),
        ("README.md/x", 100, "not_found"),
        ("../README.md", 100, "unsafe_path"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(bench: Bench, path: str, max_bytes: int, code: str) -> None:
    """Too large, a folder, absent or unsafe: each by its code."""
    with pytest.raises(GitRefusedError) as caught:
        bench.git.read_blob(bench.place, bench.base, path, max_bytes=max_bytes)
    assert caught.value.reason_code == code


def test_a_symbolic_link_is_not_read(bench: Bench) -> None:
    """A link in a tree is no file: neither its target nor its text is given."""
    commit = tree_with(bench.place.path, "120000", "link", store_blob(bench.place.path, b"/etc/passwd"))
    with pytest.raises(GitRefusedError, match="is not a plain file"):
        bench.git.read_blob(bench.place, commit, "link", max_bytes=100)


@pytest.mark.parametrize("commit", ["HEAD", "main", "--all", "1" * 40, "1" * 39, "A" * 40])
def test_only_a_full_id_of_a_commit_that_is_there_is_read(bench: Bench, commit: str) -> None:
    """Names, options and short ids never reach Git."""
    codes = []
    for read in (
        lambda: bench.git.tree_paths(bench.place, commit),
        lambda: bench.git.patch(bench.place, bench.base, commit, max_bytes=100),
    ):
        with pytest.raises(GitRefusedError) as caught:
            read()
        codes.append(caught.value.reason_code)
    assert codes == ["not_found", "not_found"]


def test_a_tree_with_too_many_entries_is_refused(tmp_path: Path) -> None:
    """Folders count, and the listing stops at the bound."""
    files = {f"d/{number}": b"" for number in range(TREE_ENTRIES_MAX)}
    bench = make_bench(tmp_path.resolve(), files)
    with pytest.raises(GitRefusedError) as caught:
        bench.git.tree_paths(bench.place, bench.base)
    assert caught.value.reason_code == "too_many_files"


def test_a_patch_is_shown_whole_or_cut_at_a_line_and_marked(bench: Bench) -> None:
    """The words are those of git; a cut never splits a line and says how much is shown."""
    facts = bench.sealed(b"print('two')\n\xff\n")
    old, new = (entry[:40] for entry in (facts.manifest[0].old_blob or "", facts.manifest[0].new_blob or ""))
    whole = (
        "diff --git a/src/tool.py b/src/tool.py\n"
        f"index {old}..{new} 100644\n"
        "--- a/src/tool.py\n"
        "+++ b/src/tool.py\n"
        "@@ -1 +1,2 @@\n"
        "-print('one')\r\n"
        "+print('two')\n"
        "+\\xff\n"
    )
    shown = [bench.git.patch(bench.place, bench.base, facts.commit, max_bytes=size) for size in (4096, 60)]
    assert shown == [
        whole,
        "diff --git a/src/tool.py b/src/tool.py\n[the patch goes on: only its first 39 bytes are shown]\n",
    ]


def test_a_binary_change_is_named_not_printed(bench: Bench) -> None:
    """A page shows that a binary file differs, not its bytes."""
    facts = bench.sealed(b"\x00\x01")
    assert bench.git.patch(bench.place, bench.base, facts.commit, max_bytes=4096).splitlines()[-1] == (
        "Binary files a/src/tool.py and b/src/tool.py differ"
    )


def test_a_repository_is_created_the_same_everywhere_and_never_over_something(tmp_path: Path) -> None:
    """The same files, message and time give the known commit; a taken path and an unsafe name are refused."""
    bench = make_bench(tmp_path.resolve())
    assert bench.base == "888bb6e7e68a0b02a0a41a87db97874c95531685"
    codes = []
    for path, files, at in (
        (bench.place.path, {}, AT),
        (f"{tmp_path}/new.git", {"../up": b""}, AT),
        (f"{tmp_path}/new.git", {"A": b"", "a": b""}, AT),
        (f"{tmp_path}/new.git", {}, "noon"),
        (f"{tmp_path}/none/new.git", {}, AT),
    ):
        with pytest.raises(GitRefusedError) as caught:
            bench.git.create_bare(path, files, "Start", at)
        codes.append(caught.value.reason_code)
    assert codes == [
        "invalid_configuration",
        "unsafe_path",
        "unsafe_path",
        "invalid_configuration",
        "git_failed",
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["repository.git"]
    assert plain_git(bench.place.path, "fsck", "--strict", "--full") == ""
