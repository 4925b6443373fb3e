"""One OpenID provider, as its discovery document describes it.

The document and the keys are read when they are first needed and kept for an hour; a token that names an unknown
key has them read once more. Everything is checked against the issuer that the settings name, never the reverse.
"""

import hmac
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import httpx2
from authlib.integrations.httpx_client import AsyncOAuth2Client, OAuthError
from joserfc.jwk import KeySet

from adapters.oidc.asking import SECONDS_MAX, BoundedTransport, json_object, unusable, within
from adapters.oidc.flow import nonce_of, state_of, verifier_of
from adapters.oidc.tokens import Expected, UnknownKeyError, public_keys, subject_of
from kernel.errors import AuthorityError, ConfigurationError
from kernel.values.people import Identity

KEPT_S: Final = 3600.0
"""Seconds for which discovery and keys are kept."""

AGAIN_S: Final = 30.0
"""Seconds before which an unknown key does not have the keys read again."""

CODE_CHARS_MAX: Final = 4096
_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
_AT_ONCE: Final = 4

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Facts:
    """What the discovery document says."""

    authorization: str
    token: str
    keys: str
    auth_method: str
    names_issuer: bool
    """Whether every answer carries the issuer's name (RFC 9207)."""


class OpenIdProvider:
    """Sends browsers to the provider and learns from it who they are. Safe to use from several threads."""

    def __init__(
        self,
        issuer: str,
        client: tuple[str, str],
        *,
        return_address: str,
        label: str = "",
        seconds: Callable[[], float] = time.monotonic,
        deadline_s: float = SECONDS_MAX,
    ) -> None:
        """Name the provider; `client` is (id, secret), the secret empty for a public client.

        Raises: ConfigurationError unless the issuer is https, or http on exact loopback, without query.
        """
        if not _is_lawful(issuer, issuer) or urlsplit(issuer).query:
            raise ConfigurationError(
                "ODEU_OIDC_ISSUER must be https://NAME[/PATH], or http:// with 127.0.0.1, localhost or [::1]"
            )
        self.issuer = issuer
        self.label = label or (urlsplit(issuer).hostname or issuer)
        self._client_id, self._client_secret = client
        self._return_address = return_address
        self._seconds = seconds
        self._deadline_s = deadline_s
        self._facts: tuple[float, _Facts] | None = None
        self._keys: tuple[float, KeySet] | None = None
        self._turns = threading.BoundedSemaphore(_AT_ONCE)

    def address(self, secret: str) -> str:
        """Return where to send the browser of this flow.

        Raises: BoundaryError when the provider cannot be asked.
        """
        facts = self._ask(self._described)
        client = self._client(facts)
        address, _state = client.create_authorization_url(
            facts.authorization,
            state=state_of(secret),
            nonce=nonce_of(secret),
            code_verifier=verifier_of(secret),
        )
        return str(address)

    def matches(self, secret: str, state: str) -> bool:
        """Tell whether a state belongs to this flow."""
        return _same(state_of(secret), state)

    def identity(self, secret: str, code: str, issuer: str | None) -> Identity:
        """Redeem a code and return whom the checked ID token names; `issuer` is what the answer carried.

        Raises: AuthorityError when it does not hold; BoundaryError when the provider cannot be asked.
        """
        if not 1 <= len(code) <= CODE_CHARS_MAX:
            raise _other_issuer("its answer carries no usable code")

        async def asked() -> Identity:
            """Redeem the code and check the token that comes for it."""
            facts = await self._described()
            if issuer != self.issuer and (issuer is not None or facts.names_issuer):
                raise _other_issuer("the answer comes from another provider")
            answer = await self._redeemed(facts, secret, code)
            token, access = answer.get("id_token"), answer.get("access_token")
            if not isinstance(token, str):
                raise unusable()
            shown = access if isinstance(access, str) else None
            expected = Expected(self.issuer, self._client_id, nonce_of(secret), shown)
            try:
                subject = subject_of(token, await self._known_keys(facts, KEPT_S), expected)
            except UnknownKeyError:
                subject = await self._with_newer_keys(facts, token, expected)
            return Identity(self.issuer, subject)

        return self._ask(asked)

    def _ask(self, ask: Callable[[], Awaitable[T]]) -> T:
        with self._turns:
            return within(self._deadline_s, ask)

    async def _described(self) -> _Facts:
        now = self._seconds()
        if self._facts is None or now - self._facts[0] >= KEPT_S:
            async with _plain_client() as client:
                found = await json_object(
                    client, f"{self.issuer.rstrip('/')}/.well-known/openid-configuration"
                )
            self._facts = (now, _facts(found, self.issuer, has_secret=bool(self._client_secret)))
        return self._facts[1]

    async def _known_keys(self, facts: _Facts, kept_s: float) -> KeySet:
        now = self._seconds()
        if self._keys is None or now - self._keys[0] >= kept_s:
            async with _plain_client() as client:
                self._keys = (now, public_keys(await json_object(client, facts.keys)))
        return self._keys[1]

    async def _with_newer_keys(self, facts: _Facts, token: str, expected: Expected) -> str:
        try:
            return subject_of(token, await self._known_keys(facts, AGAIN_S), expected)
        except UnknownKeyError as error:
            raise _other_issuer("its token is signed with a key that it does not publish") from error

    async def _redeemed(self, facts: _Facts, secret: str, code: str) -> dict[str, Any]:
        async with self._client(facts) as client:
            try:
                answer = await client.fetch_token(
                    facts.token, grant_type="authorization_code", code=code, code_verifier=verifier_of(secret)
                )
            except OAuthError as error:
                raise _other_issuer("it does not know the code") from error
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                raise unusable() from error
        return dict(answer)

    def _client(self, facts: _Facts) -> AsyncOAuth2Client:
        return AsyncOAuth2Client(
            client_id=self._client_id,
            client_secret=self._client_secret or None,
            token_endpoint_auth_method=facts.auth_method,
            code_challenge_method="S256",
            scope="openid",
            redirect_uri=self._return_address,
            transport=BoundedTransport(),
            follow_redirects=False,
            trust_env=False,
        )


def _plain_client() -> httpx2.AsyncClient:
    return httpx2.AsyncClient(transport=BoundedTransport(), follow_redirects=False, trust_env=False)


def _facts(found: dict[str, Any], issuer: str, *, has_secret: bool) -> _Facts:
    addresses = [found.get(name) for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")]
    challenges = found.get("code_challenge_methods_supported", ["S256"])
    is_fit = isinstance(challenges, list) and "S256" in challenges
    if found.get("issuer") != issuer or not is_fit:
        raise unusable()
    authorization, token, keys = (_lawful(item, issuer) for item in addresses)
    methods = found.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
    auth_method = "none"
    if has_secret:
        is_posted = isinstance(methods, list) and "client_secret_basic" not in methods
        auth_method = "client_secret_post" if is_posted else "client_secret_basic"
    names_issuer = found.get("authorization_response_iss_parameter_supported") is True
    return _Facts(authorization, token, keys, auth_method, names_issuer)


def _lawful(address: object, issuer: str) -> str:
    if not isinstance(address, str) or not _is_lawful(address, issuer):
        raise unusable()
    return address


def _is_lawful(address: str, issuer: str) -> bool:
    """Tell whether an address is https, or plain on loopback where the issuer itself is; no user, no fragment."""
    try:
        parts, home = urlsplit(address), urlsplit(issuer)
        is_named = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    if not is_named or parts.username is not None or parts.fragment or not address.isprintable():
        return False
    is_plain = parts.scheme == "http" and home.scheme == "http"
    return parts.scheme == "https" or (is_plain and parts.hostname in _LOOPBACK)


def _same(left: str, right: str) -> bool:
    return hmac.compare_digest(left.encode(), right.encode("utf-8", "surrogatepass"))


def _other_issuer(why: str) -> AuthorityError:
    message = f"the sign-in provider answered, but {why}; nobody was signed in. Begin again"
    return AuthorityError(message, code="oidc_answer")
