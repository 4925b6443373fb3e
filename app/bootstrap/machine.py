"""What needs no installation: the machine, the sandbox project, the branch as plain git reads it."""

import os
import stat
from pathlib import Path

from adapters.git.command import git_output, git_version
from adapters.git.leases import choose_worktree_root, first_unsearchable
from adapters.git.repositories import GitRepositories
from adapters.layout import Sugiyama
from adapters.ledger.store import sqlite_version
from adapters.sandbox.bubblewrap import Bubblewrap
from adapters.sandbox.uids import UidPool
from app.config.installation import read_installation
from app.config.settings import Settings
from app.ports import GraphLayout
from app.services.doctor import Machine


def install_sandbox(settings: Settings) -> None:
    """Put the sandbox project's repository, worker, harness and configuration under the data folder, once."""
    from adapters import sandbox_project

    folder = settings.data_folder
    creator = GitRepositories(str(folder / "runs")).create_bare
    places = sandbox_project.install(str(folder), creator)
    if not settings.config_file.exists():
        text = sandbox_project.odeu_toml(places)
        draft = Path(f"{settings.config_file}.new")
        draft.write_text(text, encoding="utf-8")
        draft.chmod(0o600)
        draft.rename(settings.config_file)


def sandbox_texts() -> tuple[str, str, str]:
    """Return the sandbox project's title, outline and example sentence."""
    from adapters import sandbox_project

    return sandbox_project.PROJECT_TITLE, sandbox_project.seed_outline(), sandbox_project.example_sentence()


def map_layout() -> GraphLayout:
    """Return what gives the nodes of a map their rows."""
    return Sugiyama()


def probe_machine(settings: Settings) -> Machine:
    """Look at what this machine offers; works without an installation."""
    folder = settings.data_folder
    facts = Bubblewrap(uids=UidPool()).probe()
    installation = read_installation(folder)
    name = "not-yet-created" if installation is None else installation.installation_id
    runs = Path(choose_worktree_root(str(folder), name, drops_uid=facts.tier == "uid_drop"))
    blocked = first_unsearchable(runs) if facts.tier == "uid_drop" else None
    return Machine(
        sandbox=facts,
        git_version=git_version(),
        sqlite_version=sqlite_version(),
        data_folder=str(folder),
        data_problem=_folder_problem(folder),
        run_folder=str(runs),
        unsearchable=None if blocked is None else str(blocked),
    )


def _folder_problem(folder: Path) -> str | None:
    if not folder.exists():
        return None
    facts = folder.lstat()
    if not stat.S_ISDIR(facts.st_mode):
        return f"{folder.name} is not a folder"
    if facts.st_uid != os.geteuid():
        return f"{folder.name} belongs to another user"
    if facts.st_mode & 0o077:
        return f"{folder.name} can be read by others (mode {facts.st_mode & 0o777:o})"
    return None


def branch_by_plain_git(repository: str, ref: str) -> str:
    """Return the commit a branch holds as plain git reads it, beside everything this product says.

    Raises: GitRefusedError when git cannot read it.
    """
    return git_output(repository, "rev-parse", "--verify", f"{ref}^{{commit}}").decode().strip()
