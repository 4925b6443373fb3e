"""Whether an ID token says who signed in, to us, now, in this flow.

Source: OpenID Connect Core 1.0, section 3.1.3.7. Signature, header and claims are checked by joserfc and authlib;
here stands what they are asked for. Only asymmetric algorithms are allowed, so a public key is never a secret.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet

from kernel.errors import AuthorityError

ALGORITHMS: Final = (
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
    "Ed25519",
)
LEEWAY_S: Final = 60
"""Seconds that the provider's clock may differ from ours."""
TOKEN_CHARS_MAX: Final = 32 * 1024
SUBJECT_CHARS_MAX: Final = 255
"""Section 2 of the specification: a subject has at most 255 ASCII characters."""

_KEY_TYPES: Final = frozenset({"RSA", "EC", "OKP"})


class UnknownKeyError(Exception):
    """The token names a key that the set does not hold; the provider may have a new one."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What a token must say."""

    issuer: str
    client_id: str
    nonce: str
    access_token: str | None = None


def public_keys(found: Mapping[str, Any]) -> KeySet:
    """Return the keys of a set that can check signatures; secret, private and encryption keys are left out."""
    listed = found.get("keys")
    usable = []
    for item in listed if isinstance(listed, Sequence) and not isinstance(listed, str) else ():
        is_fit = isinstance(item, dict) and item.get("kty") in _KEY_TYPES and item.get("use", "sig") == "sig"
        if is_fit and "d" not in item:
            usable.append(item)
    try:
        return KeySet.import_key_set({"keys": usable})
    except (JoseError, ValueError, TypeError, KeyError) as error:
        raise _refused("its keys cannot be read") from error


def subject_of(token: str, keys: KeySet, expected: Expected) -> str:
    """Return the subject of a token that says what is expected.

    Raises: AuthorityError, `id_token`; UnknownKeyError when another key set may know the key.
    """
    if len(token) > TOKEN_CHARS_MAX:
        raise _refused("its token is too long")
    try:
        decoded = jwt.decode(token, keys, algorithms=list(ALGORITHMS))
        claims = CodeIDToken(
            decoded.claims,
            decoded.header,
            options={
                "iss": {"essential": True, "value": expected.issuer},
                "aud": {"essential": True, "value": expected.client_id},
                "nonce": {"essential": True, "value": expected.nonce},
            },
            params={
                "nonce": expected.nonce,
                "client_id": expected.client_id,
                "access_token": expected.access_token,
            },
        )
        claims.validate(leeway=LEEWAY_S)
    except InvalidKeyIdError as error:
        raise UnknownKeyError from error
    except (JoseError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise _refused("its token does not hold") from error
    return _subject(decoded.claims, expected)


def _subject(claims: Mapping[str, Any], expected: Expected) -> str:
    audience = claims["aud"]
    if isinstance(audience, list) and len(audience) > 1 and claims.get("azp") != expected.client_id:
        raise _refused("its token is for somebody else")
    subject = claims["sub"]
    if not isinstance(subject, str) or not 1 <= len(subject) <= SUBJECT_CHARS_MAX:
        raise _refused("its token names nobody")
    # A control character is in no account's name, and a database may not even hold one.
    if not subject.isascii() or not subject.isprintable():
        raise _refused("its token names nobody")
    return subject


def _refused(why: str) -> AuthorityError:
    message = f"the sign-in provider answered, but {why}; nobody was signed in. Begin again"
    return AuthorityError(message, code="id_token")
