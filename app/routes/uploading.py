"""Forms that carry files: the form token is checked first, and a file is text or is refused in words."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from shutil import copyfileobj
from typing import Annotated, Final

from fastapi import Depends, Request
from starlette.datastructures import UploadFile

from app.routes.visiting import FIELDS_MAX, PageVisitor, Posted, ProblemError
from app.services.intake import file_words
from app.web.requests import FORM_FIELD, FormTokens
from kernel.rules.limits import SOURCE_BYTES_MAX
from kernel.vocabulary import SourceKind

FILES_MAX: Final = 2
"""How many files one form carries."""
_FIELD_BYTES_MAX: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class PostedFiles(Posted):
    """The text fields of a form and the files that were chosen in it."""

    files: Mapping[str, UploadFile] = field(default_factory=dict)

    def name(self, field_name: str) -> str:
        """Return the bare name of a chosen file; empty when none was chosen."""
        chosen = self.files.get(field_name)
        return "" if chosen is None else PurePath(chosen.filename or "").name

    def bytes(self, field_name: str) -> bytes | None:
        """Return what is in a chosen file, one byte more than a capture holds at most; None when none was chosen."""
        chosen = self.files.get(field_name)
        if chosen is None:
            return None
        chosen.file.seek(0)
        return chosen.file.read(SOURCE_BYTES_MAX + 1)

    def words(self, typed: str, chosen: str) -> tuple[str, SourceKind]:
        """Return what was typed, or the text of the chosen file after it, and where the words came from.

        Raises: InvalidError when the file is no text that can be kept.
        """
        data = self.bytes(chosen)
        if data is None:
            return self.text(typed), SourceKind.TEXT
        return file_words(self.name(chosen), data).after(self.text(typed)), SourceKind.FILE

    def outline(self, typed: str, chosen: str) -> str:
        """Return the text of the chosen file, else what was typed.

        Raises: InvalidError when the file is no text that can be kept.
        """
        data = self.bytes(chosen)
        return self.text(typed) if data is None else file_words(self.name(chosen), data).text

    def save(self, field_name: str, target: Path) -> bool:
        """Write a chosen file to a new path; tell whether one was chosen."""
        chosen = self.files.get(field_name)
        if chosen is None:
            return False
        chosen.file.seek(0)
        with target.open("xb") as copy:
            copyfileobj(chosen.file, copy)
        return True


async def posted_files(request: Request, visitor: PageVisitor) -> AsyncIterator[PostedFiles]:
    """Give a form with its files, which are gone when the request is over.

    Raises: ProblemError when it is not from this session.
    """
    async with request.form(
        max_files=FILES_MAX, max_fields=FIELDS_MAX, max_part_size=_FIELD_BYTES_MAX
    ) as form:
        items = form.multi_items()
        fields = {name: value.replace("\r\n", "\n") for name, value in items if isinstance(value, str)}
        tokens = FormTokens(visitor.studio.form_key)
        problem = tokens.problem(visitor.session.id, fields.get(FORM_FIELD, ""))
        if problem is not None:
            raise ProblemError(problem)
        files = {name: value for name, value in items if isinstance(value, UploadFile) and value.filename}
        yield PostedFiles(fields, files)


FilesForm = Annotated[PostedFiles, Depends(posted_files)]
