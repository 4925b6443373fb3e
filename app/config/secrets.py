"""Secrets that come with one command's environment and are no settings."""

import os


def operator_token() -> str | None:
    """Return the operator's Bearer from ODEU_OPERATOR_TOKEN, or None."""
    return os.environ.get("ODEU_OPERATOR_TOKEN") or None
