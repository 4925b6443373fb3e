"""What a ledger remembers of its opening, its people, configuration and keys."""

from dataclasses import replace

from kernel.events.project import (
    ConfigActivated,
    CredentialIssued,
    CredentialRevoked,
    KeyRotated,
    PrincipalAdded,
    ProjectArchived,
    ProjectImported,
    ProjectOpened,
    ProjectRestored,
    RoleGranted,
    RoleRevoked,
)
from kernel.reducer.operations import put_node
from kernel.reducer.registry import evolves
from kernel.state import (
    CredentialRecord,
    ImportRecord,
    Origin,
    PrincipalRecord,
    Revision,
    State,
    changed,
    revision_key,
)
from kernel.values.records import Node
from kernel.vocabulary import Governance, NodeKind, Phase, Role, Verification, Visibility


def root_node(body: ProjectOpened, approver: str) -> Node:
    """Return the root node that opening a ledger creates: shared, adopted, in revision 0."""
    return Node(
        id=body.root_id,
        kind=NodeKind.WORLD if body.scope == "world" else NodeKind.PROJECT,
        title=body.title,
        description=body.description,
        visibility=Visibility.SHARED,
        governance=Governance.ADOPTED,
        phase=Phase.NONE,
        verification=Verification.UNVERIFIED,
        source_ids=(),
        approved_by=approver,
        created_in=0,
    )


@evolves(ProjectOpened)
def project_opened(state: State, body: ProjectOpened, origin: Origin) -> State:
    """Begin with the root node as revision 0."""
    tables = put_node(state.tables, root_node(body, origin.actor.id))
    first = Revision(0, body.state_root, None, origin, tables.kept())
    return changed(
        state,
        scope=body.scope,
        root_id=body.root_id,
        title=body.title,
        state_root=body.state_root,
        tables=tables,
        revisions=state.revisions.put(revision_key(0), first),
    )


@evolves(ProjectArchived)
def project_archived(state: State, _body: ProjectArchived, origin: Origin) -> State:
    """Put the project away."""
    return changed(state, archived=origin)


@evolves(ProjectRestored)
def project_restored(state: State, _body: ProjectRestored, _origin: Origin) -> State:
    """Take the project up again."""
    return changed(state, archived=None)


@evolves(PrincipalAdded)
def principal_added(state: State, body: PrincipalAdded, origin: Origin) -> State:
    """Know one more person."""
    record = PrincipalRecord(body.principal_id, body.name, origin)
    principals = state.authority.principals.put(body.principal_id, record)
    return changed(state, authority=replace(state.authority, principals=principals))


@evolves(RoleGranted)
def role_granted(state: State, body: RoleGranted, _origin: Origin) -> State:
    """Remember the grant with the person, in place of an earlier one for the same project."""
    record = state.authority.principals[body.principal_id]
    roles = (*_other_roles(record, body.ledger_id), (body.ledger_id, body.role))
    principals = state.authority.principals.put(body.principal_id, replace(record, roles=roles))
    return changed(state, authority=replace(state.authority, principals=principals))


@evolves(RoleRevoked)
def role_revoked(state: State, body: RoleRevoked, _origin: Origin) -> State:
    """Forget the grant."""
    record = state.authority.principals[body.principal_id]
    record = replace(record, roles=_other_roles(record, body.ledger_id))
    principals = state.authority.principals.put(body.principal_id, record)
    return changed(state, authority=replace(state.authority, principals=principals))


def _other_roles(record: PrincipalRecord, ledger_id: str | None) -> tuple[tuple[str | None, Role], ...]:
    return tuple(held for held in record.roles if held[0] != ledger_id)


@evolves(CredentialIssued)
def credential_issued(state: State, body: CredentialIssued, origin: Origin) -> State:
    """Remember that a credential exists."""
    credentials = state.authority.credentials.put(body.credential_id, CredentialRecord(body, origin))
    return changed(state, authority=replace(state.authority, credentials=credentials))


@evolves(CredentialRevoked)
def credential_revoked(state: State, body: CredentialRevoked, origin: Origin) -> State:
    """Remember that it ended."""
    record = replace(state.authority.credentials[body.credential_id], revoked=origin)
    credentials = state.authority.credentials.put(body.credential_id, record)
    return changed(state, authority=replace(state.authority, credentials=credentials))


@evolves(ConfigActivated)
def config_activated(state: State, body: ConfigActivated, _origin: Origin) -> State:
    """Remember the configuration in force."""
    return changed(state, authority=replace(state.authority, config_digest=body.config_digest))


@evolves(KeyRotated)
def key_rotated(state: State, body: KeyRotated, _origin: Origin) -> State:
    """Remember the current key of the role."""
    return changed(state, authority=replace(state.authority, keys=state.authority.keys.put(body.role, body)))


@evolves(ProjectImported)
def project_imported(state: State, body: ProjectImported, origin: Origin) -> State:
    """Remember where the project comes from; a later import of more of it replaces an earlier one."""
    imports = state.authority.imports.put(body.project_id, ImportRecord(body, origin))
    return changed(state, authority=replace(state.authority, imports=imports))
