"""Signing in through an OpenID provider: the authorization code flow, and nothing of it before its time.

Owns discovery, the flow's values, the exchange of a code and the checks of an ID token. Knows no person.
"""

from adapters.oidc.provider import OpenIdProvider

__all__ = ["OpenIdProvider"]
