"""Asking the provider: no redirect is followed, and an answer has a bound in bytes and in time.

The provider is chosen by who runs the server, but it may be broken, slow or taken over. Environment variables
that would send requests through a proxy are not read, and answers are not unpacked.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final, TypeVar

import httpx2

from kernel.errors import BoundaryError

BYTES_MAX: Final = 256 * 1024
"""Bytes of the longest answer that is read."""

SECONDS_MAX: Final = 10.0
"""Seconds that the whole conversation of one sign-in may take."""

UNAVAILABLE: Final = "identity_provider"

T = TypeVar("T")


class _TooLargeError(httpx2.TransportError):
    """The provider sent more than is read."""


class _Counted(httpx2.AsyncByteStream):
    """A body that ends with an error at the first byte over the bound."""

    def __init__(self, inner: httpx2.AsyncByteStream, most: int) -> None:
        self._inner = inner
        self._most = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield the body's pieces."""
        size = 0
        async for piece in self._inner:
            size += len(piece)
            if size > self._most:
                raise _TooLargeError("the answer is too large")
            yield piece

    async def aclose(self) -> None:
        """Close the connection's side of it."""
        await self._inner.aclose()


class BoundedTransport(httpx2.AsyncBaseTransport):
    """The real transport, with the bound on every answer; one that is packed or leads elsewhere is refused."""

    def __init__(self, most: int = BYTES_MAX) -> None:
        self._inner = httpx2.AsyncHTTPTransport(verify=ssl.create_default_context(), trust_env=False)
        self._most = most

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request and hand its answer on, counted."""
        request.headers["Accept-Encoding"] = "identity"
        answer = await self._inner.handle_async_request(request)
        if answer.is_redirect or answer.headers.get("content-encoding", "identity") != "identity":
            await answer.aclose()
            raise httpx2.TransportError("the answer leads elsewhere, or is packed")
        assert isinstance(answer.stream, httpx2.AsyncByteStream)
        return httpx2.Response(
            answer.status_code,
            headers=answer.headers,
            stream=_Counted(answer.stream, self._most),
            extensions=answer.extensions,
        )

    async def aclose(self) -> None:
        """Close every connection."""
        await self._inner.aclose()


def within(seconds: float, ask: Callable[[], Awaitable[T]]) -> T:
    """Run a conversation with the provider to its end, or give it up when its time is over.

    Raises: BoundaryError, `identity_provider`; its sentence names no address and no value.
    """

    async def timed() -> T:
        """Ask, and give up when the time is over."""
        async with asyncio.timeout(seconds):
            return await ask()

    try:
        return asyncio.run(timed())
    except TimeoutError as error:
        message = f"the sign-in provider did not answer within {seconds:g} seconds; try again later"
        raise BoundaryError(message, code=UNAVAILABLE) from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        message = "the sign-in provider cannot be reached, or its answer cannot be used; try again later"
        raise BoundaryError(message, code=UNAVAILABLE) from error


async def json_object(client: httpx2.AsyncClient, address: str) -> dict[str, Any]:
    """Return the JSON object at an address.

    Raises: BoundaryError when it is something else; the client's errors.
    """
    answer = await client.get(address, headers={"Accept": "application/json"})
    answer.raise_for_status()
    try:
        found = answer.json()
    except ValueError as error:
        raise unusable() from error
    if not isinstance(found, dict):
        raise unusable()
    return found


def unusable() -> BoundaryError:
    """Return the refusal of an answer that is not what OpenID Connect says."""
    message = (
        "the sign-in provider's answer is not what OpenID Connect says; whoever runs the server should look"
    )
    return BoundaryError(message, code=UNAVAILABLE)
