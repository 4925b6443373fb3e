"""How often a page looks at the machine: rarely while all is well, each time while something is missing."""

from dataclasses import replace

from app.services.doctor import Looking, Machine
from kernel.values.execution import SandboxFacts

FINE = Machine(
    sandbox=SandboxFacts(tier="uid_drop", missing=(), isolation=()),
    git_version="git version 2.39.5",
    sqlite_version="3.51.3",
    data_folder="data",
    data_problem=None,
    run_folder="runs",
    unsearchable=None,
)


def _seen(answers: list[Machine], moments: list[float]) -> list[tuple[Machine, str]]:
    """Look at each of these moments, at a machine that gives these answers one after another."""
    given, clock, times = iter(answers), iter(moments), iter(f"moment {number}" for number in range(9))
    looking = Looking(lambda: next(given), lambda: next(times), lambda: next(clock))
    return [looking.look() for _ in moments]


def test_a_good_answer_holds_for_a_minute() -> None:
    """Within the minute the same answer comes with the moment it was seen at; then the machine is asked again."""
    other = replace(FINE, git_version="git version 2.50.0")
    assert _seen([FINE, other], [5.0, 64.9, 65.0, 66.0]) == [
        (FINE, "moment 0"),
        (FINE, "moment 0"),
        (other, "moment 1"),
        (other, "moment 1"),
    ]


def test_what_is_missing_is_looked_for_each_time() -> None:
    """Who installs what was missing sees it on the next page."""
    bare = replace(FINE, git_version=None)
    assert [machine for machine, _ in _seen([bare, FINE, bare], [0.0, 1.0, 2.0])] == [bare, FINE, FINE]
