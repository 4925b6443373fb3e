"""Where the model answers, under which name, and what of it may be said aloud."""

import re
from dataclasses import dataclass, field
from typing import Final, Literal
from urllib.parse import urlsplit

from kernel.values.placement import ManagerFacts

Dialect = Literal["responses", "chat"]

PATHS: Final[dict[Dialect, str]] = {"responses": "/responses", "chat": "/chat/completions"}
LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
"""Hosts to which a text may go without TLS: it does not leave the machine on the way."""
_KEY: Final = re.compile(r"[\x21-\x7e]{1,512}")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One configured endpoint. The key is in no representation and in nothing that is kept."""

    base_url: str
    """Up to the version, such as `https://models.example/v1`; without a slash at the end."""
    model: str
    dialect: Dialect
    deadline_s: float
    """Seconds for the whole call, from the first byte sent to the last one received."""
    candidates: int
    """How many nodes are offered as places at most."""
    key: str | None = field(default=None, repr=False)
    ca_file: str | None = None
    """Authorities to trust instead of the public ones."""

    @property
    def url(self) -> str:
        """Return the address of the one call."""
        return f"{self.base_url}{PATHS[self.dialect]}"


def endpoint_problem(base_url: str, key: str | None) -> str | None:
    """Return why texts must not go to an address, in a sentence; None when they may."""
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return "the base URL cannot be read"
    if port == 0 or not host or parts.username is not None or parts.query or parts.fragment:
        return "the base URL is a scheme, a host and a path, without user, query or fragment"
    if parts.scheme == "http" and host not in LOOPBACK:
        return f"texts go to {host} only over https; http is for this machine itself"
    if parts.scheme not in {"https", "http"}:
        return "the base URL begins with https://"
    if key is not None and not _KEY.fullmatch(key):
        return "the key holds something that no key holds, such as a space or a line end"
    return None


def facts_of(endpoint: Endpoint) -> ManagerFacts:
    """Return what pages and commands say of an endpoint."""
    return ManagerFacts(
        name=f"openai/{endpoint.model}",
        mode="openai",
        host=urlsplit(endpoint.base_url).netloc.rpartition("@")[2],
        model=endpoint.model,
        dialect=endpoint.dialect,
    )
