"""The worldstate on the command line: its views, a past revision, and what differs between two."""

from collections.abc import Mapping
from typing import Annotated, Final

import typer

from app.cli.desk import project_id, studio
from app.cli.output import PRINTER
from app.views.answers.answering import outline_answer
from app.views.answers.focusing import focus_answer
from app.views.answers.records import OutlineAnswer
from app.views.answers.showing import comparison_answer, map_answer, timeline_answer
from kernel.errors import InvalidError
from kernel.projections.past import revision_range, state_at

VIEWS: Final = ("outline", "map", "timeline", "focus")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("show")(show)


def show(
    project: Annotated[str, typer.Option("--project", "-p", help="Project id, or its exact title.")],
    view: Annotated[
        str | None, typer.Option(help="outline (without it this one), map, timeline or focus")
    ] = None,
    node: Annotated[str | None, typer.Option(help="The node to look at.")] = None,
    at: Annotated[int | None, typer.Option(min=0, help="A past revision instead of the newest.")] = None,
    diff: Annotated[
        str | None, typer.Option(help="Two revisions such as 16..18: show what differs instead of a view.")
    ] = None,
    before: Annotated[int | None, typer.Option(min=0, help="Timeline: revisions below this number.")] = None,
) -> None:
    """Show the worldstate."""
    here = studio()
    state = here.desk.state(project_id(project))
    if diff is not None:
        _require_alone({"--view": view, "--at": at, "--node": node, "--before": before})
        comparison = comparison_answer(state, *_forward(diff))
        PRINTER.answer(comparison, *comparison.lines())
        return
    view = view or VIEWS[0]
    _require_view(view, node)
    _require_used(view, node, before)
    if at is not None:
        state = state_at(state, at)
    if view == "outline":
        outline = outline_answer(state)
        PRINTER.answer(outline, *_outline_lines(outline))
        return
    if view == "timeline":
        names = {person.id: person.name for person in here.directory.people()}
        told = timeline_answer(state, names, node_id=node, before=before)
        PRINTER.answer(told, *told.lines())
        return
    answer = map_answer(state, node) if view == "map" else focus_answer(state, node)
    PRINTER.answer(answer, *answer.lines())


def _require_alone(others: Mapping[str, object]) -> None:
    given = [name for name, value in others.items() if value is not None]
    if given:
        message = f"--diff shows what differs between two revisions: leave {' and '.join(given)} out"
        raise InvalidError(message)


def _forward(diff: str) -> tuple[int, int]:
    """Return the two revisions of a range; what differs is told forward only.

    Raises: InvalidError.
    """
    earlier, later = revision_range(diff)
    if int(diff.strip().partition("..")[0]) != earlier:
        message = f"name the earlier revision first: {earlier}..{later}"
        raise InvalidError(message)
    return earlier, later


def _require_view(view: str, node: str | None) -> None:
    if view not in VIEWS:
        message = f"the views are {', '.join(VIEWS[:-1])} and {VIEWS[-1]}, not {view!r}"
        raise InvalidError(message)
    if view == "focus" and node is None:
        message = (
            "name the node to focus on with --node; `odeu show --view outline` lists every node with its id"
        )
        raise InvalidError(message)


def _require_used(view: str, node: str | None, before: int | None) -> None:
    """Refuse an option that this view would not look at."""
    if before is not None and view != "timeline":
        message = f"--before is for the timeline: add --view timeline, or leave it out of the {view}"
        raise InvalidError(message)
    if node is not None and view == "outline":
        message = "--node is for map, timeline and focus: add --view, or leave it out of the outline"
        raise InvalidError(message)


def _outline_lines(outline: OutlineAnswer) -> list[str]:
    lines = [f"{outline.title}, revision {outline.revision}"]
    for node in outline.nodes[1:]:
        marks = [
            node.kind,
            *(word for word in (node.phase, node.verification) if word not in {"none", "unverified"}),
        ]
        lines.append(f"{'  ' * node.depth}{node.title} ({', '.join(marks)})  {node.node_id}")
    lines.extend(f"suggested: {item.title}  {item.delta_id}" for item in outline.provisional)
    return lines
