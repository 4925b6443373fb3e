"""docs/events.md, made from the event catalogue: `python -m tests.lint.events_doc --write`.

The catalogue documents itself: the class docstring says what became true, a string under each field what the
field holds, and the authority matrix who may record it. The page only sets that in order, so it cannot drift.
"""

import importlib
import sys
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from inspect import cleandoc
from itertools import groupby
from typing import Final

from pydantic import BaseModel

from tests.lint.tree import ROOT

PAGE: Final = ROOT / "docs" / "events.md"

_HEAD: Final = """# Events

Made from `kernel/events` by `make docs`; a test holds the two together. An event never changes: a changed meaning is
a new version and an upcaster. Each is recorded in an envelope of `type, ledger, seq, id, at, actor, via, command,
ordinal`; what follows is the body. `Words` stands in the record as a salted commitment, never as text.

An event of an earlier version stays in the ledger as it was written, and its leaf in the log with it. Whenever it is
read, steps of `kernel/upcast.py` say it again in the words of the next version, one after the other, in a database, a
replay and a bundle alike. Each version that was ever shipped keeps a golden file in `tests/golden`.
"""


def generated() -> str | None:
    """Return the page as the catalogue tells it, or None while there is no catalogue."""
    bodies = _catalogue("kernel.events", "BODIES")
    if not bodies:
        return None
    authority = _catalogue("kernel.rules.authority", "AUTHORITY")
    parts = [_HEAD]
    for area, names in groupby(sorted(bodies), key=lambda name: name.split(".")[0]):
        parts.append(f"## {area}\n")
        parts.extend("\n".join(_event_lines(name, bodies[name], authority)) for name in names)
    parts.append("## Values that stand in events\n")
    values = sorted(_values_in(bodies.values()), key=lambda value: value.__name__)
    parts.extend("\n".join(_value_lines(value)) for value in values)
    return "\n".join(parts)


def _value_lines(value: type[BaseModel]) -> Iterator[str]:
    yield f"### {value.__name__}\n"
    yield cleandoc(value.__doc__ or "") + "\n"
    yield from _table(value)


def _values_in(bodies: Iterable[type[BaseModel]]) -> set[type[BaseModel]]:
    """Return every record that a body holds, at any depth."""
    found: set[type[BaseModel]] = set()
    waiting = [field.annotation for body in bodies for field in body.model_fields.values()]
    while waiting:
        annotation = waiting.pop()
        waiting.extend(typing.get_args(annotation))
        if isinstance(annotation, type) and issubclass(annotation, BaseModel) and annotation not in found:
            found.add(annotation)
            waiting.extend(field.annotation for field in annotation.model_fields.values())
    return found


def _catalogue(module: str, name: str) -> Mapping[str, typing.Any]:
    try:
        return typing.cast("Mapping[str, typing.Any]", getattr(importlib.import_module(module), name, {}))
    except ModuleNotFoundError as error:
        if error.name is not None and (module == error.name or module.startswith(f"{error.name}.")):
            return {}
        raise


def _event_lines(name: str, body: type[BaseModel], authority: Mapping[str, frozenset[str]]) -> Iterator[str]:
    yield f"### {name}\n"
    yield cleandoc(body.__doc__ or "") + "\n"
    authors = ", ".join(sorted(str(kind) for kind in authority.get(name, frozenset())))
    yield f"May be recorded by: {authors or 'nobody'}.\n"
    yield from _table(body)


def _table(record: type[BaseModel]) -> Iterator[str]:
    fields = {key: field for key, field in record.model_fields.items() if key != "type"}
    if fields:
        yield "| field | holds | meaning |\n|---|---|---|"
    for key, field in fields.items():
        meaning = " ".join((field.description or "").split())
        yield f"| `{key}` | {type_words(field.annotation)} | {_cell(meaning)} |"
    yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def type_words(annotation: object) -> str:
    """Say a field's type in words: `list of Words`, `text or none`, `one of a, b`."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return type_words(arguments[0])
    if origin is typing.Literal:
        return "one of " + ", ".join(f"`{value}`" for value in arguments)
    if origin in {typing.Union, types.UnionType}:
        return " or ".join(type_words(argument) for argument in arguments)
    if origin is tuple:
        return f"list of {type_words(arguments[0])}"
    plain = {str: "text", int: "whole number", bool: "yes or no", bytes: "bytes", type(None): "none"}
    if annotation in plain:
        return plain[typing.cast("type", annotation)]
    return f"`{getattr(annotation, '__name__', annotation)}`"


def main(arguments: list[str]) -> int:
    """Write or print the page; return 1 when there is no catalogue to write from."""
    text = generated()
    if text is None:
        print("there is no event catalogue yet", file=sys.stderr)
        return 1
    if "--write" in arguments:
        PAGE.write_text(text, "utf-8")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
