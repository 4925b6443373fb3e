"""Builds the readable before and after of a proposal, in words, from the projection of the same name."""

from app.views.inbox.parts import BeforeAfter, TreeLine
from app.views.parts import KindMark
from app.views.wording import VERBS, Reading, count, family_words
from kernel.projections.acts import DECIDERS
from kernel.projections.difference import Difference, Line, difference
from kernel.rules.dispositions import OPEN
from kernel.state import DeltaRecord, Tables, revision_key
from kernel.values.records import Node
from kernel.vocabulary import Disposition

_WORDS = {"": "", "added": "Added", "changed": "Changed", "retired": "Retired"}


def before_after(reading: Reading, record: DeltaRecord) -> BeforeAfter:
    """Return both sides of the shown choice: over the newest revision while it waits, else over its own base."""
    state = reading.state
    if record.disposition is Disposition.ACCEPTED and record.revision is not None:
        before = state.revisions[revision_key(record.revision - 1)]
        found = difference(before.tables, before.number, record.operations)
        return _sides(
            found, f"Before, revision {before.number}", f"Since revision {record.revision}", state.tables
        )
    found = difference(state.tables, state.revision, record.operations)
    is_waiting = record.disposition in OPEN
    who = "you accept" if reading.role in DECIDERS else "it is accepted"
    after = f"If {who}, revision {state.revision + 1}" if is_waiting else "As it was suggested"
    return _sides(found, f"Now, revision {state.revision}", after, state.tables)


def _sides(found: Difference, before_title: str, after_title: str, tables: Tables) -> BeforeAfter:
    titles = _titles(found, tables)
    return BeforeAfter(
        before_title=_with_rest(before_title, found.before_more),
        before=tuple(_line(line, titles) for line in found.before),
        after_title=_with_rest(after_title, found.after_more),
        after=tuple(_line(line, titles) for line in found.after),
    )


def _titles(found: Difference, tables: Tables) -> dict[str, str]:
    """Return what the other ends of the relations on these lines are called, new nodes and accepted ones."""
    titles = {line.node.id: line.node.title.or_erased() for line in found.after}
    ends = (relation.to_id for line in found.after for relation in (*line.joins, *line.parts))
    for node_id in ends:
        node = tables.nodes.get(node_id)
        if node_id not in titles:
            titles[node_id] = "another node" if node is None else node.title.or_erased()
    return titles


def _with_rest(title: str, more: int) -> str:
    return f"{title}, and {count(more, 'more line')}" if more else title


def _line(line: Line, titles: dict[str, str]) -> TreeLine:
    notes = [family_words(line.node)]
    if line.was is not None:
        notes = [_change(line.was, line.node)]
    if line.left is not None:
        notes.append(f"moved here from “{line.left.title.or_erased()}”")
    for relation in line.joins:
        notes.append(f"{VERBS[relation.kind, True]} “{titles[relation.to_id]}”")
    for relation in line.parts:
        notes.append(f"no longer {VERBS[relation.kind, True]} “{titles[relation.to_id]}”")
    if line.hidden:
        notes.append(f"and {count(line.hidden, 'more', 'more')} inside")
    return TreeLine(
        kind=KindMark.of(line.node.kind),
        title=line.node.title.or_erased(),
        note=", ".join(note for note in notes if note),
        depth=min(line.depth, 3),
        change=line.mark,
        change_word=_WORDS[line.mark],
    )


def _change(was: Node, node: Node) -> str:
    parts = []
    if was.title != node.title:
        parts.append(f"was “{was.title.or_erased()}”")
    if family_words(was) != family_words(node):
        parts.append(f"{family_words(node)}, was {family_words(was).lower()}")
    if was.description != node.description:
        parts.append("new description")
    if was.profile_id != node.profile_id:
        parts.append(f"profile {node.profile_id}")
    if was.source_ids != node.source_ids:
        parts.append("one more source" if len(node.source_ids) == len(was.source_ids) + 1 else "more sources")
    return "; ".join(parts) or family_words(node)
