"""Creating what is missing of a data folder."""

from adapters.ledger import (
    MasterKey,
    database_exists,
    migrate,
)
from adapters.system import SystemClock, SystemEntropy
from app.bootstrap.parts import AS_OWNER, NO_SEAMS, OWNER_ACTOR, Parts, Seams, open_parts, require_sound
from app.config.installation import Installation, read_installation, write_installation
from app.config.settings import Settings
from app.services.access import OWNER
from kernel.commands import AddPrincipal, GrantRole, OpenProject, RotateKey
from kernel.errors import ConfigurationError
from kernel.values.stamp import Stamp
from kernel.vocabulary import Role, Via


def exists(settings: Settings) -> bool:
    """Tell whether the data folder holds an installation."""
    return read_installation(settings.data_folder) is not None


def create_installation(settings: Settings, *, seams: Seams = NO_SEAMS) -> None:
    """Create what is missing of the data folder: keys, database, world ledger, the person `owner`.

    Safe to call again: whatever is there stays. Only `init`, `serve` and `tour` call it.
    """
    folder = settings.data_folder
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    clock, entropy = SystemClock(), SystemEntropy()
    installation = read_installation(folder)
    if installation is None:
        installation = _new_installation(clock, entropy)
        if database_exists(settings.database):
            message = (
                "there is a database, but the installation.json of its installation is gone from the data folder; "
                "restore it from a backup, or put the database aside to begin anew"
            )
            raise ConfigurationError(message)
        write_installation(folder, installation)
    if not (folder / "master.key").exists() and not database_exists(settings.database):
        # A database is made after its key: one without a key has lost it, and a new key would read nothing.
        MasterKey.create(folder / "master.key", entropy)
    migrate(settings.database)
    parts = open_parts(settings, installation, seams)
    require_sound(parts, installation)
    _open_world(parts, installation)


def _new_installation(clock: SystemClock, entropy: SystemEntropy) -> Installation:
    stamp = Stamp(clock.now(), OWNER_ACTOR, Via.CLI, "", entropy.bytes(32))
    return Installation(stamp.id("installation").partition("_")[2], stamp.id("project"))


def _open_world(parts: Parts, installation: Installation) -> None:
    """Make the world ledger say what it must: that it exists, who the owner is, which keys are in force."""
    world = installation.world_id
    desk, directory = parts.desk, parts.directory
    if desk.ledger.head(world).seq == 0:
        desk.act(world, AS_OWNER, OpenProject(world, "world", "My world"))
    state = desk.state(world)
    if OWNER not in state.authority.principals:
        state = desk.act(world, AS_OWNER, AddPrincipal(OWNER, "Owner")).state
    if not state.authority.principals[OWNER].roles:
        desk.act(world, AS_OWNER, GrantRole(OWNER, Role.OWNER, None))
    if directory.person(OWNER) is None:
        directory.add_person(OWNER, "Owner", parts.seams.clock.now())
    if not directory.memberships(OWNER):
        directory.grant(OWNER, Role.OWNER, ledger_id=None)
    newest = {key.role: key for key in parts.keys.public_keys()}
    for role, key in newest.items():
        current = state.authority.keys.get(role)
        if current is None or current.key_id != key.key_id:
            desk.act(world, AS_OWNER, RotateKey(role, key.key_id, key.public_key))
