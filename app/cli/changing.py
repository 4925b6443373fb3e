"""Proposing to change an accepted node on the command line."""

from typing import Annotated

import typer

from app.cli.desk import owner, project_id, studio
from app.cli.output import PRINTER
from app.services.access import OWNER
from app.services.studio import Studio
from app.views.answers.answering import proposal_answer
from kernel.commands import Below, Join, ProposeCorrection
from kernel.errors import InvalidError, NotFoundError
from kernel.state import State
from kernel.vocabulary import Phase, RelationKind

MoveUnder = Annotated[str | None, typer.Option(help="The node to belong to from now on.")]
Title = Annotated[str | None, typer.Option(help="The new title.")]
Description = Annotated[str | None, typer.Option(help="The new description; an empty one empties it.")]
Status = Annotated[
    Phase | None, typer.Option(help="How the work of a Task stands: planned, blocked or completed.")
]
Profile = Annotated[str | None, typer.Option(help="Delegation profile of a Task; an empty one names none.")]
Relate = Annotated[
    list[str] | None, typer.Option(help="A relation to add: KIND:NODE, such as depends_on:node_…")
]
Unrelate = Annotated[
    list[str] | None, typer.Option(help="A relation to end: its id, or KIND:NODE in either direction.")
]
Retire = Annotated[bool, typer.Option("--retire", help="Retire the node; what belongs to it moves up.")]
WithAll = Annotated[bool, typer.Option("--with-all", help="Retire what belongs to it too.")]


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("change")(change)


def change(
    node: Annotated[str, typer.Argument(help="The accepted node.")],
    *,
    project: Annotated[
        str | None, typer.Option("--project", "-p", help="Where it stands; looked for by default.")
    ] = None,
    move_under: MoveUnder = None,
    title: Title = None,
    description: Description = None,
    status: Status = None,
    profile: Profile = None,
    relate: Relate = None,
    unrelate: Unrelate = None,
    retire: Retire = False,
    with_all: WithAll = False,
    reason: Annotated[str | None, typer.Option(help="Why, in your words.")] = None,
) -> None:
    """Propose to change an accepted node. Nothing changes until you accept it."""
    here = studio()
    state = _state(here, node) if project is None else here.desk.state(project_id(project))
    ledger = state.ledger
    command = ProposeCorrection(
        node_id=node,
        rationale=reason,
        title=title,
        description=description,
        phase=status,
        profile_id=profile,
        under_id=move_under,
        joins=tuple(_join(item) for item in relate or ()),
        parts=tuple(_relation(state, node, item) for item in unrelate or ()),
        retires=_end(retire=retire, with_all=with_all),
    )
    delta_id = here.reviews.correct(ledger, owner(ledger), command)
    after = here.desk.state(ledger)
    answer = proposal_answer(after, after.deltas[delta_id])
    PRINTER.answer(answer, f"Suggested: {answer.title}", f"Accept it: odeu accept {delta_id}")


def _end(*, retire: bool, with_all: bool) -> Below | None:
    """Return what becomes of what belongs to the node. Raises: InvalidError."""
    if with_all and not retire:
        message = "--with-all belongs to --retire"
        raise InvalidError(message)
    below = Below.RETIRED if with_all else Below.LIFTED
    return below if retire else None


def _state(here: Studio, node_id: str) -> State:
    """Return the project that a node stands in. Raises: NotFoundError."""
    found = (state for state in here.projects.seen_by(OWNER) if node_id in state.tables.nodes)
    state = next(found, None)
    if state is None:
        message = f"there is no accepted node {node_id:.64}"
        raise NotFoundError(message)
    return state


def _join(text: str) -> Join:
    """Return the relation that an option names. Raises: InvalidError."""
    kind, _, other_id = text.partition(":")
    kinds = [item.value for item in RelationKind if item is not RelationKind.BELONGS_TO]
    if kind not in kinds or not other_id:
        message = f"a relation reads KIND:NODE with one of {', '.join(kinds)}, not {text!r:.80}"
        raise InvalidError(message)
    return Join(RelationKind(kind), other_id)


def _relation(state: State, node_id: str, text: str) -> str:
    """Return the id of an active relation of the node. Raises: InvalidError when an option names none."""
    if ":" not in text:
        return text
    join = _join(text)
    ends = {(node_id, join.other_id), (join.other_id, node_id)}
    for relation_id in state.tables.links.get(node_id) or ():
        relation = state.tables.relations[relation_id]
        if relation.kind is join.kind and (relation.from_id, relation.to_id) in ends:
            return relation_id
    message = f"{node_id} has no relation {text!r:.120}"
    raise InvalidError(message)
