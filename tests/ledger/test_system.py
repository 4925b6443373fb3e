"""The one clock and the one source of randomness."""

from adapters.system import SystemClock, SystemEntropy
from kernel.events.envelope import AT_PATTERN


def test_the_clock_speaks_the_ledgers_spelling() -> None:
    """A moment has the exact spelling, and the next one is not before it."""
    first, second = SystemClock().now(), SystemClock().now()
    assert AT_PATTERN.fullmatch(first)
    assert first <= second


def test_entropy_gives_as_many_bytes_as_asked() -> None:
    """Two draws differ and have their length."""
    one, two = SystemEntropy().bytes(32), SystemEntropy().bytes(32)
    assert (len(one), len(two)) == (32, 32)
    assert one != two
