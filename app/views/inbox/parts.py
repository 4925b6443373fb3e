"""What the Inbox is made of: the queue, one proposal with its acts, one question with its answer."""

from dataclasses import dataclass

from app.views.inbox.aside_parts import Aside, Standing
from app.views.parts import Binding, Fact, KindMark, Link, Mark, Moment, Option, Quote, Refusal, Sentence
from kernel.vocabulary import NodeKind


@dataclass(frozen=True, slots=True)
class QueueItem:
    """One line of the queue."""

    href: str
    icon: str
    kind: str
    """What sort of decision, such as `Placement` or `Question`."""
    title: str
    note: str
    """Who it is from, and what is special; ends where the moment stands."""
    when: Moment
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class QueueGroup:
    """The items of one boundary: meaning, evidence, artifacts."""

    name: str
    items: tuple[QueueItem, ...]


@dataclass(frozen=True, slots=True)
class Queue:
    """The left side: everything that waits, oldest risk first."""

    title: str
    """Such as `4 wait for a yes`."""
    order: str
    """How it is sorted, in words."""
    groups: tuple[QueueGroup, ...]
    back: str
    """The way back on a narrow screen, such as `All 4 waiting`."""
    position: str
    """Where the open item stands, such as `3 of 4`; empty when none is open."""
    href: str
    """The queue without an open item."""
    older: Link | None = None
    """The next page of the queue."""
    aside: tuple[QueueItem, ...] = ()
    """What was put off, the soonest first."""
    aside_title: str = ""
    """Such as `2 put off`; empty when nothing is."""
    aside_more: str = ""
    """How many more were put off; empty when all stand there."""


@dataclass(frozen=True, slots=True)
class TreeLine:
    """One line of a before or after."""

    kind: KindMark
    title: str
    note: str = ""
    """Its status in words; empty when it says nothing."""
    depth: int = 0
    """0 to 8, how far it is set in."""
    change: str = ""
    """`added`, `changed`, `retired`, or empty for what stays."""
    change_word: str = ""
    """The change as a word, such as `Added`."""


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """The readable difference: the neighbourhood now and after a yes."""

    before_title: str
    before: tuple[TreeLine, ...]
    after_title: str
    after: tuple[TreeLine, ...]


@dataclass(frozen=True, slots=True)
class WholeTree:
    """Everything that a proposal of several nodes would add, to be unfolded before the yes."""

    title: str
    """Such as `All 6 nodes with their kinds: 3 tasks, 2 ideas, 1 goal`."""
    lines: tuple[TreeLine, ...]
    more: str = ""
    """What did not fit; empty when all is there."""
    is_open: bool = True
    """Whether it stands unfolded: a long one is unfolded by hand."""

    @classmethod
    def example(cls) -> "WholeTree":
        """Return three nodes of three kinds."""
        kinds = (NodeKind.GOAL, NodeKind.DECISION, NodeKind.TASK)
        titles = ("Kitchen", "Keep the oak floor", "Sand and oil it")
        lines = tuple(
            TreeLine(KindMark.of(kind), title, KindMark.of(kind).word, depth)
            for depth, (kind, title) in enumerate(zip(kinds, titles, strict=True))
        )
        return cls("All 3 nodes with their kinds: 1 decision, 1 goal, 1 task", lines)


@dataclass(frozen=True, slots=True)
class Fit:
    """How well one place fits, in words and as a bar."""

    place: str
    value: str
    """0 to 1 with a point, such as `0.71`, for the meter."""
    words: str
    """Such as `Good fit, 0.71 of 1`."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to take a proposal; its link shows exactly what a yes to it would make."""

    text: str
    """Such as `A task under “Bathroom”`."""
    hint: str
    """How well it fits and why."""
    href: str
    is_shown: bool = False
    """Whether the page shows this one, so that the yes is about it."""


@dataclass(frozen=True, slots=True)
class Gate:
    """One line of a reconciliation: what had to hold, and how it is known."""

    name: str
    mark: Mark
    known: str
    """How it is known, such as `Compared on the host`."""
    detail: str
    """Such as `24 of 24 cases, answers never left the host`."""


@dataclass(frozen=True, slots=True)
class Moved:
    """What happened since the proposal was made, when something did."""

    title: str
    text: str
    is_conflict: bool
    """False: nothing this proposal touches changed, and one accept rebases it. True: it has to be read again."""
    changes: tuple[str, ...] = ()
    """What changed, one sentence each."""


@dataclass(frozen=True, slots=True)
class Meanwhile:
    """What became of the open item while somebody was filling in a form of it."""

    title: str
    text: str
    """Who decided it, how and when, and what that means for what was typed."""
    way: Link


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Another of the reader's projects that fits the words more clearly, and the act that takes them there."""

    text: str
    """Such as `“Lake study” fits these words better: “nest” and “egg” point to it.`"""
    says: str
    """What the act does there and here."""
    action: str
    binding: Binding
    project_id: str
    button: str


@dataclass(frozen=True, slots=True)
class Answered:
    """What a person answered to a question about the words."""

    title: str
    """`Your answer`, or `The answer` of somebody else."""
    question: str
    """What was asked; empty where the page says it already."""
    quote: Quote


@dataclass(frozen=True, slots=True)
class Act:
    """A way to another act, opened as a form on this page."""

    name: str
    href: str
    icon: str
    key: str
    """The single key."""
    is_danger: bool = False


@dataclass(frozen=True, slots=True)
class DecideBar:
    """The act bar with the one primary act."""

    action: str
    binding: Binding
    acts: tuple[Act, ...]
    """The others, in order; empty for a viewer."""
    can_accept: bool
    says: str
    """What the yes makes, such as `Makes revision 19`; or why it is closed."""
    label: str = "Accept"
    rejects: tuple[Act, ...] = ()
    """Behind the gap; at most one."""
    choice: str = "0"
    """Which choice of the proposal the yes is about: the one that is shown."""


@dataclass(frozen=True, slots=True)
class EditForm:
    """Say it differently: the suggestion is replaced and waits again."""

    action: str
    binding: Binding
    title: str
    description: str
    kinds: tuple[Option, ...]
    says: str
    cancel: str
    """Where giving up leads."""
    title_error: str = ""
    """Why the title was refused; empty when it was not."""
    profiles: tuple[Option, ...] = ()
    """Delegation profiles for a task; empty when none is configured."""
    choice: str = "0"
    """Which choice of the proposal the form begins with: the one that is shown."""


@dataclass(frozen=True, slots=True)
class MoveForm:
    """Put it somewhere else: candidates to choose from, filtered by a search that needs no script."""

    action: str
    binding: Binding
    places: tuple[Option, ...]
    """The candidates, best first; the hint is their path."""
    filter_action: str
    """Where the filter form is sent, with `act=move` and `q`."""
    filter_text: str
    found: str
    """Such as `5 of 31 places match “tile”`."""
    says: str
    cancel: str
    can_move: bool = True
    """False when nothing was found."""
    choice: str = "0"
    """Which choice of the proposal is moved: the one that is shown."""


@dataclass(frozen=True, slots=True)
class RejectForm:
    """Say no, with a reason if there is one."""

    action: str
    binding: Binding
    says: str
    cancel: str
    reason: str = ""
    """What was typed."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """One proposal, open. At most one of decide, edit, move and reject is there; none for a reader of history."""

    mark: Mark
    """`Suggested`, or what became of it."""
    origin: str
    """Such as `Placement by the built-in manager (rules, no model)`."""
    title: str
    kind: KindMark
    description: str
    """Empty when there is none."""
    quote: Quote | None
    """The words it came from; None for a reconciliation."""
    crumbs: tuple[Link, ...]
    """The proposed place, from the project down; the new title follows."""
    crumb: str
    """What the crumbs end with while it waits: the new title; empty when nothing new would stand there."""
    difference: BeforeAfter
    record: tuple[Fact, ...]
    """Ids and base revision, folded away."""
    consequences: tuple[Sentence, ...]
    """What happens if accepted, and what does not."""
    then_title: str = "If you accept"
    """`If it is accepted` for somebody who may only read."""
    place_title: str = "Where it fits"
    why_title: str = "Why here"
    why: tuple[str, ...] = ()
    """Sentences a person can check."""
    fits: tuple[Fit, ...] = ()
    uncertain: tuple[Sentence, ...] = ()
    gates: tuple[Gate, ...] = ()
    """The gate list of a reconciliation; empty otherwise."""
    choices: tuple[Choice, ...] = ()
    """The proposal first, then the alternatives; empty when there is only one way."""
    moved: Moved | None = None
    answers: tuple[Answered, ...] = ()
    """What people answered about the words before they were placed here, the first first."""
    elsewhere: Elsewhere | None = None
    """Shown to this reader only, who may write in both projects."""
    refusal: Refusal | None = None
    decide: DecideBar | None = None
    ways: tuple[Link, ...] = ()
    """Where to go on once it is decided, the best first; empty while it waits."""
    edit: EditForm | None = None
    move: MoveForm | None = None
    reject: RejectForm | None = None
    aside: Aside | None = None
    """One of the forms that set it aside or part it."""
    standing: Standing | None = None
    """How it was set aside, while it is open."""
    whole: WholeTree | None = None
    """Everything that it would add; None for a single node."""


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """One sentence that answers the question."""

    action: str
    binding: Binding
    says: str
    text: str = ""
    """What was typed."""
    places: tuple[Option, ...] = ()
    """Places to choose from, when the question is where; the first says `somewhere else`."""


@dataclass(frozen=True, slots=True)
class AgainForm:
    """Ask once more where kept words fit."""

    action: str
    binding: Binding
    says: str
    label: str = "Ask again"


@dataclass(frozen=True, slots=True)
class Question:
    """A clarification, since nothing fitted; or kept words whose placement came to nothing."""

    title: str
    """The question itself."""
    asked: str
    """Who asks, such as `The built-in manager asks`."""
    when: Moment
    quote: Quote
    why: tuple[str, ...]
    """Why it is asked."""
    record: tuple[Fact, ...]
    answer: AnswerForm | None = None
    """None for a viewer, or when it is answered."""
    answered: Answered | None = None
    """The answer, once given."""
    way: Link | None = None
    """Where to go on once it is answered: what came of the answer."""
    elsewhere: Elsewhere | None = None
    """Shown to this reader only, who may write in both projects."""
    again: AgainForm | None = None
    """Instead of an answer: the words were kept, and nobody said yet where they fit."""
    sort: str = "Question"
    """`Question`, or `Not placed yet`."""
    why_title: str = "Why it asks"
    refusal: Refusal | None = None
