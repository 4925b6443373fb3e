"""A real OpenID provider on loopback: real keys, a real HTTP server, and every way of misbehaving on demand.

It knows one account, asks nobody for a password, and otherwise does what the specifications say: one-time codes
bound to client, redirect address and PKCE challenge, ID tokens signed by a key of its published set.
"""

import base64
import hashlib
import hmac
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

CLIENT: Final = ("odeu-here", "a-client-secret-of-the-tests")
SUBJECT: Final = "248289761001"
RETURN: Final = "http://127.0.0.1:8765/signin/oidc/return"


@cache
def _made(kid: str) -> RSAKey:
    """Return a key that is made once per process, since making one takes a while."""
    return RSAKey.generate_key(2048, {"kid": kid, "use": "sig"})


@dataclass
class Provider:
    """The provider's mind. Change its fields to make it misbehave."""

    issuer: str = ""
    key: RSAKey = field(default_factory=lambda: _made("first"))
    subject: str = SUBJECT
    client_port: int = 8765
    """The port of loopback at which the one client lives."""
    claims: dict[str, Any] = field(default_factory=dict)
    """Claims that replace the right ones; a None takes one away."""
    sign: Callable[["Provider", dict[str, Any]], str] | None = None
    """Another way to make a token from claims."""
    document: dict[str, Any] = field(default_factory=dict)
    """Members that replace those of the discovery document."""
    instead: dict[str, Callable[[BaseHTTPRequestHandler], None]] = field(default_factory=dict)
    """Path -> what is done instead of answering."""
    asked: list[str] = field(default_factory=list)
    """The paths that were asked for."""
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def described(self) -> dict[str, Any]:
        """Return the discovery document."""
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
            **self.document,
        }

    def authorized(self, asked: dict[str, str]) -> str:
        """Return where the browser is sent back to, with a fresh code for the one account."""
        assert (asked["response_type"], asked["scope"], asked["code_challenge_method"]) == (
            "code",
            "openid",
            "S256",
        )
        home = RETURN.replace("8765", str(self.client_port))
        assert (asked["client_id"], asked["redirect_uri"]) == (CLIENT[0], home)
        code = secrets.token_urlsafe(16)
        self.codes[code] = asked
        return f"{home}?{urlencode({'code': code, 'state': asked['state'], 'iss': self.issuer})}"

    def redeemed(self, form: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        """Return the answer of the token endpoint."""
        shown = base64.b64encode(":".join(CLIENT).encode()).decode()
        asked = self.codes.pop(form.get("code", ""), None)
        if not hmac.compare_digest(authorization, f"Basic {shown}") or asked is None:
            return 400, {"error": "invalid_grant"}
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if challenge != asked["code_challenge"] or form.get("redirect_uri") != asked["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {"iss": self.issuer, "sub": self.subject, "aud": CLIENT[0], "iat": now, "exp": now + 300}
        claims |= {"nonce": asked["nonce"], **self.claims}
        kept = {name: value for name, value in claims.items() if value is not None}
        token = (self.sign or signed)(self, kept)
        return 200, {"access_token": "unused", "token_type": "Bearer", "expires_in": 60, "id_token": token}


def signed(provider: Provider, claims: dict[str, Any]) -> str:
    """Return the token of an honest provider."""
    return jwt.encode({"alg": "RS256", "kid": provider.key.kid}, claims, provider.key)


def unsigned(_provider: Provider, claims: dict[str, Any]) -> str:
    """Return a token of the algorithm `none`."""
    parts = (json.dumps(item).encode() for item in ({"alg": "none", "kid": "first"}, claims))
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts) + "."


def signed_with_the_public_key(provider: Provider, claims: dict[str, Any]) -> str:
    """Return a token whose HMAC secret is the public key's own bytes, which everybody knows."""
    header = {"alg": "HS256", "kid": "first"}
    parts = [
        base64.urlsafe_b64encode(json.dumps(item).encode()).decode().rstrip("=") for item in (header, claims)
    ]
    digest = hmac.digest(provider.key.as_pem(private=False), ".".join(parts).encode(), hashlib.sha256)
    return ".".join((*parts, base64.urlsafe_b64encode(digest).decode().rstrip("=")))


def signed_with_the_client_secret(_provider: Provider, claims: dict[str, Any]) -> str:
    """Return a token under the secret that client and provider share."""
    return jwt.encode({"alg": "HS256", "kid": "first"}, claims, OctKey.import_key(CLIENT[1]))


def signed_by_a_stranger(_provider: Provider, claims: dict[str, Any]) -> str:
    """Return a token of a key that only calls itself the provider's."""
    return jwt.encode({"alg": "RS256", "kid": "first"}, claims, _made("a stranger's"))


def signed_under_another_name(provider: Provider, claims: dict[str, Any]) -> str:
    """Return a token that names a key which the set does not hold."""
    return jwt.encode({"alg": "RS256", "kid": "second"}, claims, provider.key)


class _Handler(BaseHTTPRequestHandler):
    provider: Provider
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the server's own word
        """Say nothing."""

    def do_GET(self) -> None:
        """Answer discovery, keys and the browser."""
        parts = urlsplit(self.path)
        self.provider.asked.append(parts.path)
        if self._did_otherwise(parts.path):
            return
        if parts.path.endswith("/.well-known/openid-configuration"):
            answer_json(self, 200, self.provider.described())
        elif parts.path == "/keys":
            answer_json(self, 200, {"keys": [self.provider.key.as_dict(private=False)]})
        elif parts.path == "/authorize":
            asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
            redirect(self, self.provider.authorized(asked))
        else:
            answer_json(self, 404, {})

    def do_POST(self) -> None:
        """Answer the token endpoint."""
        self.provider.asked.append(self.path)
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if self._did_otherwise(self.path):
            return
        form = {name: values[0] for name, values in parse_qs(body).items()}
        answer_json(self, *self.provider.redeemed(form, self.headers.get("authorization", "")))

    def _did_otherwise(self, path: str) -> bool:
        act = self.provider.instead.get(path)
        if act is not None:
            act(self)
            self.close_connection = True
        return act is not None


def answer_json(handler: BaseHTTPRequestHandler, status: int, record: dict[str, Any]) -> None:
    """Send a JSON answer."""
    body = json.dumps(record).encode()
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def redirect(handler: BaseHTTPRequestHandler, address: str) -> None:
    """Lead elsewhere."""
    handler.send_response(302)
    handler.send_header("Location", address)
    handler.send_header("Content-Length", "0")
    handler.end_headers()


def huge(handler: BaseHTTPRequestHandler) -> None:
    """Send more than anybody should read."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(64 * 1024 * 1024))
    handler.end_headers()
    try:
        for _ in range(1024):
            handler.wfile.write(b" " * 65536)
    except OSError:
        return


def dripping(handler: BaseHTTPRequestHandler) -> None:
    """Send a byte now and then, so that no single wait is long."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    try:
        for _ in range(100):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.05)
    except OSError:
        return


@contextmanager
def served_provider(host: str = "127.0.0.1") -> Iterator[Provider]:
    """Serve a provider on a free port of loopback, under one of its names."""
    provider = Provider()
    handler = type("Handler", (_Handler,), {"provider": provider})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        provider.issuer = f"http://{host}:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield provider
        finally:
            server.shutdown()
            thread.join()
