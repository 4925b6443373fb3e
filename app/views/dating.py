"""Keeps a past revision in the links of a view, and says over the view which revision it shows."""

import re
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from app.views.moments import moment
from app.views.parts import Link
from app.views.worldstate.difference_parts import Past
from kernel.projections.past import revision_of
from kernel.state import State

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

V = TypeVar("V")
P = TypeVar("P", bound="DataclassInstance")


def dated(view: V, base: str, number: int) -> V:
    """Return the view with every link to a view of the worldstate showing the same past revision."""
    if isinstance(view, tuple):
        return cast("V", tuple(dated(item, base, number) for item in view))
    if not is_dataclass(view) or isinstance(view, type):
        return view
    changes: dict[str, Any] = {}
    for field in fields(view):
        value = getattr(view, field.name)
        if field.name == "href":
            changes["href"] = _dated(value, base, number)
        elif isinstance(value, tuple) or is_dataclass(value):
            changes[field.name] = dated(value, base, number)
    return cast("V", replace(view, **changes))


def _dated(href: str, base: str, number: int) -> str:
    match = re.fullmatch(rf"{re.escape(base)}/(?:outline|map|focus)(\?[^#]*)?(#.*)?", href)
    if match is None or "at=" in href or "diff=" in href:
        return href
    address, _, mark = href.partition("#")
    joined = f"{address}{'&' if match[1] else '?'}at={number}"
    return f"{joined}#{mark}" if mark else joined


def in_the_past(page: P, state: State, newest: str, number: int) -> P:
    """Return a view's page with its banner and its links kept in one past revision.

    `newest` is the page's own address without the revision.
    """
    base = f"/p/{state.ledger}"
    inside = {
        field.name: dated(getattr(page, field.name), base, number)
        for field in fields(page)
        if field.name not in {"shell", "tabs"}
    }
    return replace(page, **{**inside, "past": past_banner(state, number, newest)})


def past_banner(state: State, number: int, here: str) -> Past:
    """Return the banner of a past revision; `here` is the view's address without the revision."""
    sign = "&" if "?" in here else "?"
    ways = [Link("Show the newest", here, "arrow-right")]
    if number > 0:
        ways.append(Link(f"Revision {number - 1}", f"{here}{sign}at={number - 1}", "arrow-left"))
    if number < state.revision:
        base = f"/p/{state.ledger}"
        ways.append(
            Link(
                "What changed since", f"{base}/outline?diff={number}..{state.revision}", "git-compare-arrows"
            )
        )
    return Past(
        title=f"Revision {number} of {state.revision}",
        text="The worldstate as it was accepted then. It can be read here and not changed.",
        when=moment(revision_of(state, number).origin.at),
        ways=tuple(ways),
    )
