"""Only the ledger adapter ends a transaction.

Danger: a service that commits makes half of an append durable. The list of appends in the architecture, one
transaction each, is what a crash is tested against; a commit elsewhere is a crash point nobody tested.
Cure:   hand the events to the ledger port; it appends them under compare-and-swap and commits once.
Skip:   lint: allow commit-at-the-edge - reason
"""

import ast
from collections.abc import Iterator
from typing import Final

from tests.lint.rule import Fault, Rule, Source

_MESSAGE: Final = "only adapters/ledger ends a transaction; append through the ledger port"


def find(source: Source) -> Iterator[Fault]:
    """Yield each call of a connection's commit(), and each COMMIT handed over as SQL."""
    for node in ast.walk(ast.parse(source.text)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        is_commit = node.func.attr == "commit" and not node.args and not node.keywords
        if is_commit or (node.func.attr.startswith("execute") and _sends_commit(node)):
            yield Fault(node.lineno, _MESSAGE)


def _sends_commit(node: ast.Call) -> bool:
    first = node.args[0] if node.args else None
    return (
        isinstance(first, ast.Constant)
        and isinstance(first.value, str)
        and first.value.strip().upper().startswith("COMMIT")
    )


RULE: Final = Rule(
    name="commit-at-the-edge",
    applies=lambda path: (
        path.endswith(".py")
        and path.startswith(("app/", "kernel/", "adapters/"))
        and not path.startswith("adapters/ledger/")
    ),
    find=find,
)
