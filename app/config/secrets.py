"""Secrets that come with one command's environment and are no settings."""

import os


def operator_token() -> str | None:
    """Return the operator's Bearer from ODEU_OPERATOR_TOKEN, or None."""
    return os.environ.get("ODEU_OPERATOR_TOKEN") or None


def manager_key() -> str | None:
    """Return the key of the manager's endpoint from ODEU_MANAGER_KEY, or None."""
    return os.environ.get("ODEU_MANAGER_KEY") or None
