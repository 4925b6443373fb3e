"""Files, functions and templates stay small enough to be read at one sitting.

Danger: the long function is where the second rule hides beside the first, and where review gives up.
Cure:   give the part that has a name of its own a function of its own; divide a file by subject.
Skip:   lint: allow sizes - reason (on line 1 for a file, on the `def` line for a function)

A function counts from its `def` to its last line, docstring included. A route handler counts its body alone,
without signature and docstring: its parameters are the declared surface of the page, its body only parses, calls
a service and renders.
"""

import ast
from collections.abc import Iterator
from typing import Final

from tests.lint.rule import Fault, Rule, Source

FILE_LINES_MAX: Final = 500
FUNCTION_LINES_MAX: Final = 40
HANDLER_LINES_MAX: Final = 20
TEMPLATE_LINES_MAX: Final = 200

_VERBS: Final = frozenset({"get", "post", "put", "patch", "delete", "head", "api_route"})


def find(source: Source) -> Iterator[Fault]:
    """Yield the file when it is too long, and each function or handler that is."""
    is_template = source.path.startswith("templates/")
    limit = TEMPLATE_LINES_MAX if is_template else FILE_LINES_MAX
    count = len(source.text.splitlines())
    if count > limit:
        yield Fault(1, f"{count} lines, at most {limit}: divide it by subject")
    if source.path.endswith(".py"):
        for node in ast.walk(ast.parse(source.text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from _function_faults(source.path, node)


def _function_faults(path: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Fault]:
    last = node.end_lineno or node.lineno
    length = last - node.lineno + 1
    if length > FUNCTION_LINES_MAX:
        yield Fault(node.lineno, f"{node.name} has {length} lines, at most {FUNCTION_LINES_MAX}")
    if not (path.startswith("app/routes/") and _is_handler(node)):
        return
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    length = last - body[0].lineno + 1 if body else 0
    if length > HANDLER_LINES_MAX:
        yield Fault(node.lineno, f"handler {node.name} has {length} lines, at most {HANDLER_LINES_MAX}")


def _is_handler(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    calls = [decorator for decorator in node.decorator_list if isinstance(decorator, ast.Call)]
    return any(isinstance(call.func, ast.Attribute) and call.func.attr in _VERBS for call in calls)


RULE: Final = Rule(
    name="sizes",
    applies=lambda path: (
        (path.endswith((".py", ".js", ".css")) or (path.startswith("templates/") and path.endswith(".html")))
        and not path.startswith("static/vendor/")
    ),
    find=find,
)
