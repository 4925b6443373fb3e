"""A real HTTP server on loopback that speaks both dialects of an OpenAI-compatible endpoint, well and badly.

A test says what comes back by a `Reply`: bytes, a status, and how slowly. What was asked is kept.
"""

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """One answer as it goes over the wire."""

    body: bytes
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    pause_s: float = 0.0
    """Seconds before each piece of the body."""
    piece: int = 1 << 20
    """Bytes sent at once."""
    breaks_off: bool = False
    """Close the connection half way."""


@dataclass
class Asked:
    """One request as it came in."""

    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        """Return the body as JSON."""
        found = json.loads(self.raw)
        assert isinstance(found, dict)
        return found


@dataclass
class ModelServer:
    """The server's address, what it was asked, and what it answers next."""

    url: str = ""
    asked: list[Asked] = field(default_factory=list)
    reply: Callable[[Asked], Reply] = lambda _asked: Reply(b"{}")
    held: threading.Event = field(default_factory=threading.Event)
    """Set when a slow answer may end, so that no thread outlives its test."""


def responses(text: str, status: str = "completed", **more: object) -> Reply:
    """Return what the Responses call answers around a model's text."""
    message = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    }
    answer = {
        "id": "resp_1",
        "object": "response",
        "status": status,
        "output": [{"type": "reasoning", "summary": []}, message],
        **more,
    }
    return Reply(json.dumps(answer).encode())


def completion(text: str | None, finish: str = "stop", refusal: str | None = None) -> Reply:
    """Return what chat completions answer around a model's text."""
    message = {"role": "assistant", "content": text, "refusal": refusal}
    answer = {
        "id": "chat_1",
        "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
    }
    return Reply(json.dumps(answer).encode())


def wrapped(asked: Asked, text: str) -> Reply:
    """Return a model's text in the dialect that was spoken."""
    return responses(text) if asked.path.endswith("/responses") else completion(text)


def material_of(asked: Asked) -> str:
    """Return what the model reads as data."""
    if asked.path.endswith("/responses"):
        return str(asked.body["input"][0]["content"][0]["text"])
    return str(asked.body["messages"][1]["content"])


def offered(asked: Asked) -> list[str]:
    """Return the ids that a model may choose as places, as the schema says."""
    if asked.path.endswith("/responses"):
        schema = asked.body["text"]["format"]["schema"]
    else:
        schema = asked.body["response_format"]["json_schema"]["schema"]
    found = schema["properties"]["places"]["items"]["properties"]["id"]["enum"]
    assert isinstance(found, list)
    return found


def chosen(place: str | None, **other: object) -> str:
    """Return a model's lawful answer that chooses one place, or asks, with fields replaced."""
    answer: dict[str, object] = {
        "kind": "Task",
        "kind_reason": "It says what to do.",
        "alternative_kind": None,
        "title": "Compare three shops",
        "places": [] if place is None else [{"id": place, "score": 870, "reason": "It is about shops."}],
        "relations": [],
        "uncertainty": [],
        "duplicate_of": None,
        "question": "Which shops do you mean?" if place is None else None,
    }
    return json.dumps({**answer, **other})


@contextmanager
def model_server(tls: ssl.SSLContext | None = None) -> Iterator[ModelServer]:
    """Serve on a free port of loopback until the end of the block."""
    here = ModelServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            """Keep what was asked, and send the reply as it says."""
            raw = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            asked = Asked(self.path, dict(self.headers.items()), raw)
            here.asked.append(asked)
            _send(self, here.reply(asked), here.held)

        def log_message(self, *_parts: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *_about: None  # type: ignore[method-assign]
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    here.url = f"{'https' if tls else 'http'}://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield here
    finally:
        here.held.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _send(handler: BaseHTTPRequestHandler, reply: Reply, held: threading.Event) -> None:
    handler.send_response(reply.status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(reply.body)))
    for name, value in reply.headers:
        handler.send_header(name, value)
    handler.end_headers()
    end = len(reply.body) // 2 if reply.breaks_off else len(reply.body)
    for start in range(0, end, reply.piece):
        if reply.pause_s and held.wait(reply.pause_s):
            break
        handler.wfile.write(reply.body[start : min(end, start + reply.piece)])
        handler.wfile.flush()
    if reply.breaks_off:
        handler.close_connection = True
