"""The one shape of a commit this product makes: written from an order, and recognised in raw bytes.

A candidate's commit is a pure function of what was sealed, so that sealing twice, or elsewhere, gives the same id.
Git's own readers may be told other parents than a commit names; `parse_commit` reads the bytes.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import pygit2

from kernel.canonical import digest
from kernel.errors import GitRefusedError
from kernel.values.execution import SealOrder

SEALER: Final = ("ODEU Sealer", "sealer@odeu.invalid")
SUBJECT: Final = "Seal the work of one run"
TRAILER: Final = "Binding-Digest"

_COMMIT: Final = re.compile(
    rb"tree (?P<tree>[0-9a-f]{40})\n"
    rb"parent (?P<parent>[0-9a-f]{40})\n"
    rb"author ODEU Sealer <sealer@odeu\.invalid> (?P<at>[0-9]{1,12}) \+0000\n"
    rb"committer ODEU Sealer <sealer@odeu\.invalid> (?P=at) \+0000\n"
    rb"\n"
    rb"Seal the work of one run\n"
    rb"\n"
    rb"Binding-Digest: sha256:[0-9a-f]{64}\n",
)


@dataclass(frozen=True, slots=True)
class CommitFacts:
    """What the bytes of a candidate's commit say."""

    tree: str
    parent: str


def write_commit(repository: pygit2.Repository, order: SealOrder, tree: str) -> str:
    """Store the candidate's commit and return its id; the same order and tree always give the same id."""
    name, address = SEALER
    signature = pygit2.Signature(name, address, epoch_seconds(order.sealed_at), 0, "utf-8")
    message = f"{SUBJECT}\n\n{TRAILER}: {binding_digest(order, tree)}\n"
    commit = repository.create_commit(
        None, signature, signature, message, pygit2.Oid(hex=tree), [pygit2.Oid(hex=order.base_commit)]
    )
    return str(commit)


def binding_digest(order: SealOrder, tree: str) -> str:
    """Return the digest that binds a tree to the run, brief, repository and moment it was sealed for."""
    record = {
        "candidate_id": order.candidate_id,
        "repository_id": order.repository.id,
        "target_ref": order.target_ref,
        "run_id": order.run_id,
        "brief_id": order.brief_id,
        "base_commit": order.base_commit,
        "tree": tree,
        "sealed_at": order.sealed_at,
    }
    return digest("odeu.binding.v1", record)


def parse_commit(raw: bytes) -> CommitFacts | None:
    """Return what a commit says when its bytes have exactly our shape: one tree, one parent, our identity."""
    match = _COMMIT.fullmatch(raw)
    if match is None:
        return None
    return CommitFacts(tree=match["tree"].decode("ascii"), parent=match["parent"].decode("ascii"))


def epoch_seconds(at: str) -> int:
    """Return a checked time as whole seconds since 1970, as Git keeps it.

    Raises: GitRefusedError (`invalid_configuration`) when it is not `YYYY-MM-DDTHH:MM:SS.ffffffZ`, 1970 or later.
    """
    try:
        moment = datetime.strptime(at, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    except ValueError as err:
        raise GitRefusedError(f"{at[:40]!r} is not a time", code="invalid_configuration") from err
    seconds = int(moment.timestamp())
    if seconds < 0:
        raise GitRefusedError(f"{at!r} lies before 1970", code="invalid_configuration")
    return seconds
