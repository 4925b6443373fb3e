"""The composition root: the only package that names an adapter, and the one place where ports meet them."""

from adapters.bundles import Verdicts
from app.bootstrap.creating import create_installation, exists
from app.bootstrap.leaving import restore, verify_bundle, verify_proof
from app.bootstrap.machine import (
    branch_by_plain_git,
    install_sandbox,
    map_layout,
    probe_machine,
    sandbox_texts,
)
from app.bootstrap.parts import NO_SEAMS, Seams
from app.bootstrap.wiring import open_studio

__all__ = [
    "NO_SEAMS",
    "Seams",
    "Verdicts",
    "branch_by_plain_git",
    "create_installation",
    "exists",
    "install_sandbox",
    "map_layout",
    "open_studio",
    "probe_machine",
    "restore",
    "sandbox_texts",
    "verify_bundle",
    "verify_proof",
]
