"""Who is calling from where: the public origin, allowed hosts, cross-site writes and the operator's edge.

Every rule here is decided from the request's head, before one byte of its body is read.

A write (any method but GET, HEAD and OPTIONS) passes when

- it carries no session cookie but a Bearer: `Sec-Fetch-Site`, if sent, is `same-origin` or `none`, and
  `Origin`, if sent, is the public origin (a program sends neither);
- otherwise, signing in included: `Sec-Fetch-Site` is `same-origin`; when absent, `Origin` is the public
  origin; when both are absent it is refused. `Origin` is not compared when `Sec-Fetch-Site` speaks, because
  a form of a page with `Referrer-Policy: no-referrer` sends `Origin: null` to its own server.

An operator's act needs the public `Origin` and `Sec-Fetch-Site: same-origin` and a known Bearer.
"""

import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from app.web.errors_http import Answer, Problem, answer_json
from app.web.rates import TokenBuckets
from kernel.errors import ConfigurationError

SESSION_COOKIE: Final = "odeu_session"
FLOW_COOKIE: Final = "odeu_signin"
"""The secret of a flow through the sign-in provider, for ten minutes."""
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
LOOPBACK_NAMES: Final = ("127.0.0.1", "localhost", "[::1]")
OPERATOR_ACTS: Final = re.compile(r"/api/v1/promotions/[a-z0-9_]{1,64}/(?:execute|reconcile)")
BEARER_BYTES_MIN: Final = 32
BEARER_BYTES_MAX: Final = 512

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PublicOrigin:
    """The one origin people open, and the Host headers that lead to it."""

    origin: str
    hosts: frozenset[str]

    @property
    def is_secure(self) -> bool:
        """True when cookies must carry `Secure`: the origin is https."""
        return self.origin.startswith("https://")


def public_origin(text: str) -> PublicOrigin:
    """Read `ODEU_PUBLIC_ORIGIN`: https, or http on an exact loopback name; no path, no user, no query.

    For a loopback origin the three loopback names with its port are allowed hosts; else only its own.

    Raises: ConfigurationError when it is anything else.
    """
    parts = urlsplit(text)
    try:
        port = parts.port
    except ValueError as error:
        raise ConfigurationError(f"The public origin {text!r} has no usable port.") from error
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else (parts.hostname or "")
    is_loopback = host in LOOPBACK_NAMES
    suffix = "" if port in (None, _DEFAULT_PORTS.get(parts.scheme)) else f":{port}"
    exact = f"{parts.scheme}://{host}{suffix}"
    if not host or exact != text or not (parts.scheme == "https" or (parts.scheme == "http" and is_loopback)):
        raise ConfigurationError(
            f"The public origin {text!r} must be https://NAME[:PORT], or http:// with 127.0.0.1, localhost "
            "or [::1], in lower case and without a path."
        )
    names = LOOPBACK_NAMES if is_loopback else (host,)
    return PublicOrigin(exact, frozenset(f"{name}{suffix}" for name in names))


def _refused(request: Request, problem: Problem) -> Problem:
    """Log a refusal with its code and path, never with a header's value, and hand it on."""
    _log.warning("refused %s: %s %s", problem.code, request.method, request.url.path)
    return problem


class AllowedHosts:
    """Middleware: refuse a request for another name, which is how DNS rebinding reaches a loopback server."""

    def __init__(self, app: ASGIApp, origin: PublicOrigin, answer: Answer = answer_json) -> None:
        self._app = app
        self._origin = origin
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on when it names an allowed host, exactly once."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        named = [value for name, value in scope["headers"] if name == b"host"]
        if len(named) == 1 and named[0].decode("latin-1") in self._origin.hosts:
            await self._app(scope, receive, send)
            return
        request = Request({**scope, "type": "http", "method": scope.get("method", "GET")})
        detail = f"This server answers as {self._origin.origin} only. Open that address."
        problem = _refused(request, Problem(400, "wrong_host", "Wrong address", detail))
        await self._answer(request, problem)(scope, receive, send)


def _single(request: Request, name: str) -> str | None:
    """Return a header's value; several of one name become a value that matches nothing."""
    values = request.headers.getlist(name)
    return None if not values else values[0] if len(values) == 1 else "\0several"


def bearer_of(request: Request) -> str | None:
    """Return the Bearer of a request when there is exactly one of lawful length, else None."""
    scheme, _, token = (_single(request, "authorization") or "").partition(" ")
    if scheme.lower() != "bearer" or not BEARER_BYTES_MIN <= len(token) <= BEARER_BYTES_MAX:
        return None
    return token if token.isascii() and token.isprintable() and " " not in token else None


def cross_site_problem(request: Request, origin: PublicOrigin) -> Problem | None:
    """Return why a write may not come from where it comes from, or None when it may."""
    if request.method in SAFE_METHODS:
        return None
    site, sender = _single(request, "sec-fetch-site"), _single(request, "origin")
    if SESSION_COOKIE not in request.cookies and bearer_of(request) is not None:
        if site in (None, "none", "same-origin") and sender in (None, origin.origin):
            return None
    elif site == "same-origin" or (site is None and sender == origin.origin):
        return None
    detail = (
        f"This write did not come from a page of {origin.origin}, so nothing was done. Open the page there."
    )
    return Problem(403, "cross_site", "Refused: sent from elsewhere", detail)


class CrossSiteWrites:
    """Middleware: refuse writes that another site may have caused. The rule stands at the top of the module."""

    def __init__(self, app: ASGIApp, origin: PublicOrigin, answer: Answer = answer_json) -> None:
        self._app = app
        self._origin = origin
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on when it is a read or a lawful write."""
        if scope["type"] == "http":
            request = Request(scope)
            problem = cross_site_problem(request, self._origin)
            if problem is not None:
                await self._answer(request, _refused(request, problem))(scope, receive, send)
                return
        await self._app(scope, receive, send)


FindOperator: TypeAlias = Callable[[str], Awaitable[str | None]]
"""Given a Bearer, return the id of the operator it belongs to now, or None. Compares hashes in constant time."""


def operator_edge_problem(request: Request, origin: PublicOrigin) -> Problem | None:
    """Return why an operator's act is refused before its token is even looked up, or None."""
    is_ours = _single(request, "origin") == origin.origin
    if not is_ours or _single(request, "sec-fetch-site") != "same-origin":
        detail = f"An operator acts from the page at {origin.origin}, or on the command line. Nothing moved."
        return Problem(403, "operator_edge", "Refused: not from the operator page", detail)
    if request.scope.get("query_string"):
        detail = "This address takes no query: a token never stands in an address. Nothing moved."
        return Problem(400, "query_refused", "Refused: the address carries data", detail)
    return None


class OperatorEdge:
    """Middleware for execute and reconcile: exact origin, Fetch Metadata and Bearer, before the body is read.

    On success `request.state.operator_id` names the operator. The token itself is passed to nobody. Attempts are
    counted per address before a token is looked up, so that tokens cannot be tried in a row.
    """

    def __init__(
        self,
        app: ASGIApp,
        origin: PublicOrigin,
        find_operator: FindOperator,
        *,
        attempts: TokenBuckets,
        answer: Answer = answer_json,
    ) -> None:
        self._app = app
        self._origin = origin
        self._find_operator = find_operator
        self._attempts = attempts
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything but an unauthenticated operator's act on."""
        is_act = scope["type"] == "http" and OPERATOR_ACTS.fullmatch(scope["path"])
        if not is_act or scope["method"] in SAFE_METHODS:
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        problem = operator_edge_problem(request, self._origin) or await self._authenticate(request)
        if problem is not None:
            await self._answer(request, _refused(request, problem))(scope, receive, send)
            return
        await self._app(scope, receive, send)

    async def _authenticate(self, request: Request) -> Problem | None:
        """Find the operator of the Bearer and leave the id in the request's state, or say why not."""
        problem = self._attempts.problem(request.client.host if request.client else "unknown")
        if problem is not None:
            return problem
        token = bearer_of(request)
        operator_id = None if token is None else await self._find_operator(token)
        if operator_id is None:
            detail = "No operator token, or one that is unknown, expired or revoked. Nothing moved."
            headers = (("WWW-Authenticate", "Bearer"),)
            return Problem(401, "operator_token", "Operator token needed", detail, headers=headers)
        request.state.operator_id = operator_id
        return None
