"""How a refusal leaves the house over HTTP: one table from error class to status, one body format.

Owns the problem document (RFC 9457) and the choice between it and its page twin. It does not own the page:
whoever builds the application passes a function that renders a `Problem` as HTML.
"""

import logging
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import orjson
from fastapi.exceptions import RequestValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kernel import errors

PROBLEM_JSON: Final = "application/problem+json"
HTML: Final = "text/html"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Problem:
    """One refusal or failure as a client reads it; `detail` is a sentence for a person and holds no secret."""

    status: int
    code: str
    title: str
    detail: str
    facts: tuple[tuple[str, object], ...] = ()
    """More members of the document, such as the current head after a lost race."""
    headers: tuple[tuple[str, str], ...] = ()
    """Response headers that belong to the refusal, such as `Retry-After`."""

    def document(self) -> dict[str, object]:
        """Return the problem document; the five standing members win over facts of the same name."""
        standing = {
            "type": f"urn:odeu:problem:{self.code}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
        }
        return {**dict(self.facts), **standing}


Answer: TypeAlias = Callable[[Request, Problem], Response]
"""Turns a problem into a response; every refusal of the web edge goes through one of these."""

STATUS_OF: Final[Mapping[type[errors.StudioError], tuple[int, str]]] = {
    errors.NotFoundError: (404, "Not found"),
    errors.AuthorityError: (403, "Not allowed"),
    errors.InvalidError: (422, "Does not fit"),
    errors.ConflictError: (409, "Something moved"),
    errors.EvidenceError: (409, "Evidence is missing"),
    errors.RefusedError: (409, "Refused"),
    errors.CanonicalError: (422, "Does not fit"),
    errors.LedgerConflictError: (409, "Something moved"),
    errors.LedgerUnavailableError: (503, "The ledger is not available"),
    errors.ConfigurationError: (503, "The configuration has a problem"),
    errors.ManagerUnavailableError: (503, "The manager is not available"),
    errors.SandboxUnavailableError: (503, "The sandbox is not available"),
    errors.GitRefusedError: (409, "The repository refused"),
    errors.JournalError: (503, "The promotion journal has a problem"),
    errors.OutcomeUnknownError: (502, "The outcome is unknown"),
    errors.BoundaryError: (502, "Something outside did not answer"),
    errors.HistoryError: (503, "The stored history is not what it must be"),
}
"""The one table. A class that is not listed takes the entry of its nearest listed parent."""

_HTTP_WORDS: Final[Mapping[int, tuple[str, str, str]]] = {
    401: ("not_signed_in", "Sign in first", "This needs a session or a token. Sign in and try again."),
    403: ("forbidden", "Not allowed", "You may not do this here."),
    404: ("not_found", "Not found", "There is nothing at this address, or nothing you may see."),
    405: ("method_not_allowed", "Not possible this way", "This address does not take that method."),
    413: ("body_too_large", "Too large", "The request is larger than this address takes."),
    429: ("rate_limited", "Too many at once", "Wait a moment, then try again."),
}


def problem_of(error: errors.StudioError, facts: Mapping[str, object] | None = None) -> Problem:
    """Return the problem for an error of the house, with the class's status and the error's own words."""
    known = {"head": error.head_seq} if isinstance(error, errors.LedgerConflictError) else {}
    extra = tuple(sorted({**known, **(facts or {})}.items()))
    for kind in type(error).__mro__:
        if kind in STATUS_OF:
            status, title = STATUS_OF[kind]
            return Problem(status, error.reason_code, title, error.message, extra)
    return Problem(500, error.reason_code, "Something went wrong here", error.message, extra)


def incident_problem(incident: str) -> Problem:
    """Return what a stranger may know of an unforeseen failure: that it happened and how to name it."""
    detail = f"This is a fault of ours, not of your request. Its number in the log is {incident}."
    return Problem(500, "internal_fault", "Something went wrong here", detail, (("incident", incident),))


def answer_json(request: Request, problem: Problem) -> Response:
    """Answer with the problem document, whoever asks."""
    del request
    body = orjson.dumps(problem.document())
    return Response(body, problem.status, dict(problem.headers), media_type=PROBLEM_JSON)


def wants_page(request: Request) -> bool:
    """Return whether the asker is a person with a browser: HTML is accepted and the path is no API path."""
    if request.url.path.startswith("/api/"):
        return False
    return HTML in request.headers.get("accept", "")


def answer_with(page: Answer) -> Answer:
    """Return an answer that renders the page for browsers and the document for everyone else."""

    def answer(request: Request, problem: Problem) -> Response:
        if not wants_page(request):
            return answer_json(request, problem)
        response = page(request, problem)
        for name, value in problem.headers:
            response.headers[name] = value
        return response

    return answer


def http_problem(error: HTTPException) -> Problem:
    """Return the problem for a refusal of the framework, such as an unknown path."""
    fallback = ("http_refused", "Refused", "The request was refused.")
    code, title, detail = _HTTP_WORDS.get(error.status_code, fallback)
    headers = tuple(sorted((error.headers or {}).items()))
    return Problem(error.status_code, code, title, detail, headers=headers)


def validation_problem(error: RequestValidationError) -> Problem:
    """Return the problem for a malformed request: where and what, never the value that was sent."""
    found = [
        {"where": ".".join(str(part) for part in item["loc"]), "what": str(item["msg"])}
        for item in error.errors()[:32]
    ]
    places = ", ".join(item["where"] for item in found[:3])
    return Problem(
        422, "invalid", "Does not fit", f"The request does not fit at: {places}.", (("errors", found),)
    )


def install_problem_answers(app: Starlette, answer: Answer) -> None:
    """Make the application answer every refusal, its own and the framework's, through `answer`.

    `answer` may read what a page needs, so it is called in a thread and not in the loop.
    """

    def on_studio_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, errors.StudioError)
        return answer(request, problem_of(error))

    def on_http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return answer(request, http_problem(error))

    def on_validation(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return answer(request, validation_problem(error))

    # Inside Starlette's own outermost layer, which would otherwise answer an unforeseen error in its words.
    app.add_middleware(IncidentBoundary, answer=answer)
    app.add_exception_handler(errors.StudioError, on_studio_error)
    app.add_exception_handler(HTTPException, on_http)
    app.add_exception_handler(RequestValidationError, on_validation)


class IncidentBoundary:
    """Middleware: an unforeseen error becomes one log line with its traceback and a page without any of it.

    One of the two outermost loops that may catch everything. When the response has already begun there is
    nothing left to say to the client, so the error goes on and the server drops the connection.
    """

    def __init__(self, app: ASGIApp, answer: Answer = answer_json) -> None:
        self._app = app
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the application and turn what it lets through into an incident."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def watched(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception as error:
            incident = secrets.token_hex(6)
            _log.exception("incident %s: %s in %s", incident, type(error).__name__, scope["method"])
            if begun:
                raise
            await self._answer(Request(scope), incident_problem(incident))(scope, receive, send)


def with_facts(problem: Problem, **facts: object) -> Problem:
    """Return the problem with more facts, such as `head` and `moved` after a lost race."""
    return replace(problem, facts=tuple(sorted({**dict(problem.facts), **facts}.items())))
