"""What a worker program may say on its standard output, read strictly, line by line.

One JSON object a line: `{"progress": "..."}` any number of times, then exactly one
`{"report": {"summary", "claims", "completed", "question"?}}` as the last. Whatever else it prints makes the whole
report unreadable: a claim is only worth recording when it is plain what was claimed.
"""

from collections.abc import Callable
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from kernel.canonical import parse_foreign
from kernel.errors import CanonicalError

LINE_BYTES: Final = 32 * 1024
PROGRESS_MAX: Final = 64
CLAIMS_MAX: Final = 32

_Sentence = Annotated[str, StringConstraints(min_length=1, max_length=500, strip_whitespace=True)]
_Paragraph = Annotated[str, StringConstraints(min_length=1, max_length=4000, strip_whitespace=True)]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Report(_Strict):
    """The worker's own account of its work: claims, not observations."""

    summary: _Paragraph
    claims: list[_Sentence]
    completed: bool
    question: _Paragraph | None = None
    """What the worker needs answered before it can go on."""


class _Progress(_Strict):
    progress: _Sentence


class _Final(_Strict):
    report: Report


class Speech:
    """Reads a worker's output as it comes; progress is passed on at once, the report kept."""

    def __init__(self, progress: Callable[[str], None]) -> None:
        self._progress = progress
        self._rest = b""
        self._told = 0
        self.report: Report | None = None
        self.problem: str | None = None
        """The first thing that made it unreadable, as a sentence without the program's words."""

    def hear(self, piece: bytes) -> None:
        """Take the next piece of output."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            self._read(line)
        if len(self._rest) > LINE_BYTES:
            self._spoil("A line is too long.")
            self._rest = b""

    def end(self) -> None:
        """Take the end of the output: a last line without its line feed, and a report that never came."""
        if self._rest:
            self._read(self._rest)
            self._rest = b""
        if self.report is None:
            self._spoil("There is no report.")

    def _read(self, line: bytes) -> None:
        if self.problem is not None:
            return
        if self.report is not None:
            self._spoil("Something follows the report.")
            return
        try:
            value = parse_foreign(line, max_bytes=LINE_BYTES, max_depth=8)
            if isinstance(value, dict) and "progress" in value:
                self._tell(_Progress.model_validate(value).progress)
            else:
                self._keep(_Final.model_validate(value).report)
        except CanonicalError:
            self._spoil("A line is not acceptable JSON.")
        except ValidationError:
            self._spoil("A line is neither progress nor a report as agreed.")

    def _tell(self, sentence: str) -> None:
        """Pass progress on; beyond the limit it is not an error, only not told."""
        self._told += 1
        if self._told <= PROGRESS_MAX:
            self._progress(sentence)

    def _keep(self, report: Report) -> None:
        if len(report.claims) > CLAIMS_MAX:
            self._spoil("There are too many claims.")
        else:
            self.report = report

    def _spoil(self, problem: str) -> None:
        self.problem = self.problem or problem
        self.report = None
