"""What a harness says: which files of the candidate it needs, how they are driven, and the cases.

The expected answers live here, on the host. Nothing in this module travels into the sandbox but the inputs of
its cases and the driver's bytes.
"""

import math
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from adapters.sandbox.harness_files import HarnessFiles
from kernel.canonical import Json, foreign_bytes, parse_foreign
from kernel.errors import CanonicalError, ConfigurationError

HARNESS_FILE: Final = "harness.json"
HARNESS_BYTES_MAX: Final = 4 * 1024 * 1024

_CaseId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
_Path = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_./-]{0,199}$")]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Case(_Strict):
    """One question to the candidate, and the answer only the host knows."""

    id: _CaseId
    requirement: str | None = None
    """The requirement it counts for; None: every oracle requirement of this validator."""
    input: Json
    expected: Json
    tolerance: float | None = Field(default=None, gt=0, strict=False)
    """How far a finite number of the answer may be from the expected one; None: not at all."""

    @model_validator(mode="after")
    def _comparable(self) -> "Case":
        """Refuse values without canonical bytes: they could never be compared."""
        foreign_bytes(self.input)
        foreign_bytes(self.expected)
        if self.tolerance is not None and not math.isfinite(self.tolerance):
            raise ValueError("a tolerance is a finite number")
        return self


class Harness(_Strict):
    """A harness as written in its `harness.json`."""

    version: Literal[1]
    driver: _Path
    """The host's program that asks the candidate; a file of the harness folder."""
    inputs: tuple[_Path, ...] = Field(min_length=1, max_length=64)
    """Paths of the candidate's tree that are put inside, from sealed Git objects."""
    case_wall_s: float = Field(default=2.0, gt=0, le=60, strict=False)
    cases: tuple[Case, ...] = Field(min_length=1, max_length=256)

    @model_validator(mode="after")
    def _plain(self) -> "Harness":
        """Refuse paths that climb and names used twice."""
        for path in (self.driver, *self.inputs):
            if any(part in ("", ".", "..") for part in path.split("/")):
                raise ValueError(f"{path!r} is not a plain relative path")
        for names in (self.inputs, tuple(case.id for case in self.cases)):
            if len(set(names)) != len(names):
                raise ValueError("an input or a case is named twice")
        return self

    def cases_of(self, requirement_id: str) -> tuple[Case, ...]:
        """Return the cases that count for one requirement, in order; may be empty."""
        return tuple(case for case in self.cases if case.requirement in (None, requirement_id))


def parse_harness(files: HarnessFiles) -> Harness:
    """Return the harness that a folder's bytes describe.

    Raises: ConfigurationError when `harness.json` or the driver is absent or breaks the schema. The message
    names fields and never a value, which may be an expected answer.
    """
    raw = files.content(HARNESS_FILE)
    try:
        value = parse_foreign(raw, max_bytes=HARNESS_BYTES_MAX)
        harness = Harness.model_validate(_tuples(value))
    except CanonicalError as error:
        raise ConfigurationError(
            "The harness file is not acceptable JSON, or holds a value that cannot be compared.",
            code="harness_invalid",
        ) from error
    except ValidationError as error:
        places = ", ".join(".".join(map(str, each["loc"])) or "harness" for each in error.errors()[:3])
        raise ConfigurationError(
            f"The harness file breaks its schema at: {places}.", code="harness_invalid"
        ) from None
    files.content(harness.driver)
    return harness


def _tuples(value: Json) -> Json:
    """Return the outer record with its two lists as tuples, which strict reading wants."""
    if not isinstance(value, dict):
        return value
    return {
        key: tuple(part) if key in ("inputs", "cases") and isinstance(part, list) else part
        for key, part in value.items()
    }
