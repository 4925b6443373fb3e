"""The kernel calls no builtin that reads the machine, the process or a program text.

Danger: `hash()` and `id()` differ from process to process, so a state that depends on them replays into another one;
`open()` and its kin need no import, so the import contract cannot see them.
Cure:   order by key with `kernel.table`, digest with `kernel.canonical`, and let an adapter hand over the bytes.
Skip:   lint: allow pure-kernel - reason
"""

import ast
from collections.abc import Iterator
from typing import Final

from tests.lint.rule import Fault, Rule, Source

_IMPURE: Final = frozenset(
    {"open", "print", "input", "hash", "id", "eval", "exec", "compile", "__import__", "globals", "breakpoint"}
)


def find(source: Source) -> Iterator[Fault]:
    """Yield each call of a builtin whose answer is not given by its arguments alone."""
    tree = ast.parse(source.text)
    hashing = {id(part) for node in ast.walk(tree) if _is_hash_method(node) for part in ast.walk(node)}
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        name = node.func.id
        if name in _IMPURE and not (name == "hash" and id(node) in hashing):
            yield Fault(node.lineno, f"{name}() looks beyond its arguments; the kernel is pure")


def _is_hash_method(node: ast.AST) -> bool:
    """Tell whether this is the one place where `hash()` belongs: it never leaves the process from there."""
    return isinstance(node, ast.FunctionDef) and node.name == "__hash__"


RULE: Final = Rule(
    name="pure-kernel",
    applies=lambda path: path.startswith("kernel/") and path.endswith(".py"),
    find=find,
)
