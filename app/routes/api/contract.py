"""What every endpoint of the API shares: ids, bounds, the idempotency key, problem documents, tags by the head."""

from typing import Annotated, Any, Final

from fastapi import Header, Path, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from app.routes.visiting import WORDS_MAX, ProblemError, Visitor
from app.web.errors_http import PROBLEM_JSON
from kernel.rules.limits import DESCRIPTION_BYTES_MAX, TITLE_CHARS_MAX
from kernel.state import State

_ULID: Final = "[0-7][0-9a-hjkmnp-tv-z]{25}"
REVISION_MAX: Final = 2**31


class Body(BaseModel):
    """A request body: nothing unknown, nothing coerced."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)


class Nothing(Body):
    """An act that needs no more than its address: `{}`."""


def _id(kind: str) -> Any:  # noqa: ANN401 - pydantic's field description
    return Field(pattern=f"^{kind}_{_ULID}$", min_length=len(kind) + 27, max_length=len(kind) + 27)


def _in_path(kind: str) -> Any:  # noqa: ANN401 - FastAPI's parameter description
    return Path(pattern=f"^{kind}_{_ULID}$", min_length=len(kind) + 27, max_length=len(kind) + 27)


NodeId = Annotated[str, _id("node")]
RelationId = Annotated[str, _id("relation")]
DeltaId = Annotated[str, _id("delta")]
ProjectId = Annotated[str, _id("project")]
BriefId = Annotated[str, _id("brief")]
ExchangeId = Annotated[str, _id("exchange")]
ValidationId = Annotated[str, _id("validation")]
ProjectPath = Annotated[str, _in_path("project")]
NodePath = Annotated[str, _in_path("node")]
SourcePath = Annotated[str, _in_path("source")]
DeltaPath = Annotated[str, _in_path("delta")]
BriefPath = Annotated[str, _in_path("brief")]
RunPath = Annotated[str, _in_path("run")]
CandidatePath = Annotated[str, _in_path("candidate")]
ClosurePath = Annotated[str, _in_path("closure")]
ExchangePath = Annotated[str, _in_path("exchange")]
PromotionPath = Annotated[str, _in_path("promotion")]

Slug = Annotated[str, Field(min_length=1, max_length=64, pattern="^[A-Za-z0-9][A-Za-z0-9._-]*$")]
"""The name of something in the configuration."""
Title = Annotated[str, Field(min_length=1, max_length=TITLE_CHARS_MAX)]
Description = Annotated[str, Field(max_length=DESCRIPTION_BYTES_MAX)]
Words = Annotated[str, Field(min_length=1, max_length=WORDS_MAX)]
Seen = Annotated[str, Field(pattern="^sha256:[0-9a-f]{64}$", min_length=71, max_length=71)]
"""The digest of what was shown."""
Revision = Annotated[int, Field(ge=0, le=REVISION_MAX)]

Key = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        pattern="^[!-~]+$",
        description="Names this act; the same key with the same body is the same act, done once.",
    ),
]

_PROBLEM_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "A sentence for a person."},
        "code": {"type": "string", "description": "Stable; what a program compares."},
    },
}
_MEANINGS: Final = {
    400: "Another host, or a request that cannot be read",
    401: "No session, or no operator token",
    403: "Not allowed, or sent from another site",
    404: "It does not exist, or you may not know of it",
    408: "The body took too long to arrive",
    409: "Something moved, or a rule refuses; nothing was written",
    413: "The body is larger than this address takes",
    422: "The request does not fit",
    429: "Too many at once",
    502: "Something outside did not answer, or the outcome is unknown",
    503: "The ledger, the configuration or the sandbox is not available",
}
PROBLEMS: Final[dict[int | str, dict[str, Any]]] = {
    status: {"description": words, "content": {PROBLEM_JSON: {"schema": _PROBLEM_SCHEMA}}}
    for status, words in _MEANINGS.items()
}
"""The refusals every endpoint documents."""
NOT_MODIFIED: Final[dict[int | str, dict[str, Any]]] = {304: {"description": "The head is where you saw it"}}


class NotModifiedError(Exception):
    """The reader has the present state already."""

    def __init__(self, tag: str) -> None:
        super().__init__(tag)
        self.tag = tag


def tag_by_head(
    request: Request, response: Response, visitor: Visitor, state: State, *, part: str = ""
) -> None:
    """Tag a read by the head it was made from, by the reader's role, and by what else it depends on.

    Raises: NotModifiedError when `If-None-Match` names this tag.
    """
    role = visitor.role(state.ledger)
    tag = f'"{state.ledger}-{state.seq}-{"none" if role is None else role.value}{part}"'
    set_tag(request, response, tag)


def set_tag(request: Request, response: Response, tag: str) -> None:
    """Set a strong tag. Raises: NotModifiedError when `If-None-Match` names it."""
    named = request.headers.get("if-none-match", "")
    if tag in (item.strip().removeprefix("W/") for item in named.split(",")):
        raise NotModifiedError(tag)
    response.headers["ETag"] = tag


def take_capture(request: Request, visitor: Visitor) -> None:
    """Count one capture of this person. Raises: ProblemError when there were too many."""
    problem = request.app.state.capture_rate.problem(visitor.person.id)
    if problem is not None:
        raise ProblemError(problem)
