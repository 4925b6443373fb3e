"""A repository is used only when nothing in it can change the meaning of what is read."""

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kernel.errors import GitRefusedError
from kernel.values.execution import RepositoryPlace
from tests.git.building import MAIN, Bench, make_bench, plain_git


def _write(name: str, text: str = "") -> Callable[[Path], None]:
    def make(repository: Path) -> None:
        (repository / name).parent.mkdir(exist_ok=True)
        (repository / name).write_text(text)

    return make


def _config(name: str, value: str) -> Callable[[Path], None]:
    def make(repository: Path) -> None:
        plain_git(str(repository), "config", name, value)

    return make


def _linked_objects(repository: Path) -> None:
    (repository / "objects").rename(repository.parent / "objects")
    (repository / "objects").symlink_to(repository.parent / "objects", target_is_directory=True)


def _replacement(repository: Path) -> None:
    commit = plain_git(str(repository), "rev-parse", MAIN)
    plain_git(str(repository), "update-ref", f"refs/replace/{'1' * 40}", commit)
    plain_git(str(repository), "pack-refs", "--all")


PROBLEMS: dict[str, tuple[Callable[[Path], None], str]] = {
    "grafts": (_write("info/grafts"), "has grafts, which rewrite history"),
    "shallow": (_write("shallow"), "is a shallow clone"),
    "alternates": (_write("objects/info/alternates"), "borrows objects from another place (alternates)"),
    "http": (_write("objects/info/http-alternates"), "borrows objects from another place (http-alternates)"),
    "worktree config": (_write("config.worktree"), "has a second configuration file, config.worktree"),
    "common folder": (_write("commondir", "../x"), "is part of another repository (commondir)"),
    "include": (_config("include.path", "/x"), "includes another configuration file (include.path)"),
    "include if": (
        _config("includeIf.gitdir:/.path", "/x"),
        "includes another configuration file (includeif.gitdir:/.path)",
    ),
    "partial": (_config("remote.origin.promisor", "true"), "is a partial clone (remote.origin.promisor)"),
    "filter": (
        _config("remote.o.partialCloneFilter", "blob:none"),
        "is a partial clone (remote.o.partialclonefilter)",
    ),
    "extension": (
        _config("extensions.worktreeConfig", "true"),
        "uses the extension 'worktreeconfig', which is not supported",
    ),
    "unknown extension": (
        _config("extensions.fancy", "1"),
        "uses the extension 'fancy', which is not supported",
    ),
    "version": (_config("core.repositoryformatversion", "7"), "has the unknown format version '7'"),
    "not bare": (_config("core.bare", "false"), "is not bare; configure a bare repository"),
    "worktree": (
        _config("core.worktree", "/x"),
        "names a working tree (core.worktree); configure a plain bare repository",
    ),
    "linked objects": (
        _linked_objects,
        "has no real folder 'objects': it is not the root of a bare repository",
    ),
    "replacement": (_replacement, f"has replacement objects (refs/replace/{'1' * 40})"),
    "bad head": (_write("HEAD", "nonsense"), "has a HEAD that Git cannot read"),
    "bad packed refs": (
        _write("packed-refs", "nonsense"),
        "has refs that cannot be read: corrupted packed references file",
    ),
    "world writable": (lambda path: path.chmod(0o777), "can be written by every user of this machine"),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_repository_that_means_more_than_it_says_is_refused(bench: Bench, name: str) -> None:
    """Each problem is one sentence, and no act touches the repository while it lasts."""
    make, sentence = PROBLEMS[name]
    make(Path(bench.place.path))
    found = bench.git.inspect(bench.place)
    assert found == (f"the repository 'sample' {sentence}",)
    with pytest.raises(GitRefusedError) as caught:
        bench.git.resolve(bench.place, MAIN)
    assert (caught.value.reason_code, caught.value.message) == ("invalid_configuration", found[0])


def test_a_sound_repository_has_no_problems(bench: Bench) -> None:
    """Also with packed refs and objects, a linked worktree elsewhere, and harmless settings."""
    git_dir = bench.place.path
    plain_git(git_dir, "gc", "--quiet")
    plain_git(git_dir, "config", "receive.denyDeletes", "true")
    plain_git(git_dir, "worktree", "add", "--quiet", str(bench.root / "linked"), "-b", "side")
    assert bench.git.inspect(bench.place) == ()
    assert bench.git.resolve(bench.place, MAIN).commit == bench.base


def test_only_the_exact_real_root_is_a_repository(bench: Bench) -> None:
    """A link, a relative or unnormal path, a folder inside, a missing one: each is refused in words."""
    path = bench.place.path
    (bench.root / "link").symlink_to(path)
    words = {
        str(bench.root / "link"): "symbolic link",
        "repository.git": "absolute, normal path",
        f"{path}/../repository.git": "absolute, normal path",
        f"{path}/objects": "not the root of a bare repository",
        f"{bench.root}/none": "cannot be seen",
    }
    found = {other: bench.git.inspect(replace(bench.place, path=other)) for other in words}
    assert {other: words[other] in problems[0] for other, problems in found.items()} == dict.fromkeys(
        words, True
    )


def test_a_working_copy_is_refused(tmp_path: Path) -> None:
    """A repository with files checked out is not a bare one, at its root and at its `.git`."""
    bench = make_bench(tmp_path.resolve())
    copy = tmp_path.resolve() / "copy"
    subprocess.run(["git", "clone", "--quiet", bench.place.path, str(copy)], check=True)
    problems = [bench.git.inspect(replace(bench.place, path=str(path))) for path in (copy, copy / ".git")]
    assert [problem[0].split("; ")[0].split(": ")[-1] for problem in problems] == [
        "it is not the root of a bare repository",
        "the repository 'sample' is not bare",
    ]


def test_a_sha256_repository_is_refused_in_words(bench: Bench) -> None:
    """The library here cannot open the other object format, and a person is told so and what to do."""
    path = str(bench.root / "other.git")
    subprocess.run(["git", "init", "--quiet", "--bare", "--object-format=sha256", path], check=True)
    assert bench.git.inspect(RepositoryPlace("other", path, (MAIN,))) == (
        (
            "the repository 'other' uses the sha256 object format, which this build cannot open; "
            "use a sha1 repository"
        ),
    )


def test_an_unusable_target_is_a_problem_of_the_place(bench: Bench) -> None:
    """A target that is missing, symbolic or a tag object is told before any run starts."""
    git_dir = bench.place.path
    plain_git(git_dir, "symbolic-ref", "refs/heads/alias", MAIN)
    plain_git(git_dir, "tag", "-a", "v1", "-m", "one", bench.base)
    tag = plain_git(git_dir, "rev-parse", "refs/tags/v1")
    Path(git_dir, "refs/heads/tagged").write_text(f"{tag}\n")
    refs = (MAIN, "refs/heads/none", "refs/heads/alias", "refs/heads/tagged", "refs/tags/v1")
    assert bench.git.inspect(replace(bench.place, target_refs=refs)) == (
        "the ref 'refs/heads/none' does not exist",
        "the ref 'refs/heads/alias' is symbolic; it must hold a commit itself",
        f"the ref 'refs/heads/tagged' does not hold a commit: the object {tag} is a tag, not a commit",
        "the ref 'refs/tags/v1' is not a branch with a plain name under refs/heads/",
    )
