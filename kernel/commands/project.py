"""What somebody asks of ledgers and of authority: projects, people, credentials, configuration, keys, imports."""

from dataclasses import dataclass
from typing import Literal

from kernel.values.execution import BundleFacts
from kernel.vocabulary import KeyRole, Role


@dataclass(frozen=True, slots=True)
class OpenProject:
    """Begin a ledger; the id is chosen by the shell because the ledger is created under it."""

    project_id: str
    scope: Literal["world", "project"]
    title: str
    description: str | None = None


@dataclass(frozen=True, slots=True)
class ArchiveProject:
    """Put the project away."""

    reason: str | None = None


@dataclass(frozen=True, slots=True)
class RestoreProject:
    """Take an archived project up again."""

    reason: str | None = None


@dataclass(frozen=True, slots=True)
class AddPrincipal:
    """Make a person known."""

    principal_id: str
    name: str


@dataclass(frozen=True, slots=True)
class GrantRole:
    """Let a person act in a role."""

    principal_id: str
    role: Role
    ledger_id: str | None


@dataclass(frozen=True, slots=True)
class RevokeRole:
    """End the role a person holds in one project, or the one that holds in every project (None)."""

    principal_id: str
    ledger_id: str | None


@dataclass(frozen=True, slots=True)
class IssueCredential:
    """Record that a credential was handed out."""

    credential_id: str
    principal_id: str
    kind: Literal["operator_token", "signin_link", "password", "identity"]
    expires_at: str | None


@dataclass(frozen=True, slots=True)
class RevokeCredential:
    """Record that a credential stops working."""

    credential_id: str


@dataclass(frozen=True, slots=True)
class ActivateConfig:
    """Record the configuration the server works under."""

    config_digest: str
    problems: int


@dataclass(frozen=True, slots=True)
class RotateKey:
    """Record the current key of a role."""

    role: KeyRole
    key_id: str
    public_key: str


@dataclass(frozen=True, slots=True)
class ImportProject:
    """Record that a verified bundle of another installation may be read here."""

    bundle: BundleFacts
