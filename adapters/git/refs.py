"""Refs read raw and written only from nothing.

A ref is usable when it is direct and holds a commit: a symbolic ref moves when another does, and a tag object is
not the commit it names. Nothing here peels. Does not own: the promotion's swap, see `adapters/promotion`.
"""

import os
import re
from pathlib import Path
from typing import Final

import pygit2
from pygit2.enums import ReferenceType

from adapters.git.command import run_git
from adapters.git.durability import sync_ref
from adapters.git.objects import commit_tree
from kernel.errors import GitRefusedError
from kernel.values.execution import RefFacts

CANDIDATE_REFS: Final = "refs/odeu/candidates/"

_REF_LENGTH_MAX: Final = 200
_REF: Final = re.compile(r"refs/heads/[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*", re.ASCII)
_CANDIDATE_ID: Final = re.compile(r"[a-z0-9][a-z0-9_]{0,79}", re.ASCII)


def ref_problem(ref: str) -> str | None:
    """Return why `ref` cannot be a target, as a sentence, or None when it can.

    A branch, `refs/heads/` and segments of ASCII letters, digits, `.`, `_`, `-` that start with a letter or digit.
    """
    if len(ref) > _REF_LENGTH_MAX or _REF.fullmatch(ref) is None:
        return f"the ref {ref[:100]!r} is not a branch with a plain name under refs/heads/"
    if ".." in ref or any(part.endswith((".lock", ".")) for part in ref.split("/")):
        return f"the ref {ref!r} has a name that Git refuses"
    return None


def candidate_ref(candidate_id: str) -> str:
    """Return the ref that retains a candidate.

    Raises: GitRefusedError (`invalid_configuration`) when the id is not one.
    """
    if _CANDIDATE_ID.fullmatch(candidate_id) is None:
        message = f"{candidate_id[:100]!r} is not a candidate id"
        raise GitRefusedError(message, code="invalid_configuration")
    return CANDIDATE_REFS + candidate_id


def read_target(repository: pygit2.Repository, ref: str) -> RefFacts:
    """Return what a target branch holds.

    Raises: GitRefusedError (`unsafe_ref`) for a name that cannot be a target, or as `read_direct` says.
    """
    if problem := ref_problem(ref):
        raise GitRefusedError(problem, code="unsafe_ref")
    return read_direct(repository, ref)


def read_direct(repository: pygit2.Repository, ref: str) -> RefFacts:
    """Return the commit a direct ref holds, and that commit's tree.

    Raises: GitRefusedError: `ref_missing`, `ref_symbolic` (also a ref file that is a symbolic link),
            `ref_not_commit` for a tag object, a tree or an object that is not there, `git_failed`.
    """
    file = Path(repository.path, ref)
    if file.resolve() != file:
        raise GitRefusedError(f"the ref {ref!r} is kept behind a symbolic link", code="ref_symbolic")
    try:
        reference = repository.lookup_reference(ref)
    except KeyError as err:
        raise GitRefusedError(f"the ref {ref!r} does not exist", code="ref_missing") from err
    except (pygit2.GitError, ValueError, OSError) as err:
        raise GitRefusedError(f"the ref {ref!r} cannot be read: {err}", code="git_failed") from err
    target = reference.raw_target
    if reference.type != ReferenceType.DIRECT or not isinstance(target, pygit2.Oid):
        raise GitRefusedError(
            f"the ref {ref!r} is symbolic; it must hold a commit itself", code="ref_symbolic"
        )
    try:
        tree = commit_tree(repository, str(target))
    except GitRefusedError as err:
        message = f"the ref {ref!r} does not hold a commit: {err.message}"
        raise GitRefusedError(message, code="ref_not_commit") from err
    return RefFacts(ref=ref, commit=str(target), tree=tree)


def retain_candidate(repository: pygit2.Repository, ref: str, commit: str) -> None:
    """Make `ref` hold `commit` durably: created from nothing, or adopted when it holds exactly that already.

    Raises: GitRefusedError (`candidate_conflict`) when it holds anything else, (`git_failed`) when the write fails.
    """
    git_dir = repository.path.rstrip("/")
    try:
        held = read_direct(repository, ref)
    except GitRefusedError as err:
        if err.reason_code != "ref_missing":
            message = f"the candidate's ref is taken: {err.message}"
            raise GitRefusedError(message, code="candidate_conflict") from err
        _create(git_dir, ref, commit)
        held = read_direct(repository, ref)
    if held.commit != commit:
        message = f"the ref {ref!r} already holds another candidate, {held.commit}"
        raise GitRefusedError(message, code="candidate_conflict")
    sync_ref(git_dir, ref)


def _create(git_dir: str, ref: str, commit: str) -> None:
    """Create the ref against zero; losing a race is no failure here, what it holds is read again."""
    zero = "0" * len(commit)
    answer = run_git(git_dir, "update-ref", "--no-deref", ref, commit, zero)
    if answer.code != 0 and not os.path.lexists(Path(git_dir, ref)):
        raise GitRefusedError(f"the ref {ref!r} could not be created: {answer.sentence()}", code="git_failed")
