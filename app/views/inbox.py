"""The Inbox: what waits for a yes, and one item of it open with everything a decision needs."""

from dataclasses import dataclass, replace

from app.views import inbox_examples
from app.views.inbox_parts import (
    Act,
    AgainForm,
    AnswerForm,
    BeforeAfter,
    DecideBar,
    EditForm,
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
)
from app.views.parts import Link
from app.views.shell import Shell, Toast

__all__ = [
    "Act",
    "AgainForm",
    "AnswerForm",
    "BeforeAfter",
    "DecideBar",
    "EditForm",
    "Fit",
    "Gate",
    "InboxPage",
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

    @property
    def is_open(self) -> bool:
        """Whether an item is open, so that it replaces the queue on a narrow screen."""
        return self.proposal is not None or self.question is not None

    @property
    def is_choosing(self) -> bool:
        """Whether something waits and nothing is open."""
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
            name: cls(replace(shell, here=at), inbox_examples.queue(at), is_empty=False, proposal=proposal)
            for name, (at, proposal) in inbox_examples.proposals().items()
        }
        questions = {
            name: cls(replace(shell, here=at), inbox_examples.queue(at), is_empty=False, question=question)
            for name, (at, question) in inbox_examples.questions().items()
        }
        waiting = replace(inbox_examples.queue(""), position="")
        nothing = Queue("Nothing waits", "", (), "", "", shell.here)
        return {
            **proposals,
            **questions,
            "queue": cls(replace(shell, toast=toast), waiting, is_empty=False),
            "empty": cls(shell, nothing, is_empty=True, keys_help=""),
        }
