"""One page before an act that is not undone by a click: what it does, what it leaves, and the way back."""

from dataclasses import dataclass, replace

from app.views.parts import Binding, Link, Moment, Quote, QuotePiece, Refusal, Sentence
from app.views.shell import Shell


@dataclass(frozen=True, slots=True)
class Lines:
    """A short list under a heading, each line a way to what it names."""

    title: str
    text: str
    """What the list means; empty when the title says it."""
    links: tuple[Link, ...] = ()
    sentences: tuple[Sentence, ...] = ()


@dataclass(frozen=True, slots=True)
class ConfirmPage:
    """What is about to happen, in words, and the one form that does it."""

    shell: Shell
    title: str
    lead: str
    action: str
    binding: Binding
    button: str
    icon: str
    says: str
    """What the button does, beside it."""
    cancel: Link
    is_danger: bool = False
    quote: Quote | None = None
    """The words it is about."""
    lists: tuple[Lines, ...] = ()
    asks_reason: bool = False
    reason: str = ""
    """What was typed."""
    refusal: Refusal | None = None

    @classmethod
    def example(cls) -> "ConfirmPage":
        """Return the page before words are erased."""
        base = "/p/birch-lane"
        words = "The bathroom smells of 1974."
        when = Moment("3 Nov 09:10", "2026-11-03T09:10:00Z")
        return cls(
            shell=Shell.example_in("Ledger", f"{base}/sources/source_01/erase"),
            title="Erase these words",
            lead="They are destroyed for good, here and in every backup that was made without the master key.",
            action=f"{base}/sources/source_01/erase",
            binding=Binding(command_id=Binding.example().command_id),
            button="Erase for good",
            icon="trash-2",
            says="Cannot be undone",
            cancel=Link("Keep them", f"{base}/sources/source_01", "arrow-left"),
            is_danger=True,
            quote=Quote((QuotePiece(words),), "Mira wrote this", when, is_private=True),
            lists=(
                Lines("Closed with them", "", (Link("Order bathroom tiles", f"{base}/inbox/delta_01"),)),
                Lines(
                    "Stays, since somebody accepted it",
                    "Change or retire it where it stands.",
                    (Link("Redo the bathroom", f"{base}/outline?node=node_01"),),
                ),
                Lines("Out of reach from here", "", (), (Sentence("Exports made before hold the words."),)),
            ),
        )

    @classmethod
    def examples(cls) -> dict[str, "ConfirmPage"]:
        """Return every state of the page."""
        erase = cls.example()
        archive = replace(
            erase,
            title="Put this project away",
            lead="It takes nothing new and stays readable. It can be taken up again at any time.",
            button="Put it away",
            icon="archive",
            says="Can be taken up again",
            is_danger=False,
            quote=None,
            lists=(),
            asks_reason=True,
            reason="Done for this year",
            refusal=Refusal("Not put away: refused", "A run is still under way. Wait for it or withdraw it."),
        )
        return {"erase": erase, "archive refused": archive}
