"""Words for people, shared by the builders of pages: moments, speakers, counts, crumbs, quotations, short ids.

Owns how the state is said, and decides nothing. Every text a person, manager or agent wrote stays as it is; the
templates make hidden characters visible.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from app.views.moments import moment as moment  # noqa: PLC0414 - builders take it from here
from app.views.parts import (
    DRAFT,
    KIND_WORDS,
    RUNNING,
    SUPPORTED,
    FamilyFact,
    IdCopy,
    Link,
    Mark,
    Option,
    Quote,
    QuotePiece,
    governance_mark,
    work_mark,
)
from kernel.projections.standing import Knowledge, Standing
from kernel.rules.graph import ancestors
from kernel.state import Origin, SourceRecord, State, Tables, revision_key
from kernel.values.records import Node
from kernel.values.stamp import Actor
from kernel.vocabulary import (
    ActorKind,
    NodeKind,
    Phase,
    RelationKind,
    Role,
    RunStatus,
    Verification,
    Visibility,
)

WORDS_SHOWN: Final = 700
"""How many characters of a quotation stand on a page before the rest is behind a link."""
MANAGER: Final = "the built-in manager"
VERBS: Final[dict[tuple[RelationKind, bool], str]] = {
    (RelationKind.BELONGS_TO, True): "belongs to",
    (RelationKind.REFINES, True): "refines",
    (RelationKind.REFINES, False): "is refined by",
    (RelationKind.DEPENDS_ON, True): "depends on",
    (RelationKind.DEPENDS_ON, False): "is needed by",
    (RelationKind.CONFLICTS_WITH, True): "conflicts with",
    (RelationKind.CONFLICTS_WITH, False): "conflicts with",
    (RelationKind.SUPERSEDES, True): "replaces",
    (RelationKind.SUPERSEDES, False): "is replaced by",
    (RelationKind.IMPLEMENTS, True): "implements",
    (RelationKind.IMPLEMENTS, False): "is implemented by",
    (RelationKind.EVIDENCED_BY, True): "is evidenced by",
    (RelationKind.EVIDENCED_BY, False): "is evidence for",
    (RelationKind.ORIGINATED_FROM, True): "came from",
    (RelationKind.ORIGINATED_FROM, False): "led to",
}
"""(relation kind, read from its start) -> the verb between the two titles."""
_QUEUED: Final = Mark("hourglass", "Queued", "accent")


@dataclass(frozen=True, slots=True)
class Reading:
    """Who reads a project's page, when, and what people and profiles are called."""

    state: State
    role: Role
    at: str
    """This moment."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Person id -> name."""
    profiles: tuple[tuple[str, str], ...] = ()
    """(id, title) of every delegation profile that may be selected on a task."""
    me: str = ""
    """The person who reads."""
    asks_outside: bool = False
    """Whether the active manager works outside this machine."""

    @property
    def base(self) -> str:
        """The address of the project."""
        return f"/p/{self.state.ledger}"

    @property
    def title(self) -> str:
        """The project's title."""
        return "" if self.state.title is None else self.state.title.or_erased()


def count(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun, such as `1 task` or `3 tasks`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def number_word(number: int) -> str:
    """Return small numbers as words, for the beginning of a sentence."""
    words = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
    return words[number] if number < len(words) else str(number)


def speaker(actor: Actor, names: Mapping[str, str]) -> str:
    """Return who acted, as it stands in the middle of a sentence."""
    if actor.kind is ActorKind.MANAGER:
        return MANAGER if actor.id.startswith("local/") else f"the manager {actor.id}"
    if actor.kind is ActorKind.SYSTEM:
        return "the host"
    if actor.kind is ActorKind.AGENT:
        return f"the agent {actor.id}"
    return names.get(actor.id, actor.id)


def capital(sentence: str) -> str:
    """Return the sentence with a capital at its beginning; one that begins with a path keeps its first letter."""
    first = sentence.partition(" ")[0].rstrip(".,:;!?…")
    if "/" in first or "." in first:
        return sentence
    return sentence[:1].upper() + sentence[1:]


def sentence(text: str) -> str:
    """Return a text as one sentence: with a capital at its beginning and a mark at its end."""
    kept = capital(text.strip())
    is_ended = kept.rstrip("”)").endswith((".", "!", "?", "…"))
    return kept if is_ended else f"{kept}."


def kind_in_words(kind: NodeKind) -> str:
    """Return the kind with its article, such as `a task` or `a piece of evidence`."""
    if kind is NodeKind.EVIDENCE:
        return "a piece of evidence"
    word = KIND_WORDS[kind].lower()
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def short_id(full: str) -> IdCopy:
    """Return an id for its place on the page: kind and last characters to read, the whole to copy."""
    kind, _, rest = full.partition("_")
    return IdCopy(f"{kind} {rest[-4:].upper()}", full)


def short_digest(word: str, digest: str) -> IdCopy:
    """Return a digest for its place on the page."""
    rest = digest.partition(":")[2] or digest
    return IdCopy(f"{word} {rest[:4].upper()} {rest[4:8].upper()}".rstrip(), digest)


def crumbs(base: str, tables: Tables, node_id: str) -> tuple[Link, ...]:
    """Return the way from the root down to a node, itself included."""
    line = (node_id, *ancestors(tables, node_id))
    return tuple(
        Link(tables.nodes[item].title.or_erased(), f"{base}/outline?node={item}") for item in reversed(line)
    )


def path_words(tables: Tables, node_id: str) -> str:
    """Return the titles above a node, from the root down; empty for the root."""
    line = reversed(ancestors(tables, node_id))
    return " › ".join(tables.nodes[item].title.or_erased() for item in line)  # noqa: RUF001 - typeset


def quote(
    record: SourceRecord,
    names: Mapping[str, str],
    *,
    matched: tuple[str, ...] = (),
    verb: str = "wrote this",
    whole: str | None = None,
    base: str = "",
) -> Quote:
    """Return captured words as a quotation; `whole` is the address of the full text, None to show all of it.

    With the project's address as `base` it leads to the capture's own page.
    """
    text = record.body.content.or_erased()
    is_cut = whole is not None and len(text) > WORDS_SHOWN
    shown = f"{text[:WORDS_SHOWN].rstrip()} …" if is_cut else text
    return Quote(
        pieces=_pieces(shown, matched),
        said=f"{capital(speaker(record.origin.actor, names))} {verb}",
        when=moment(record.origin.at),
        is_private=record.body.visibility is Visibility.PRIVATE,
        whole=Link("Show the whole text", whole) if is_cut and whole is not None else None,
        source=Link("About this capture", f"{base}/sources/{record.body.source_id}") if base else None,
    )


def _pieces(text: str, matched: tuple[str, ...]) -> tuple[QuotePiece, ...]:
    """Split a text so that the words which decided the place stand alone."""
    words = sorted({word for word in matched if word.strip()}, key=len, reverse=True)
    if not words:
        return (QuotePiece(text),)
    pattern = r"(?<!\w)(" + "|".join(re.escape(word) for word in words) + r")(?!\w)"
    parts = re.split(pattern, text, flags=re.IGNORECASE)
    return tuple(QuotePiece(part, index % 2 == 1) for index, part in enumerate(parts) if part)


def knowledge_mark(knowledge: Knowledge | None) -> Mark | None:
    """Return the mark of the knowledge family."""
    return None if knowledge is None else (SUPPORTED if knowledge is Knowledge.SUPPORTED else DRAFT)


def work_status(standing: Standing) -> Mark | None:
    """Return the mark of the work family: a run under way lies over what is stored."""
    if standing.is_running and standing.run is not None:
        return _QUEUED if standing.run.status is RunStatus.QUEUED else RUNNING
    return work_mark(standing.phase, standing.verification)


def families(reading: Reading, node: Node, standing: Standing) -> tuple[FamilyFact, ...]:
    """Return the three families with who says so."""
    supported = standing.knowledge is Knowledge.SUPPORTED
    knows = {None: "", True: "By recorded evidence", False: "Nothing tested"}
    return (
        FamilyFact(
            "Knowledge",
            knowledge_mark(standing.knowledge),
            knows[None if standing.knowledge is None else supported],
        ),
        FamilyFact("Governance", governance_mark(node.governance), adopted_by(reading, node)),
        FamilyFact("Work", work_status(standing), work_note(reading, node)),
    )


def adopted_by(reading: Reading, node: Node) -> str:
    """Return who took a node on and when, such as `Mira, revision 17`."""
    origin = reading.state.revisions[revision_key(node.created_in)].origin
    return f"{capital(speaker(origin.actor, reading.names))}, revision {node.created_in}"


def work_note(reading: Reading, node: Node) -> str:
    """Return who says that work stands as it does."""
    if node.phase is Phase.NONE:
        return ""
    if node.verification is Verification.VERIFIED:
        return "By recorded evidence"
    if node.phase is Phase.COMPLETED and node.said_by is not None:
        return f"Said by {reading.names.get(node.said_by, node.said_by)}, not verified"
    return "Not verified"


def family_words(node: Node) -> str:
    """Return a node's work status in words for a line; empty when it says nothing."""
    mark = work_mark(node.phase, node.verification)
    return "" if mark is None else mark.word


def profile_options(reading: Reading, chosen: str | None) -> tuple[Option, ...]:
    """Return the profiles a task may name, none first; empty when none is configured."""
    known = {item for item, _ in reading.profiles}
    extra = ((chosen, f"{chosen} (not configured)"),) if chosen is not None and chosen not in known else ()
    if not reading.profiles and not extra:
        return ()
    return (
        Option("", "None: nobody is sent to do it", is_chosen=chosen is None),
        *(Option(item, title, is_chosen=item == chosen) for item, title in (*reading.profiles, *extra)),
    )


def origin_words(origin: Origin, names: Mapping[str, str]) -> str:
    """Return who did something through which door, such as `Mira, on the command line`."""
    doors = {"cli": ", on the command line", "api": ", through the API"}
    return speaker(origin.actor, names) + doors.get(origin.via.value, "")
