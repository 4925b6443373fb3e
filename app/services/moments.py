"""Arithmetic on the ledger's exact moments."""

from datetime import datetime, timedelta
from typing import Final

_FORM: Final = "%Y-%m-%dT%H:%M:%S.%fZ"


def later(moment: str, seconds: float) -> str:
    """Return the moment `seconds` after another one, in the ledger's exact spelling."""
    # Both moments are UTC by their spelling.
    return (datetime.strptime(moment, _FORM) + timedelta(seconds=seconds)).strftime(_FORM)  # noqa: DTZ007
