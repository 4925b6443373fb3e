"""The frame around every page, and how a page goes out: whole, with its refusal, or as a 303 with one toast.

Whole pages only: HTMX cuts the part it wants out of them (`hx-select`), so every address has one body.
"""

from dataclasses import dataclass, field, replace
from typing import Final

from fastapi import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from app.routes.visiting import Visitor, find_visitor
from app.services.execution import HOST
from app.services.studio import Studio
from app.views.building.world import apart, waiting_count
from app.views.errors import ErrorPage
from app.views.moments import moment
from app.views.parts import Binding, Link, Refusal
from app.views.shell import Head, Live, Person, ProjectLink, Room, Shell, Toast
from app.web.errors_http import Problem, problem_of
from app.web.templating import render_page
from kernel.errors import NotFoundError, StudioError
from kernel.state import State, revision_key
from kernel.vocabulary import PromotionStatus, RunStatus, Via

SAID_COOKIE: Final = "odeu_said"
SAID: Final[dict[str, str]] = {
    "opened": "The project is open.",
    "captured": "Kept word for word.",
    "imported": "The outline waits for your yes as one proposal.",
    "accepted": "Accepted: one new revision.",
    "rejected": "Rejected. The words are kept.",
    "edited": "Replaced by your wording.",
    "deferred": "Deferred. It can be decided all the while.",
    "remanded": "Sent back. It waits for its corrections.",
    "renewed": "Renewed about the newest revision; it waits for a yes.",
    "split": "Replaced by its parts; each waits for a yes.",
    "moved": "Moved to the place you chose.",
    "suggested": "The change waits for a yes.",
    "briefed": "The brief is compiled.",
    "authorized": "One run is authorised.",
    "cancelled": "The run is withdrawn.",
    "validating": "The validation was asked for.",
    "reconciled": "The result waits for your yes, here and in the Inbox.",
    "integrated": "Integrated: one new revision.",
    "proposed": "Offered to the operator.",
    "promotion_authorized": "Authorised. An operator can move the branch for an hour.",
    "verified": "The ledger was read again.",
    "verifying": "The ledger is being read again.",
    "brought_in": "Every event was admitted again, and is here to be read.",
    "brought_back": "What was missing is here again.",
    "known_already": "Everything in it was here already.",
    "erased": "The words are gone for good.",
    "taking_back": "The change that takes it back waits for a yes.",
    "archived": "Put away. It can be read, and taken up again.",
    "restored": "Taken up again.",
    "signed_in": "Signed in.",
    "session_ended": "The session has ended.",
    "sessions_ended": "Every other session has ended.",
    "person_signed_out": "Their sessions and unused links have ended.",
    "role_given": "The role is given.",
    "role_ended": "The role has ended.",
    "password_set": "The password is set. Every other session has ended.",
    "password_dropped": "The password is gone. Every other session has ended.",
    "account_linked": "The account is linked: it signs you in from now on.",
    "account_unlinked": "The account is unlinked. Every other session has ended.",
}
"""What a toast may say; the cookie holds only the key, so nothing that was typed comes back through it."""

_ICONS: Final = {403: "lock-keyhole", 404: "search", 409: "git-merge", 422: "circle-alert"}
_FAULTS: Final = 500
_WORKING: Final = frozenset({RunStatus.QUEUED, RunStatus.CLAIMED, RunStatus.WORKING})
_FOR_OPERATOR: Final = frozenset(
    {PromotionStatus.AUTHORIZED, PromotionStatus.REQUESTED, PromotionStatus.OUTCOME_UNKNOWN}
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page stands."""

    title: str
    """The page in words; the room's name when the page is a room."""
    here: str
    """The page's own address."""
    room: str = ""
    """`Inbox`, `Worldstate`, `Work`, `Ledger`, `World`, `Operator` or `Settings`; empty for the title."""
    search_text: str = ""
    project: State | None = field(default=None)
    """The project the page is in; None for the world's pages."""


def shell_for(request: Request, visitor: Visitor, place: Place) -> Shell:
    """Return the frame of a page for this visitor; a toast is said when the last act left one."""
    room = place.room or place.title
    seen = visitor.studio.projects.seen_by(visitor.person.id)
    current = None if place.project is None else place.project.ledger
    now = visitor.studio.clock.now()
    told = apart(seen)
    links = tuple(replace(_project_link(state, current, now), apart=told[state.ledger]) for state in seen)
    inside = place.project
    world_rooms = _world_rooms(seen, room, is_inside=inside is not None)
    role = visitor.role(visitor.studio.world_id if inside is None else inside.ledger)
    return Shell(
        title=place.title,
        here=place.here,
        form_token=visitor.form_token,
        person=Person(visitor.person.name, "guest" if role is None else role.value, "/signout"),
        project=None if inside is None else _project_link(inside, current, now),
        place=room,
        projects=links,
        rooms=() if inside is None else _rooms(inside, room, now),
        world_rooms=world_rooms,
        search_action="" if inside is None else f"/p/{inside.ledger}/search",
        search_text=place.search_text,
        capture_href=_world_capture_href(visitor, seen) if inside is None else _capture_href(visitor, inside),
        live=_live(visitor, inside),
        head=None if inside is None else _head(inside),
        toast=_toast(request),
    )


def _project_link(state: State, current: str | None, at: str) -> ProjectLink:
    count = waiting_count(state, at)
    title = "" if state.title is None else state.title.or_erased()
    waiting = f"{count} waiting" if count else ""
    return ProjectLink(title, f"/p/{state.ledger}/inbox", waiting, is_current=state.ledger == current)


def _rooms(state: State, room: str, at: str) -> tuple[Room, ...]:
    base = f"/p/{state.ledger}"
    working = sum(run.status in _WORKING for run in state.runs.rows())
    waiting = waiting_count(state, at)
    return (
        Room("Inbox", f"{base}/inbox", "inbox", waiting, is_current=room == "Inbox"),
        Room("Worldstate", f"{base}/outline", "list-tree", is_current=room == "Worldstate"),
        Room("Work", f"{base}/work", "hammer", working, is_current=room == "Work"),
        Room("Ledger", f"{base}/ledger", "scroll-text", is_current=room == "Ledger"),
    )


def _world_rooms(seen: tuple[State, ...], room: str, *, is_inside: bool) -> tuple[Room, ...]:
    waiting = sum(item.status in _FOR_OPERATOR for state in seen for item in state.promotions.rows())
    rooms = (
        Room("World", "/", "globe", is_current=room == "World"),
        Room("Operator", "/operator", "key-round", waiting, is_current=room == "Operator"),
        Room("Settings", "/settings", "settings", is_current=room == "Settings"),
    )
    return rooms[1:] if is_inside else rooms


def _capture_href(visitor: Visitor, inside: State) -> str:
    if inside.archived is not None or not visitor.may_write(inside.ledger):
        return ""
    return f"/p/{inside.ledger}/capture"


def _world_capture_href(visitor: Visitor, seen: tuple[State, ...]) -> str:
    """Return the box of the World page itself, which a browser focuses, for whom it is there."""
    may_open = visitor.may_write(visitor.studio.world_id)
    return "/#capture-text" if may_open or any(_capture_href(visitor, state) for state in seen) else ""


def _live(visitor: Visitor, inside: State | None) -> Live | None:
    if inside is not None:
        return Live(f"/p/{inside.ledger}/events?after={inside.seq}")
    world = visitor.studio.world_id
    if visitor.role(world) is None:
        return None
    return Live(f"/events?after={visitor.state(world).seq}")


def _head(state: State) -> Head:
    return Head(state.revision, moment(state.revisions[revision_key(state.revision)].origin.at))


def _toast(request: Request) -> Toast | None:
    said = SAID.get(request.cookies.get(SAID_COOKIE, ""))
    return None if said is None else Toast(said)


def binding(studio: Studio, state: State | None = None, seen: str = "") -> Binding:
    """Return what a form is bound to: a fresh command id; with a state, also the revision and what is shown."""
    revision = "" if state is None else str(state.revision)
    return Binding(expected_revision=revision, seen=seen, command_id=studio.desk.stamp(HOST).id("command"))


def page_response(request: Request, template: str, page: object, status: int = 200) -> HTMLResponse:
    """Return a whole page; a toast that it showed is not shown again."""
    response = HTMLResponse(render_page(template, page), status)
    if SAID_COOKIE in request.cookies:
        response.delete_cookie(SAID_COOKIE, path="/")
    return response


def see_other(href: str, said: str = "") -> RedirectResponse:
    """Lead to the page that shows what the act did; `said` is a key of `SAID`."""
    response = RedirectResponse(href, 303)
    if said:
        assert said in SAID
        response.set_cookie(SAID_COOKIE, said, max_age=30, path="/", httponly=True, samesite="lax")
    return response


def refused(error: StudioError, what: str) -> tuple[int, Refusal]:
    """Return the status and the refusal that stands in the form, such as `Not captured: the title is empty`."""
    problem = problem_of(error)
    sentence = problem.detail[:1].upper() + problem.detail[1:]
    return problem.status, Refusal(f"{what}: {problem.title.lower()}", sentence)


def outside_shell(title: str, here: str) -> Shell:
    """Return the bare frame before sign-in."""
    return Shell(title=title, here=here, form_token="")


def error_response(request: Request, problem: Problem) -> Response:
    """Return a refusal as a page, in the frame that this person's other pages have.

    A fault of the server (500 and above) asks nothing of the database, so its page works when the ledger does not.
    """
    is_fault = problem.status >= _FAULTS
    visitor = _visitor(request, may_look_up=not is_fault)
    text = problem.detail[:1].upper() + problem.detail[1:]
    page = ErrorPage(
        shell=outside_shell(problem.title, request.url.path),
        status=problem.status,
        title=problem.title,
        text=text if text.endswith((".", "?", "!")) else f"{text}.",
        code=problem.code,
        icon=_ICONS.get(problem.status, "triangle-alert"),
        ways=(Link("Go to your world", "/", "globe"),),
    )
    if visitor is not None and is_fault:
        page = replace(page, shell=_plain_shell(visitor, page.shell))
    elif visitor is not None:
        page = _framed(request, visitor, page)
    return HTMLResponse(render_page("errors/page.html", page), problem.status)


def _visitor(request: Request, *, may_look_up: bool) -> Visitor | None:
    """Return who is here; at an address without a route nobody asked yet."""
    known: Visitor | None = getattr(request.state, "visitor", None)
    if known is not None or not may_look_up or "app" not in request.scope:
        return known
    studio = getattr(request.scope["app"].state, "studio", None)
    return None if studio is None else find_visitor(studio, request, Via.BROWSER)


def _framed(request: Request, visitor: Visitor, page: ErrorPage) -> ErrorPage:
    """Return the page with the rooms of the project it is about, or of the world when the person knows none there."""
    try:
        state = _project_of(request, visitor)
        place = Place(page.title, request.url.path, project=state)
        shell = replace(shell_for(request, visitor, place), toast=None, live=None)
    except StudioError:
        return replace(page, shell=_plain_shell(visitor, page.shell))
    if state is None:
        return replace(page, shell=shell)
    back = Link("Back to the Inbox", f"/p/{state.ledger}/inbox", "arrow-left")
    return replace(page, shell=shell, ways=(back, *page.ways))


def _project_of(request: Request, visitor: Visitor) -> State | None:
    _, room, project_id, *_ = (*request.url.path.split("/"), "", "", "")
    if room != "p":
        return None
    try:
        return visitor.project(project_id)
    except NotFoundError:
        return None


def _plain_shell(visitor: Visitor, bare: Shell) -> Shell:
    """Return a frame for which nothing is read."""
    return replace(
        bare,
        form_token=visitor.form_token,
        person=Person(visitor.person.name, "signed in", "/signout"),
        world_rooms=(
            Room("World", "/", "globe"),
            Room("Operator", "/operator", "key-round"),
            Room("Settings", "/settings", "settings"),
        ),
    )
