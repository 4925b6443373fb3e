"""Parts of the example Ledger page."""

from dataclasses import replace

from app.views.ledger.parts import (
    EventRow,
    LedgerFilter,
    LedgerHead,
    OptionGroup,
    Verified,
    VerifyForm,
)
from app.views.parts import Binding, IdCopy, Link, Moment, Option, Refusal

_BASE = "/p/birch-lane/ledger"
NOTE = (
    "odeu/installation_01jdz8q3v4m5n6p7q8r9s0t1v2/project_01jdz8q3v4m5n6p7q8r9s0t1v3\n412\n"
    "nywccavVvTN3Vn2Vd0Gr2pY0vVfSx0H4T8Yv8m5ZBNg=\n\n"
    "— odeu/installation_01jdz8q3v4m5n6p7q8r9s0t1v2 0H9q8hB0c2lnbmVkLWV4YW1wbGUtc2lnbmF0dXJlLW9ubHktYW5k\n"
)


def head() -> LedgerHead:
    """Return the head of the example ledger."""
    root = IdCopy("9f2c 71ab", "9f2c71ab" * 8)
    return LedgerHead("Event 412", "Revision 18,", Moment.example(), root, "Event 412", NOTE)


def rows() -> tuple[EventRow, ...]:
    """Return a few events."""
    accepted = _row(412, "Change accepted", "delta.accepted", title="The engineer comes on Thursday")
    return (
        replace(accepted, note="revision 18"),
        _row(411, "Change proposed", "delta.proposed", title="The engineer comes on Thursday", is_host=True),
        _row(410, "Answer kept", "exchange.answered", title="Check that the floor is level", is_host=True),
        _row(408, "Words captured", "source.captured", title="Check that the bathroom floor is level"),
        _row(403, "Words erased", "source.erased"),
    )


def _row(number: int, what: str, wire: str, *, title: str = "", is_host: bool = False) -> EventRow:
    return EventRow(
        number=str(number),
        what=what,
        type=wire,
        about=Link(title, f"/p/birch-lane/inbox/delta_{number}") if title else None,
        about_text="" if title else "A capture",
        note="",
        who="The host" if is_host else "Mira",
        door="by the worker" if is_host else "owner, in the browser",
        when=Moment("today 14:02", "2026-11-30T13:02:11.482913Z"),
        exact="2026-11-30 13:02:11.482913 UTC",
        id=IdCopy(f"event {number}Q", f"event_01jdz8q3v4m5n6p7q8r9s0{number}q"),
    )


def selection() -> LedgerFilter:
    """Return the filter with one family chosen."""
    groups = (
        OptionGroup(
            "Decisions",
            (
                Option("decisions", "All decisions", is_chosen=True),
                Option("delta.accepted", "Change accepted"),
                Option("delta.rejected", "Proposal rejected"),
            ),
        ),
        OptionGroup("Captures", (Option("source.captured", "Words captured"),)),
    )
    actors = (
        Option("", "Everyone"),
        Option("human:mira", "Mira", is_chosen=True),
        Option("system", "The host"),
    )
    return LedgerFilter(_BASE, groups, actors, Link("Show all events", _BASE, "x"))


def verify_form(*, is_running: bool = False, is_refused: bool = False) -> VerifyForm:
    """Return the form that verifies."""
    refusal = Refusal(
        "Not verified: refused", "A verification is under way already; look again when it is over."
    )
    binding = Binding(command_id=Binding.example().command_id)
    return VerifyForm(f"{_BASE}/verify", binding, is_running, refusal if is_refused else None)


SOUND = Verified(
    "ok",
    "shield-check",
    "Verified from the first event to the last",
    "412 events read again, every rule applied anew: leaves, tree, checkpoints and texts fit. It took 0.4 s.",
    Moment("today 14:03", "2026-11-30T13:03:02Z"),
)
RUNNING = Verified(
    "info",
    "loader",
    "Reading the ledger again",
    "It goes on when you leave this page.",
    Moment("today 14:03", "2026-11-30T13:03:02Z"),
    again=Link("Look again", _BASE),
)
WRONG = Verified(
    "bad",
    "shield-alert",
    "This is not the ledger that was written",
    "2 things do not fit. Keep the data folder as it is, and restore a backup beside it.",
    Moment("today 14:03", "2026-11-30T13:03:02Z"),
    problems=("event 17 does not have the hash of its leaf", "the root over 412 events is another one"),
)
WAYS = (Link("Export", f"{_BASE}/export", "download"), Link("Import", "/import", "upload"))
