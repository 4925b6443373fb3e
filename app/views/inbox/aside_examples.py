"""Example states of the forms that set a proposal aside or part it."""

from typing import Any

from app.views.inbox.aside_parts import Aside, DeferForm, RemandForm, RenewForm, SplitForm, SplitRow, Standing
from app.views.inbox.parts import Act
from app.views.parts import Binding, KindMark, Mark, Moment, Option
from kernel.vocabulary import NodeKind

_BIND = Binding.example()


def asides(at: str) -> dict[str, Aside]:
    """Return each form open on the item of this address."""
    defer = DeferForm(
        f"{at}/defer",
        _BIND,
        "Leaves the queue until that day. It can be decided all the while.",
        at,
        "2026-12-24",
    )
    remand = RemandForm(
        f"{at}/remand",
        _BIND,
        "Closes the yes. Edit, move or split it to put it right.",
        at,
        "Two jobs in one",
    )
    kinds = tuple(
        Option(kind.value, KindMark.of(kind).word, is_chosen=kind is NodeKind.TASK)
        for kind in (NodeKind.TASK, NodeKind.IDEA)
    )
    places = (
        Option("node_bath", "Bathroom (Birch Lane 7)", is_chosen=True),
        Option("node_money", "Money (Birch Lane 7)"),
    )
    titles = ("Check that the floor is level", "Order the tiles", "", "")
    rows = tuple(
        SplitRow(number, title, kinds, places, is_needed=bool(title))
        for number, title in enumerate(titles, 1)
    )
    says = "Replaces the suggestion by its parts. Each still waits for a yes."
    return {
        "defer": Aside(defer=defer),
        "remand": Aside(remand=remand),
        "renew": Aside(
            renew=RenewForm(
                f"{at}/rebase", _BIND, "Replaces it by the same one about the newest revision.", at
            )
        ),
        "split": Aside(split=SplitForm(f"{at}/split", _BIND, rows, says, at)),
    }


def acts(at: str) -> tuple[Act, ...]:
    """Return the ways to these forms from the item of this address."""
    return (
        Act("Split", f"{at}?act=split", "waypoints", "s"),
        Act("Defer", f"{at}?act=defer", "clock", "d"),
        Act("Send back", f"{at}?act=remand", "rotate-ccw", "b"),
    )


def standings() -> dict[str, tuple[Standing, Mark, dict[str, Any]]]:
    """Return how a proposal stands that was set aside, its mark, and what that changes in its act bar."""
    closed = {"can_accept": False, "says": "Sent back: edit, move or split it to put it right."}
    corrections = ("Part the check from the order",)
    remanded = Standing("Sent back; it waits for its corrections", "Two jobs in one", corrections)
    deferred = Standing(
        "Deferred until", "After the holidays", when=Moment("24 Dec 2026", "2026-12-24T00:00:00Z")
    )
    return {
        "deferred": (deferred, Mark("clock", "Deferred"), {}),
        "remanded": (remanded, Mark("rotate-ccw", "Sent back"), closed),
    }
