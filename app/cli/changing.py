"""Proposing to change an accepted node on the command line."""

from typing import Annotated

import typer

from app.cli.desk import owner, studio
from app.cli.output import PRINTER
from app.views.answers.answering import proposal_answer
from kernel.commands import Below, Join, ProposeCorrection
from kernel.errors import InvalidError
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
    if with_all and not retire:
        message = "--with-all belongs to --retire"
        raise InvalidError(message)
    here = studio()
    ledger = here.desk.ledger_of(node)
    state = here.desk.state(ledger)
    below = Below.RETIRED if with_all else Below.LIFTED
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
        retires=below if retire else None,
    )
    delta_id = here.reviews.correct(ledger, owner(ledger), command)
    after = here.desk.state(ledger)
    answer = proposal_answer(after, after.deltas[delta_id])
    PRINTER.answer(answer, f"Suggested: {answer.title}", f"Accept it: odeu accept {delta_id}")


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
