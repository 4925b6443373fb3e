"""The three values that bind a flow to one browser, all of them derived from the secret in its cookie.

State ties the answer to the browser, nonce the ID token to the flow, the verifier the code to this server
(RFC 7636). Nobody stores them: whoever has no cookie has none of the three.
"""

import base64
import hashlib
import hmac
from typing import Final

_DOMAIN: Final = "odeu.oidc.v1."


def state_of(secret: str) -> str:
    """Return the state of a flow."""
    return _derived(secret, "state")


def nonce_of(secret: str) -> str:
    """Return the nonce of a flow."""
    return _derived(secret, "nonce")


def verifier_of(secret: str) -> str:
    """Return the code verifier of a flow: 43 characters of the alphabet that RFC 7636 allows."""
    return _derived(secret, "verifier")


def _derived(secret: str, what: str) -> str:
    key = secret.encode("utf-8", "surrogatepass")
    digest = hmac.digest(key, (_DOMAIN + what).encode(), hashlib.sha256)
    return base64.urlsafe_b64encode(digest).decode("ascii").rstrip("=")
