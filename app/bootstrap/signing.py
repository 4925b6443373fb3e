"""Wiring the ways to sign in."""

from adapters.ledger import Flows, PasswordsAndIdentities
from adapters.system import SystemEntropy
from app.bootstrap.parts import Parts
from app.config.secrets import oidc_client_secret
from app.config.settings import Settings
from app.ports import Provider
from app.services.access import Access
from app.services.signin import SignIn
from kernel.errors import ConfigurationError


def sign_in(settings: Settings, parts: Parts, access: Access) -> SignIn:
    """Return the ways to sign in that are configured.

    Raises: ConfigurationError for a provider that cannot be one.
    """
    provider = _provider(settings) if settings.oidc_issuer else None
    store = parts.store
    return SignIn(access, PasswordsAndIdentities(store), Flows(store, SystemEntropy()), provider)


def provider_secret(settings: Settings) -> tuple[bytes, ...]:
    """Return the secret that the provider knows this server by, as bytes that no sealed file may hold."""
    secret = oidc_client_secret(settings.oidc_client_secret_file) if settings.oidc_issuer else ""
    return (secret.encode(),) if secret else ()


def _provider(settings: Settings) -> Provider:
    from adapters.oidc import OpenIdProvider

    if not settings.oidc_client_id:
        message = (
            "ODEU_OIDC_ISSUER is set and ODEU_OIDC_CLIENT_ID is not: the provider gave this server a name"
        )
        raise ConfigurationError(message)
    return OpenIdProvider(
        settings.oidc_issuer,
        (settings.oidc_client_id, oidc_client_secret(settings.oidc_client_secret_file)),
        return_address=f"{settings.origin}/signin/oidc/return",
        label=settings.oidc_label,
    )
