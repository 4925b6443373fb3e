"""The proof that one node stood in one revision of a ledger, or that it did not, in one record that needs nothing else.

It is a chain of four links. The node's canonical record is a leaf of the revision's trie, or its place there is
empty; the trie's root is the `state_root` of the event that made the revision; that event is a leaf of the log; and
the log's head is what the checkpoint states. Whose checkpoint that is, a signature tells: that link is the verifier's
(`adapters/bundles`). What the chain does not show is that every event was lawful: a bundle shows that.
"""

from typing import Any, Final, Literal

from kernel.canonical import digest, plain
from kernel.errors import CanonicalError, StudioError
from kernel.events.delta import DeltaAccepted
from kernel.events.envelope import Event, words_of
from kernel.events.project import ProjectOpened
from kernel.merkle import LogHead, leaf_hash, verify_inclusion
from kernel.reducer.operations import RECORD_DOMAIN
from kernel.state import Revision
from kernel.trie import TrieLeaf, TrieWay, verify_absence, verify_presence
from kernel.upcast import decode_event
from kernel.values.recorded import Recorded
from kernel.values.words import Opening, Words, opens

FORMAT: Final = "odeu.proof.v1"
"""The form of a proof."""

_PREFIX: Final = "sha256:"


class OpenedText(Recorded):
    """One text of the record: what opens its commitment."""

    commitment: str
    """What stands in the record."""
    salt: str
    """32 bytes in hex."""
    text: str
    """The text."""


class StateLink(Recorded):
    """The way from the record to the root of the revision's state."""

    siblings: tuple[str, ...]
    """Subtrees beside the way, the top one first, in hex."""
    other: tuple[str, str] | None
    """For a node that is absent: place and digest, in hex, of the record that stands alone where it would stand."""


class LogLink(Recorded):
    """The way from the event that made the revision to the head of the log."""

    event: str
    """The event's canonical bytes, as text. Free text stands in them as commitments only."""
    hashes: tuple[str, ...]
    """The inclusion proof of RFC 9162, section 2.1.3, the lowest sibling first, in hex."""
    checkpoint: str
    """The signed note over the log's size and root."""


class NodeProof(Recorded):
    """That a node stood in a revision exactly as `record` says, or, without a record, that it did not."""

    format: Literal["odeu.proof.v1"]
    """What this is."""
    ledger: str
    """The project."""
    node: str
    """The node's id."""
    revision: int
    """The revision's number."""
    record: dict[str, Any] | None
    """The node's canonical record; free text stands in it as commitments. None: the node is absent."""
    words: tuple[OpenedText, ...]
    """What opens the record's texts, as far as they are known and were to be shown."""
    state: StateLink
    """From the record to the revision."""
    log: LogLink
    """From the revision to a signed head."""


def prove_node(revision: Revision, node_id: str, log: LogLink, *, ledger: str, with_words: bool) -> NodeProof:
    """Return the proof of a node, or of its absence, at a revision of this ledger. O(log n).

    `log` is about the event that made the revision.
    """
    node = revision.tables.nodes.get(node_id)
    way = revision.tables.trie.way("node", node_id)
    other = None if node is not None or way.end is None else (way.end.path.hex(), way.end.digest.hex())
    known = [item for item in words_of(node) if item.opening is not None] if with_words else []
    return NodeProof(
        format=FORMAT,
        ledger=ledger,
        node=node_id,
        revision=revision.number,
        record=None if node is None else plain(node),
        words=tuple(_opened(item) for item in known),
        state=StateLink(siblings=tuple(step.hex() for step in way.siblings), other=other),
        log=log,
    )


def _opened(words: Words) -> OpenedText:
    assert words.opening is not None
    opening = words.opening
    return OpenedText(commitment=words.commitment, salt=opening.salt.hex(), text=opening.text)


def proof_problems(proof: NodeProof, head: LogHead) -> tuple[str, ...]:
    """Return what is wrong with a proof under the head that its checkpoint states; nothing, when it holds."""
    data = proof.log.event.encode("utf-8", "surrogatepass")
    try:
        event = decode_event(data, {})
        hashes = tuple(bytes.fromhex(step) for step in proof.log.hashes)
        state_root = _state_root(proof, event)
    except (StudioError, ValueError) as error:
        return (f"the event of the revision cannot be read: {error}",)
    problems = []
    if state_root is None:
        problems.append(f"the event does not make revision {proof.revision} of {proof.ledger}")
    elif not _stands(proof, state_root):
        problems.append("the way through the state does not lead to the revision's state root")
    if not verify_inclusion(leaf_hash(data), event.seq - 1, head.size, hashes, root=head.root):
        problems.append("the event is not in the log of the checkpoint")
    problems.extend(_text_problems(proof))
    return tuple(problems)


def _state_root(proof: NodeProof, event: Event) -> bytes | None:
    """Return the root of the state that the event made, if it made this revision of this ledger."""
    body = event.body
    if isinstance(body, ProjectOpened):
        number = 0
    elif isinstance(body, DeltaAccepted):
        number = body.revision
    else:
        return None
    if (event.ledger, number) != (proof.ledger, proof.revision):
        return None
    return bytes.fromhex(body.state_root.removeprefix(_PREFIX))


def _stands(proof: NodeProof, state_root: bytes) -> bool:
    try:
        siblings = tuple(bytes.fromhex(step) for step in proof.state.siblings)
        other = proof.state.other
        if proof.record is None:
            end = None if other is None else TrieLeaf(bytes.fromhex(other[0]), bytes.fromhex(other[1]))
            return verify_absence("node", proof.node, way=TrieWay(siblings, end), root=state_root)
        if other is not None or proof.record.get("id") != proof.node:
            return False
        return verify_presence(
            "node", proof.node, digest(RECORD_DOMAIN, proof.record), siblings=siblings, root=state_root
        )
    except (CanonicalError, ValueError):
        return False


def _text_problems(proof: NodeProof) -> list[str]:
    said = set(_texts(proof.record))
    problems = []
    for item in proof.words:
        try:
            opened = opens(Words(item.commitment, Opening(bytes.fromhex(item.salt), item.text)))
        except ValueError:
            opened = False
        if not opened:
            problems.append("a text does not open its commitment")
        elif item.commitment not in said:
            problems.append("a text stands beside the record that is not in it")
    return problems


def _texts(record: dict[str, Any] | None) -> list[str]:
    return [
        value for value in (record or {}).values() if isinstance(value, str) and value.startswith(_PREFIX)
    ]
