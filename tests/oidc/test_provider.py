"""The provider's adapter against a real provider on loopback, honest and hostile."""

import time
from collections.abc import Callable, Iterator
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from adapters.oidc import OpenIdProvider
from kernel.errors import AuthorityError, BoundaryError, ConfigurationError, StudioError
from kernel.values.people import Identity
from tests.support.provider import (
    CLIENT,
    RETURN,
    SUBJECT,
    Provider,
    answer_json,
    dripping,
    huge,
    redirect,
    served_provider,
    signed_by_a_stranger,
    signed_under_another_name,
    signed_with_the_client_secret,
    signed_with_the_public_key,
    unsigned,
)

SECRET: Final = "the-secret-of-one-browser"
DISCOVERY: Final = "/.well-known/openid-configuration"


@pytest.fixture
def provider() -> Iterator[Provider]:
    """Return a served provider."""
    with served_provider() as provider:
        yield provider


@pytest.fixture
def ours(provider: Provider) -> OpenIdProvider:
    """Return our side of it; its keys are never too fresh to be read again."""
    moments = iter(range(0, 10**9, 60))
    return OpenIdProvider(
        provider.issuer, CLIENT, return_address=RETURN, seconds=lambda: float(next(moments)), deadline_s=2.0
    )


def _code(ours: OpenIdProvider, secret: str = SECRET) -> dict[str, str]:
    """Let a browser go to the provider and come back; return what it brings."""
    there = httpx2.get(ours.address(secret), follow_redirects=False)
    assert there.status_code == 302
    back = urlsplit(there.headers["location"])
    assert f"{back.scheme}://{back.netloc}{back.path}" == RETURN
    return {name: values[0] for name, values in parse_qs(back.query).items()}


def _identity(ours: OpenIdProvider, **changed: Any) -> Identity:
    brought = {**_code(ours), **changed}
    return ours.identity(SECRET, brought["code"], brought["iss"])


def test_a_browser_comes_back_as_somebody(provider: Provider, ours: OpenIdProvider) -> None:
    """The account is named by the configured issuer and the token's subject; discovery is read once."""
    brought = _code(ours)
    assert (ours.matches(SECRET, brought["state"]), ours.matches("another", brought["state"])) == (
        True,
        False,
    )
    assert ours.identity(SECRET, brought["code"], brought["iss"]) == Identity(provider.issuer, SUBJECT)
    assert provider.asked == [DISCOVERY, "/authorize", "/token", "/keys"]


def test_an_address_carries_no_secret(ours: OpenIdProvider) -> None:
    """The browser carries state, nonce and a challenge; neither the verifier nor the flow's secret."""
    asked = parse_qs(urlsplit(ours.address(SECRET)).query)
    assert set(asked) == {
        "response_type",
        "client_id",
        "redirect_uri",
        "scope",
        "state",
        "nonce",
        "code_challenge",
        "code_challenge_method",
    }
    assert SECRET not in ours.address(SECRET)
    assert CLIENT[1] not in ours.address(SECRET)


def test_a_code_belongs_to_one_browser_and_is_used_once(ours: OpenIdProvider) -> None:
    """A code that was injected into another browser's flow is refused by its verifier; so is a second use."""
    brought = _code(ours)
    with pytest.raises(AuthorityError, match="does not know the code"):
        ours.identity("another browser", brought["code"], brought["iss"])
    brought = _code(ours)
    ours.identity(SECRET, brought["code"], brought["iss"])
    with pytest.raises(AuthorityError, match="does not know the code"):
        ours.identity(SECRET, brought["code"], brought["iss"])


WRONG_CLAIMS: Final = {
    "another nonce": {"nonce": "x"},
    "no nonce": {"nonce": None},
    "another audience": {"aud": "somebody-else"},
    "no audience": {"aud": None},
    "a stranger beside us without azp": {"aud": [CLIENT[0], "somebody-else"]},
    "a stranger as authorized party": {"aud": [CLIENT[0], "somebody-else"], "azp": "somebody-else"},
    "authorized for a stranger": {"azp": "somebody-else"},
    "another issuer": {"iss": "https://evil.example"},
    "expired": {"exp": int(time.time()) - 3600},
    "no expiry": {"exp": None},
    "expiry in words": {"exp": "tomorrow"},
    "not yet issued": {"iat": int(time.time()) + 3600},
    "not yet valid": {"nbf": int(time.time()) + 3600},
    "nobody": {"sub": None},
    "an empty subject": {"sub": ""},
    "a subject that is no text": {"sub": 7},
    "an endless subject": {"sub": "x" * 256},
    "a subject with a NUL": {"sub": "ve\0ra"},
    "a subject of two lines": {"sub": "ve\nra"},
    "another access token": {"at_hash": "AAAA"},
}


@pytest.mark.parametrize("claims", WRONG_CLAIMS.values(), ids=WRONG_CLAIMS)
def test_a_token_that_says_something_else_is_refused(
    provider: Provider, ours: OpenIdProvider, claims: dict[str, Any]
) -> None:
    """Whoever it is for, from, about or when: one wrong claim and nobody is signed in."""
    provider.claims = claims
    with pytest.raises(AuthorityError) as refusal:
        _identity(ours)
    assert refusal.value.reason_code == "id_token"


SIGNERS: Final = {
    "alg none": unsigned,
    "HS256 with the public key": signed_with_the_public_key,
    "HS256 with the client secret": signed_with_the_client_secret,
    "a stranger's key": signed_by_a_stranger,
    "an unknown kid": signed_under_another_name,
    "no token": lambda _provider, _claims: "a.b.c",
    "two dots": lambda _provider, _claims: "..",
    "a huge token": lambda _provider, _claims: "a" * 40_000,
}


@pytest.mark.parametrize("sign", SIGNERS.values(), ids=SIGNERS)
def test_a_token_signed_otherwise_is_refused(
    provider: Provider, ours: OpenIdProvider, sign: Callable[[Provider, dict[str, Any]], str]
) -> None:
    """Only an asymmetric signature by a key of the published set counts."""
    provider.sign = sign
    with pytest.raises(AuthorityError) as refusal:
        _identity(ours)
    assert refusal.value.reason_code in {"id_token", "oidc_answer"}
    assert "a.b.c" not in refusal.value.message


def test_a_new_key_is_learnt(provider: Provider, ours: OpenIdProvider) -> None:
    """When the provider changed its key, the set is read once more; an unknown key reads it once, not for ever."""
    _identity(ours)
    provider.key = provider.key.generate_key(2048, {"kid": "next", "use": "sig"})
    assert _identity(ours).subject == SUBJECT
    provider.sign, before = signed_under_another_name, provider.asked.count("/keys")
    with pytest.raises(AuthorityError, match="does not publish"):
        _identity(ours)
    assert provider.asked.count("/keys") == before + 1


def test_an_answer_of_another_provider_is_refused(ours: OpenIdProvider) -> None:
    """The issuer in the answer must be ours, and must be there when the provider says it always is."""
    for issuer in ("https://evil.example", None):
        with pytest.raises(AuthorityError, match="another provider"):
            _identity(ours, iss=issuer)


DOCUMENTS: Final = {
    "another issuer": {"issuer": "https://evil.example"},
    "a plain token endpoint elsewhere": {"token_endpoint": "http://192.0.2.1/token"},
    "keys in a file": {"jwks_uri": "file:///etc/passwd"},
    "no keys": {"jwks_uri": None},
    "a user in the address": {"authorization_endpoint": "https://a:b@evil.example/"},
    "no PKCE": {"code_challenge_methods_supported": ["plain"]},
}


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS)
def test_a_discovery_document_must_fit(
    provider: Provider, ours: OpenIdProvider, document: dict[str, Any]
) -> None:
    """Another issuer, an address that is neither https nor our own loopback, or no PKCE: no browser is sent."""
    provider.document = document
    with pytest.raises(BoundaryError, match="not what OpenID Connect says"):
        ours.address(SECRET)


ANSWERS: Final = {
    "huge": huge,
    "dripping": dripping,
    "elsewhere": lambda handler: redirect(handler, "http://127.0.0.1:1/"),
    "broken": lambda handler: answer_json(handler, 500, {}),
    "a list": lambda handler: answer_json(handler, 200, []),  # type: ignore[arg-type]
    "nothing": lambda _handler: None,
}


@pytest.mark.parametrize("path", [DISCOVERY, "/token", "/keys"])
@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_a_broken_answer_ends_soon(
    provider: Provider, ours: OpenIdProvider, path: str, answer: Callable[[Any], None]
) -> None:
    """Too much, too slow, a redirect, an error, nonsense, silence: a refusal within the deadline, no hang."""
    provider.instead[path] = answer
    began = time.monotonic()
    with pytest.raises(StudioError) as refusal:
        _identity(ours)
    assert refusal.value.reason_code in {"identity_provider", "id_token", "oidc_answer"}
    assert time.monotonic() - began < 8


@pytest.mark.parametrize(
    "issuer",
    [
        "http://login.example",
        "https://",
        "ftp://login.example",
        "login.example",
        "https://u:p@login.example",
        "https://x/?a=b",
        "https://x/#a",
    ],
)
def test_an_issuer_is_https_or_loopback(issuer: str) -> None:
    """A plain address off loopback, or anything that is no address, is a problem of the configuration."""
    with pytest.raises(ConfigurationError, match="ODEU_OIDC_ISSUER must be https"):
        OpenIdProvider(issuer, CLIENT, return_address=RETURN)
