"""Rules for opening ledgers and for authority itself."""

import re
from typing import Final

from kernel.errors import AuthorityError, InvalidError, LifecycleError, NotFoundError, RefusedError
from kernel.events.envelope import Event
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
from kernel.ids import is_id
from kernel.reducer.operations import put_node, state_root
from kernel.reducer.project import root_node
from kernel.rules.limits import DESCRIPTION_BYTES_MAX, REASON_BYTES_MAX, TITLE_CHARS_MAX
from kernel.rules.promotion import require_free_head
from kernel.rules.registry import admits
from kernel.rules.text import require_bytes, require_moment, require_slug, require_title
from kernel.state import State, Tables
from kernel.vocabulary import ActorKind, Role, RunStatus

_ROOT: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)
_KEY_ID: Final = re.compile(r"[a-z_]{1,40}:[0-9a-f]{16}", re.ASCII)
_KEY: Final = re.compile(r"[A-Za-z0-9+/]{43}=", re.ASCII)
_INSTALLATION: Final = re.compile(r"[a-z0-9]{4,32}", re.ASCII)


@admits(ProjectOpened)
def project_opened(_state: State, body: ProjectOpened, event: Event) -> None:
    """The ledger carries its own id, and the state root is that of its root node."""
    if body.project_id != event.ledger or not is_id(body.project_id, "project"):
        message = f"a ledger opens under its own id, not {body.project_id!r}"
        raise InvalidError(message)
    if not is_id(body.root_id, "node"):
        message = f"the root node's id {body.root_id!r} is malformed"
        raise InvalidError(message)
    require_title(body.title, TITLE_CHARS_MAX, "project's title")
    require_bytes(body.description, DESCRIPTION_BYTES_MAX, "project's description")
    if state_root(put_node(Tables(), root_node(body, event.actor.id))) != body.state_root:
        message = "the state root is not that of the root node"
        raise InvalidError(message)


WHILE_ARCHIVED: Final = frozenset(
    {"project.restored.v1", "source.erased.v1", "delta.rejected.v1"}
    | {"exchange.answered.v1", "exchange.failed.v1", "exchange.unreadable.v1"}
    | {"validation.recorded.v1", "promotion.reconciled.v1"}
)
"""What an archived project still records: its return, an erasure, and how what had begun came to its end."""

_UNDER_WAY: Final = frozenset({RunStatus.QUEUED, RunStatus.CLAIMED, RunStatus.WORKING})


def require_worked_on(state: State, event: Event) -> None:
    """Refuse what an archived project does not take.

    Raises: LifecycleError.
    """
    if state.archived is not None and event.type not in WHILE_ARCHIVED:
        message = "this project is archived; restore it before anything is added to it"
        raise LifecycleError(message, code="project_archived")


@admits(ProjectArchived)
def project_archived(state: State, body: ProjectArchived, event: Event) -> None:
    """A project, never the world; no run of it is under way and no promotion holds its head."""
    if state.scope != "project":
        message = "the world ledger is not archived"
        raise RefusedError(message)
    require_bytes(body.reason, REASON_BYTES_MAX, "reason")
    if any(run.status in _UNDER_WAY for run in state.runs.rows()):
        message = "a run of this project is under way; let it end or cancel it first"
        raise LifecycleError(message)
    require_free_head(state, event.at)


@admits(ProjectRestored)
def project_restored(state: State, body: ProjectRestored, _event: Event) -> None:
    """Only an archived project is restored."""
    require_bytes(body.reason, REASON_BYTES_MAX, "reason")
    if state.archived is None:
        message = "this project is not archived"
        raise LifecycleError(message)


@admits(PrincipalAdded)
def principal_added(state: State, body: PrincipalAdded, _event: Event) -> None:
    """A person is added once, under a lower-case name."""
    require_slug(body.principal_id, "person's id")
    if body.principal_id in state.authority.principals:
        message = f"there is already a person {body.principal_id!r}"
        raise RefusedError(message)
    require_title(body.name, TITLE_CHARS_MAX, "person's name")


@admits(RoleGranted)
def role_granted(state: State, body: RoleGranted, event: Event) -> None:
    """The person is known, the project an id, `none` no role to grant; whoever grants it owns what it holds in.

    The first role in a project is taken by whoever opened it, for themselves, as its owner.
    """
    _require_person(state, body.principal_id)
    if body.role is Role.NONE:
        message = "grant owner, reviewer, viewer or operator"
        raise InvalidError(message)
    if body.ledger_id is not None and not is_id(body.ledger_id, "project"):
        message = f"a role holds in a project or in all of them, not in {body.ledger_id!r:.80}"
        raise InvalidError(message)
    is_opener = body.principal_id == event.actor.id and body.role is Role.OWNER and body.ledger_id is not None
    if not (is_opener and not _holders(state, body.ledger_id)):
        _require_owner_of(state, event.actor.id, body.ledger_id)
    if body.role is not Role.OWNER and body.ledger_id is None:
        _require_owner_left(state, body.principal_id)


@admits(RoleRevoked)
def role_revoked(state: State, body: RoleRevoked, event: Event) -> None:
    """The person holds the role; whoever ends it owns what it holds in; the installation keeps an owner."""
    _require_person(state, body.principal_id)
    if body.principal_id not in _holders(state, body.ledger_id):
        where = "in every project" if body.ledger_id is None else f"of their own in {body.ledger_id!r:.80}"
        message = f"{body.principal_id!r} has no role {where}"
        raise NotFoundError(message)
    _require_owner_of(state, event.actor.id, body.ledger_id)
    if body.ledger_id is None:
        _require_owner_left(state, body.principal_id)


def _holders(state: State, ledger_id: str | None) -> dict[str, Role]:
    """Return who holds which role in exactly this project, or in every one."""
    return {
        record.principal_id: dict(record.roles)[ledger_id]
        for record in state.authority.principals.rows()
        if ledger_id in dict(record.roles)
    }


def _require_owner_of(state: State, actor_id: str, ledger_id: str | None) -> None:
    """Refuse whoever owns neither the installation nor this project; before there is an owner, anybody begins."""
    everywhere = _holders(state, None)
    if Role.OWNER not in everywhere.values() or everywhere.get(actor_id) is Role.OWNER:
        return
    if ledger_id is None or _holders(state, ledger_id).get(actor_id) is not Role.OWNER:
        what = "the installation" if ledger_id is None else "this project"
        message = f"{actor_id!r} does not own {what}, so its roles are not theirs to give or end"
        raise AuthorityError(message)


def _require_owner_left(state: State, principal_id: str) -> None:
    owners = {person for person, role in _holders(state, None).items() if role is Role.OWNER}
    if owners == {principal_id}:
        message = f"{principal_id!r} is the installation's last owner; make somebody else an owner first"
        raise RefusedError(message, code="last_owner")


def _require_person(state: State, principal_id: str) -> None:
    if principal_id not in state.authority.principals:
        message = f"there is no person {principal_id!r}"
        raise NotFoundError(message)


def is_own_credential(state: State, event: Event) -> bool:
    """Tell whether a person records their own password or identity: whatever their role, it is theirs to change."""
    issued = event.body
    if isinstance(issued, CredentialRevoked):
        record = state.authority.credentials.get(issued.credential_id)
        issued = issued if record is None else record.body
    if not isinstance(issued, CredentialIssued) or issued.kind not in {"password", "identity"}:
        return False
    actor = event.actor
    return actor.kind is ActorKind.HUMAN and actor.role is not Role.NONE and issued.principal_id == actor.id


@admits(CredentialIssued)
def credential_issued(state: State, body: CredentialIssued, event: Event) -> None:
    """The person is known, the credential new and not expired at birth."""
    _require_person(state, body.principal_id)
    if body.credential_id in state.authority.credentials:
        message = f"credential {body.credential_id!r} was already issued"
        raise RefusedError(message)
    if body.expires_at is None:
        if body.kind in {"password", "identity"}:
            return
        message = f"a credential of kind {body.kind} expires"
        raise InvalidError(message)
    require_moment(body.expires_at, "expiry")
    if body.expires_at <= event.at:
        message = "a credential must expire after it is issued"
        raise InvalidError(message)


@admits(CredentialRevoked)
def credential_revoked(state: State, body: CredentialRevoked, _event: Event) -> None:
    """The credential exists and is not revoked yet."""
    record = state.authority.credentials.get(body.credential_id)
    if record is None:
        message = f"there is no credential {body.credential_id!r}"
        raise NotFoundError(message)
    if record.revoked is not None:
        message = f"credential {body.credential_id!r} is already revoked"
        raise RefusedError(message)


@admits(ConfigActivated)
def config_activated(state: State, body: ConfigActivated, _event: Event) -> None:
    """Only a change of configuration is worth an event."""
    if state.authority.config_digest == body.config_digest:
        message = "this configuration is already in force"
        raise RefusedError(message)


@admits(KeyRotated)
def key_rotated(state: State, body: KeyRotated, _event: Event) -> None:
    """The key differs from the role's current one."""
    current = state.authority.keys.get(body.role)
    if current is not None and current.key_id == body.key_id:
        message = f"key {body.key_id} is already the current one for {body.role.value}"
        raise RefusedError(message)


@admits(ProjectImported)
def project_imported(state: State, body: ProjectImported, _event: Event) -> None:
    """It is another ledger, of a root over at least one event, and never less than was imported before."""
    if not is_id(body.project_id, "project") or body.project_id == state.ledger:
        message = f"{body.project_id!r:.80} is no project that could be imported here"
        raise InvalidError(message)
    if (
        body.size < 1
        or not _ROOT.fullmatch(body.log_root)
        or not _INSTALLATION.fullmatch(body.installation_id)
    ):
        message = "an import names an installation, a size of at least one event and a root of 64 hex digits"
        raise InvalidError(message)
    if not all(_KEY_ID.fullmatch(key.key_id) and _KEY.fullmatch(key.public_key) for key in body.keys):
        message = "a key of an import is named after its role, and is 32 bytes in base64"
        raise InvalidError(message)
    earlier = state.authority.imports.get(body.project_id)
    if earlier is not None and earlier.body.size >= body.size:
        message = f"{earlier.body.size} events of {body.project_id} were imported already"
        raise RefusedError(message)
    if earlier is not None and earlier.body.installation_id != body.installation_id:
        message = f"{body.project_id} was imported from another installation"
        raise RefusedError(message)
