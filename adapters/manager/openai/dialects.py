"""The two ways to ask: the Responses call with structured output, and chat completions with a JSON schema.

A request is built once and kept exactly as it is sent. An answer is opened as far as the text the model wrote; that a
model refused, was cut off or was filtered is no answer about a place, and is said as what it is.
"""

import json
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from adapters.manager.openai.endpoint import PATHS, Dialect
from adapters.manager.openai.transport import NOT_TEXT
from kernel.errors import InvalidError

_NAME: Final = "placement"


def body_of(dialect: Dialect, model: str, *, instructions: str, material: str, schema: dict[str, Any]) -> str:
    """Return the exact body of one request."""
    if dialect == "responses":
        asked: dict[str, Any] = {
            "model": model,
            "instructions": instructions,
            "input": [{"role": "user", "content": [{"type": "input_text", "text": material}]}],
            "text": {"format": {"type": "json_schema", "name": _NAME, "schema": schema, "strict": True}},
            "store": False,
        }
    else:
        form = {"name": _NAME, "schema": schema, "strict": True}
        asked = {
            "model": model,
            "messages": [
                {"role": "system", "content": instructions},
                {"role": "user", "content": material},
            ],
            "response_format": {"type": "json_schema", "json_schema": form},
        }
    return json.dumps(asked, ensure_ascii=False, separators=(",", ":"))


def dialect_of(endpoint: str) -> Dialect:
    """Return in which way an address was spoken to."""
    return "responses" if endpoint.endswith(PATHS["responses"]) else "chat"


def text_in(dialect: Dialect, exact: str) -> str:
    """Return the text the model wrote, out of the exact answer.

    Raises: InvalidError when it refused, was cut off, was filtered, or when there is no such text.
    """
    if exact.startswith(NOT_TEXT):
        message = "the manager's answer is no text"
        raise InvalidError(message, code="answer_not_text")
    try:
        if dialect == "responses":
            return _from_response(_Response.model_validate_json(exact))
        return _from_completion(_Completion.model_validate_json(exact))
    except ValidationError as error:
        message = "the manager's answer does not have the form of its interface"
        raise InvalidError(message, code="answer_malformed") from error


class _Loose(BaseModel):
    """A part of somebody else's interface: what is not used here may be anything."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class _Piece(_Loose):
    type: str
    text: str | None = None
    refusal: str | None = None


class _Item(_Loose):
    type: str
    content: tuple[_Piece, ...] | None = None


class _Why(_Loose):
    reason: str | None = None


class _Response(_Loose):
    status: str
    output: tuple[_Item, ...] = ()
    incomplete_details: _Why | None = None


class _Message(_Loose):
    content: str | None = None
    refusal: str | None = None


class _Choice(_Loose):
    finish_reason: str | None
    message: _Message


class _Completion(_Loose):
    choices: tuple[_Choice, ...]


_Stop = Literal["length", "content_filter", "refusal"]
_STOPS: Final[dict[_Stop, tuple[str, str]]] = {
    "length": ("answer_cut_off", "the model's answer was cut off at a length limit, so it is not used"),
    "content_filter": ("answer_filtered", "the endpoint filtered the model's answer, so it is not used"),
    "refusal": ("answer_refused", "the model declined to answer"),
}


def _stopped(why: _Stop) -> InvalidError:
    code, message = _STOPS[why]
    return InvalidError(message, code=code)


def _from_response(answer: _Response) -> str:
    if answer.status == "incomplete":
        reason = answer.incomplete_details.reason if answer.incomplete_details else None
        raise _stopped("content_filter" if reason == "content_filter" else "length")
    pieces = [piece for item in answer.output if item.type == "message" for piece in item.content or ()]
    if any(piece.type == "refusal" for piece in pieces):
        raise _stopped("refusal")
    texts = [piece.text for piece in pieces if piece.type == "output_text" and piece.text is not None]
    if answer.status != "completed" or len(texts) != 1:
        message = "the manager's answer holds no text of the model, or several"
        raise InvalidError(message, code="answer_malformed")
    return texts[0]


def _from_completion(answer: _Completion) -> str:
    if len(answer.choices) != 1:
        message = "the manager's answer holds no choice, or several"
        raise InvalidError(message, code="answer_malformed")
    choice = answer.choices[0]
    if choice.message.refusal:
        raise _stopped("refusal")
    if choice.finish_reason in {"length", "content_filter"}:
        raise _stopped("length" if choice.finish_reason == "length" else "content_filter")
    if choice.finish_reason != "stop" or choice.message.content is None:
        message = "the manager's answer ended in a way that is no answer"
        raise InvalidError(message, code="answer_malformed")
    return choice.message.content
