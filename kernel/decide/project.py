"""Decisions about ledgers and authority."""

from kernel.commands import (
    ActivateConfig,
    AddPrincipal,
    ArchiveProject,
    GrantRole,
    ImportProject,
    IssueCredential,
    OpenProject,
    RestoreProject,
    RevokeCredential,
    RevokeRole,
    RotateKey,
)
from kernel.decide.drafts import Draft
from kernel.events.project import (
    ConfigActivated,
    CredentialIssued,
    CredentialRevoked,
    ForeignKey,
    KeyRotated,
    PrincipalAdded,
    ProjectArchived,
    ProjectImported,
    ProjectOpened,
    ProjectRestored,
    RoleGranted,
    RoleRevoked,
)
from kernel.reducer.operations import put_node, state_root
from kernel.reducer.project import root_node
from kernel.state import State, Tables
from kernel.values.stamp import Stamp


def open_project(_state: State, command: OpenProject, stamp: Stamp) -> tuple[Draft, ...]:
    """Open the ledger with its root node."""
    description = None if command.description is None else stamp.words(command.description, "description")
    body = ProjectOpened(
        project_id=command.project_id,
        scope=command.scope,
        root_id=stamp.id("node", "root"),
        title=stamp.words(command.title, "title"),
        description=description,
        state_root="",
    )
    root = state_root(put_node(Tables(), root_node(body, stamp.actor.id)))
    return (Draft(body.model_copy(update={"state_root": root})),)


def archive_project(_state: State, command: ArchiveProject, stamp: Stamp) -> tuple[Draft, ...]:
    """Put the project away."""
    reason = None if command.reason is None else stamp.words(command.reason, "reason")
    return (Draft(ProjectArchived(reason=reason)),)


def restore_project(_state: State, command: RestoreProject, stamp: Stamp) -> tuple[Draft, ...]:
    """Take the project up again."""
    reason = None if command.reason is None else stamp.words(command.reason, "reason")
    return (Draft(ProjectRestored(reason=reason)),)


def add_principal(_state: State, command: AddPrincipal, stamp: Stamp) -> tuple[Draft, ...]:
    """Make the person known."""
    name = stamp.words(command.name, "name")
    return (Draft(PrincipalAdded(principal_id=command.principal_id, name=name)),)


def grant_role(_state: State, command: GrantRole, _stamp: Stamp) -> tuple[Draft, ...]:
    """Grant the role."""
    body = RoleGranted(principal_id=command.principal_id, role=command.role, ledger_id=command.ledger_id)
    return (Draft(body),)


def revoke_role(_state: State, command: RevokeRole, _stamp: Stamp) -> tuple[Draft, ...]:
    """End the role."""
    return (Draft(RoleRevoked(principal_id=command.principal_id, ledger_id=command.ledger_id)),)


def issue_credential(_state: State, command: IssueCredential, _stamp: Stamp) -> tuple[Draft, ...]:
    """Record the credential's existence."""
    body = CredentialIssued(
        credential_id=command.credential_id,
        principal_id=command.principal_id,
        kind=command.kind,
        expires_at=command.expires_at,
    )
    return (Draft(body),)


def revoke_credential(_state: State, command: RevokeCredential, _stamp: Stamp) -> tuple[Draft, ...]:
    """Record its end."""
    return (Draft(CredentialRevoked(credential_id=command.credential_id)),)


def activate_config(_state: State, command: ActivateConfig, _stamp: Stamp) -> tuple[Draft, ...]:
    """Record the configuration."""
    return (Draft(ConfigActivated(config_digest=command.config_digest, problems=command.problems)),)


def rotate_key(_state: State, command: RotateKey, _stamp: Stamp) -> tuple[Draft, ...]:
    """Record the key."""
    body = KeyRotated(role=command.role, key_id=command.key_id, public_key=command.public_key)
    return (Draft(body),)


def import_project(_state: State, command: ImportProject, _stamp: Stamp) -> tuple[Draft, ...]:
    """Record what was imported, and from where."""
    keys = tuple(
        ForeignKey(role=role, key_id=key_id, public_key=public)
        for role, key_id, public in command.bundle.keys
    )
    body = ProjectImported(
        project_id=command.bundle.project_id,
        installation_id=command.bundle.installation_id,
        size=command.bundle.size,
        log_root=command.bundle.root,
        keys=keys,
    )
    return (Draft(body),)
