"""Arithmetic on the ledger's exact moments."""

from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

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


def zone_of(name: str) -> str:
    """Return the name of a time zone that this machine knows; empty, which means UTC, for any other."""
    try:
        return ZoneInfo(name).key if name else ""
    except (ValueError, OSError, ZoneInfoNotFoundError):
        return ""


def day_of(text: str, zone: str = "", *, days_on: int = 0) -> str:
    """Return the start of a day, as a page's date field names it, in UTC or in a zone that `zone_of` knows.

    `days_on` leads from it to the start of a later day: one with a change of clocks has 23 or 25 hours.
    Raises: InvalidError when it is no date.
    """
    try:
        start = datetime.strptime(text, "%Y-%m-%d") + timedelta(days=days_on)  # noqa: DTZ007 - in its zone below
        return start.replace(tzinfo=ZoneInfo(zone) if zone else UTC).astimezone(UTC).strftime(_FORM)
    except (ValueError, OverflowError) as error:
        message = f"{text!r:.40} is no day such as 2026-12-24"
        raise InvalidError(message) from error
