"""From a file to words that can be kept: text in UTF-8 and nothing else, refused in a sentence that says the way out.

A capture records no file name, so the name stands in the words, before the file's own text.
"""

from dataclasses import dataclass
from typing import Final

from kernel.errors import InvalidError
from kernel.rules.limits import SOURCE_BYTES_MAX
from kernel.rules.unseen import unmeant

NAME_CHARS_MAX: Final = 200


@dataclass(frozen=True, slots=True)
class FileWords:
    """The text of one file."""

    name: str
    text: str

    def after(self, typed: str) -> str:
        """Return the words to keep: what was typed, the file's name, and its text as it stands."""
        said = typed.strip()
        return "\n\n".join((*([said] if said else []), f"File: {self.name}", self.text))


def file_words(name: str, data: bytes, *, most: int = SOURCE_BYTES_MAX) -> FileWords:
    """Return the text of a file.

    Raises: InvalidError when it is too large, empty, binary, or in another encoding than UTF-8.
    """
    shown = file_name(name)
    if len(data) > most:
        message = (
            f"the file {shown} is larger than {most:,} bytes, the most one capture holds. "
            "Take the part that matters"
        )
        raise InvalidError(message, code="file_too_large")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = (
            f"the file {shown} is not text in UTF-8: byte {error.start + 1} does not fit. "
            "Save it as UTF-8 and choose it again"
        )
        raise InvalidError(message, code="file_not_text") from error
    if "\0" in text:
        place = text.index("\0") + 1
        message = f"the file {shown} is binary: character {place} is the control character U+0000. Choose a text file"
        raise InvalidError(message, code="file_not_text")
    found = unmeant(text)
    if found is not None:
        message = f"the file {shown} holds {found}. Save it without, for a log without its colours, and choose it again"
        raise InvalidError(message, code="file_not_text")
    if not text.strip():
        message = f"the file {shown} is empty; there is nothing to keep"
        raise InvalidError(message, code="file_empty")
    return FileWords(shown, text.replace("\r\n", "\n"))


def file_name(name: str) -> str:
    """Return a file's bare name in one line without control characters; a nameless file is called so."""
    bare = name.replace("\\", "/").rpartition("/")[2]
    kept = "".join(letter for letter in bare if letter.isprintable()).strip()
    return kept[:NAME_CHARS_MAX] or "without a name"
