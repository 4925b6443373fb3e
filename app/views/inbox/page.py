"""The Inbox: what waits for a yes, and one item of it open with everything a decision needs."""

from dataclasses import dataclass, replace

from app.views.inbox import examples as inbox_examples
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
    Meanwhile,
    Moved,
    MoveForm,
    Proposal,
    Question,
    Queue,
    QueueGroup,
    QueueItem,
    RejectForm,
    TreeLine,
)
from app.views.parts import Link
from app.views.shell import Shell, Toast

__all__ = [
    "Act",
    "AgainForm",
    "AnswerForm",
    "Answered",
    "BeforeAfter",
    "Choice",
    "DecideBar",
    "EditForm",
    "Elsewhere",
    "Fit",
    "Gate",
    "InboxPage",
    "Meanwhile",
    "MoveForm",
    "Moved",
    "Proposal",
    "Question",
    "Queue",
    "QueueGroup",
    "QueueItem",
    "RejectForm",
    "TreeLine",
]


@dataclass(frozen=True, slots=True)
class InboxPage:
    """The queue and at most one open item."""

    shell: Shell
    queue: Queue
    is_empty: bool
    """Nothing waits at all."""
    proposal: Proposal | None = None
    question: Question | None = None
    keys_help: str = "/settings#browser"
    """Where the single keys are listed and switched off; empty hides the hint."""
    is_chosen: bool = True
    """Whether a person opened the item; otherwise it is the first one, shown only where the queue stands beside it."""

    meanwhile_href: str = ""
    """Where an open item that is being filled in asks what became of it; empty when none is open."""
    meanwhile: Meanwhile | None = None
    """What became of it, when that was asked; None while it waits."""

    @property
    def is_open(self) -> bool:
        """Whether an item is open, so that it replaces the queue on a narrow screen."""
        return self.has_item and self.is_chosen

    @property
    def has_item(self) -> bool:
        """Whether there is an item to read at all."""
        return self.proposal is not None or self.question is not None

    @property
    def is_choosing(self) -> bool:
        """Whether something waits and nobody opened anything, so that a narrow screen shows the queue."""
        return not self.is_open and not self.is_empty

    @classmethod
    def example(cls) -> "InboxPage":
        """Return the Inbox with a placement open."""
        return cls.examples()["placement"]

    @classmethod
    def examples(cls) -> dict[str, "InboxPage"]:
        """Return every state of the page."""
        shell = Shell.example()
        toast = Toast("Accepted. Revision 19.", Link("Show", "/p/birch-lane/outline?node=check"))
        proposals = {
            name: cls(
                replace(shell, here=at),
                inbox_examples.queue(at),
                is_empty=False,
                proposal=proposal,
                meanwhile_href=f"{at}?meanwhile=1",
            )
            for name, (at, proposal) in inbox_examples.proposals().items()
        }
        questions = {
            name: cls(replace(shell, here=at), inbox_examples.queue(at), is_empty=False, question=question)
            for name, (at, question) in inbox_examples.questions().items()
        }
        told = Meanwhile(
            "Decided meanwhile",
            "Ines accepted this on 30 Nov 2026, 13:52, as revision 19. What you typed is still here.",
            Link("See what became of it", "/p/birch-lane/inbox/delta_01", "arrow-right"),
        )
        waiting = replace(inbox_examples.queue(""), position="")
        at, proposal = next(iter(inbox_examples.proposals().values()))
        first = cls(shell, inbox_examples.queue(at), is_empty=False, proposal=proposal, is_chosen=False)
        nothing = Queue("Nothing waits", "", (), "", "", shell.here)
        return {
            **proposals,
            **questions,
            "first": first,
            "meanwhile": replace(proposals["edit"], meanwhile=told),
            "queue": cls(replace(shell, toast=toast), waiting, is_empty=False),
            "empty": cls(shell, nothing, is_empty=True, keys_help=""),
        }
