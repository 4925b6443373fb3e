"""Making a small bare repository with one commit, the same everywhere.

For the shipped sandbox project and for tests. Does not own: repositories people bring, which are only read and get
refs under `refs/odeu/`.
"""

import os
from pathlib import Path
from typing import Final

import pygit2

from adapters.git.commits import epoch_seconds
from adapters.git.durability import sync_objects, sync_path, sync_ref
from adapters.git.objects import REGULAR
from adapters.git.paths import colliding_paths, path_problem
from adapters.git.places import configure_libgit2
from adapters.git.removal import remove_folder
from kernel.errors import GitRefusedError

FIRST_BRANCH: Final = "refs/heads/main"

_AUTHOR: Final = ("ODEU Sandbox", "sandbox@odeu.invalid")


def create_bare(path: str, files: dict[str, bytes], message: str, at: str) -> str:
    """Create a bare repository at `path` whose branch `main` holds `files` in one commit; return the commit.

    The same files, message and time give the same commit anywhere. `path` must not exist; its parent must.

    Raises: GitRefusedError: `unsafe_path`, `invalid_configuration` for a taken path or a bad time, `git_failed`.
    """
    _check_files(files)
    moment = epoch_seconds(at)
    place = Path(path)
    if os.path.lexists(place):
        raise GitRefusedError(f"there is something at {path!r} already", code="invalid_configuration")
    making = place.with_name(f".{place.name}.making")
    try:
        if making.is_dir():
            remove_folder(making)
        making.mkdir(0o700)
        commit = _fill(making, files, message, moment)
        making.rename(place)
        sync_path(place.parent)
    except (pygit2.GitError, OSError, ValueError) as err:
        raise GitRefusedError(
            f"the repository at {path!r} could not be made: {err}", code="git_failed"
        ) from err
    return commit


def _fill(folder: Path, files: dict[str, bytes], message: str, moment: int) -> str:
    """Make the repository in an empty folder, so that a half-made one never has the real name."""
    configure_libgit2()
    repository = pygit2.init_repository(str(folder), bare=True, mode=0o700, initial_head=FIRST_BRANCH)
    index = pygit2.Index()
    blobs = []
    for name in sorted(files, key=str.encode):
        blobs.append(repository.create_blob(files[name]))
        index.add(pygit2.IndexEntry(name, blobs[-1], REGULAR))  # type: ignore[arg-type]
    tree = index.write_tree(repository)
    author = pygit2.Signature(*_AUTHOR, moment, 0, "utf-8")
    text = message.rstrip("\n") + "\n"
    commit = str(repository.create_commit(FIRST_BRANCH, author, author, text, tree, []))
    sync_objects(str(folder), [str(tree), commit, *(str(blob) for blob in blobs)])
    sync_ref(str(folder), FIRST_BRANCH)
    return commit


def _check_files(files: dict[str, bytes]) -> None:
    problems = [problem for problem in map(path_problem, files) if problem]
    if pair := colliding_paths(files):
        problems.append(f"the paths {pair[0]!r} and {pair[1]!r} differ only in case or Unicode form")
    if problems:
        raise GitRefusedError(problems[0], code="unsafe_path")
