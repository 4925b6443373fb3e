"""Builds the Outline page: a window of the tree or of a filter, and the selected node beside it."""

from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlencode

from app.views.building.node import node_facts
from app.views.parts import DRAFT, SUGGESTED, KindMark, Link, governance_mark
from app.views.shell import Shell
from app.views.wording import Reading, knowledge_mark, number_word, work_status
from app.views.worldstate.outline import OutlinePage
from app.views.worldstate.outline_parts import Filter, TreeRow, ViewTab
from kernel.projections.acts import Act, acts_for
from kernel.projections.outline import (
    ROWS_MAX,
    Ask,
    Row,
    Survey,
    Window,
    caring,
    caring_ids,
    flat,
    row_key,
    survey,
    window,
)
from kernel.projections.shape import of_kind
from kernel.vocabulary import NodeKind, Visibility

OPENED_MAX: Final = 24
"""How many rows an address remembers as opened or closed by hand; the oldest is forgotten first."""
_SHOWS: Final = {
    "care": "Needs care",
    NodeKind.TASK.value: "Tasks",
    NodeKind.DECISION.value: "Decisions",
    NodeKind.OPEN_QUESTION.value: "Open questions",
}


@dataclass(frozen=True, slots=True)
class Address:
    """Everything the address of the Outline says; what is not said is as it comes."""

    base: str
    """The project's address."""
    node: str = ""
    opened: tuple[str, ...] = ()
    """Row keys opened by hand, oldest first."""
    shut: tuple[str, ...] = ()
    show: str = ""
    """`care`, a kind, or empty for the tree."""
    start: int | None = None
    hides_suggestions: bool = False
    past: int | None = None
    """The revision that is shown; None for the newest."""
    between: tuple[int, int] | None = None
    """The two revisions that are compared; None for no comparison."""

    def href(self, **fields: str) -> str:
        """Return the address, with more fields of a form behind it."""
        said = {
            "node": self.node,
            "show": self.show,
            "start": "" if self.start is None else str(self.start),
            "suggestions": "no" if self.hides_suggestions else "",
            "open": ".".join(self.opened),
            "shut": ".".join(self.shut),
            "at": "" if self.past is None else str(self.past),
            "diff": "" if self.between is None else f"{self.between[0]}..{self.between[1]}",
            **fields,
        }
        text = urlencode({name: value for name, value in said.items() if value})
        return f"{self.base}/outline" + (f"?{text}" if text else "")

    @property
    def is_past(self) -> bool:
        """Whether something else than the newest revision is shown."""
        return self.past is not None or self.between is not None

    def selecting(self, node_id: str) -> "Address":
        """Return the same view with another node selected."""
        return replace(self, node=node_id)

    def toggled(self, node_id: str, *, is_expanded: bool) -> "Address":
        """Return the same view with one row opened or closed."""
        key = row_key(node_id)
        opened = tuple(item for item in self.opened if item != key)
        shut = tuple(item for item in self.shut if item != key)
        if is_expanded:
            shut = (*shut, key)[-OPENED_MAX:]
        else:
            opened = (*opened, key)[-OPENED_MAX:]
        return replace(self, opened=opened, shut=shut)

    @property
    def ask(self) -> Ask:
        """Return what the projection is asked."""
        return Ask(
            selected=self.node or None,
            opened=frozenset(self.opened),
            shut=frozenset(self.shut),
            start=self.start,
            has_suggestions=not self.hides_suggestions,
        )


def outline_page(shell: Shell, reading: Reading, at: Address) -> OutlinePage:
    """Return the Outline as its address asks for it; `reading` holds the state that is shown."""
    view = survey(reading.state)
    chosen = _chosen(view, at)
    if at.between is not None:
        shown = Window((), 0, 0)  # what differs stands in place of the tree
    else:
        shown = window(view, at.ask) if chosen is None else flat(view, chosen, at.start or 0)
    is_flat = chosen is not None
    node = node_facts(reading, at.node) if at.node else None
    is_bare = not is_flat and shown.total <= 1
    return OutlinePage(
        shell=shell,
        summary=_summary(view),
        tabs=view_tabs(reading.base, at.node, "Outline", at.past, between=at.between),
        filters=_filters(view, at),
        suggestions=None if at.is_past else _suggestions(at),
        tree_label=f"Outline of {reading.title}",
        rows=tuple(_row(view, at, row, is_flat=is_flat) for row in shown.rows),
        node=node,
        import_link=None if at.is_past else _import_link(reading, at.node),
        more=_more(at, shown),
        earlier=_earlier(at, shown),
        is_empty=is_bare or not shown.rows,
        empty_title="Nothing is accepted yet" if is_bare else "Nothing like that here",
        empty_text="Capture a thought; once you accept its place, it stands here."
        if is_bare
        else "Choose another filter, or show everything.",
    )


def _chosen(view: Survey, at: Address) -> tuple[str, ...] | None:
    """Return the nodes of a filter; None for the tree."""
    if at.between is not None:
        return None
    if at.show == "care":
        return caring(view)
    if at.show in _SHOWS:
        return of_kind(view.state, NodeKind(at.show))
    return None


def _summary(view: Survey) -> str:
    held = "What you have accepted so far."
    if not view.proposals:
        return held
    if view.proposals == 1 and len(view.suggested) == 1:
        return f"{held} One suggestion is laid over it and is not part of it yet."
    number = number_word(view.proposals)
    noun = "suggestion is" if view.proposals == 1 else "suggestions are"
    return f"{held} {number} {noun} laid over it and not part of it yet."


def view_tabs(
    base: str,
    node_id: str,
    current: str,
    past: int | None = None,
    *,
    between: tuple[int, int] | None = None,
) -> tuple[ViewTab, ...]:
    """Return the views of one state with the selection kept, and what is shown of the past where a view can.

    Only the Outline shows what differs: from a comparison, Map and Focus lead to the later of its two revisions.
    """
    past = between[1] if between is not None else past
    selection = {"node": node_id} if node_id else {}
    dated = selection if past is None else {**selection, "at": str(past)}
    compared = dated if between is None else {**selection, "diff": f"{between[0]}..{between[1]}"}

    def tab(name: str, icon: str, said: dict[str, str]) -> ViewTab:
        text = urlencode(said)
        href = f"{base}/{name.lower()}" + (f"?{text}" if text else "")
        return ViewTab(name, href, icon, current == name)

    return (
        tab("Outline", "list-tree", compared),
        tab("Map", "waypoints", dated),
        tab("Timeline", "history", selection),
        tab("Focus", "target", dated),
    )


def _filters(view: Survey, at: Address) -> tuple[Filter, ...]:
    plain = Address(at.base, node=at.node, past=at.past)
    kinds = {kind.value: view.shape.kinds.get(kind, 0) for kind in NodeKind}
    counts = {"care": len(caring_ids(view)), **kinds}
    everything = Filter("Everything", plain.href(), "", is_current=not at.show)
    return (
        everything,
        *(
            Filter(name, replace(plain, show=show).href(), str(counts[show]), is_current=at.show == show)
            for show, name in _SHOWS.items()
            if counts[show] or at.show == show
        ),
    )


def _suggestions(at: Address) -> Link:
    if at.hides_suggestions:
        return Link("Show suggestions", replace(at, hides_suggestions=False).href(), "eye")
    return Link("Hide suggestions", replace(at, hides_suggestions=True).href(), "eye-off")


def _import_link(reading: Reading, node_id: str) -> Link | None:
    """Return the way to import an outline under the selected node, for who may."""
    acts = acts_for(reading.state, reading.state.ledger, reading.role, reading.at)
    end = f"?node={node_id}" if node_id in reading.state.tables.nodes else ""
    return (
        Link("Import an outline", f"{reading.base}/import-outline{end}", "upload")
        if Act.IMPORT in acts
        else None
    )


def _more(at: Address, shown: Window) -> Link | None:
    left = shown.total - shown.start - len(shown.rows)
    if left <= 0:
        return None
    following = replace(at, start=shown.start + ROWS_MAX)
    return Link(f"Show the next {min(left, ROWS_MAX)} of {left}", following.href(), "arrow-down")


def _earlier(at: Address, shown: Window) -> Link | None:
    if shown.start == 0:
        return None
    return Link(
        "Show what comes before", replace(at, start=max(0, shown.start - ROWS_MAX)).href(), "arrow-up"
    )


def _row(view: Survey, at: Address, row: Row, *, is_flat: bool) -> TreeRow:
    if row.suggested is not None:
        title, kind, private = row.suggested.add.title, row.suggested.add.kind, row.suggested.add.visibility
    else:
        assert row.node is not None
        title, kind, private = row.node.title, row.node.kind, row.node.visibility
    text = title.or_erased()
    toggle = None
    if row.children and not is_flat:
        toggled = at.toggled(row.id, is_expanded=row.is_expanded)
        verb, icon = ("Close", "chevron-down") if row.is_expanded else ("Open", "chevron-right")
        toggle = Link(f"{verb} {text}", toggled.href(), icon)
    standing = row.standing
    return TreeRow(
        id=f"row-{row_key(row.id)}",
        title=text,
        href=at.selecting(row.id).href(),
        kind=KindMark.of(kind),
        inside=_place(view, row) if is_flat else _inside(row),
        level=row.level,
        position=row.position,
        siblings=row.siblings,
        toggle=toggle,
        is_expanded=row.is_expanded,
        governance=SUGGESTED if standing is None else governance_mark(standing.governance),
        knowledge=DRAFT if standing is None else knowledge_mark(standing.knowledge),
        work=None if standing is None else work_status(standing),
        is_selected=row.id == at.node,
        is_suggested=standing is None,
        is_private=private is Visibility.PRIVATE,
    )


def _inside(row: Row) -> str:
    if not row.inside:
        return ""
    private = f", {row.private_inside} private" if row.private_inside else ""
    return f"{row.inside} inside{private}"


def _place(view: Survey, row: Row) -> str:
    """Return under what a found row stands, since the tree around it is not shown."""
    parent_id = row.suggested.parent_id if row.suggested else view.state.tables.parent.get(row.id)
    parent = None if parent_id is None else view.state.tables.nodes.get(parent_id)
    return "" if parent is None else f"under {parent.title.or_erased()}"
