"""The page that proposes to change an accepted node, and the act: it becomes a proposal that waits like any other."""

from dataclasses import replace
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from app.routes.reading import kept, offer, opened, reading
from app.routes.shelling import Place, page_response, refused, see_other, shell_for
from app.routes.visiting import PageVisitor, Posted, PostedForm, Visitor
from app.services.searching import find
from app.services.sights import sees_all
from app.views.building.change import change_href, change_page, verb_named
from app.views.opening import Opened
from kernel.commands import Below, Join, ProposeCorrection
from kernel.errors import InvalidError, NotFoundError, StudioError
from kernel.projections.acts import Act
from kernel.projections.search import Ask, Group
from kernel.state import State
from kernel.values.records import Node
from kernel.vocabulary import Phase

router: Final = APIRouter(include_in_schema=False, prefix="/p/{project_id}")

Text = Annotated[str, Query(max_length=200)]


def _node(state: State, node_id: str) -> Node:
    node = state.tables.nodes.get(node_id)
    if node is None:
        message = f"there is no node {node_id:.64}"
        raise NotFoundError(message)
    return node


def _respond(
    request: Request, visitor: Visitor, state: State, item: Opened, *, status: int = 200
) -> Response:
    said = {"q": item.query, "verb": item.text("verb", "")}
    here = change_href(f"/p/{state.ledger}", item.id, item.act, **said)
    shell = shell_for(request, visitor, Place("Change", here, "Worldstate", project=state))

    def search() -> tuple[str, ...]:
        found = find(state, Ask(item.query, Group.ACCEPTED), is_whole=sees_all(visitor.role(state.ledger)))
        return tuple(hit.id for group in found.found for hit in group.hits)

    page = change_page(shell, reading(visitor, state), _node(state, item.id), item, search=search)
    return page_response(request, "change/page.html", page, status)


@router.get("/nodes/{node_id}/change")
def before_changing(
    project_id: str,
    node_id: str,
    request: Request,
    visitor: PageVisitor,
    *,
    way: Text = "",
    q: Text = "",
    verb: Text = "",
) -> Response:
    """Show one way to change a node; `q` looks for another node by its title, `verb` says how to relate to it."""
    state = visitor.project(project_id)
    offer(visitor, state, _node(state, node_id).id, Act.CORRECT)
    item = replace(opened(visitor, node_id, act=way, query=q), typed={"verb": verb} if verb else {})
    return _respond(request, visitor, state, item)


@router.post("/nodes/{node_id}/change")
def propose_change(
    project_id: str, node_id: str, request: Request, visitor: PageVisitor, form: PostedForm
) -> Response:
    """Propose to change a node; it waits in the Inbox like everything else."""
    state = visitor.project(project_id)
    node = _node(state, node_id)
    try:
        offer(visitor, state, node_id, Act.CORRECT)
        command = _correction(node, form)
        delta_id = visitor.studio.reviews.correct(project_id, visitor.caller(project_id, form.key), command)
    except StudioError as error:
        status, refusal = refused(error, "Not proposed")
        item = kept(visitor, node_id, form.text("way"), form=form, refusal=refusal)
        item = replace(item, query=form.text("q")[:200])
        return _respond(request, visitor, visitor.project(project_id), item, status=status)
    return see_other(f"/p/{project_id}/inbox/{visitor.known_as(project_id, delta_id)}", "suggested")


def _correction(node: Node, form: Posted) -> ProposeCorrection:
    """Return the change that the form asks for.

    Raises: InvalidError when no reason is given, or something was not chosen.
    """
    rationale = form.text("rationale").strip()
    if not rationale:
        message = "say in a sentence why; whoever decides reads it"
        raise InvalidError(message)
    bare = ProposeCorrection(node.id, rationale, expected_revision=form.number("expected_revision"))
    way = form.text("way")
    if way == "move":
        return replace(bare, under_id=_chosen(form, "other_id", "a place"))
    if way == "relate":
        verb = verb_named(node, form.text("verb"))
        if verb is None:
            message = "choose how the two hang together"
            raise InvalidError(message)
        return replace(bare, joins=(Join(verb[0], _chosen(form, "other_id", "a node"), verb[1]),))
    if way == "end":
        return replace(bare, parts=(_chosen(form, "relation_id", "a relation"),))
    if way == "retire":
        return replace(bare, retires=_below(form.text("below")))
    return _reworded(node, bare, form)


def _chosen(form: Posted, name: str, what: str) -> str:
    value = form.text(name)
    if not value:
        message = f"choose {what} first"
        raise InvalidError(message)
    return value


def _below(text: str) -> Below:
    try:
        return Below(text or Below.LIFTED.value)
    except ValueError as error:
        message = "choose what becomes of what belongs to it"
        raise InvalidError(message) from error


def _reworded(node: Node, bare: ProposeCorrection, form: Posted) -> ProposeCorrection:
    """Return the change of words and work: only fields that differ from the node.

    Raises: InvalidError when nothing would change.
    """
    described = "" if node.description is None else node.description.or_erased()
    title, description = form.text("title").strip(), form.text("description").strip()
    phase, profile = form.text("phase"), form.text("profile")
    if phase and phase not in {item.value for item in Phase}:
        message = "choose one of the states of work"
        raise InvalidError(message)
    command = replace(
        bare,
        title=None if title == node.title.or_erased() else title,
        description=None if description == described.strip() else description,
        phase=Phase(phase) if phase and phase != node.phase.value else None,
        profile_id=None if profile == (node.profile_id or "") else profile,
    )
    if command == bare:
        message = "nothing would change; change a field first"
        raise InvalidError(message)
    return command
