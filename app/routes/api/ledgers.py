"""The ledgers themselves: events, heads, proofs, verification, audits."""

from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request, Response
from fastapi import Path as InPath
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, PlainTextResponse

from app.routes.api.contract import NOT_MODIFIED, REVISION_MAX, NodePath, ProjectPath, tag_by_head
from app.routes.visiting import ApiVisitor
from app.services.logbook import SEQ_MAX
from app.services.proofs import TilePlace
from app.views.answers.answering import log_answer
from app.views.answers.records import Answer, AuditAnswer, LinkAnswer, LogAnswer, VerifyAnswer
from kernel.errors import NotFoundError
from kernel.projections.visible import knows
from kernel.provenance.node_proof import NodeProof

router: Final = APIRouter(tags=["ledgers"])

Seq = Annotated[int, Query(ge=1, le=SEQ_MAX)]


class HeadAnswer(Answer):
    """Where a ledger stands, with its signed note."""

    ledger_id: str
    seq: int
    root: str
    revision: int | None
    checkpoint: str
    """The signed note over size and root."""


class InclusionAnswer(Answer):
    """The proof that one event is in the log."""

    ledger_id: str
    seq: int
    leaf_hash: str
    size: int
    root: str
    hashes: tuple[str, ...]
    """From the leaf to the root."""


class ConsistencyAnswer(Answer):
    """The proof that one log begins with an earlier one."""

    ledger_id: str
    first: int
    first_root: str
    second: int
    second_root: str
    hashes: tuple[str, ...]
    """In the order of RFC 9162, section 2.1.4."""


class TileResponse(Response):
    """Raw bytes of a tile."""

    media_type = "application/octet-stream"


TileLevel = Annotated[str, InPath(pattern="^([0-9]|[1-5][0-9]|6[0-3]|entries|events)$", max_length=7)]
TilePath = Annotated[
    str, InPath(pattern="^(x[0-9]{3}/){0,3}[0-9]{3}(\\.p/[1-9][0-9]{0,2})?$", min_length=3, max_length=24)
]
_LENGTH_BYTES: Final = {"entries": 2, "events": 4}
"""How many bytes an event's length has in a bundle of this name."""

_BUNDLE_TYPE: Final = "application/jsonl"
_BUNDLE: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "The bundle, as an attachment",
        "content": {_BUNDLE_TYPE: {"schema": {"type": "string", "format": "binary"}}},
    }
}


@router.get("/ledgers/{ledger_id}/events", responses=NOT_MODIFIED)
def list_events(
    ledger_id: ProjectPath,
    request: Request,
    response: Response,
    visitor: ApiVisitor,
    before: Seq | None = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> LogAnswer:
    """List events, newest first; words are never part of them."""
    state = visitor.state(ledger_id)
    tag_by_head(request, response, visitor, state)
    events = visitor.events(ledger_id, before or state.seq + 1, limit)
    is_imported = visitor.studio.access.imported(ledger_id) is not None
    return log_answer(ledger_id, state.seq, events, is_imported=is_imported)


@router.get("/ledgers/{ledger_id}/head")
def read_head(ledger_id: ProjectPath, visitor: ApiVisitor) -> HeadAnswer:
    """Return the head and its checkpoint note, to an owner."""
    ledger = visitor.studio.desk.ledger
    visitor.whole(ledger_id, "reads its head")
    head = ledger.head(ledger_id)
    return HeadAnswer(
        ledger_id=ledger_id,
        seq=head.seq,
        root=head.root,
        revision=head.revision,
        checkpoint=ledger.checkpoint(ledger_id),
    )


@router.get("/ledgers/{ledger_id}/proof/inclusion")
def prove_inclusion(ledger_id: ProjectPath, seq: Seq, visitor: ApiVisitor) -> InclusionAnswer:
    """Prove to an owner that one event is in the log."""
    state = visitor.whole(ledger_id, "proves what is in it")
    if seq > state.seq:
        message = f"there is no event {seq} in this ledger"
        raise NotFoundError(message)
    path = visitor.studio.desk.ledger.path(ledger_id, seq)
    return InclusionAnswer(
        ledger_id=ledger_id,
        seq=path.seq,
        leaf_hash=path.leaf_hash,
        size=path.size,
        root=path.root,
        hashes=path.hashes,
    )


@router.get("/projects/{project_id}/ledger/proof/consistency")
def prove_consistency(
    project_id: ProjectPath, first: Seq, visitor: ApiVisitor, second: Seq | None = None
) -> ConsistencyAnswer:
    """Prove that the log of `second` events (the head when absent) begins with that of `first`; for an owner."""
    visitor.whole(visitor.project(project_id).ledger, "proves how it grew")
    found = visitor.studio.proofs.consistency(project_id, first, second)
    return ConsistencyAnswer(
        ledger_id=project_id,
        first=found.first.size,
        first_root=found.first.root.hex(),
        second=found.second.size,
        second_root=found.second.root.hex(),
        hashes=tuple(step.hex() for step in found.hashes),
    )


@router.get("/projects/{project_id}/ledger/checkpoint", response_class=PlainTextResponse)
def read_checkpoint(project_id: ProjectPath, visitor: ApiVisitor) -> PlainTextResponse:
    """Return the signed note of the head, as c2sp.org/tlog-tiles serves it; for an owner."""
    visitor.whole(visitor.project(project_id).ledger, "proves how it grew")
    return PlainTextResponse(visitor.studio.desk.ledger.checkpoint(project_id))


@router.get("/projects/{project_id}/ledger/tile/{level}/{place:path}", response_class=TileResponse)
def read_tile(
    project_id: ProjectPath, level: TileLevel, place: TilePath, visitor: ApiVisitor
) -> TileResponse:
    """Return a tile of the log: hashes of a level from 0 on, or the `entries` under one of level 0; for an owner.

    As c2sp.org/tlog-tiles says. An entry's length has two bytes; `events` is the same with four, for longer events.
    """
    visitor.whole(visitor.project(project_id).ledger, "proves how it grew")
    proofs = visitor.studio.proofs
    if level in _LENGTH_BYTES:
        found = TilePlace.read(0, place)
        return TileResponse(proofs.entries(project_id, found, length_bytes=_LENGTH_BYTES[level]))
    return TileResponse(proofs.tile(project_id, TilePlace.read(int(level), place)))


@router.get("/projects/{project_id}/nodes/{node_id}/proof")
def prove_node(
    project_id: ProjectPath,
    node_id: NodePath,
    visitor: ApiVisitor,
    at: Annotated[int | None, Query(ge=0, le=REVISION_MAX)] = None,
    *,
    words: Annotated[bool, Query()] = True,
) -> NodeProof:
    """Prove that a node stands in a revision (the newest when absent), or that it does not; for an owner.

    `odeu verify-proof` verifies the answer offline. Without `words` the node's texts stay commitments.
    """
    visitor.project(project_id)
    return visitor.studio.proofs.node(project_id, visitor.person.id, node_id, at=at, with_words=words)


@router.get("/projects/{project_id}/export", response_class=FileResponse, responses=_BUNDLE)
def export_project(project_id: ProjectPath, visitor: ApiVisitor) -> FileResponse:
    """Download the project's bundle; it opens every text, so only an owner may."""
    visitor.project(project_id)
    folder = Path(mkdtemp(prefix=".export-", dir=visitor.studio.settings.data_folder))
    target = folder / f"{project_id}.odeu.jsonl"
    try:
        visitor.studio.leaving.export(project_id, visitor.person.id, target)
    except BaseException:
        rmtree(folder)
        raise
    done = BackgroundTask(rmtree, folder)
    return FileResponse(target, media_type=_BUNDLE_TYPE, filename=target.name, background=done)


@router.get("/ledgers/{ledger_id}/verify")
def verify(
    ledger_id: ProjectPath, visitor: ApiVisitor, *, strict: Annotated[bool, Query()] = False
) -> VerifyAnswer:
    """Re-read the ledger; with `strict` re-admit every event and verify every receipt. For an owner."""
    visitor.whole(ledger_id, "verifies it")
    found = visitor.studio.audits.verify(ledger_id, strict=strict)
    return VerifyAnswer(ledger_id=found.ledger_id, size=found.size, root=found.root, problems=found.problems)


@router.get("/audit/{commit}")
def audit(
    commit: Annotated[str, InPath(pattern="^[0-9a-f]{40}$", min_length=40, max_length=40)],
    visitor: ApiVisitor,
) -> AuditAnswer:
    """Say link by link why a commit was allowed, to an owner of its project."""
    verdict = visitor.studio.audits.commit(commit)
    role = visitor.role(verdict.ledger_id)
    if role is None or not knows(visitor.state(verdict.ledger_id), verdict.promotion_id):
        message = f"no promotion of this installation names the commit {commit}"
        raise NotFoundError(message)
    visitor.whole(verdict.ledger_id, "audits a commit")
    links = tuple(
        LinkAnswer(name=item.name, standing=item.standing, detail=item.detail) for item in verdict.links
    )
    return AuditAnswer(
        commit=verdict.commit,
        promotion_id=verdict.promotion_id,
        project_id=verdict.ledger_id,
        holds=verdict.holds,
        links=links,
    )
