"""Builds the pages before a revision is taken back and before a project is put away or taken up again."""

from itertools import count as counting
from typing import Final

from app.views.building.about import shortened
from app.views.confirm import ConfirmPage, Lines
from app.views.parts import Binding, Link, Refusal, Sentence
from app.views.shell import Shell
from app.views.wording import Reading, count
from kernel.errors import RefusedError
from kernel.rules.compensation import Inverse, inverse_of
from kernel.state import Revision, State
from kernel.values.records import NodeClear, NodePatch, NodeRetire

REMARKS_MAX: Final = 20
"""How many things that stay or change by it are said; the proposal then says all of them."""
STEPS_MAX: Final = 8
"""How many changes are named one by one."""


def take_back_page(
    shell: Shell,
    reading: Reading,
    revision: Revision,
    *,
    binding: Binding,
    reason: str = "",
    refusal: Refusal | None = None,
) -> ConfirmPage:
    """Return the page that says what taking this revision back would mean."""
    record = None if revision.delta_id is None else reading.state.deltas[revision.delta_id]
    title = "" if record is None else shortened(record.body.title.or_erased())
    effects, said = _effects(reading.state, revision)
    return ConfirmPage(
        shell=shell,
        title=f"Take revision {revision.number} back",
        lead=f"“{title}” stays in the history. What takes it back becomes a suggestion, for another yes.",
        action=f"{reading.base}/revisions/{revision.number}/take-back",
        binding=binding,
        button="Propose to take it back",
        icon="undo-2",
        says="Nothing changes until somebody accepts it.",
        cancel=Link("Back to the Timeline", f"{reading.base}/timeline", "arrow-left"),
        lists=effects,
        asks_reason=True,
        reason=reason,
        refusal=refusal if refusal is not None or not said else Refusal("Nothing to take back", said),
    )


def _effects(state: State, revision: Revision) -> tuple[tuple[Lines, ...], str]:
    """Return what taking it back would do now, or why it does nothing."""
    numbers = counting()
    try:
        # Names for this look alone: each lawful and different, none that a clock could make.
        inverse = inverse_of(state, revision.number, lambda kind: f"{kind}_{next(numbers):026d}")
    except RefusedError as error:
        return (), f"{error.message[:1].upper()}{error.message[1:]}."
    sentences = tuple(Sentence(text, "undo-2") for text in _steps(state, inverse))
    remarks = tuple(
        Sentence(f"{text[:1].upper()}{text[1:]}", "info") for text in inverse.remarks[:REMARKS_MAX]
    )
    return (Lines("What it would do", "", (), (*sentences, *remarks)),), ""


def _steps(state: State, inverse: Inverse) -> tuple[str, ...]:
    """Return what happens to nodes, a sentence each; the proposal then shows all of it."""
    said = []
    for step in inverse.operations:
        if isinstance(step, NodeRetire):
            said.append(f"“{_title(state, step.node_id)}” is retired.")
        elif isinstance(step, NodePatch | NodeClear):
            said.append(f"“{_title(state, step.node_id)}” gets back what it said before.")
    named = tuple(dict.fromkeys(said))
    rest = len(inverse.operations) - len(named[:STEPS_MAX])
    more = (f"{count(rest, 'more change')}, among relations or further nodes.",) if rest > 0 else ()
    return (*named[:STEPS_MAX], *more)


def _title(state: State, node_id: str) -> str:
    return shortened(state.tables.nodes[node_id].title.or_erased())


def archive_page(
    shell: Shell,
    reading: Reading,
    *,
    binding: Binding,
    reason: str = "",
    refusal: Refusal | None = None,
) -> ConfirmPage:
    """Return the page before a project is put away, or taken up again when it was."""
    is_away = reading.state.archived is not None
    title = f"Take “{reading.title}” up again" if is_away else f"Put “{reading.title}” away"
    lead = (
        "It takes captures, decisions and work again."
        if is_away
        else "It takes nothing new and stays readable and exportable. It can be taken up again at any time."
    )
    return ConfirmPage(
        shell=shell,
        title=title,
        lead=lead,
        action=f"{reading.base}/{'restore' if is_away else 'archive'}",
        binding=Binding(command_id=binding.command_id),
        button="Take it up again" if is_away else "Put it away",
        icon="rotate-ccw" if is_away else "archive",
        says="Everything in it is as it was." if is_away else "Nothing is lost by it.",
        cancel=Link("Back to your world", "/", "arrow-left"),
        asks_reason=True,
        reason=reason,
        refusal=refusal,
    )
