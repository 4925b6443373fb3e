"""The state of one ledger: canonical, operational and provenance parts, all frozen.

Every map is a `Table`. Records keep the event body that made them beside who made it and when, so that a
reader can always say who says so. This module decides nothing and checks nothing.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from kernel.events.delegation import BriefCompiled, CandidateSealed, ClosureStaged, RunAuthorized
from kernel.events.delta import ClarificationAsked, DeltaProposed
from kernel.events.evidence import ValidationRecorded
from kernel.events.project import CredentialIssued, KeyRotated, ProjectImported
from kernel.events.promotion import (
    PromotionAuthorized,
    PromotionObserved,
    PromotionProposed,
    PromotionReconciled,
)
from kernel.events.source import ExchangeRequested, SourceCaptured
from kernel.table import Series, Table, TableDraft
from kernel.trie import Trie
from kernel.values.records import Node, Operation, Relation
from kernel.values.stamp import Actor
from kernel.values.words import Words
from kernel.vocabulary import Disposition, PromotionStatus, Role, RunStatus, Via

if TYPE_CHECKING:
    # Typed as what it stands for, so that mypy knows every field's name and type.
    from dataclasses import replace

    changed = replace
else:

    def changed(record: object, **changes: object) -> object:
        """Return the record with some fields changed: `dataclasses.replace`, for the state and what has no slots.

        Every event changes them a few times; taking the fields over as they are costs a tenth of building
        them anew. A draft is changed in place.
        """
        if type(record) is StateDraft:
            record.__dict__.update(changes)
            return record
        after = object.__new__(type(record))
        fields = after.__dict__
        fields.update(record.__dict__)
        fields.update(changes)
        return after


T = TypeVar("T")


_new: Final = object.__new__
_set: Final = object.__setattr__


def begun(record_class: type[T], body: object, origin: "Origin") -> T:
    """Return the record that an event of its own begins: what it says, where it came from, and nothing else yet.

    The other fields are those of the class until `changed` gives the record its own. For records without slots,
    which a replay makes one of for every other event.
    """
    record = _new(record_class)
    _set(record, "body", body)
    _set(record, "origin", origin)
    return record


class Origin(NamedTuple):
    """Where a record came from: the event's position, moment, actor and door."""

    seq: int
    event_id: str
    at: str
    actor: Actor
    via: Via


Parts: TypeAlias = tuple[
    "Table[Node]", "Table[Relation]", Trie, "Table[Series]", "Table[str]", "Table[Series]"
]
"""What tables are made of, in the order of their fields."""


class Past(Protocol):
    """Knows what the tables were at every place of a history."""

    def parts(self, place: int) -> Parts:
        """Return the parts of the tables at this place; the very same ones whenever it is asked."""
        ...


@dataclass(frozen=True, slots=True)
class Tables:
    """The canonical part: nodes and relations (retired ones included), their trie and the adjacency.

    Those of a revision that a replay went through are worked out when somebody first asks for a part (`at`).
    """

    nodes: Table[Node] = field(default_factory=Table)
    relations: Table[Relation] = field(default_factory=Table)
    trie: Trie = field(default_factory=Trie)
    links: Table[Series] = field(default_factory=Table)
    """Node id -> ids of the active relations that touch it, in the order they were added."""
    parent: Table[str] = field(default_factory=Table)
    """Node id -> id of the node it belongs to."""
    children: Table[Series] = field(default_factory=Table)
    """Node id -> ids of the active nodes that belong to it, in the order they were added."""
    foreseen: object = field(default=None, compare=False, repr=False)
    """What one change would make of these tables, kept by `kernel.reducer.operations` alone; no part of the value.

    While the parts wait, it holds what tells them.
    """

    @classmethod
    def at(cls, past: Past, place: int) -> "Tables":
        """Return the tables of this place, whose parts wait until somebody asks."""
        tables = _new(Tables)
        _set_foreseen(tables, (past, place))
        return tables

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            """Return a part that waited. Called only for what is not there."""
            waiting = object.__getattribute__(self, "foreseen") if name in _PARTS else None
            if type(waiting) is tuple:
                past, place = waiting
                for part, value in zip(_PARTS, past.parts(place), strict=True):
                    object.__setattr__(self, part, value)
                object.__setattr__(self, "foreseen", None)
            # Another thread may have been first.
            return object.__getattribute__(self, name)

    def kept(self) -> "Tables":
        """Return these tables as a revision may keep them."""
        return self

    def having(
        self,
        *,
        nodes: Table[Node] | None = None,
        relations: Table[Relation] | None = None,
        trie: Trie | None = None,
        links: Table[Series] | None = None,
        parent: Table[str] | None = None,
        children: Table[Series] | None = None,
    ) -> "Tables":
        """Return the tables with these parts in place of their own, and nothing foreseen."""
        return Tables(
            self.nodes if nodes is None else nodes,
            self.relations if relations is None else relations,
            self.trie if trie is None else trie,
            self.links if links is None else links,
            self.parent if parent is None else parent,
            self.children if children is None else children,
        )


_PARTS: Final = ("nodes", "relations", "trie", "links", "parent", "children")
_set_foreseen: Final = Tables.__dict__["foreseen"].__set__


@dataclass(frozen=True, slots=True)
class Revision:
    """One accepted state: its number, root and tables, kept by structural sharing."""

    number: int
    state_root: str
    delta_id: str | None
    origin: Origin
    tables: Tables


@dataclass(frozen=True)
class SourceRecord:
    """A capture."""

    body: SourceCaptured
    origin: Origin
    erased: Origin | None = None
    """When and by whom its words were destroyed."""


@dataclass(frozen=True)
class ExchangeRecord:
    """A boundary crossing: requested, then at most one of answered or failed; perhaps unreadable."""

    body: ExchangeRequested
    origin: Origin
    status: Literal["requested", "answered", "failed", "unreadable"] = "requested"
    response: Words | None = None
    code: str | None = None
    detail: Words | None = None
    ended: Origin | None = None


@dataclass(frozen=True)
class DeltaRecord:
    """A proposal and what became of it."""

    body: DeltaProposed
    origin: Origin
    disposition: Disposition = Disposition.PENDING
    decided: Origin | None = None
    reason: Words | None = None
    replacement_ids: tuple[str, ...] = ()
    """What took its place: one proposal, or several after a split."""
    why: str | None = None
    """Why it was superseded: edited, moved, rebased or split."""
    choice: int | None = None
    revision: int | None = None
    until: str | None = None
    """The moment at which a deferred proposal asks again; None when it waits until somebody looks for it."""
    corrections: tuple[Words, ...] = ()
    """What a remanded proposal has to put right."""

    @property
    def operations(self) -> tuple[Operation, ...]:
        """Return the operations of the choice that was accepted or is looked at; the proposal's own without one."""
        return self.body.alternatives[self.choice - 1].operations if self.choice else self.body.operations

    @property
    def replacement_id(self) -> str | None:
        """Return the proposal that took its place, the first of several; None when there is none."""
        return self.replacement_ids[0] if self.replacement_ids else None


@dataclass(frozen=True, slots=True)
class ClarificationRecord:
    """A question to the person, keyed by its exchange."""

    body: ClarificationAsked
    origin: Origin
    answer_source_id: str | None = None


@dataclass(frozen=True, slots=True)
class BriefRecord:
    """A compiled brief."""

    body: BriefCompiled
    origin: Origin


@dataclass(frozen=True, slots=True)
class ProgressLine:
    """One summary line of a run, by the worker or the host."""

    said_by: Literal["worker", "host"]
    text: Words
    origin: Origin


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run: authorised, then at most once claimed, then one terminal status."""

    body: RunAuthorized
    origin: Origin
    status: RunStatus = RunStatus.QUEUED
    fence: int | None = None
    claimed: Origin | None = None
    progress: tuple[ProgressLine, ...] = ()
    code: str | None = None
    detail: Words | None = None
    ended: Origin | None = None


@dataclass(frozen=True, slots=True)
class CandidateRecord:
    """A sealed candidate."""

    body: CandidateSealed
    origin: Origin


@dataclass(frozen=True, slots=True)
class ClosureRecord:
    """A returned run's claims and observations."""

    body: ClosureStaged
    origin: Origin


@dataclass(frozen=True, slots=True)
class ValidationRecord:
    """One validation of a closure."""

    body: ValidationRecorded
    origin: Origin


@dataclass(frozen=True, slots=True)
class PromotionRecord:
    """One attempt to move a branch, from proposal to outcome."""

    body: PromotionProposed
    origin: Origin
    status: PromotionStatus = PromotionStatus.PROPOSED
    authorization: PromotionAuthorized | None = None
    authorized: Origin | None = None
    exchange_id: str | None = None
    requested: Origin | None = None
    outcome: PromotionObserved | PromotionReconciled | None = None
    ended: Origin | None = None


@dataclass(frozen=True, slots=True)
class PrincipalRecord:
    """A person of this installation."""

    principal_id: str
    name: Words
    origin: Origin
    roles: tuple[tuple[str | None, Role], ...] = ()
    """(project or None for every project, role), one per project, in the order granted."""


@dataclass(frozen=True, slots=True)
class CredentialRecord:
    """A credential's fate."""

    body: CredentialIssued
    origin: Origin
    revoked: Origin | None = None


@dataclass(frozen=True, slots=True)
class ImportRecord:
    """A project of another installation that may be read here."""

    body: ProjectImported
    origin: Origin


@dataclass(frozen=True, slots=True)
class Authority:
    """The world ledger's part: who is known, what was handed out, which configuration and keys are in force."""

    principals: Table[PrincipalRecord] = field(default_factory=Table)
    credentials: Table[CredentialRecord] = field(default_factory=Table)
    keys: Table[KeyRotated] = field(default_factory=Table)
    """Role -> the current key."""
    config_digest: str | None = None
    imports: Table[ImportRecord] = field(default_factory=Table)
    """Project -> where it comes from; nobody acts on these here."""


@dataclass(frozen=True)
class State:
    """Everything one ledger says, up to and including event `seq`."""

    ledger: str = ""
    scope: Literal["world", "project"] = "project"
    seq: int = 0
    at: str = ""
    """The latest moment in the ledger; a clock that steps back never lowers it."""
    clock_stepped_back: int | None = None
    """Sequence number of the last event whose moment lies before one already recorded."""
    command: str = ""
    """The command whose event is the latest one."""
    ordinal: int = 0
    """Which event of its command that is, from 0."""
    owed: tuple[str, ...] = ()
    """Replacements that were named and are not proposed yet; the same command has to propose them next."""
    root_id: str = ""
    title: Words | None = None
    archived: Origin | None = None
    """Who put the project away, and when; None while it is worked on."""
    revision: int = 0
    state_root: str = ""
    tables: Tables = field(default_factory=Tables)
    revisions: Table[Revision] = field(default_factory=Table)
    """Keyed by `revision_key(number)`."""
    sources: Table[SourceRecord] = field(default_factory=Table)
    exchanges: Table[ExchangeRecord] = field(default_factory=Table)
    deltas: Table[DeltaRecord] = field(default_factory=Table)
    open_deltas: Table[int] = field(default_factory=Table)
    """Ids of proposals that wait, with the sequence number of the proposal."""
    unplaced: Table[int] = field(default_factory=Table)
    """Ids of captures that were to be placed and led to no proposal and no question yet, with the latest request.

    Kept so that a page need not look through everything that was ever captured: whoever reads it still asks
    `kernel.projections.placing.stalled`, since words may be erased or asked about once more.
    """
    clarifications: Table[ClarificationRecord] = field(default_factory=Table)
    asking: Table[int] = field(default_factory=Table)
    """Ids of questions that nobody answered yet, with the sequence number of the question."""
    briefs: Table[BriefRecord] = field(default_factory=Table)
    runs: Table[RunRecord] = field(default_factory=Table)
    candidates: Table[CandidateRecord] = field(default_factory=Table)
    closures: Table[ClosureRecord] = field(default_factory=Table)
    validations: Table[ValidationRecord] = field(default_factory=Table)
    promotions: Table[PromotionRecord] = field(default_factory=Table)
    followed_by: Table[tuple[str, ...]] = field(default_factory=Table)
    """Record id -> ids of the records that came from it, in order: the provenance, forwards."""
    authority: Authority = field(default_factory=Authority)


class StateDraft(State):
    """A state that one loop owns while it folds: `changed` changes it in place, and so do its tables `put`.

    Evolvers take it for a state and need not know.
    """

    @classmethod
    def of(cls, state: State) -> "StateDraft":
        """Return a draft that says what `state` says, which stays as it is."""
        fields = state.__dict__.items()
        draft = object.__new__(cls)
        draft.__dict__.update(
            {name: value.draft() if isinstance(value, Table) else value for name, value in fields}
        )
        return draft

    def done(self) -> State:
        """Return the state that the draft has become; the draft ends."""
        fields = self.__dict__.items()
        state = object.__new__(State)
        state.__dict__.update(
            {name: value.done() if isinstance(value, TableDraft) else value for name, value in fields}
        )
        return state


INITIAL: State = State()
"""A ledger before its first event."""

Record: TypeAlias = (
    SourceRecord
    | ExchangeRecord
    | DeltaRecord
    | BriefRecord
    | RunRecord
    | CandidateRecord
    | ClosureRecord
    | ValidationRecord
    | PromotionRecord
)
"""Any operational record."""


def revision_key(number: int) -> str:
    """Return the table key of a revision; keys sort as numbers do."""
    return f"{number:012d}"
