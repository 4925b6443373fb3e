"""What a request may weigh, and which session its form belongs to. Owns no route and no rule of the kernel."""

import asyncio
import hashlib
import hmac
import json
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.web.errors_http import Answer, Problem, answer_json, problem_of
from app.web.origin import SAFE_METHODS
from kernel.canonical import parse_foreign
from kernel.errors import CanonicalError

BODY_BYTES_MAX: Final = 1024 * 1024
BODY_SECONDS_MAX: Final = 30.0
DRAIN_BYTES_MAX: Final = 32 * 1024 * 1024
"""How much of a refused body is read and thrown away, so that who sends it can read the refusal."""
DRAIN_SECONDS_MAX: Final = 10.0
_DIGITS_MAX: Final = 15
FORM_FIELD: Final = "form_token"
"""Name of the hidden field that carries a form token."""
FORM_KEY_BYTES_MIN: Final = 32

_FORM_TOKEN_DOMAIN: Final = b"odeu.form-token.v1\0"


@dataclass(frozen=True, slots=True)
class BodyBounds:
    """How many bytes a body may have; the longest matching path prefix wins over the default."""

    default: int = BODY_BYTES_MAX
    by_prefix: tuple[tuple[str, int], ...] = ()

    def of(self, path: str) -> int:
        """Return the bound for a path, in bytes."""
        fitting = [(len(prefix), size) for prefix, size in self.by_prefix if path.startswith(prefix)]
        return max(fitting)[1] if fitting else self.default


DEFAULT_BOUNDS: Final = BodyBounds()


class _TooLargeError(Exception):
    """The body is over its bound; `is_over` tells that its end was read as well."""

    def __init__(self, *, is_over: bool = False) -> None:
        self.is_over = is_over


class _GoneError(Exception):
    """The client went away before its body was complete."""


async def _read(receive: Receive, bound: int) -> bytes:
    """Read a body to its end and keep nothing from the first byte over the bound on."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise _GoneError
        body += message.get("body", b"")
        is_over = not message.get("more_body", False)
        if len(body) > bound:
            raise _TooLargeError(is_over=is_over)
        if is_over:
            return bytes(body)


async def _drain(request: Request, receive: Receive) -> None:
    """Read the rest of a refused body and keep nothing of it, within bounds.

    Most programs send all they have before they read an answer. Closed on while it sends, one learns of a broken pipe and
    never of the refusal. One that asks first whether to go on is told at once.
    """
    if request.headers.get("expect", "").lower() == "100-continue":
        return
    left = DRAIN_BYTES_MAX
    try:
        async with asyncio.timeout(DRAIN_SECONDS_MAX):
            while left > 0:
                message = await receive()
                left -= len(message.get("body", b""))
                if message["type"] != "http.request" or not message.get("more_body", False):
                    return
    except TimeoutError:
        return


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a receive that gives the whole body once and then speaks for the connection."""
    pending = [body]

    async def replayed() -> Message:
        if pending:
            return {"type": "http.request", "body": pending.pop(), "more_body": False}
        return await receive()

    return replayed


class BoundedBody:
    """Middleware: a body over its bound never reaches a parser, nor does JSON that two readers read differently.

    A declared length is refused at once; an undeclared one is counted. The body is held whole (it is small by
    definition), because a parser that is interrupted half-way would answer in its own words.
    """

    def __init__(
        self, app: ASGIApp, bounds: BodyBounds = DEFAULT_BOUNDS, answer: Answer = answer_json
    ) -> None:
        self._app = app
        self._bounds = bounds
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body of a write within its bound, then run the application on it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        bound = self._bounds.of(scope["path"])
        try:
            _check_declared(request, bound)
            if scope["method"] not in SAFE_METHODS:
                async with asyncio.timeout(BODY_SECONDS_MAX):
                    body = await _read(receive, bound)
                if _is_json(request):
                    _check_one_meaning(body, bound)
                receive = _replay(body, receive)
        except _TooLargeError as error:
            if not error.is_over:
                await _drain(request, receive)
            await self._answer(request, _too_large(bound))(scope, receive, send)
            return
        except TimeoutError:
            detail = f"The request took longer than {BODY_SECONDS_MAX:.0f} seconds to arrive. Send it again."
            problem = Problem(408, "body_too_slow", "Too slow", detail)
            await self._answer(request, problem)(scope, receive, send)
            return
        except CanonicalError as error:
            await self._answer(request, problem_of(error))(scope, receive, send)
            return
        except _GoneError:
            return
        await self._app(scope, receive, send)


def _check_declared(request: Request, bound: int) -> None:
    """Refuse a declared length over the bound, or one that is no plain number."""
    declared = request.headers.get("content-length")
    if declared is None:
        return
    if (
        not (declared.isascii() and declared.isdigit())
        or len(declared) > _DIGITS_MAX
        or int(declared) > bound
    ):
        raise _TooLargeError


def _is_json(request: Request) -> bool:
    """Tell whether the routes would read the body as JSON; they do so without a content type as well."""
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


def _check_one_meaning(body: bytes, bound: int) -> None:
    """Refuse JSON that the routes would read and another reader could read differently, such as a key twice.

    What is no JSON at all passes: the routes answer it in their own words. Raises: CanonicalError.
    """
    try:
        parse_foreign(body, max_bytes=bound)
    except CanonicalError:
        try:
            json.loads(body)
        except (ValueError, RecursionError):
            return
        raise


def _too_large(bound: int) -> Problem:
    """Say what the bound is; the connection closes, since of more than a drain takes nobody will read the rest."""
    detail = f"This address takes at most {bound:,} bytes. Send less at once; nothing was kept or written."
    facts = (("bytes_max", bound),)
    return Problem(413, "body_too_large", "Too large", detail, facts, (("Connection", "close"),))


class FormTokens:
    """Tokens that tie a form to the session it was rendered for: an HMAC of the session id under a server key."""

    def __init__(self, key: bytes) -> None:
        assert len(key) >= FORM_KEY_BYTES_MIN, "a form token key is too short"
        self._key = key

    def issue(self, session_id: str) -> str:
        """Return the token that every form of this session carries in `FORM_FIELD`."""
        return hmac.new(self._key, _FORM_TOKEN_DOMAIN + session_id.encode(), hashlib.sha256).hexdigest()

    def is_valid(self, session_id: str, token: str) -> bool:
        """Return whether the token belongs to the session; takes the same time for every wrong token."""
        return hmac.compare_digest(self.issue(session_id).encode(), token.encode("utf-8", "replace"))

    def problem(self, session_id: str, token: str) -> Problem | None:
        """Return the refusal for a missing or foreign token, or None."""
        if self.is_valid(session_id, token):
            return None
        detail = "This form belongs to another session or an older sign-in. Open the page again and repeat the act."
        return Problem(403, "form_token", "Refused: the form is not from your session", detail)
