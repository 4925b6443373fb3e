"""Is a sealed candidate still exactly what its facts say: recomputed from raw objects, sharing no step with sealing.

Objects are read whole, hashed again here, and taken apart by parsers of this module; the ref is read by the Git
command line. So a fault in the sealing path, in libgit2's object model or in the stored facts shows up as a
difference. Does not own: signatures, or whether the candidate may be promoted.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

import pygit2
from pygit2.enums import ObjectType

from adapters.git.command import git_output
from adapters.git.commits import parse_commit
from adapters.git.manifests import CHANGED_PATHS_MAX, PATCH_BYTES_MAX, manifest_digest, patch_digest
from adapters.git.objects import TREE_BYTES_MAX, TREE_ENTRIES_MAX, read_object
from adapters.git.patches import exact_patch
from adapters.git.paths import DEPTH_MAX, colliding_paths, path_problem, shown
from adapters.git.places import open_place
from adapters.git.refs import candidate_ref, ref_problem
from kernel.errors import GitRefusedError
from kernel.values.execution import RepositoryPlace
from kernel.values.work import CandidateFacts, ManifestEntry

_KIND_NAMES: Final = {ObjectType.COMMIT: "commit", ObjectType.TREE: "tree", ObjectType.BLOB: "blob"}
_FOLDER_MODE: Final = "40000"
_FILE_MODES: Final = frozenset({"100644", "100755"})
_HASH_BYTES: Final = 20

_Leaf = tuple[str, str]
"""A file's mode and blob."""


def candidate_problems(
    place: RepositoryPlace, facts: CandidateFacts, *, expect_target_base: bool
) -> tuple[str, ...]:
    """Return every difference between the facts and the repository, one sentence each; empty when there is none.

    With `expect_target_base` the target branch must also still hold the base: right before a promotion, and false
    for a candidate that was promoted already.
    """
    checking = _Checking(place, facts)
    try:
        return tuple(checking.problems(expect_target_base=expect_target_base))
    except GitRefusedError as err:
        return (err.message,)
    except (pygit2.GitError, OSError) as err:
        return (f"the repository {place.id!r} could not be read: {err}",)


@dataclass(frozen=True, slots=True)
class _Checking:
    """One verification: each stage relies on the ones before it, so it stops at the first stage with problems."""

    place: RepositoryPlace
    facts: CandidateFacts

    def problems(self, *, expect_target_base: bool) -> list[str]:
        """Return the problems of the first stage that has any."""
        repository = open_place(self.place)
        stages = (
            self._statement(),
            self._refs(expect_target_base=expect_target_base),
            self._lineage(repository),
            self._manifest(repository),
            self._patch(),
        )
        for stage in stages:
            if problems := list(stage):
                return problems
        return []

    def _statement(self) -> Iterator[str]:
        """The facts fit this place and each other."""
        facts = self.facts
        if facts.repository_id != self.place.id:
            yield f"the candidate is of repository {facts.repository_id!r}, not {self.place.id!r}"
        if facts.object_format != "sha1":
            yield f"the candidate claims the object format {facts.object_format}; this repository uses sha1"
        if facts.ref != candidate_ref(facts.candidate_id):
            yield f"the candidate's ref {facts.ref!r} is not the one of {facts.candidate_id!r}"
        if facts.target_ref not in self.place.target_refs or ref_problem(facts.target_ref):
            yield f"{facts.target_ref!r} is not a target of the repository {self.place.id!r}"
        if not 1 <= len(facts.manifest) <= CHANGED_PATHS_MAX:
            yield f"the manifest has {len(facts.manifest)} entries; 1 to {CHANGED_PATHS_MAX} are lawful"
        if facts.manifest_digest != manifest_digest(facts.manifest):
            yield "the manifest does not have the digest that the candidate states"

    def _refs(self, *, expect_target_base: bool) -> Iterator[str]:
        """The retained ref is direct and holds the commit; the target, when asked, holds the base."""
        facts = self.facts
        yield from self._ref_problem(facts.ref, facts.commit)
        if expect_target_base:
            yield from self._ref_problem(facts.target_ref, facts.base_commit)

    def _ref_problem(self, ref: str, commit: str) -> Iterator[str]:
        layout = "--format=%(refname) %(objecttype) %(objectname) %(symref)"
        listing = git_output(self.place.path, "for-each-ref", "--count=2", layout, ref).decode(
            "utf-8", "replace"
        )
        lines = [line for line in listing.splitlines() if line.split(" ", 1)[0] == ref]
        if lines != [f"{ref} commit {commit} "]:
            found = lines[0] if lines else "nothing"
            yield f"the ref {ref!r} does not directly hold the commit {commit}: found {found}"

    def _lineage(self, repository: pygit2.Repository) -> Iterator[str]:
        """The commit's raw bytes name exactly the base as parent and exactly the tree; the base has its tree."""
        facts = self.facts
        commit = parse_commit(_read(repository, facts.commit, ObjectType.COMMIT))
        if commit is None:
            yield f"the commit {facts.commit} does not have the form of a sealed candidate"
        elif (commit.parent, commit.tree) != (facts.base_commit, facts.tree):
            yield f"the commit {facts.commit} has parent {commit.parent} and tree {commit.tree}, not those stated"
        base = _read(repository, facts.base_commit, ObjectType.COMMIT)
        if not base.startswith(f"tree {facts.base_tree}\n".encode()):
            yield f"the base commit {facts.base_commit} does not have the tree {facts.base_tree}"

    def _manifest(self, repository: pygit2.Repository) -> Iterator[str]:
        """The trees differ in exactly the manifest's entries, and every new blob is there, whole."""
        before = _leaves(repository, self.facts.base_tree)
        after = _leaves(repository, self.facts.tree)
        if _difference(before, after) != self.facts.manifest:
            yield "the manifest is not the difference between the base tree and the candidate's tree"
        if pair := colliding_paths(after):
            yield f"the paths {shown(pair[0])} and {shown(pair[1])} cannot be told apart everywhere"
        for entry in self.facts.manifest:
            if entry.new_blob is not None:
                _read(repository, entry.new_blob, ObjectType.BLOB)

    def _patch(self) -> Iterator[str]:
        """The patch has the stated length and digest."""
        patch = exact_patch(self.place.path, self.facts.base_commit, self.facts.commit, PATCH_BYTES_MAX)
        if (patch_digest(patch), len(patch)) != (self.facts.patch_digest, self.facts.patch_bytes):
            yield "the patch from base to candidate does not have the stated digest and length"


def _read(repository: pygit2.Repository, object_id: str, kind: ObjectType) -> bytes:
    """Return an object's bytes after hashing them again.

    Raises: GitRefusedError as `read_object` does, (`git_failed`) when the bytes are not those the id names.
    """
    raw = read_object(repository, object_id, kind, TREE_BYTES_MAX)
    header = f"{_KIND_NAMES[kind]} {len(raw)}\x00".encode("ascii")
    if hashlib.sha1(header + raw, usedforsecurity=False).hexdigest() != object_id:
        raise GitRefusedError(
            f"the object {object_id} does not have the bytes its id names", code="git_failed"
        )
    return raw


def _leaves(repository: pygit2.Repository, tree: str) -> dict[str, _Leaf]:
    """Return every file of a tree by its path, from raw tree bytes.

    Raises: GitRefusedError: `unsafe_path`, `unsupported_mode`, `too_many_files`, or as `_read` says.
    """
    leaves: dict[str, _Leaf] = {}
    waiting = [("", tree)]
    entries = 0
    while waiting:
        prefix, current = waiting.pop()
        for mode, name, object_id in _entries(_read(repository, current, ObjectType.TREE)):
            entries += 1
            path = prefix + name
            if entries > TREE_ENTRIES_MAX:
                raise GitRefusedError("the tree has too many entries", code="too_many_files")
            if (problem := path_problem(path)) or "/" in name:
                raise GitRefusedError(problem or f"the name {shown(name)} holds a slash", code="unsafe_path")
            if mode == _FOLDER_MODE and path.count("/") < DEPTH_MAX:
                waiting.append((f"{path}/", object_id))
            elif mode in _FILE_MODES and path not in leaves:
                leaves[path] = (mode, object_id)
            else:
                message = f"the path {shown(path)} has mode {mode} or stands twice"
                raise GitRefusedError(message, code="unsupported_mode")
    return leaves


def _entries(raw: bytes) -> Iterator[tuple[str, str, str]]:
    """Yield mode, name and object id of each entry of a raw tree: `mode SP name NUL 20 bytes`, nothing between."""
    position = 0
    while position < len(raw):
        end = raw.find(b"\x00", position)
        mode, space, name = raw[position:end].partition(b" ")
        position = end + 1 + _HASH_BYTES
        if end < 0 or not space or position > len(raw):
            raise GitRefusedError("a tree is malformed", code="git_failed")
        yield (
            mode.decode("ascii", "replace"),
            name.decode("utf-8", "surrogateescape"),
            raw[end + 1 : position].hex(),
        )


def _difference(before: dict[str, _Leaf], after: dict[str, _Leaf]) -> tuple[ManifestEntry, ...]:
    """Return the manifest of going from one tree to the other."""
    entries = []
    for path in sorted({*before, *after}, key=lambda path: path.encode()):
        old_mode, old_blob = before.get(path, (None, None))
        new_mode, new_blob = after.get(path, (None, None))
        if (old_mode, old_blob) == (new_mode, new_blob):
            continue
        status: Literal["added", "modified", "deleted"] = "modified"
        if old_blob is None or new_blob is None:
            status = "added" if old_blob is None else "deleted"
        entries.append(
            ManifestEntry(
                path=path,
                status=status,
                old_mode=old_mode,
                new_mode=new_mode,
                old_blob=old_blob,
                new_blob=new_blob,
            )
        )
    return tuple(entries)
