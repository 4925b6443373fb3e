"""Builds the forms that set a proposal aside or part it, and how one stands that was."""

from typing import Final

from app.views.building.acts import KINDS, near
from app.views.inbox.aside_parts import Aside, DeferForm, RemandForm, RenewForm, SplitForm, SplitRow, Standing
from app.views.moments import moment
from app.views.opening import Opened
from app.views.parts import KIND_WORDS, Binding, Option
from app.views.wording import Reading, path_words
from kernel.rules.limits import PARTS_MIN
from kernel.rules.seen import delta_seen
from kernel.state import DeltaRecord
from kernel.values.records import NodeAdd
from kernel.vocabulary import Disposition

ROWS: Final = 4
"""How many parts the form has room for; more than that is an outline to import."""


def aside(reading: Reading, record: DeltaRecord, opened: Opened, act: str) -> Aside | None:
    """Return the open form when the act is one of these; None otherwise."""
    href = f"{reading.base}/inbox/{opened.id}"
    binding = opened.binding(reading.state.revision, delta_seen(reading.state, record))
    if act == "defer":
        return Aside(defer=_defer(opened, href, binding))
    if act == "remand":
        return Aside(remand=_remand(opened, href, binding))
    if act == "split":
        return Aside(split=_split(reading, record, opened, binding=binding))
    if act == "rebase":
        says = "Replaces it by the same one about the newest revision. It still waits for a yes."
        return Aside(renew=RenewForm(f"{href}/rebase", binding, says, href))
    return None


def _defer(opened: Opened, href: str, binding: Binding) -> DeferForm:
    return DeferForm(
        action=f"{href}/defer",
        binding=binding,
        says="Leaves the queue until that day. It can be decided all the while.",
        cancel=href,
        until=opened.text("until", ""),
        reason=opened.text("reason", ""),
    )


def _remand(opened: Opened, href: str, binding: Binding) -> RemandForm:
    return RemandForm(
        action=f"{href}/remand",
        binding=binding,
        says="Closes the yes. Edit, move or split it to put it right.",
        cancel=href,
        reason=opened.text("reason", ""),
        corrections=opened.text("corrections", ""),
    )


def _split(reading: Reading, record: DeltaRecord, opened: Opened, *, binding: Binding) -> SplitForm:
    href = f"{reading.base}/inbox/{opened.id}"
    return SplitForm(
        action=f"{href}/split",
        binding=binding,
        rows=tuple(_row(reading, record, opened, number) for number in range(1, ROWS + 1)),
        says="Replaces the suggestion by its parts. Each still waits for a yes.",
        cancel=href,
    )


def _row(reading: Reading, record: DeltaRecord, opened: Opened, number: int) -> SplitRow:
    added = next(item for item in record.body.operations if isinstance(item, NodeAdd))
    kind = opened.text(f"kind_{number}", added.kind.value)
    places = near(reading, record, is_moving=False)
    place_id = opened.text(f"parent_{number}", places[0].id)
    tables = reading.state.tables
    return SplitRow(
        number=number,
        title=opened.text(f"title_{number}", added.title.or_erased() if number == 1 else ""),
        kinds=tuple(Option(item.value, KIND_WORDS[item], is_chosen=item.value == kind) for item in KINDS),
        places=tuple(
            Option(
                node.id,
                _named(node.title.or_erased(), path_words(tables, node.id)),
                is_chosen=node.id == place_id,
            )
            for node in places
        ),
        is_needed=number <= PARTS_MIN,
    )


def _named(title: str, path: str) -> str:
    return f"{title} ({path})" if path else title


def standing(record: DeltaRecord) -> Standing | None:
    """Return how an open proposal was set aside; None when it was not."""
    reason = "" if record.reason is None else record.reason.or_erased()
    if record.disposition is Disposition.DEFERRED:
        text = reason or "It can be decided all the while."
        if record.until is None:
            return Standing("Deferred until somebody looks for it", text)
        return Standing("Deferred until", text, when=moment(record.until))
    if record.disposition is Disposition.REMANDED:
        corrections = tuple(item.or_erased() for item in record.corrections)
        return Standing("Sent back; it waits for its corrections", reason, corrections)
    return None
