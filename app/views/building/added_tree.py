"""Builds the whole tree that a proposal of several nodes would add, with the kind of each, for a look before the yes."""

from collections import Counter
from typing import Final

from app.views.inbox.parts import TreeLine, WholeTree
from app.views.parts import KIND_WORDS, KindMark
from app.views.wording import count
from kernel.rules.operations import is_belonging
from kernel.state import DeltaRecord
from kernel.values.records import NodeAdd, RelationAdd

LINES_MAX: Final = 800
"""How many lines the tree has at most; its title counts all kinds all the same."""
OPEN_MAX: Final = 40
"""Up to how many lines stand unfolded."""
DEPTH_MAX: Final = 8
"""How far a line is set in at most."""


def added_tree(record: DeltaRecord) -> WholeTree | None:
    """Return every node that the shown choice would add, as a tree; None when it adds fewer than two."""
    operations = record.operations
    added = [item for item in operations if isinstance(item, NodeAdd)]
    if len(added) < 2:  # noqa: PLR2004 - one node is the before and after itself
        return None
    parents = {
        item.from_id: item.to_id
        for item in operations
        if isinstance(item, RelationAdd) and is_belonging(item)
    }
    depths: dict[str, int] = {}
    lines = []
    for item in added[:LINES_MAX]:
        depth = depths.get(parents.get(item.node_id, ""), -1) + 1
        depths[item.node_id] = depth
        lines.append(
            TreeLine(KindMark.of(item.kind), item.title.or_erased(), _note(item), min(depth, DEPTH_MAX))
        )
    left = len(added) - len(lines)
    return WholeTree(
        title=f"All {len(added)} nodes with their kinds: {_kinds(added)}",
        lines=tuple(lines),
        more=f"{count(left, 'more line')} of the imported text, each of a kind counted above" if left else "",
        is_open=len(added) <= OPEN_MAX,
    )


def _note(item: NodeAdd) -> str:
    """Return the kind as a word, and the path or profile that a tag named."""
    named = item.artifact_path or (None if item.profile_id is None else f"profile {item.profile_id}")
    word = KIND_WORDS[item.kind]
    return word if named is None else f"{word}, {named}"


def _kinds(added: list[NodeAdd]) -> str:
    numbers = Counter(KIND_WORDS[item.kind].lower() for item in added)
    shown = sorted(numbers.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(count(number, word, "evidence" if word == "evidence" else "") for word, number in shown)
