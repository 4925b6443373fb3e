"""Arithmetic on the ledger's exact moments."""

from datetime import UTC, datetime, timedelta
from typing import Final

from kernel.errors import InvalidError

_FORM: Final = "%Y-%m-%dT%H:%M:%S.%fZ"


def later(moment: str, seconds: float) -> str:
    """Return the moment `seconds` after another one, in the ledger's exact spelling."""
    # Both moments are UTC by their spelling.
    return (datetime.strptime(moment, _FORM) + timedelta(seconds=seconds)).strftime(_FORM)  # noqa: DTZ007


def moment_of(text: str) -> str:
    """Return the moment that a date, or a date and a time, names: on this machine's clock unless it says which.

    Raises: InvalidError when it is no date.
    """
    try:
        when = datetime.fromisoformat(text)
    except ValueError as error:
        message = f"{text!r:.40} is no date and time such as 2026-12-24 or 2026-12-24T09:00"
        raise InvalidError(message) from error
    return when.astimezone(UTC).strftime(_FORM)


def day_of(text: str) -> str:
    """Return the start of a day in UTC, as a page's date field names it.

    Raises: InvalidError when it is no date.
    """
    try:
        return datetime.strptime(text, "%Y-%m-%d").strftime(_FORM)  # noqa: DTZ007 - UTC by its spelling
    except ValueError as error:
        message = f"{text!r:.40} is no day such as 2026-12-24"
        raise InvalidError(message) from error
