"""A ledger's moment as pages show it."""

from datetime import datetime

from app.views.parts import Moment


def moment(at: str) -> Moment:
    """Return a moment of the ledger for a page: short and in UTC; the page's script makes it local."""
    when = datetime.fromisoformat(at)
    return Moment(f"{when.day} {when:%b %H:%M} UTC", at)
