"""Builds what a yes would do, and what it would not, in sentences: of exactly the choice that is shown."""

from app.views.building.steps import steps
from app.views.parts import Sentence
from app.views.wording import Reading, count, kind_in_words
from kernel.state import DeltaRecord
from kernel.values.records import (
    Node,
    NodeAdd,
    NodeClear,
    NodePatch,
    RelationAdd,
)
from kernel.vocabulary import Phase, Purpose, Verification


def consequences(reading: Reading, record: DeltaRecord) -> tuple[Sentence, ...]:
    """Return what happens if the shown choice is accepted, and what does not."""
    if record.body.purpose is Purpose.RECONCILIATION:
        return (
            _completed(record),
            Sentence("No branch moves. That takes a promotion and an operator.", "minus"),
        )
    operations = record.operations
    added = [item for item in operations if isinstance(item, NodeAdd)]
    joined = sum(isinstance(item, RelationAdd) for item in operations)
    sentences = [Sentence(text, "pencil", "accent") for text in _changes(reading, record)]
    if added:
        noun = kind_in_words(added[0].kind).partition(" ")[2] if len(added) == 1 else "node"
        amount = f"{count(len(added), noun)} and {count(joined, 'relation')}"
        sentences.append(Sentence(f"{amount} are added.", "plus", "accent"))
    if record.body.purpose is not Purpose.PLACEMENT:
        sentences.extend(steps(reading.state.tables, operations))
    sentences.append(Sentence("No agent starts, no file changes. A later revision can undo it.", "minus"))
    return tuple(sentences)


def is_proven(record: DeltaRecord) -> bool:
    """Whether met evidence verifies what the result completes; a lenient profile lets others in too."""
    patches = (item for item in record.body.operations if isinstance(item, NodePatch))
    return any(item.verification is Verification.VERIFIED for item in patches)


def _completed(record: DeltaRecord) -> Sentence:
    if is_proven(record):
        return Sentence("The task is shown as completed and verified everywhere.", "badge-check", "ok")
    return Sentence(
        "The task is shown as completed, said by whoever accepts. It is not verified, and no branch can get it.",
        "triangle-alert",
        "warn",
    )


def _changes(reading: Reading, record: DeltaRecord) -> list[str]:
    found: list[str] = []
    for item in record.operations:
        if isinstance(item, NodeClear):
            found.extend(f"The {name.replace('_', ' ')} is emptied." for name in item.fields)
        node = None if not isinstance(item, NodePatch) else reading.state.tables.nodes.get(item.node_id)
        if node is not None and isinstance(item, NodePatch):
            found.extend(_patched(node, item))
    return found


def _patched(node: Node, patch: NodePatch) -> list[str]:
    found: list[str] = []
    title = node.title.or_erased()
    if patch.title is not None:
        found.append(f"“{title}” is called “{patch.title.or_erased()}”.")
    if patch.description is not None:
        found.append(_described(node, patch.description.or_erased()))
    if patch.profile_id is not None:
        found.append(f"The task may be delegated under the profile “{patch.profile_id}”.")
    if patch.phase is not None and patch.verification is not Verification.VERIFIED:
        found.append(_phase_change(patch.phase))
    if patch.add_source_ids:
        found.append(f"“{title}” also names the captured words as where it came from.")
    return found


def _described(node: Node, text: str) -> str:
    """Return how a description changes; what it gains, when all of it stays."""
    before = "" if node.description is None else node.description.or_erased()
    if not before:
        return f"It gets the description “{text}”."
    if text.startswith(before):
        return f"The description keeps its words and gains “{text[len(before) :].strip()}”."
    return "The description is replaced."


def _phase_change(phase: Phase) -> str:
    if phase is Phase.COMPLETED:
        return "The work is shown as completed, said by whoever accepts; nothing verifies it."
    return f"The work is shown as {phase.value}."
