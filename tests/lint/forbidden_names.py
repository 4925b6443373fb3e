"""Modules and classes are named for what they are.

Danger: a module called utils takes in whatever has no other home, everything comes to import it, and nobody can
say what it owns. A class called SomethingHelper says that its author did not know either.
Cure:   name the thing in the words of docs/glossary.md and put it beside what it serves. `Manager` is a domain
word here, the manager model: a class may be called that in the rooms of the manager, and nowhere else.
Skip:   lint: allow forbidden-names - reason (on line 1 for a module)
"""

import ast
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from tests.lint.rule import Fault, Rule, Source

_MODULES: Final = frozenset(
    {"util", "utils", "helper", "helpers", "common", "misc", "base", "shared", "stuff"}
)
_CLASS: Final = re.compile(r"(Helper|Helpers|Util|Utils|Impl|Handler2)$|^Abstract[A-Z]")


def find(source: Source) -> Iterator[Fault]:
    """Yield the module when its path is a drawer, and each class whose name says nothing."""
    path = PurePosixPath(source.path)
    for part in (*path.parts[:-1], path.stem):
        if part in _MODULES:
            yield Fault(1, f"a module called {part!r} is a drawer; name it for what it owns")
    about_managers = any("manager" in part or part == "ports" for part in path.parts)
    for node in ast.walk(ast.parse(source.text)):
        if not isinstance(node, ast.ClassDef):
            continue
        if _CLASS.search(node.name):
            yield Fault(node.lineno, f"class {node.name}: name it for what it is or does")
        elif node.name.endswith("Manager") and not about_managers:
            yield Fault(
                node.lineno, f"class {node.name}: Manager means the manager model here; say what this does"
            )


RULE: Final = Rule(name="forbidden-names", applies=lambda path: path.endswith(".py"), find=find)
