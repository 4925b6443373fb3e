"""The headers every response carries, whatever made it.

Owns their exact values. The content policy has no nonce and no `unsafe-*`: nothing on a page is inline, so
nothing that somebody typed can become code.
"""

from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

SECURITY_HEADERS: Final[tuple[tuple[str, str], ...]] = (
    ("Content-Security-Policy", CONTENT_SECURITY_POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
)

PUBLIC_PREFIX: Final = "/static/"
"""The only paths whose responses may be stored: the same bytes for everybody."""


class SecurityHeaders:
    """Middleware, the outermost: sets the security headers and keeps private answers out of every cache.

    A header that the application set itself is replaced, so that no handler can weaken one. Outside
    `PUBLIC_PREFIX` everything is `no-store`.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the application and complete the head of its response."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_private = not scope["path"].startswith(PUBLIC_PREFIX)

        async def completed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=list(message.get("headers", [])))
                for name, value in SECURITY_HEADERS:
                    headers[name] = value
                if is_private:
                    headers["Cache-Control"] = "no-store"
                message = {**message, "headers": headers.raw}
            await send(message)

        await self._app(scope, receive, completed)
