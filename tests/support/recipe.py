"""Follows docs/own-repository.md: what its blocks say is what is written and run."""

import re
import subprocess
from pathlib import Path
from typing import Final

from app import bootstrap
from app.config.settings import Settings
from tests.support.walk import Texts

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "own-repository.md"
TARGET: Final = "refs/heads/desk"
REPOSITORY: Final = "library/books.git"
_BLOCK: Final = re.compile(
    r"^```(?P<language>\w+)(?: (?P<name>\S+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)


def blocks() -> dict[str, str]:
    """Return the page's blocks by the file they name; the unnamed script is called by its language."""
    found = _BLOCK.finditer(PAGE.read_text(encoding="utf-8"))
    return {match["name"] or match["language"]: match["text"] for match in found}


def library_texts() -> Texts:
    """Return what a person brings to the library, as the page's commands spell it."""
    told = blocks()
    title = re.search(r'project new "(.+)"', told["odeu"])
    sentence = re.search(r'capture .* "(.+)"$', told["odeu"], re.MULTILINE)
    profile = re.search(r"--profile (\S+)", told["odeu"])
    assert title is not None
    assert sentence is not None
    assert profile is not None
    return Texts(title[1], told["library/outline.md"], sentence[1], profile[1])


def install_library(data: Path, *, replacing: dict[str, str] | None = None) -> Settings:
    """Make an installation whose only project is the library, without the sandbox's files.

    `replacing` gives other texts for files of the page, by name.
    """
    settings = Settings(data=data)
    bootstrap.create_installation(settings)
    told = blocks()
    subprocess.run(["sh", "-e", "-c", told["sh"]], cwd=data, check=True, capture_output=True, umask=0o077)
    for name, text in {**told, **(replacing or {})}.items():
        if "/" in name or name == "odeu.toml":
            file = data / name
            file.parent.mkdir(mode=0o700, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            file.chmod(0o600)
    git(data, "config", "core.logAllRefUpdates", "always")
    return settings


def git(data: Path, *arguments: str) -> str:
    """Ask plain git about the library's repository."""
    command = ["git", "--git-dir", str(data / REPOSITORY), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def branch(data: Path) -> str:
    """Return the commit that the library's branch holds."""
    return git(data, "rev-parse", TARGET)
