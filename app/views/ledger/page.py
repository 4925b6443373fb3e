"""The Ledger room: what happened, in order, and the ways to check it and to take it away."""

from dataclasses import dataclass, replace

from app.views.ledger import examples as ledger_examples
from app.views.ledger.parts import EventRow, LedgerFilter, LedgerHead, Verified, VerifyForm
from app.views.parts import Link
from app.views.shell import Shell


@dataclass(frozen=True, slots=True)
class LedgerPage:
    """One page of events under the head of the ledger."""

    shell: Shell
    summary: str
    head: LedgerHead | None
    """None for a person who does not see all of it."""
    verified: Verified | None
    verify: VerifyForm | None
    ways: tuple[Link, ...]
    """Export and import, as far as this person may."""
    filter: LedgerFilter | None
    rows: tuple[EventRow, ...]
    said: str = ""
    """Which events are shown, such as `363 to 412 of 412`."""
    newer: Link | None = None
    older: Link | None = None
    empty_text: str = ""
    """Said instead of events when none is shown."""
    part: str = ""
    """Which part of the log this person sees, in a sentence; empty for all of it."""

    @property
    def is_live(self) -> bool:
        """Tell whether the rows follow the head: on the newest page."""
        return self.newer is None

    @classmethod
    def example(cls) -> "LedgerPage":
        """Return the newest events of the example project, just verified."""
        return cls(
            shell=Shell.example_in("Ledger", "/p/birch-lane/ledger"),
            summary="Everything that happened, in order. Nothing in it can be changed, only added to.",
            head=ledger_examples.head(),
            verified=ledger_examples.SOUND,
            verify=ledger_examples.verify_form(),
            ways=ledger_examples.WAYS,
            filter=replace(ledger_examples.selection(), clear=None),
            rows=ledger_examples.rows(),
            said="363 to 412 of 412",
            older=Link("Older", "/p/birch-lane/ledger?before=363", "arrow-down"),
        )

    @classmethod
    def examples(cls) -> dict[str, "LedgerPage"]:
        """Return every state of the page."""
        page = cls.example()
        filtered = replace(
            page,
            verified=ledger_examples.WRONG,
            verify=ledger_examples.verify_form(is_refused=True),
            filter=ledger_examples.selection(),
            said="2 of the events 100 to 300",
            newer=Link("Newest", "/p/birch-lane/ledger", "arrow-up"),
        )
        return {
            "verified": page,
            "filtered": filtered,
            "verifying": replace(
                page, verified=ledger_examples.RUNNING, verify=ledger_examples.verify_form(is_running=True)
            ),
            "nothing": replace(filtered, rows=(), verified=None, older=None, empty_text="No such event."),
            "a part of it": replace(
                page,
                head=None,
                verified=None,
                verify=None,
                ways=(),
                part="You see what is shared with you, counted as you see it.",
            ),
        }
