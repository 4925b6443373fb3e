"""Is this place a repository we may trust our reading of, and opening it when it is.

Owns: the checks of a configured bare repository and the libgit2 settings of the process. Nothing a repository's
own configuration says is obeyed; what could change the meaning of objects (grafts, replacements, borrowed objects,
extensions) is refused. Does not own: refs and objects, see `refs` and `objects`.
"""

import os
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pygit2
from pygit2.enums import ConfigLevel, RepositoryOpenFlag

from adapters.git.command import GitBounds, git_output
from kernel.errors import GitRefusedError
from kernel.values.execution import RepositoryPlace

_CONFIG_BYTES_MAX: Final = 256 * 1024
_FORBIDDEN_FILES: Final = {
    "shallow": "is a shallow clone",
    "info/grafts": "has grafts, which rewrite history",
    "objects/info/alternates": "borrows objects from another place (alternates)",
    "objects/info/http-alternates": "borrows objects from another place (http-alternates)",
    "config.worktree": "has a second configuration file, config.worktree",
    "commondir": "is part of another repository (commondir)",
    "gitdir": "is part of another repository (gitdir)",
}
_HEAD: Final = re.compile(rb"ref: refs/[^\x00-\x20]+\n?|[0-9a-f]{40}\n?")
_HEAD_BYTES_MAX: Final = 1024
_TRUTHS: Final = frozenset({"true", "yes", "on", "1"})


def configure_libgit2() -> None:
    """Set what libgit2 keeps for the whole process: no configuration outside a repository, strict, synced.

    Its own ownership check is off, because it knows only one owner: `_ownership_problem` says who may own a
    repository, and is asked each time before one is opened.
    """
    settings = pygit2.settings
    for level in (ConfigLevel.PROGRAMDATA, ConfigLevel.SYSTEM, ConfigLevel.XDG, ConfigLevel.GLOBAL):
        settings.search_path[level] = ""
    settings.template_path = "/nonexistent"
    settings.owner_validation = False
    settings.enable_fsync_gitdir(value=True)
    settings.enable_strict_object_creation(value=True)
    settings.enable_strict_hash_verification(value=True)


def open_place(place: RepositoryPlace) -> pygit2.Repository:
    """Return the opened repository.

    Raises: GitRefusedError (`invalid_configuration`) with the first problem that `inspect_place` finds.
    """
    problems = inspect_place(place)
    if problems:
        raise GitRefusedError(problems[0], code="invalid_configuration")
    return _open(place.path)


def _open(path: str) -> pygit2.Repository:
    configure_libgit2()
    try:
        return pygit2.Repository(path, RepositoryOpenFlag.NO_SEARCH | RepositoryOpenFlag.BARE)
    except (pygit2.GitError, OSError, ValueError) as err:
        raise GitRefusedError(f"it cannot be opened: {err}", code="invalid_configuration") from err


def inspect_place(place: RepositoryPlace) -> tuple[str, ...]:
    """Return every reason not to use the repository, one sentence each; empty when it is sound.

    Later checks read what earlier ones vouch for, so a stage with problems is the last one.
    """
    name = f"the repository {place.id!r}"
    for stage in (_root_problems, _layout_problems, _config_problems, _replacement_problems):
        problems = tuple(f"{name} {problem}" for problem in stage(place.path))
        if problems:
            return problems
    return ()


def _root_problems(path: str) -> Iterator[str]:
    """The exact root of a repository, reached through real folders, owned by us or by root."""
    if not path.startswith("/") or os.path.normpath(path) != path or "\x00" in path:
        yield f"is configured with {path!r}, which is not an absolute, normal path"
        return
    if os.path.realpath(path) != path:
        yield f"is reached through a symbolic link ({path!r}); configure its real path"
        return
    try:
        facts = os.lstat(path)
    except OSError as err:
        yield f"cannot be seen at {path!r}: {err.strerror}"
        return
    if not stat.S_ISDIR(facts.st_mode):
        yield f"is no folder at {path!r}"
        return
    if problem := _ownership_problem(facts):
        yield problem


def _ownership_problem(facts: os.stat_result) -> str | None:
    if facts.st_uid not in {os.geteuid(), 0}:
        return f"belongs to user {facts.st_uid}, not to the user this process runs as"
    if facts.st_mode & stat.S_IWOTH:
        return "can be written by every user of this machine"
    return None


def _layout_problems(path: str) -> Iterator[str]:
    for name in ("objects", "refs"):
        if not _is_real(Path(path, name), stat.S_ISDIR):
            yield f"has no real folder {name!r}: it is not the root of a bare repository"
    for name in ("HEAD", "config"):
        if not _is_real(Path(path, name), stat.S_ISREG):
            yield f"has no regular file {name!r}: it is not the root of a bare repository"
        elif name == "HEAD" and _HEAD.fullmatch(_first_bytes(Path(path, name))) is None:
            yield "has a HEAD that Git cannot read"
    for name, problem in _FORBIDDEN_FILES.items():
        if os.path.lexists(Path(path, name)):
            yield problem


def _first_bytes(file: Path) -> bytes:
    with file.open("rb") as stream:
        return stream.read(_HEAD_BYTES_MAX)


def _is_real(path: Path, is_kind: Callable[[int], bool]) -> bool:
    """Say whether `path` itself, not what it may link to, is of the kind and belongs to us or root."""
    try:
        facts = path.lstat()
    except OSError:
        return False
    return is_kind(facts.st_mode) and facts.st_uid in {os.geteuid(), 0}


def _config_problems(path: str) -> Iterator[str]:
    if Path(path, "config").lstat().st_size > _CONFIG_BYTES_MAX:
        yield f"has a configuration larger than {_CONFIG_BYTES_MAX} bytes"
        return
    try:
        settings = _read_config(path)
    except GitRefusedError as err:
        yield f"has a configuration that cannot be read: {err.message}"
        return
    for key, value in settings:
        if problem := _setting_problem(key, value):
            yield problem
    bare = [value for key, value in settings if key == "core.bare"]
    if not bare or bare[-1].lower() not in _TRUTHS:
        yield "is not bare; configure a bare repository"


def _read_config(path: str) -> tuple[tuple[str, str], ...]:
    """Return the settings of the one file, includes not followed; a key without a value counts as true."""
    file = Path(path, "config")
    listing = git_output(
        path,
        "config",
        f"--file={file}",
        "--no-includes",
        "--null",
        "--list",
        bounds=GitBounds(wall_s=10.0, output_bytes=2 * _CONFIG_BYTES_MAX),
    )
    records = listing.decode("utf-8", "backslashreplace").split("\x00")[:-1]
    return tuple(
        (key, value if mark else "true")
        for key, mark, value in (record.partition("\n") for record in records)
    )


def _setting_problem(key: str, value: str) -> str | None:
    section, _, variable = key.partition(".")
    if section in {"include", "includeif"}:
        return f"includes another configuration file ({key})"
    if key == "extensions.objectformat":
        if value.lower() == "sha1":
            return None
        return f"uses the {value[:20]} object format, which this build cannot open; use a sha1 repository"
    if section == "extensions" and variable != "noop":
        return f"uses the extension {variable[:40]!r}, which is not supported"
    if key == "core.repositoryformatversion" and value not in {"0", "1"}:
        return f"has the unknown format version {value[:20]!r}"
    if section == "remote" and variable.rpartition(".")[2] in {"promisor", "partialclonefilter"}:
        return f"is a partial clone ({key})"
    if key == "core.worktree":
        return "names a working tree (core.worktree); configure a plain bare repository"
    return None


def _replacement_problems(path: str) -> Iterator[str]:
    try:
        refs = _open(path).raw_listall_references()
    except GitRefusedError as err:
        yield f"cannot be read: {err.message}"
        return
    except pygit2.GitError as err:
        yield f"has refs that cannot be read: {err}"
        return
    replacing = next((ref for ref in refs if ref.startswith(b"refs/replace/")), None)
    if replacing is not None:
        yield f"has replacement objects ({replacing.decode('utf-8', 'backslashreplace')})"
