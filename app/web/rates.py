"""How often an act may come: token buckets by key, for sign-in, capture and operators' acts.

All state is in memory and bounded. A restart forgets it, which is right for a server on one machine.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from app.web.errors_http import Problem

KEYS_MAX: Final = 10_000
_ROUNDING_S: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Rate:
    """`burst` acts at once, then one more every `seconds_each` seconds."""

    burst: int
    seconds_each: float


SIGN_IN: Final = Rate(burst=8, seconds_each=15.0)
PASSWORD: Final = Rate(burst=10, seconds_each=30.0)
"""For each person, so that many addresses together cannot guess."""
CAPTURE: Final = Rate(burst=60, seconds_each=1.0)
OPERATOR_EXECUTE: Final = Rate(burst=6, seconds_each=20.0)


class TokenBuckets:
    """One bucket per key, such as a person or an address, for one kind of act.

    Full buckets are forgotten when there are too many keys, and then the ones nearest to full, so that many
    made-up keys cost a bounded amount of memory.
    """

    def __init__(self, rate: Rate, clock: Callable[[], float]) -> None:
        self._rate = rate
        self._clock = clock
        self._full_at: dict[str, float] = {}

    def take(self, key: str) -> float:
        """Take one token; return 0.0, or the seconds to wait when there was none and nothing was taken."""
        now = self._clock()
        full_at = max(self._full_at.get(key, now), now)
        wait = full_at - now - (self._rate.burst - 1) * self._rate.seconds_each
        if wait > _ROUNDING_S:
            return wait
        self._full_at[key] = full_at + self._rate.seconds_each
        if len(self._full_at) > KEYS_MAX:
            self._forget(now)
        return 0.0

    def problem(self, key: str) -> Problem | None:
        """Take one token; return the refusal with its waiting time, or None."""
        wait = self.take(key)
        if wait == 0.0:
            return None
        seconds = math.ceil(wait)
        detail = f"Too many attempts in a short time. Try again in {seconds} seconds."
        headers = (("Retry-After", str(seconds)),)
        return Problem(429, "rate_limited", "Too many at once", detail, headers=headers)

    def _forget(self, now: float) -> None:
        """Drop what is full, and if that is not enough the half that is nearest to full."""
        kept = {key: at for key, at in self._full_at.items() if at > now}
        if len(kept) > KEYS_MAX // 2:
            fullest = sorted(kept.items(), key=lambda item: item[1])[-(KEYS_MAX // 2) :]
            kept = dict(fullest)
        self._full_at = dict(kept)
