"""One POST to an endpoint: one try, one deadline for all of it, no redirect, no proxy, a bounded answer.

The call runs in a thread of its own, so that neither a slow name server nor a peer that drips bytes can hold the
caller beyond the deadline. Every way it can fail is a ManagerUnavailableError with a code and a sentence.
"""

import asyncio
import base64
import json
import ssl
import threading
from concurrent.futures import Future
from typing import Final

import httpx2

from adapters.manager.openai.endpoint import Endpoint
from kernel.errors import ManagerUnavailableError

ANSWER_BYTES_MAX: Final = 1024 * 1024
EXCERPT: Final = 300
GRACE_S: Final = 1.0
"""What the thread gets to close its connection before the caller stops waiting for it."""
NOT_TEXT: Final = "data:application/octet-stream;base64,"
"""Begins an answer that is no UTF-8 and is therefore kept in base64; nothing readable begins so."""

_REFUSALS: Final = {
    400: ("manager_rejected_request", "refused the request"),
    401: ("manager_refused_key", "refused the key"),
    403: ("manager_refused_key", "refused the key"),
    404: ("manager_rejected_request", "knows no such model or address"),
    408: ("manager_timed_out", "gave up waiting"),
    413: ("manager_rejected_request", "refused the request as too large"),
    429: ("manager_rate_limited", "takes no more requests now"),
}
_OK: Final = 200
_REDIRECTS: Final = range(300, 400)
_SERVER_ERRORS: Final = 500


def post(endpoint: Endpoint, body: str) -> str:
    """Send a body once and return the exact answer as text.

    Raises: ManagerUnavailableError when there is no answer, when it is too large, or when it repeats the key.
    """
    outcome: Future[bytes] = Future()
    threading.Thread(target=_run, args=(endpoint, body.encode(), outcome), daemon=True).start()
    try:
        answer = outcome.result(endpoint.deadline_s + GRACE_S)
    except TimeoutError as error:
        raise _timed_out(endpoint) from error
    if endpoint.key is not None and endpoint.key.encode() in answer:
        message = "the answer repeated the key of this machine, so it was not kept; ask who runs the endpoint"
        raise ManagerUnavailableError(message, code="answer_repeats_key")
    try:
        return answer.decode("utf-8")
    except UnicodeDecodeError:
        return NOT_TEXT + base64.b64encode(answer).decode()


def _run(endpoint: Endpoint, body: bytes, outcome: "Future[bytes]") -> None:
    try:
        outcome.set_result(asyncio.run(_within_deadline(endpoint, body)))
    except BaseException as error:  # noqa: BLE001 - whatever ends this thread is for the caller to know
        outcome.set_exception(error)


async def _within_deadline(endpoint: Endpoint, body: bytes) -> bytes:
    try:
        async with asyncio.timeout(endpoint.deadline_s):
            return await _exchange(endpoint, body)
    except (TimeoutError, httpx2.TimeoutException) as error:
        raise _timed_out(endpoint) from error
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
        raise _unreachable(error) from error


async def _exchange(endpoint: Endpoint, body: bytes) -> bytes:
    headers = {
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "Content-Type": "application/json",
        "User-Agent": "odeu-worldstate-studio",
    }
    if endpoint.key is not None:
        headers["Authorization"] = f"Bearer {endpoint.key}"
    async with (
        httpx2.AsyncClient(
            trust_env=False,
            follow_redirects=False,
            timeout=endpoint.deadline_s,
            verify=_trust(endpoint),
        ) as client,
        client.stream("POST", endpoint.url, content=body, headers=headers) as response,
    ):
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            message = "the manager answered in a compressed form that nobody asked for"
            raise ManagerUnavailableError(message, code="manager_answer_encoded")
        answer = await _bounded(response)
        if response.status_code != _OK:
            raise _refused(endpoint, response.status_code, answer)
        return answer


def _trust(endpoint: Endpoint) -> ssl.SSLContext | bool:
    if endpoint.ca_file is None or not endpoint.base_url.startswith("https:"):
        return True
    return ssl.create_default_context(cafile=endpoint.ca_file)


async def _bounded(response: httpx2.Response) -> bytes:
    """Read an answer up to the bound; one byte more is too many."""
    answer = bytearray()
    async for piece in response.aiter_raw():
        answer += piece
        if len(answer) > ANSWER_BYTES_MAX:
            message = f"the manager's answer is longer than {ANSWER_BYTES_MAX:,} bytes, so it was not read on"
            raise ManagerUnavailableError(message, code="manager_answer_too_large")
    return bytes(answer)


def _timed_out(endpoint: Endpoint) -> ManagerUnavailableError:
    message = f"the manager did not answer within {endpoint.deadline_s:g} seconds"
    return ManagerUnavailableError(message, code="manager_timed_out")


def _unreachable(error: Exception) -> ManagerUnavailableError:
    reason: BaseException | None = error
    while reason is not None:
        if isinstance(reason, ssl.SSLError):
            message = "the manager's certificate or encryption was refused, so nothing was sent"
            return ManagerUnavailableError(message, code="manager_tls_refused")
        reason = reason.__cause__ or reason.__context__
    if isinstance(error, httpx2.ConnectError):
        return ManagerUnavailableError("the manager cannot be reached", code="manager_unreachable")
    message = "the connection to the manager broke before its answer was complete"
    return ManagerUnavailableError(message, code="manager_broke_off")


def _refused(endpoint: Endpoint, status: int, body: bytes) -> ManagerUnavailableError:
    if status in _REDIRECTS:
        message = f"the manager pointed elsewhere ({status}); texts go only where the configuration says"
        return ManagerUnavailableError(message, code="manager_redirected")
    code, words = _REFUSALS.get(status, ("manager_rejected_request", "refused the request"))
    if status >= _SERVER_ERRORS or status < _OK:
        code, words = "manager_failed", "failed"
    said = _excerpt(body, endpoint.key)
    message = f"the manager {words} ({status}){': ' + said if said else ''}"
    return ManagerUnavailableError(message, code=code)


def _excerpt(body: bytes, key: str | None) -> str:
    """Return what an error says of itself, on one line and without the key."""
    try:
        told = json.loads(body)["error"]
        text = told["message"] if isinstance(told, dict) else told
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    line = "".join(character if character.isprintable() else " " for character in str(text))
    if key is not None:
        line = line.replace(key, "(the key)")
    return line if len(line) <= EXCERPT else f"{line[:EXCERPT]}\u2026"
