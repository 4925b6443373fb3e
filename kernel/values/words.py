"""Free text, and the only form in which an event may hold it.

An event's canonical bytes carry a salted commitment in place of the text, so text can be erased while every
digest and proof over the event stays valid. Texts and salts travel beside the event (`Opening`) and are
encrypted by the ledger. The kernel sees `Words`; it never sees a key.
"""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from pydantic import GetCoreSchemaHandler, ValidationInfo
from pydantic_core import core_schema

WORDS_DOMAIN: Final = b"odeu.words.v1"
"""Domain tag of a words commitment."""

SALT_BYTES: Final = 32
"""Length of a salt in bytes."""

_PREFIX: Final = "sha256:"
_COMMITMENT: Final = re.compile(r"sha256:[0-9a-f]{64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Opening:
    """What opens one commitment: the salt (32 bytes) and the text."""

    salt: bytes
    text: str


Openings: TypeAlias = Mapping[str, Opening]
"""Commitment -> opening, for every text of one event that this reader may still see."""

Unseal: TypeAlias = Callable[[], Openings]
"""Reads the openings of one event out of bytes that were already found to be what was written; pure."""


@dataclass(frozen=True, slots=True)
class Words:
    """A text somebody wrote, known by its commitment; `opening` is None once the text is erased or withheld.

    Two `Words` are equal when their commitments are: the opening is knowledge about the value, not part of it.
    """

    commitment: str
    opening: Opening | None = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Words) and other.commitment == self.commitment

    def __hash__(self) -> int:
        return hash(self.commitment)

    @property
    def text(self) -> str | None:
        """Return the text, or None when it was erased or is withheld."""
        return None if self.opening is None else self.opening.text

    def or_erased(self) -> str:
        """Return the text for a reader, or the sentence that stands in its place."""
        return "(these words were erased)" if self.opening is None else self.opening.text

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        """Read a commitment string (with openings from the validation context) or a `Words`; write the string."""
        return core_schema.with_info_plain_validator_function(
            _read_words,
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda words: words.commitment, return_schema=core_schema.str_schema()
            ),
        )


class SealedWords(Words):
    """Words whose opening is read when somebody first asks for the text; a replay asks for few.

    Equal to, and in every other way the same as, the words with the opening that `unseal` returns.
    """

    __slots__ = ("_unseal",)
    _unseal: Unseal

    def __init__(self, commitment: str, unseal: Unseal) -> None:
        _set_commitment(self, commitment)
        _set_unseal(self, unseal)

    @property
    def opening(self) -> Opening | None:
        """Return what opens the commitment, or None when the text was erased or is withheld."""
        return self._unseal().get(self.commitment)

    def __reduce__(self) -> tuple[type[Words], tuple[str, Opening | None]]:
        """Copy as plain words: a copy holds on to nothing that is still sealed."""
        return Words, (self.commitment, self.opening)


_set_commitment: Final = Words.__dict__["commitment"].__set__
"""Sets a field of a frozen value that is being made."""

_set_unseal: Final = SealedWords.__dict__["_unseal"].__set__
"""Sets the other one."""


def _read_words(value: Any, info: ValidationInfo) -> Words:  # noqa: ANN401 - pydantic's own signature
    if isinstance(value, Words):
        return value
    if not isinstance(value, str) or not _COMMITMENT.fullmatch(value):
        message = "words must be a commitment of the form sha256:<64 hex>"
        raise ValueError(message)
    openings: Openings = info.context or {}
    return Words(value, openings.get(value))


def commit(text: str, salt: bytes) -> Words:
    """Return the words for `text` under `salt`: commitment = sha256(domain NUL salt NUL utf-8 text).

    Raises: ValueError when the salt is not 32 bytes or the text holds a lone surrogate.
    """
    if len(salt) != SALT_BYTES:
        message = f"a salt has {SALT_BYTES} bytes, this one has {len(salt)}"
        raise ValueError(message)
    digest = hashlib.sha256(b"\x00".join((WORDS_DOMAIN, salt, text.encode("utf-8"))))
    return Words(_PREFIX + digest.hexdigest(), Opening(salt, text))


def opens(words: Words) -> bool:
    """Tell whether the opening really opens the commitment; False when there is none."""
    if words.opening is None:
        return False
    return commit(words.opening.text, words.opening.salt).commitment == words.commitment
