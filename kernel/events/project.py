"""Events of a ledger's own life and of authority: projects, people, roles, credentials, configuration, keys."""

from typing import ClassVar, Literal

from kernel.events.body import Body
from kernel.values.recorded import Recorded
from kernel.values.words import Words
from kernel.vocabulary import KeyRole, Role


class ProjectOpened(Body):
    """A ledger began. Always its first event; it creates the root node and revision 0."""

    TYPE: ClassVar[str] = "project.opened.v1"
    CREATES: ClassVar[tuple[str, ...]] = ("project_id",)

    project_id: str
    """The ledger's own id."""
    scope: Literal["world", "project"]
    """`world` for the installation's one world ledger."""
    root_id: str
    """The root node, of kind World or Project."""
    title: Words
    """What people call it."""
    description: Words | None = None
    """What it is about, in more words."""
    state_root: str
    """Root of the trie that holds the root node alone."""


class ProjectArchived(Body):
    """A project was put away: it takes no captures, proposals or runs, and stays readable and exportable."""

    TYPE: ClassVar[str] = "project.archived.v1"

    reason: Words | None = None
    """Why, if the person said."""


class ProjectRestored(Body):
    """An archived project is worked on again."""

    TYPE: ClassVar[str] = "project.restored.v1"

    reason: Words | None = None
    """Why, if the person said."""


class ForeignKey(Recorded):
    """A public key of another installation, as its bundle named it."""

    role: KeyRole
    """What it signed."""
    key_id: str
    """The id its signatures name."""
    public_key: str
    """Ed25519 public key, base64."""


class ProjectImported(Body):
    """A project that another installation recorded may be read here. World ledger only.

    Nobody acts on it: its people are not ours, and are shown as `imported:` and their id.
    """

    TYPE: ClassVar[str] = "project.imported.v1"

    project_id: str
    """The project, under the id it had there."""
    installation_id: str
    """The installation it comes from."""
    size: int
    """How many events its bundle held."""
    log_root: str
    """The root over them, in hex."""
    keys: tuple[ForeignKey, ...]
    """The keys that its receipts were verified with."""


class PrincipalAdded(Body):
    """A person became known to this installation. World ledger only."""

    TYPE: ClassVar[str] = "principal.added.v1"

    principal_id: str
    """A slug such as `owner`."""
    name: Words
    """What people call them."""


class RoleGranted(Body):
    """A person may act in a role from now on. World ledger only."""

    TYPE: ClassVar[str] = "role.granted.v1"

    principal_id: str
    """The person."""
    role: Role
    """What they may do from now on."""
    ledger_id: str | None
    """The project the role holds in; None for every project."""


class RoleRevoked(Body):
    """A person no longer acts in a role. World ledger only; the installation's last owner keeps theirs."""

    TYPE: ClassVar[str] = "role.revoked.v1"

    principal_id: str
    """The person."""
    ledger_id: str | None
    """The project the role held in; None for the role that held in every project."""


class CredentialIssued(Body):
    """A credential was handed out; only its id and fate stand here, never its secret. World ledger only."""

    TYPE: ClassVar[str] = "credential.issued.v1"

    credential_id: str
    """Its public id; the secret was shown once and stands nowhere."""
    principal_id: str
    """The person who holds it."""
    kind: Literal["operator_token", "signin_link", "password", "identity"]
    """What it is; `identity` is an account at the configured OpenID provider, whose name stands nowhere here."""
    expires_at: str | None
    """The moment after which it opens nothing; None for a password or an identity, which hold until revoked."""


class CredentialRevoked(Body):
    """A credential stopped working before its time. World ledger only."""

    TYPE: ClassVar[str] = "credential.revoked.v1"

    credential_id: str
    """The credential that stopped."""


class ConfigActivated(Body):
    """The server began to work under a configuration. World ledger only."""

    TYPE: ClassVar[str] = "config.activated.v1"

    config_digest: str
    """Digest over the effective, secret-free configuration."""
    problems: int
    """How many problems it had."""


class KeyRotated(Body):
    """A signing key became the current one of its role; also the first key of a role. World ledger only."""

    TYPE: ClassVar[str] = "key.rotated.v1"

    role: KeyRole
    """What the key signs."""
    key_id: str
    """The id its signatures name."""
    public_key: str
    """Ed25519 public key, base64."""
