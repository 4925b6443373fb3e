"""The real clock and the real source of random bytes: the only place that calls them."""

import secrets
from datetime import UTC, datetime


class SystemClock:
    """The host's honest wall clock."""

    def now(self) -> str:
        """Return this moment in UTC, exactly as the ledger spells it: `YYYY-MM-DDTHH:MM:SS.ffffffZ`."""
        return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class SystemEntropy:
    """The operating system's random bytes."""

    def bytes(self, count: int) -> bytes:
        """Return `count` random bytes fit for keys."""
        return secrets.token_bytes(count)
