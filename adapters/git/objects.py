"""Reading commits, trees and blobs raw, within bounds.

Blobs come out exactly as stored: no attribute, filter or line-ending rule is ever consulted. Does not own: which
paths are lawful (`paths`) or what a candidate must be (`verifying`, which reads by a path of its own).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import pygit2
from pygit2.enums import ObjectType

from adapters.git.paths import DEPTH_MAX, colliding_paths, path_problem, shown
from kernel.errors import GitRefusedError

TREE_ENTRIES_MAX: Final = 10_000
TREE_BYTES_MAX: Final = 64 * 1024 * 1024

REGULAR: Final = 0o100644
EXECUTABLE: Final = 0o100755

MODES: Final = {REGULAR: "100644", EXECUTABLE: "100755"}
"""The only modes of a sealed file, and how a manifest writes them."""

_TREE_MODE: Final = 0o040000
_OBJECT_ID: Final = re.compile(r"[0-9a-f]{40}", re.ASCII)


@dataclass(frozen=True, slots=True)
class TreeFile:
    """One file of a tree: its path, mode and blob, and the blob's size in bytes."""

    path: str
    mode: int
    blob: str
    size: int


def read_object(repository: pygit2.Repository, object_id: str, kind: ObjectType, max_bytes: int) -> bytes:
    """Return the bytes of one object of the expected kind, its size known before it is read.

    Raises: GitRefusedError: `not_found`, `wrong_object`, `too_large`, `git_failed`.
    """
    if _OBJECT_ID.fullmatch(object_id) is None:
        raise GitRefusedError(f"{object_id[:80]!r} is not a full object id", code="not_found")
    try:
        found, size = repository.odb.read_header(pygit2.Oid(hex=object_id))
        if found != kind:
            message = f"the object {object_id} is a {found.name.lower()}, not a {kind.name.lower()}"
            raise GitRefusedError(message, code="wrong_object")
        if size > max_bytes:
            message = f"the object {object_id} has {size} bytes; at most {max_bytes} are read"
            raise GitRefusedError(message, code="too_large")
        return repository.odb.read(pygit2.Oid(hex=object_id))[1]
    except KeyError as err:
        raise GitRefusedError(f"the object {object_id} is not in the repository", code="not_found") from err
    except pygit2.GitError as err:
        raise GitRefusedError(f"the object {object_id} cannot be read: {err}", code="git_failed") from err


def commit_tree(repository: pygit2.Repository, commit: str) -> str:
    """Return the tree of a commit.

    Raises: GitRefusedError as `read_object` does, (`git_failed`) when the commit's bytes are malformed.
    """
    first_line = read_object(repository, commit, ObjectType.COMMIT, TREE_BYTES_MAX).split(b"\n", 1)[0]
    name, _, tree = first_line.partition(b" ")
    if name != b"tree" or _OBJECT_ID.fullmatch(tree.decode("ascii", "replace")) is None:
        raise GitRefusedError(f"the commit {commit} is malformed", code="git_failed")
    return tree.decode("ascii")


def list_files(repository: pygit2.Repository, tree: str) -> tuple[TreeFile, ...]:
    """Return the files of a tree, sorted by path bytes.

    Shape:  unique safe paths, at most 10,000 entries and 64 MiB of content.
    Raises: GitRefusedError: `unsafe_path`, `unsupported_mode` for a symlink or submodule, `too_many_files`,
            `too_large`, or as `read_object` says.
    """
    files: list[TreeFile] = []
    total_bytes = 0
    for count, file in enumerate(_walk(repository, tree, ""), start=1):
        if count > TREE_ENTRIES_MAX:
            raise GitRefusedError(f"the tree has more than {TREE_ENTRIES_MAX} entries", code="too_many_files")
        if file is None:
            continue
        total_bytes += file.size
        if total_bytes > TREE_BYTES_MAX:
            raise GitRefusedError(f"the tree holds more than {TREE_BYTES_MAX} bytes", code="too_large")
        files.append(file)
    if pair := colliding_paths(file.path for file in files):
        message = f"the paths {shown(pair[0])} and {shown(pair[1])} differ only in case or Unicode form"
        raise GitRefusedError(message, code="unsafe_path")
    return tuple(sorted(files, key=lambda file: file.path.encode()))


def _walk(repository: pygit2.Repository, tree: str, prefix: str) -> Iterator[TreeFile | None]:
    """Yield each file, and None for each folder so that folders count as entries."""
    if prefix.count("/") >= DEPTH_MAX:
        raise GitRefusedError(f"the tree is deeper than {DEPTH_MAX} folders", code="unsafe_path")
    found = repository.get(tree)
    if not isinstance(found, pygit2.Tree):
        raise GitRefusedError(f"the tree {tree} is not in the repository", code="not_found")
    for entry in found:
        name = (entry.raw_name or b"").decode("utf-8", "surrogateescape")
        path = prefix + name
        if "/" in name or (problem := path_problem(path)) is not None:
            raise GitRefusedError(f"the tree has an unsafe path {shown(path)}: {problem}", code="unsafe_path")
        mode = int(entry.filemode)
        if mode == _TREE_MODE:
            yield None
            yield from _walk(repository, str(entry.id), f"{path}/")
        elif mode in MODES:
            yield TreeFile(path, mode, str(entry.id), _blob_size(repository, str(entry.id)))
        else:
            message = f"the path {shown(path)} has mode {mode:o}; only plain files (644, 755) are supported"
            raise GitRefusedError(message, code="unsupported_mode")


def _blob_size(repository: pygit2.Repository, blob: str) -> int:
    try:
        kind, size = repository.odb.read_header(pygit2.Oid(hex=blob))
    except (KeyError, pygit2.GitError) as err:
        raise GitRefusedError(f"the blob {blob} is not in the repository", code="not_found") from err
    if kind != ObjectType.BLOB:
        raise GitRefusedError(f"the object {blob} is not a blob", code="wrong_object")
    return size


def read_file(repository: pygit2.Repository, commit: str, path: str, max_bytes: int) -> bytes:
    """Return the bytes of one plain file of a commit.

    Raises: GitRefusedError: `unsafe_path`, `not_found`, `unsupported_mode` (a folder, symlink or submodule),
            `too_large`.
    """
    if problem := path_problem(path):
        raise GitRefusedError(problem, code="unsafe_path")
    node: pygit2.Object | None = repository.get(commit_tree(repository, commit))
    for segment in path.split("/"):
        if not isinstance(node, pygit2.Tree) or segment not in node:
            raise GitRefusedError(f"the commit {commit} has no file {shown(path)}", code="not_found")
        node = node[segment]
    if node is None or int(node.filemode or 0) not in MODES:
        raise GitRefusedError(f"the path {shown(path)} is not a plain file", code="unsupported_mode")
    return read_object(repository, str(node.id), ObjectType.BLOB, max_bytes)
