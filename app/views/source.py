"""One capture: the exact words, who kept them and when, and what came from them."""

from dataclasses import dataclass, replace

from app.views.confirm import ConfirmPage, Lines
from app.views.parts import Fact, Link, Moment, Quote, Sentence
from app.views.shell import Shell


@dataclass(frozen=True, slots=True)
class Erasure:
    """That the words of a capture are gone."""

    title: str
    text: str
    when: Moment


@dataclass(frozen=True, slots=True)
class SourcePage:
    """One capture with everything that came from it."""

    shell: Shell
    quote: Quote | None
    """None when the words were erased."""
    facts: tuple[Fact, ...]
    came: tuple[Lines, ...]
    erased: Erasure | None = None
    erase: Link | None = None
    """Where erasing begins; None for a person who may not."""

    @classmethod
    def example(cls) -> "SourcePage":
        """Return a capture that became a node."""
        confirm = ConfirmPage.example()
        return cls(
            shell=Shell.example_in("Ledger", "/p/birch-lane/sources/source_01"),
            quote=confirm.quote,
            facts=(Fact("Kind", "Text"), Fact("Size", "28 bytes"), Fact("Kept", "", when=Moment.example())),
            came=(Lines("What came from it", "", confirm.lists[1].links),),
            erase=Link("Erase these words", "/p/birch-lane/sources/source_01/erase", "trash-2"),
        )

    @classmethod
    def examples(cls) -> dict[str, "SourcePage"]:
        """Return every state of the page."""
        page = cls.example()
        erased = Erasure("The words are erased", "Mira destroyed them for good.", Moment.example())
        outside = Lines("Out of reach from here", "", (), (Sentence("Exports made before hold the words."),))
        return {
            "kept": page,
            "erased": replace(page, quote=None, erase=None, erased=erased, came=(*page.came, outside)),
            "nothing came": replace(page, came=(Lines("What came from it", "Nothing yet."),)),
        }
