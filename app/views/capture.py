"""The capture box, a part of two pages, and the page that is nothing but the box."""

from dataclasses import dataclass, replace
from typing import Final

from app.views.parts import Binding, KindMark, Link, Moment, NodeLink, Option, Quote, QuotePiece, Refusal
from app.views.shell import Shell
from kernel.vocabulary import NodeKind

TEXT_FILES: Final = ".txt,.md,.markdown,.json,.jsonl,.xml,.sarif,.log,.vtt,.srt,.csv,.yaml,.yml,text/*"
"""What a file field offers first; the content decides, whatever a file is called."""


@dataclass(frozen=True, slots=True)
class CaptureBox:
    """One box for one thought. What was typed stays in it after a refusal."""

    action: str
    binding: Binding
    """Carries the `command_id`; a capture is bound to no revision."""
    label: str
    """The question above the box."""
    button: str
    manager: str
    """Whom the text would go to, such as `the built-in manager (rules, no model) on this machine`."""
    private_note: str = ""
    """What `Private` changes about who is asked, in a sentence; empty when nobody outside is."""
    text: str = ""
    """What was typed; empty at first."""
    lost_file: str = ""
    """The file that was chosen before a refusal and has to be chosen again; empty at first."""
    is_private: bool = False
    """Whether `Private: stays on this machine` is on."""
    may_be_private: bool = True
    """Whether this person may keep words private: only an owner would see them again."""
    is_primary: bool = True
    """Whether capturing is the one primary act of the page."""
    refusal: Refusal | None = None
    file_types: str = TEXT_FILES
    """Which files the field offers first."""
    projects: tuple[Option, ...] = ()
    """Where it may go, on the World page; empty inside a project."""
    has_focus: bool = False
    """Whether typing goes to the box at once: on the page that is nothing but the box."""
    selected: NodeLink | None = None
    """The node in focus when the box was opened: a hint for the placement, never the answer."""
    selected_id: str = ""
    """Its id for the form; empty without one."""

    @classmethod
    def example(cls) -> "CaptureBox":
        """Return an empty box inside the example project, with the bathroom in focus."""
        bathroom = NodeLink("Bathroom", "/p/birch-lane/outline?node=bathroom", KindMark.of(NodeKind.IDEA))
        return cls(
            action="/p/birch-lane/capture",
            binding=Binding(command_id=Binding.example().command_id),
            label="What is on your mind?",
            button="Capture",
            manager="the built-in manager on this machine (rules, no model)",
            selected=bathroom,
            selected_id="node_01jdz8q3v4m5n6p7q8r9s0t1v2",
        )


@dataclass(frozen=True, slots=True)
class BetterPlace:
    """Another of the reader's projects that fits the words more clearly, and the act to capture them there."""

    text: str
    """Such as `“Lake study” fits these words better: “nest” and “egg” point to it.`"""
    action: str
    binding: Binding
    project_id: str
    exchange_id: str
    button: str


@dataclass(frozen=True, slots=True)
class CaptureResult:
    """What became of the last capture: a placement that waits, or a question that needs one sentence."""

    quote: Quote
    title: str
    """Such as `Placed for your review` or `One question first`."""
    text: str
    next: Link
    """Where to go on: the proposal or the question in the Inbox."""
    better: BetterPlace | None = None
    """Shown to this reader only, who may write in both projects."""


@dataclass(frozen=True, slots=True)
class CapturePage:
    """The capture page of a project."""

    shell: Shell
    box: CaptureBox | None
    """None for a person who may not capture here."""
    result: CaptureResult | None = None
    closed: str = ""
    """Why there is no box, in a sentence."""

    @classmethod
    def example(cls) -> "CapturePage":
        """Return the box as it is first opened."""
        return cls(
            Shell.example_in("Capture", "/p/birch-lane/capture"),
            replace(CaptureBox.example(), has_focus=True),
        )

    @classmethod
    def examples(cls) -> dict[str, "CapturePage"]:
        """Return every state of the page."""
        first = cls.example()
        assert first.box is not None
        text = "The tiler says large tiles need the floor to be within 3 mm over 2 m."
        quote = Quote(
            (QuotePiece(text),),
            "Mira wrote this",
            Moment("today 13:48", "2026-11-30T12:48:09Z"),
            is_private=True,
        )
        refused = replace(
            first.box,
            text=text,
            lost_file="tiler.md",
            is_private=True,
            refusal=Refusal(
                "Not captured: the ledger is not available",
                "What you typed is still here. Try again in a moment.",
            ),
        )
        return {
            "first": first,
            "refused": replace(first, box=refused),
            **{name: replace(first, result=result) for name, result in _results(quote).items()},
            "viewer": replace(
                first, box=None, closed="You read this project. Its owner and its reviewers write in it."
            ),
        }


def _results(quote: Quote) -> dict[str, CaptureResult]:
    """Return what may have become of the last capture."""
    placed = CaptureResult(
        quote,
        "Placed for your review",
        "Suggested as a task under Bathroom. Nothing changes until you accept it.",
        Link("Review the suggestion", "/p/birch-lane/inbox/delta_01", "map-pin"),
    )
    asked = CaptureResult(
        quote,
        "One question first",
        "Your words are kept. Nothing in this project fits them yet, so there is a question to you.",
        Link("Answer the question", "/p/birch-lane/inbox/clarification_01", "message-circle-question-mark"),
    )
    better = BetterPlace(
        "“Reed warblers at Lake Morno” fits these words better: “tiles” and “floor” point to it.",
        "/p/birch-lane/capture/elsewhere",
        Binding(command_id=Binding.example().command_id),
        "lake-morno",
        "clarification_01",
        "Capture it there",
    )
    return {"placed": placed, "asked": asked, "elsewhere": replace(asked, better=better)}
