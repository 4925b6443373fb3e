"""Tests use real components and shipped stand-ins, never mocks or patches.

Danger: a patched function agrees with whatever the test believes; it goes on agreeing after the real one changed.
Cure:   pass a stand-in that ships (the memory ledger, the local manager, the scripted agent, a frozen clock),
which the contract suites hold to the same behaviour as the real thing. Environment and working folder may be
set with monkeypatch; attributes may not.
Skip:   lint: allow no-mocks - reason
"""

import ast
from collections.abc import Iterator
from typing import Final

from tests.lint.rule import Fault, Rule, Source

_PATCHERS: Final = frozenset({"setattr", "setitem", "delattr"})
_MESSAGE: Final = "use a shipped stand-in: a mock proves nothing about the real thing"


def _is_mock_module(name: str | None) -> bool:
    return name is not None and (name in {"mock", "pytest_mock"} or name.startswith("unittest.mock"))


def find(source: Source) -> Iterator[Fault]:
    """Yield each import of a mock library and each patched attribute."""
    for node in ast.walk(ast.parse(source.text)):
        if isinstance(node, ast.Import) and any(_is_mock_module(alias.name) for alias in node.names):
            yield Fault(node.lineno, _MESSAGE)
        elif isinstance(node, ast.ImportFrom):
            from_unittest = node.module == "unittest" and any(alias.name == "mock" for alias in node.names)
            if _is_mock_module(node.module) or from_unittest:
                yield Fault(node.lineno, _MESSAGE)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            if isinstance(owner, ast.Name) and owner.id == "monkeypatch" and node.func.attr in _PATCHERS:
                yield Fault(node.lineno, f"monkeypatch.{node.func.attr}: {_MESSAGE}")


RULE: Final = Rule(
    name="no-mocks",
    applies=lambda path: path.endswith(".py") and path.startswith(("tests/", "e2e/", "bench/")),
    find=find,
)
