"""Secrets that come with one command's environment and are no settings."""

import os
import stat
from pathlib import Path

from kernel.errors import ConfigurationError


def operator_token() -> str | None:
    """Return the operator's Bearer from ODEU_OPERATOR_TOKEN, or None."""
    return os.environ.get("ODEU_OPERATOR_TOKEN") or None


def oidc_client_secret(file: str) -> str:
    """Return the client secret from ODEU_OIDC_CLIENT_SECRET, else from the named file, else nothing.

    Raises: ConfigurationError when the file is not there, or others may read it.
    """
    given = os.environ.get("ODEU_OIDC_CLIENT_SECRET", "")
    if given or not file:
        return given
    path = Path(file)
    try:
        facts = path.lstat()
        is_private = stat.S_ISREG(facts.st_mode) and not facts.st_mode & 0o077
        text = path.read_text("utf-8").strip() if is_private else ""
    except (OSError, ValueError) as error:
        message = "the file that ODEU_OIDC_CLIENT_SECRET_FILE names cannot be read"
        raise ConfigurationError(message) from error
    if not text:
        message = "the file that ODEU_OIDC_CLIENT_SECRET_FILE names must be a regular file of mode 0600 with the secret"
        raise ConfigurationError(message)
    return text


def manager_key() -> str | None:
    """Return the key of the manager's endpoint from ODEU_MANAGER_KEY, or None."""
    return os.environ.get("ODEU_MANAGER_KEY") or None
