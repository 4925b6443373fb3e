"""Fresh installations that hold the shipped sandbox project, and the texts that walk it."""

import subprocess
from pathlib import Path
from typing import Final

from app import bootstrap
from app.config.settings import Settings
from tests.support.walk import Texts

TARGET: Final = "refs/heads/main"
PROFILE: Final = "paint-tins"


def sandbox_texts() -> Texts:
    """Return what a person brings to the shipped project."""
    title, outline, sentence = bootstrap.sandbox_texts()
    return Texts(title, outline, sentence, PROFILE)


def settings_for(data: Path, database_url: str = "") -> Settings:
    """Return the settings of a data folder, its database a file in it unless an address is named."""
    return Settings(data=data, database_url=database_url)


def install(data: Path, database_url: str = "") -> Settings:
    """Make an installation with the sandbox project whose branch logs each of its moves."""
    settings = settings_for(data, database_url)
    bootstrap.create_installation(settings)
    bootstrap.install_sandbox(settings)
    git(data, "config", "core.logAllRefUpdates", "always")
    return settings


def repository(data: Path) -> Path:
    """Return the sandbox's repository."""
    return data / "sandbox" / "repository.git"


def git(data: Path, *arguments: str) -> str:
    """Ask plain git about the sandbox's repository."""
    command = ["git", "--git-dir", str(repository(data)), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def branch(data: Path) -> str:
    """Return the commit that the target branch holds."""
    return git(data, "rev-parse", TARGET)


def moves(data: Path) -> int:
    """Return how often the branch was moved since its log began."""
    log = repository(data) / "logs" / TARGET
    return len(log.read_text(encoding="utf-8").splitlines()) if log.exists() else 0
