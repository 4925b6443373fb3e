"""Prepared answers, strictly: a text that is not in the script gets none.

A script is a JSON object `{"answers": [...]}`. Each entry has the exact `text` and one of: `answer`, which is a
placement answer as the ledger keeps it; `exact`, any characters at all, to show what becomes of a broken answer; or
`fails`, a sentence for a call that fails. Since ids are made anew in each project, `parent_id`, `to_id` and
`duplicate_of` of an answer may be written `title: Bathroom`; exactly one node must have that title.
"""

from collections.abc import Callable
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from kernel.canonical import canonical_bytes
from kernel.errors import ConfigurationError, ManagerUnavailableError
from kernel.values.placement import (
    ManagerFacts,
    Place,
    PlaceableNode,
    PlacementAnswer,
    PlacementRequest,
    SentQuestion,
)
from kernel.vocabulary import Visibility

FACTS: Final = ManagerFacts(name="scripted/1", mode="scripted")
SCRIPT_BYTES_MAX: Final = 1024 * 1024
_BY_TITLE: Final = "title: "
_ID_FIELDS: Final = frozenset({"parent_id", "to_id", "duplicate_of"})


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    text: str = Field(min_length=1)
    answer: PlacementAnswer | None = None
    exact: str | None = None
    fails: str | None = Field(default=None, min_length=1)

    @model_validator(mode="after")
    def _says_one_thing(self) -> "_Entry":
        if sum(item is not None for item in (self.answer, self.exact, self.fails)) != 1:
            message = "an entry has exactly one of answer, exact and fails"
            raise ValueError(message)
        return self


class _Script(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    answers: tuple[_Entry, ...]

    @model_validator(mode="after")
    def _each_text_once(self) -> "_Script":
        texts = [entry.text for entry in self.answers]
        if len(set(texts)) != len(texts):
            message = "a text stands twice"
            raise ValueError(message)
        return self


def read_script(data: bytes) -> "ScriptedManager":
    """Read a script.

    Raises: ConfigurationError that names what is wrong.
    """
    if len(data) > SCRIPT_BYTES_MAX:
        message = f"the script has {len(data):,} bytes, at most {SCRIPT_BYTES_MAX:,} are read"
        raise ConfigurationError(message)
    try:
        return ScriptedManager(_Script.model_validate_json(data))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the whole"
        message = f"the script cannot be read: {where}: {first['msg']}"
        raise ConfigurationError(message) from error


class ScriptedManager:
    """Gives the prepared answer to a prepared text."""

    facts = FACTS

    def __init__(self, script: _Script) -> None:
        self._entries = {entry.text: entry for entry in script.answers}

    def __call__(self) -> "ScriptedShelf":
        """Return an empty view of one worldstate."""
        return ScriptedShelf(self._entries)


class ScriptedShelf:
    """The titles of one worldstate, which a script may name."""

    def __init__(self, entries: dict[str, _Entry]) -> None:
        self._entries = entries
        self._titles: dict[str, str] = {}

    def put(self, node: PlaceableNode) -> None:
        """Add or replace one node; a private one cannot be named."""
        self.remove(node.id)
        if node.visibility is Visibility.SHARED:
            self._titles[node.id] = node.title

    def remove(self, node_id: str) -> None:
        """Forget one node."""
        self._titles.pop(node_id, None)

    def prepare(
        self, _text: str, _visibility: Visibility, _selected_node_id: str | None
    ) -> SentQuestion | None:
        """Return None: nothing leaves this machine."""
        return None

    def begin(self, request: PlacementRequest) -> Callable[[], str]:
        """Return the prepared answer.

        Raises: ManagerUnavailableError when there is none for this text, or when it names no node.
        """
        entry = self._entries.get(request.text)
        if entry is None:
            message = "the script has no answer to this text"
            raise ManagerUnavailableError(message, code="script_without_answer")
        if entry.fails is not None:
            raise ManagerUnavailableError(entry.fails, code="script_fails")
        if entry.answer is None:
            exact = entry.exact or ""
        else:
            exact = canonical_bytes(self._named(entry.answer.model_dump(mode="json"))).decode()
        return lambda: exact

    def nearest(self, _text: str, _visibility: Visibility) -> Place | None:
        """Return None: a script compares nothing."""
        return None

    def _named(self, value: object) -> object:
        """Put ids where an answer names a node by its title."""
        if isinstance(value, dict):
            return {
                key: self._id_of(item) if key in _ID_FIELDS and isinstance(item, str) else self._named(item)
                for key, item in value.items()
            }
        return [self._named(item) for item in value] if isinstance(value, list) else value

    def _id_of(self, written: str) -> str:
        if not written.startswith(_BY_TITLE):
            return written
        title = written.removeprefix(_BY_TITLE)
        found = [node_id for node_id, known in self._titles.items() if known == title]
        if len(found) != 1:
            message = f"the script names “{title[:120]}”, and {len(found)} nodes have that title"
            raise ManagerUnavailableError(message, code="script_without_answer")
        return found[0]
