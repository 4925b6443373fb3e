"""Leaving with a project as a bundle, and bringing one in: the same services as `odeu export` and `odeu import`."""

from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Final

from fastapi import APIRouter, Request
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from app.routes.shelling import Place, binding, page_response, refused, see_other, shell_for
from app.routes.uploading import FilesForm, PostedFiles
from app.routes.visiting import PageVisitor, Visitor
from app.services.importing import Taken
from app.services.studio import Studio
from app.views.bundles import ExportPage, ImportPage
from app.views.parts import Fact, IdCopy, Link, Refusal
from kernel.errors import AuthorityError, InvalidError, StudioError
from kernel.vocabulary import Role

router: Final = APIRouter(include_in_schema=False)

BUNDLE_BYTES_MAX: Final = 64 * 1024 * 1024
"""The largest import by a page; the command line takes any."""
IMPORT_PATH: Final = "/import"
_IMPORT: Final = "bundles/import.html"


@router.get("/p/{project_id}/ledger/export")
def export_page(project_id: str, request: Request, visitor: PageVisitor) -> Response:
    """Say what an export holds before it is taken."""
    state = visitor.whole(visitor.project(project_id).ledger, "exports it")
    base = f"/p/{state.ledger}/ledger"
    head = visitor.studio.desk.ledger.head(state.ledger)
    root = IdCopy(f"{head.root[:4]} {head.root[4:8]} … {head.root[-4:]}", head.root)
    page = ExportPage(
        shell=shell_for(request, visitor, Place("Export", f"{base}/export", "Ledger", project=state)),
        facts=(
            Fact("Events", str(head.seq)),
            Fact("Revision", str(state.revision)),
            Fact("Tree root", "", root),
        ),
        bundle=Link("Download the bundle", f"{base}/bundle", "download"),
        trust=Link("Download the trust file", f"{base}/trust", "key-round"),
        back=Link("Back to the Ledger", base, "arrow-left"),
        command=f"odeu export --project {state.ledger} FILE --trust FILE",
    )
    return page_response(request, "bundles/export.html", page)


@router.get("/p/{project_id}/ledger/bundle")
def bundle(project_id: str, visitor: PageVisitor) -> FileResponse:
    """Download the project; it opens every text, so only an owner may."""
    return _exported(visitor, visitor.project(project_id).ledger, is_trust=False)


@router.get("/p/{project_id}/ledger/trust")
def trust(project_id: str, visitor: PageVisitor) -> FileResponse:
    """Download what the bundle is to be trusted by."""
    return _exported(visitor, visitor.project(project_id).ledger, is_trust=True)


def _exported(visitor: Visitor, project_id: str, *, is_trust: bool) -> FileResponse:
    folder = _own_folder(visitor.studio, "export")
    target, trust_file = folder / f"{project_id}.odeu.jsonl", folder / f"{project_id}.trust.json"
    try:
        visitor.studio.leaving.export(project_id, visitor.person.id, target, trust_file)
    except BaseException:
        rmtree(folder)
        raise
    shown, kind = (trust_file, "application/json") if is_trust else (target, "application/jsonl")
    done = BackgroundTask(rmtree, folder)
    return FileResponse(shown, media_type=kind, filename=shown.name, background=done)


def _own_folder(studio: Studio, what: str) -> Path:
    return Path(mkdtemp(prefix=f".{what}-", dir=studio.settings.data_folder))


@router.get("/import")
def import_page(request: Request, visitor: PageVisitor) -> Response:
    """Ask for a bundle."""
    _require_world_owner(visitor)
    return page_response(request, _IMPORT, _import_page(request, visitor))


@router.post("/import")
def import_bundle(request: Request, visitor: PageVisitor, form: FilesForm) -> Response:
    """Take a bundle in after every event in it was admitted again."""
    _require_world_owner(visitor)
    try:
        done = _taken(visitor, form)
    except StudioError as error:
        status, refusal = refused(error, "Not imported")
        return page_response(request, _IMPORT, _import_page(request, visitor, refusal), status)
    said = "known_already" if not done.added else "brought_in" if done.is_foreign else "brought_back"
    return see_other(f"/p/{done.project_id}/outline", said)


def _taken(visitor: Visitor, form: PostedFiles) -> Taken:
    studio = visitor.studio
    folder = _own_folder(studio, "import")
    try:
        source, trust_file = folder / "bundle.jsonl", folder / "trust.json"
        if not form.save("bundle", source):
            message = "choose the bundle's file first"
            raise InvalidError(message)
        known = trust_file if form.save("trust", trust_file) else None
        return studio.importing.take(visitor.caller(studio.world_id, form.key), source, known)
    finally:
        rmtree(folder)


def _require_world_owner(visitor: Visitor) -> None:
    if visitor.role(visitor.studio.world_id) is not Role.OWNER:
        message = "only an owner of the installation imports a bundle"
        raise AuthorityError(message)


def _import_page(request: Request, visitor: Visitor, refusal: Refusal | None = None) -> ImportPage:
    return ImportPage(
        shell=shell_for(request, visitor, Place("Import", IMPORT_PATH, "World")),
        action=IMPORT_PATH,
        binding=binding(visitor.studio),
        most=f"{BUNDLE_BYTES_MAX // 1024 // 1024} MiB",
        command="odeu import FILE --trust FILE",
        back=Link("Back to your world", "/", "arrow-left"),
        refusal=refusal,
    )
