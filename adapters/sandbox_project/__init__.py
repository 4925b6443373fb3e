"""The shipped sandbox project: a small repository, a worker, a harness, a profile and a first outline.

Everything a fresh installation needs to walk the whole path once, on Python's standard library alone. Installing
copies files under the data folder; the repository itself is made by the caller's Git. Owns no rule and no service.
"""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from kernel.errors import ConfigurationError

PROFILE_ID: Final = "paint-tins"
RUNTIME_ID: Final = "scripted-paint"
REPOSITORY_ID: Final = "paint"
TARGET_REF: Final = "refs/heads/main"
PROJECT_TITLE: Final = "Paint planner"

CreateBare: TypeAlias = Callable[[str, dict[str, bytes], str, str], str]
"""(path, files, message, at) -> the commit that the new bare repository's branch `main` holds."""

_SHIPPED: Final = Path(__file__).parent / "paint"
_FOLDER: Final = "sandbox"
_MAKING: Final = ".sandbox-in-the-making"
_FIRST_COMMIT_AT: Final = "2026-01-05T09:00:00.000000Z"
"""Fixed, so that the first commit has the same id everywhere."""
_SUFFIXES: Final = (".py", ".md")


@dataclass(frozen=True, slots=True)
class SandboxPlaces:
    """Where the sandbox project is, relative to the data folder."""

    repository: str
    worker: str
    harness: str


def install(data_folder: str, create_bare: CreateBare) -> SandboxPlaces:
    """Put the sandbox project under the data folder once; a project that is there stays untouched.

    Built aside and renamed into place, so a crash leaves either nothing or the whole.

    Raises: ConfigurationError when the files cannot be written; whatever `create_bare` raises.
    """
    target = Path(data_folder) / _FOLDER
    making = Path(data_folder) / _MAKING
    if not target.is_dir():
        try:
            if making.exists():
                shutil.rmtree(making)
            making.mkdir(mode=0o700)
            for name in ("worker", "harness"):
                _copy(_SHIPPED / name, making / name)
            message = "Plan paint for a room\n\nWalls, paint and tins; the largest tin only."
            create_bare(str(making / "repository.git"), repository_files(), message, _FIRST_COMMIT_AT)
            making.rename(target)
        except OSError as error:
            raise ConfigurationError(f"The sandbox project cannot be written: {error}.") from error
    return SandboxPlaces(
        repository=f"{_FOLDER}/repository.git", worker=f"{_FOLDER}/worker", harness=f"{_FOLDER}/harness"
    )


def repository_files() -> dict[str, bytes]:
    """Return the repository's files by path, as its first commit holds them."""
    root = _SHIPPED / "repository"
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in _files(root)}


def odeu_toml(places: SandboxPlaces) -> str:
    """Return the configuration entries of the sandbox project."""
    text = (_SHIPPED / "odeu.toml.txt").read_text(encoding="utf-8")
    return text.format(repository=places.repository, worker=places.worker, harness=places.harness)


def seed_outline() -> str:
    """Return the outline that the project starts from, in the form `import-outline` reads."""
    return (_SHIPPED / "outline.md").read_text(encoding="utf-8")


def example_sentence() -> str:
    """Return a sentence to capture first: it becomes the task that the profile fits."""
    return "Choose the tins to buy so that the least paint is left over."


def _copy(source: Path, target: Path) -> None:
    """Copy a flat folder of host-owned files, writable by no one else."""
    target.mkdir(mode=0o700)
    for file in sorted(source.iterdir()):
        if file.is_file():
            copy = target / file.name
            copy.write_bytes(file.read_bytes())
            copy.chmod(0o600)


def _files(root: Path) -> Iterator[Path]:
    for path in sorted(root.rglob("*")):
        if path.is_file() and path.suffix in _SUFFIXES:
            yield path
