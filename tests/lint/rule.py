"""What a rule is, what it says, and how a line is allowed to break one."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

_SKIP: Final = re.compile(r"lint: allow (?P<rule>[a-z-]+) - \S")
_SKIP_WITHOUT_REASON: Final = re.compile(r"lint: allow [a-z-]+(?! - \S)(?![a-z-])")


class Fault(NamedTuple):
    """One line that breaks a rule, and the sentence that says how to cure it."""

    line: int
    """1-based."""
    message: str


@dataclass(frozen=True, slots=True)
class Source:
    """One file of the tree; `path` is relative to the root, with forward slashes."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A named check over the files it applies to."""

    name: str
    applies: Callable[[str], bool]
    find: Callable[[Source], Iterable[Fault]]


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault with its place and rule, as it is printed."""

    path: str
    line: int
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}: {self.message}"


def findings(rule: Rule, source: Source) -> Iterator[Finding]:
    """Yield what `rule` finds in `source`, less the lines that say why they may, plus skips that allow nothing."""
    if not rule.applies(source.path):
        return
    allowed = _skipped_lines(rule.name, source.text)
    used = set()
    for fault in _faults(rule, source):
        if fault.line in allowed:
            used.add(fault.line)
        else:
            yield Finding(source.path, fault.line, rule.name, fault.message)
    for line in sorted(allowed - used):
        yield Finding(source.path, line, rule.name, "this skip allows nothing; remove it")


def _faults(rule: Rule, source: Source) -> Iterable[Fault]:
    try:
        return list(rule.find(source))
    except SyntaxError as error:
        return [Fault(error.lineno or 1, f"does not parse: {error.msg}")]


def unreasoned_skips(source: Source) -> Iterator[Finding]:
    """Yield each skip that gives no reason: it allows nothing and says so."""
    for number, line in enumerate(source.text.splitlines(), start=1):
        if _SKIP_WITHOUT_REASON.search(line):
            yield Finding(source.path, number, "skips", "say why: lint: allow <rule> - <reason>")


def _skipped_lines(name: str, text: str) -> set[int]:
    lines = enumerate(text.splitlines(), start=1)
    return {number for number, line in lines if any(match["rule"] == name for match in _SKIP.finditer(line))}
