# ruff: noqa: RUF001 - the words of the examples are typeset
"""Example states of the Inbox: a placement with its acts, both kinds of staleness, evidence, a question."""

from dataclasses import replace

from app.views.inbox import aside_examples
from app.views.inbox.parts import (
    Act,
    AgainForm,
    Answered,
    AnswerForm,
    BeforeAfter,
    Choice,
    DecideBar,
    EditForm,
    Elsewhere,
    Fit,
    Gate,
    Moved,
    MoveForm,
    Proposal,
    Question,
    Queue,
    QueueGroup,
    QueueItem,
    RejectForm,
    TreeLine,
    WholeTree,
)
from app.views.parts import (
    SUGGESTED,
    Binding,
    Fact,
    IdCopy,
    KindMark,
    Link,
    Mark,
    Moment,
    Option,
    Quote,
    QuotePiece,
    Refusal,
    Sentence,
)
from kernel.vocabulary import NodeKind

_AT = "/p/birch-lane/inbox"
_ITEM = f"{_AT}/delta_01"
_BIND = Binding.example()
_TASK = KindMark.of(NodeKind.TASK)
_IDEA = KindMark.of(NodeKind.IDEA)
_DECISION = KindMark.of(NodeKind.DECISION)
_PASSED = Mark("circle-check", "Passed", "ok")
_TITLE = "Check that the bathroom floor is level"


def _quote() -> Quote:
    pieces = (
        QuotePiece("The tiler says "),
        QuotePiece("large tiles", is_matched=True),
        QuotePiece(" need the "),
        QuotePiece("floor", is_matched=True),
        QuotePiece(" to be within 3 mm over 2 m. Someone should check the "),
        QuotePiece("bathroom floor", is_matched=True),
        QuotePiece(" before we order anything."),
    )
    return Quote(pieces, "Mira wrote this", Moment("today 13:48", "2026-11-30T12:48:09Z"))


def _difference() -> BeforeAfter:
    room = TreeLine(_IDEA, "Bathroom")
    tiles = TreeLine(_DECISION, "60 × 60 cm floor tiles", depth=1)
    order = TreeLine(_TASK, "Order bathroom tiles", "Planned", 1)
    added = TreeLine(_TASK, _TITLE, "Planned", 1, "added", "Added")
    blocked = TreeLine(_TASK, "Order bathroom tiles", "Depends on the check above", 1, "changed", "Changed")
    return BeforeAfter(
        "Now, revision 18", (room, tiles, order), "If you accept, revision 19", (room, tiles, added, blocked)
    )


def _acts() -> tuple[Act, ...]:
    return (
        Act("Edit", f"{_ITEM}?act=edit", "pencil", "e"),
        Act("Move", f"{_ITEM}?act=move", "corner-down-right", "m"),
        *aside_examples.acts(_ITEM),
    )


def _rejects() -> tuple[Act, ...]:
    return (Act("Reject", f"{_ITEM}?act=reject", "x", "x", is_danger=True),)


def _decide() -> DecideBar:
    return DecideBar(
        f"{_ITEM}/accept", _BIND, _acts(), can_accept=True, says="Makes revision 19", rejects=_rejects()
    )


_CONSEQUENCES = (
    Sentence("1 task and 2 relations are added.", "plus", "accent"),
    Sentence("The tile order depends on the check.", "octagon-pause", "warn"),
    Sentence("No agent starts, no file changes. A later revision can undo it.", "minus"),
)
_FITS = (
    Fit("Bathroom", "0.71", "Good fit, 0.71 of 1"),
    Fit("Order bathroom tiles", "0.58", "Close, 0.58 of 1"),
    Fit("Kitchen", "0.22", "Weak, 0.22 of 1"),
)
_CHOICES = (
    ("A task under “Bathroom”", "As proposed. Good fit, 0.71 of 1. “floor” and “tiles” point to it."),
    ("A task under “Order bathroom tiles”", "Close, 0.58 of 1. “tiles” points to it."),
    ("A task under “Kitchen”", "Weak, 0.22 of 1. “level” points to it."),
)


def _choices(shown: int) -> tuple[Choice, ...]:
    return tuple(
        Choice(text, hint, f"{_ITEM}?choice={number}" if number else _ITEM, is_shown=number == shown)
        for number, (text, hint) in enumerate(_CHOICES)
    )


_RECORD = (
    Fact("Proposal", "", IdCopy("proposal V2E4", "delta_01jdz8q3v4m5n6p7q8r9s0v2e4")),
    Fact("Source", "Kept word for word,", IdCopy("source T1V2", "source_01jdz8q3v4m5n6p7q8r9s0t1v2")),
    Fact("Made against", "Revision 18, still the newest"),
)


def placement() -> Proposal:
    """Return a placement with alternatives, as the local manager makes it."""
    return Proposal(
        mark=SUGGESTED,
        origin="Placement by the built-in manager (rules, no model)",
        title=_TITLE,
        kind=_TASK,
        description="Within 3 mm over 2 m, before the tiles are ordered.",
        quote=_quote(),
        crumbs=(
            Link("Birch Lane 7", "/p/birch-lane/outline"),
            Link("Bathroom", "/p/birch-lane/outline?node=bathroom"),
        ),
        crumb=_TITLE,
        difference=_difference(),
        record=_RECORD,
        consequences=_CONSEQUENCES,
        why=(
            "“bathroom”, “floor” and “tiles” occur in Bathroom.",
            "“before we order” points at Order bathroom tiles.",
            "“should check” reads as a task.",
        ),
        fits=_FITS,
        uncertain=(
            Sentence("Who checks it and when. The note says “someone”."),
            Sentence("3 mm is the tiler’s word: one source, not measured."),
        ),
        choices=_choices(0),
        decide=_decide(),
    )


def _other_choice() -> Proposal:
    """Return the same placement with its second alternative shown, which a yes is about now."""
    room = TreeLine(_IDEA, "Kitchen")
    added = TreeLine(_TASK, _TITLE, "Planned", 1, "added", "Added")
    return replace(
        placement(),
        crumbs=(
            Link("Birch Lane 7", "/p/birch-lane/outline"),
            Link("Kitchen", "/p/birch-lane/outline?node=kitchen"),
        ),
        difference=BeforeAfter("Now, revision 18", (room,), "If you accept, revision 19", (room, added)),
        why=("“level” points to Kitchen.", "“should check” reads as a task."),
        choices=_choices(2),
        decide=replace(_decide(), choice="2"),
    )


_GATES = (
    Gate(
        "Quantities for a room are right",
        _PASSED,
        "Compared on the host",
        "24 of 24 cases, answers never left the host",
    ),
    Gate(
        "Only allowed files changed",
        _PASSED,
        "Read from the sealed files",
        "paint.py, 31 lines added",
    ),
    Gate(
        "The candidate is the one sealed in that run",
        _PASSED,
        "Digest compared",
        "One parent, the brief’s base",
    ),
)


def reconciliation() -> Proposal:
    """Return a reconciliation: the gate list instead of a quotation."""
    task = TreeLine(_TASK, "Paint quantities on the planner page", "Planned", 1)
    done = replace(task, note="Completed, verified by evidence", change="changed", change_word="Changed")
    evidence = TreeLine(
        KindMark.of(NodeKind.EVIDENCE), "Result of Paint quantities", "3 of 3 passed", 2, "added", "Added"
    )
    return replace(
        placement(),
        origin="Reconciliation compiled by the host from recorded results",
        title="Record the result of “Paint quantities”",
        kind=KindMark.of(NodeKind.EVIDENCE),
        description="",
        quote=None,
        crumbs=(
            Link("Birch Lane 7", "/p/birch-lane/outline"),
            Link("Paint quantities", "/p/birch-lane/outline?node=paint"),
        ),
        crumb="",
        place_title="What changes",
        difference=BeforeAfter("Now, revision 18", (task,), "If you accept, revision 19", (done, evidence)),
        consequences=(
            Sentence("The task is shown as completed and verified everywhere.", "badge-check", "ok"),
            Sentence("No branch moves. That takes a promotion and an operator.", "minus"),
        ),
        why_title="Why now",
        why=("Every requirement of the brief has a passing result on the sealed files.",),
        fits=(),
        uncertain=(Sentence("No requirement looks at the colour names."),),
        gates=_GATES,
        choices=(),
        decide=replace(_decide(), acts=()),
    )


def question() -> Question:
    """Return a clarification that waits for one sentence."""
    words = Quote(
        (QuotePiece("Ask for the other quote again, it was missing the lead flashing."),),
        "Jonas wrote this",
        Moment("today 12:30", "2026-11-30T11:30:00Z"),
        is_private=True,
    )
    return Question(
        title="Which part of the project is this about?",
        asked="The built-in manager asks",
        when=Moment("today 12:31", "2026-11-30T11:31:00Z"),
        quote=words,
        why=("No title or description here has “quote” or “flashing” in it.",),
        record=(Fact("Question", "", IdCopy("question 9F3K", "clarification_01jdz8q3v4m5n6p7q8r9s09f3k")),),
        answer=AnswerForm(
            f"{_AT}/clarification_01/answer",
            Binding(command_id=_BIND.command_id),
            "Your answer is kept beside the note, and the note is placed again.",
            places=(
                Option("", "I say it in my own words", is_chosen=True),
                Option("node_roof", "Roof", "Birch Lane 7"),
                Option("node_money", "Money", "Birch Lane 7"),
            ),
        ),
    )


_QUEUE = {
    "meaning": (
        QueueItem(
            _ITEM,
            "map-pin",
            "Placement",
            _TITLE,
            "From Mira,",
            Moment("today 13:48", "2026-11-30T12:48:09Z"),
        ),
        QueueItem(
            f"{_AT}/delta_02",
            "map-pin",
            "Placement",
            "The fence on the left is the neighbour’s",
            "Two places fit equally. From Jonas,",
            Moment("today 12:30", "2026-11-30T11:30:00Z"),
        ),
        QueueItem(
            f"{_AT}/clarification_01",
            "message-circle-question-mark",
            "Question",
            "Which part of the project is this about?",
            "Needs one sentence from you,",
            Moment("today 12:31", "2026-11-30T11:31:00Z"),
        ),
    ),
    "evidence": (
        QueueItem(
            f"{_AT}/delta_03",
            "clipboard-check",
            "Reconciliation",
            "Record the result of “Paint quantities”",
            "3 of 3 checks passed,",
            Moment("yesterday 19:30", "2026-11-29T18:30:00Z"),
        ),
    ),
}


def _answered() -> Question:
    answer = Quote(
        (QuotePiece("It is about the roof, the second quote."),),
        "Jonas answered",
        Moment("today 12:40", "2026-11-30T11:40:00Z"),
    )
    way = Link("Go to the suggestion", f"{_AT}/delta_01", "arrow-right")
    return replace(question(), answer=None, answered=Answered("Your answer", "", answer), way=way)


def _elsewhere(item: str, *, is_proposal: bool) -> Elsewhere:
    return Elsewhere(
        "“Reed warblers at Lake Morno” fits these words better: “tiles” and “floor” point to it.",
        "Captures the words there, to be placed and reviewed there. The suggestion here is rejected.",
        f"{item}/elsewhere",
        _BIND,
        "lake-morno",
        "Move it to “Reed warblers at Lake Morno”" if is_proposal else "Capture it in “Reed warblers”",
    )


def _told() -> Proposal:
    """Return a placement that followed an answer, and that another project fits better."""
    answer = Quote(
        (QuotePiece("It is about the bathroom."),),
        "Mira answered",
        Moment("today 13:52", "2026-11-30T12:52:00Z"),
    )
    answered = Answered("Your answer", "Does this belong to “Bathroom” or “Kitchen”?", answer)
    return replace(placement(), answers=(answered,), elsewhere=_elsewhere(_ITEM, is_proposal=True))


def queue(chosen: str) -> Queue:
    """Return the queue of the example project with the item of that address open."""
    groups = tuple(
        QueueGroup(name, tuple(replace(item, is_open=item.href == chosen) for item in _QUEUE[key]))
        for name, key in (("Evidence", "evidence"), ("Meaning", "meaning"))
    )
    away = QueueItem(
        f"{_AT}/put-off",
        "map-pin",
        "Placement",
        "Insulate the loft",
        "Comes back",
        Moment("24 Dec", "2026-12-24T00:00:00Z"),
    )
    return Queue(
        "4 wait for a yes",
        "Evidence first, then oldest first.",
        groups,
        "All 4 waiting",
        "2 of 4",
        _AT,
        aside=(away,),
        aside_title="21 put off",
        aside_more="and 20 more, found by search",
    )


def _reading_only() -> DecideBar:
    says = "You may read this, not decide it. That takes the role owner or reviewer."
    return replace(_decide(), acts=(), rejects=(), can_accept=False, says=says)


def _edit() -> EditForm:
    kinds = tuple(
        Option(kind.value, KindMark.of(kind).word, is_chosen=kind is NodeKind.TASK)
        for kind in (NodeKind.TASK, NodeKind.GOAL, NodeKind.IDEA, NodeKind.OPEN_QUESTION, NodeKind.DECISION)
    )
    says = "Replaces the suggestion by your wording. It still waits for a yes."
    profiles = (Option("", "None: nobody is sent to do it", is_chosen=True), Option("paint", "Paint"))
    return EditForm(
        f"{_ITEM}/edit", _BIND, _TITLE, "Within 3 mm over 2 m.", kinds, says, _ITEM, profiles=profiles
    )


def _move() -> MoveForm:
    places = (
        Option("node_bath", "Bathroom", "Birch Lane 7", is_chosen=True),
        Option("node_order", "Order bathroom tiles", "Birch Lane 7 › Bathroom"),
        Option("node_tiles", "60 × 60 cm floor tiles", "Birch Lane 7 › Bathroom"),
    )
    says = "Suggests the new place. It still waits for a yes."
    return MoveForm(f"{_ITEM}/move", _BIND, places, _ITEM, "tile", "3 of 31 places match “tile”", says, _ITEM)


def _stale() -> dict[str, Proposal]:
    harmless = Moved(
        "2 revisions since; none touches this",
        "Your yes brings the suggestion up to date and accepts it, as one step.",
        is_conflict=False,
        changes=(
            "Revision 19: Jonas accepted “Dust door in the hall”.",
            "Revision 20: Mira accepted “Roof quote”.",
        ),
    )
    conflict = Moved(
        "Bathroom changed since this was suggested",
        "The suggestion was made against revision 18. What it touches is different now, so read it again.",
        is_conflict=True,
        changes=("Revision 19: Jonas renamed Bathroom to “Bathroom, first floor”.",),
    )
    closed = replace(
        _decide(),
        can_accept=False,
        says="Accept is closed: the place changed. Edit or move brings it up to date.",
    )
    return {
        "untouched": replace(
            placement(), moved=harmless, decide=replace(_decide(), says="Makes revision 21")
        ),
        "conflict": replace(placement(), moved=conflict, decide=closed, choices=()),
    }


_WAYS = (
    Link("Next: The fence on the left is the neighbour’s", f"{_AT}/delta_02", "arrow-right"),
    Link("Show it in the Outline", "/p/birch-lane/outline?node=check", "list-tree"),
)


def proposals() -> dict[str, tuple[str, Proposal]]:
    """Return every state of an open proposal by name, with its address."""
    refused = replace(
        _edit(), title="", title_error="Give it a title of 1 to 300 characters. Nothing else was lost."
    )
    acting = replace(placement(), decide=None, choices=())
    refusal = Refusal("Not sent: the title is empty", "What you typed is still in the form.")
    reject = RejectForm(f"{_ITEM}/reject", _BIND, "Closes the suggestion. Your words stay kept.", _ITEM)
    accepted = Mark("stamp", "Accepted, revision 19")
    here = {
        "placement": placement(),
        "other choice": _other_choice(),
        "told": _told(),
        "edit": replace(acting, edit=_edit()),
        "edit refused": replace(acting, edit=refused, refusal=refusal),
        "move": replace(acting, move=_move()),
        "reject": replace(acting, reject=reject),
        **{name: replace(acting, aside=form) for name, form in aside_examples.asides(_ITEM).items()},
        **{
            name: replace(placement(), standing=how, mark=mark, decide=replace(_decide(), **bar))
            for name, (how, mark, bar) in aside_examples.standings().items()
        },
        **_stale(),
        "outline": replace(placement(), whole=WholeTree.example()),
        "viewer": replace(acting, decide=_reading_only()),
        "accepted": replace(acting, mark=accepted, consequences=(), ways=_WAYS),
    }
    return {
        **{name: (_ITEM, proposal) for name, proposal in here.items()},
        "reconciliation": (f"{_AT}/delta_03", reconciliation()),
    }


def questions() -> dict[str, tuple[str, Question]]:
    """Return every state of an open question by name, with its address."""
    at = f"{_AT}/clarification_01"
    return {
        "question": (at, question()),
        "answered": (at, _answered()),
        "better elsewhere": (at, replace(question(), elsewhere=_elsewhere(at, is_proposal=False))),
        "unplaced": (at, _unplaced()),
        "private": (at, _private()),
    }


def _unplaced() -> Question:
    says = "Asks again with the same words. Nothing was lost."
    return replace(
        question(),
        title="Where does this fit?",
        asked="Kept, but not placed",
        why=("The manager did not answer. Your words are kept; ask again.",),
        why_title="What happened",
        sort="Not placed yet",
        answer=None,
        again=AgainForm(f"{_AT}/exchange_01/again", Binding(command_id=_BIND.command_id), says),
    )


def _private() -> Question:
    says = "Asks the built-in manager about just these words. Nothing leaves this machine."
    binding = Binding(command_id=_BIND.command_id)
    return replace(
        _unplaced(),
        why=(
            "Nothing was sent: these words are private, and the manager works outside. Your words are kept.",
        ),
        again=AgainForm(f"{_AT}/exchange_01/here", binding, says, "Ask on this machine"),
    )
