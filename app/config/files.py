"""The configuration file: repositories, runtimes, validators and profiles, strictly read.

Source: docs/configuration.md. Unknown keys, unknown references, unsafe paths and files that others may write
are problems; all problems are collected in one list. Nothing from a browser selects a command or a path.
"""

import os
import stat
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kernel.vocabulary import Grade, NodeKind, Via

BYTES_MAX: Final = 1024 * 1024
DEFAULT_FILE: Final = "odeu.toml"
_NAME: Final = r"^[a-z0-9][a-z0-9-]{0,63}$"

Name = Annotated[str, Field(pattern=_NAME)]
Line = Annotated[str, Field(min_length=1, max_length=300)]
RelativePath = Annotated[str, Field(pattern=r"^[^/\\\x00-\x1f][^\\\x00-\x1f]{0,1023}$")]


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class RepositoryEntry(_Strict):
    """A bare repository that briefs may name."""

    path: str
    """The exact bare repository, absolute or relative to the data folder."""
    target_refs: tuple[Annotated[str, Field(pattern=r"^refs/heads/[A-Za-z0-9][A-Za-z0-9._/-]{0,200}$")], ...]
    """Branches that may be promoted to."""


class RuntimeEntry(_Strict):
    """What may execute runs."""

    kind: Literal["scripted"]
    label: Line
    """What people read; it says truthfully what it is."""
    program: str
    """Folder of the registered program, absolute or relative to the data folder."""
    argv: tuple[str, ...]
    """The command; `{program}` stands for the folder as the sandbox sees it."""
    deadline_s: int = Field(60, ge=1, le=3600)


class LimitsEntry(_Strict):
    """Bounds of one validation. Sizes in MiB, times in seconds."""

    wall_s: float = Field(15.0, gt=0, le=300)
    cpu_s: int = Field(10, ge=1, le=300)
    memory_mib: int = Field(512, ge=32, le=8192)
    memory_sum_mib: int = Field(768, ge=32, le=16384)
    scratch_mib: int = Field(32, ge=1, le=1024)
    processes: int = Field(24, ge=4, le=512)


class ValidatorEntry(_Strict):
    """A host-owned harness."""

    kind: Literal["host_oracle"]
    folder: str
    """Folder of the harness, absolute or relative to the data folder."""
    limits: LimitsEntry = LimitsEntry()


class RequirementEntry(_Strict):
    """One piece of evidence a profile asks for."""

    id: Name
    label: Line
    kind: Literal["oracle", "artifact"]
    validator: Name | None = None
    path: RelativePath | None = None
    required: bool = True

    @property
    def grade(self) -> Grade:
        """Return the grade this kind of evidence has."""
        return Grade.HOST_ORACLE if self.kind == "oracle" else Grade.SEALED_OBJECTS


class ProfileEntry(_Strict):
    """A delegation profile."""

    version: int = Field(ge=1)
    title: Line
    goal: str = Field(min_length=1, max_length=4000)
    target_kinds: tuple[NodeKind, ...] = (NodeKind.TASK,)
    repository: Name
    target_ref: str
    runtimes: tuple[Name, ...] = Field(min_length=1)
    allowed_paths: tuple[RelativePath, ...] = Field(min_length=1)
    done_means: tuple[Line, ...] = Field(min_length=1, max_length=24)
    constraints: tuple[Line, ...] = Field(default=(), max_length=40)
    allowed_actions: tuple[Line, ...] = Field(min_length=1, max_length=40)
    denied_actions: tuple[Line, ...] = Field(min_length=1, max_length=40)
    confirm_actions: tuple[Line, ...] = Field(default=(), max_length=40)
    expected_artifacts: tuple[RelativePath, ...] = ()
    requirements: tuple[RequirementEntry, ...] = Field(min_length=1, max_length=24)
    block_integration: bool = True


class ManagerEntry(_Strict):
    """Who says where a captured text fits. Exactly one is active; nobody else answers in its place."""

    kind: Literal["local", "openai", "scripted"]
    embeddings: bool = False
    """For `local`: also weigh nearness in meaning, by a sentence model that is installed as an extra."""
    base_url: str = Field("", max_length=1000)
    """For `openai`: the address up to the version, such as `https://models.example/v1`."""
    model: str = Field("", pattern=r"^([A-Za-z0-9][A-Za-z0-9._:/@-]{0,119})?$")
    dialect: Literal["responses", "chat"] = "responses"
    """For `openai`: the Responses call, or chat completions."""
    deadline_s: int = Field(60, ge=1, le=600)
    candidates: int = Field(30, ge=2, le=100)
    """For `openai`: how many shared nodes are offered as places."""
    key_file: str = ""
    """For `openai`: a file of mode 0600 that holds the key; ODEU_MANAGER_KEY goes before it."""
    ca_file: str = ""
    """For `openai`: certificate authorities to trust instead of the public ones."""
    script: str = ""
    """For `scripted`: the file of prepared answers."""


class ConfigFile(_Strict):
    """The whole file."""

    human_acts_via: tuple[Literal["browser", "cli", "api"], ...] = ("browser", "cli", "api")
    """Doors through which a person may act on meaning and work."""
    manager: ManagerEntry = ManagerEntry(kind="local")
    repositories: dict[Name, RepositoryEntry] = {}
    runtimes: dict[Name, RuntimeEntry] = {}
    validators: dict[Name, ValidatorEntry] = {}
    profiles: dict[Name, ProfileEntry] = {}

    @property
    def doors(self) -> frozenset[Via]:
        """Return the doors as the kernel names them."""
        return frozenset(Via(door) for door in self.human_acts_via)


@dataclass(frozen=True, slots=True)
class LoadedConfig:
    """What was read, and everything that is wrong with it."""

    path: Path
    file: ConfigFile
    problems: tuple[str, ...]
    manager_problem: str = ""
    """Why what the file says of the manager cannot be relied on; then nobody is asked where a text fits."""


def load_config(path: Path, data_folder: Path) -> LoadedConfig:
    """Read the file; a missing one is an empty configuration, a broken one an empty one with problems.

    Missing is a problem where somebody named the file; only the one in the data folder may be absent.
    """
    if not path.exists():
        missing = f"there is no file {path}, which ODEU_CONFIG names; put it there or correct ODEU_CONFIG"
        if path == data_folder / DEFAULT_FILE:
            return LoadedConfig(path, ConfigFile(), ())
        return LoadedConfig(path, ConfigFile(), (missing,), f"{path.name} is not there")
    problems = _mode_problems(path)
    raw: dict[str, Any] = {"manager": "not known"}
    try:
        raw = _read_toml(path)
        file = ConfigFile.model_validate(raw)
    except (OSError, ValueError) as error:
        unread = f"{path.name} cannot be read" if "manager" in raw else ""
        return LoadedConfig(path, ConfigFile(), (*problems, *_sentences(path, error)), unread)
    unsafe = problems[0] if problems and file.manager.kind != "local" else ""
    return LoadedConfig(path, file, (*problems, *_reference_problems(file, data_folder)), unsafe)


def _read_toml(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    if len(data) > BYTES_MAX:
        message = f"it has {len(data)} bytes, at most {BYTES_MAX} are read"
        raise ValueError(message)
    return tomllib.loads(data.decode("utf-8"))


def _sentences(path: Path, error: Exception) -> tuple[str, ...]:
    if isinstance(error, ValidationError):
        return tuple(
            f"{path.name}: {'.'.join(str(part) for part in item['loc'])}: {item['msg']}"
            for item in error.errors()
        )
    return (f"{path.name} cannot be read: {error}",)


def _mode_problems(path: Path) -> tuple[str, ...]:
    facts = path.lstat()
    problems = []
    if not stat.S_ISREG(facts.st_mode):
        problems.append(f"{path.name} must be a regular file, not a link or folder")
    if facts.st_uid not in {os.geteuid(), 0}:
        problems.append(f"{path.name} belongs to another user; make it your own")
    if facts.st_mode & 0o022:
        problems.append(f"{path.name} can be written by others; run chmod go-w on it")
    return tuple(problems)


T = TypeVar("T")


def _reference_problems(file: ConfigFile, data_folder: Path) -> tuple[str, ...]:
    problems: list[str] = []
    for name, repository in file.repositories.items():
        if not resolve(repository.path, data_folder).is_dir():
            problems.append(f"repositories.{name}: there is no folder at its path")
    for name, runtime in file.runtimes.items():
        if not resolve(runtime.program, data_folder).is_dir():
            problems.append(f"runtimes.{name}: there is no program folder at its path")
    for name, validator in file.validators.items():
        if not resolve(validator.folder, data_folder).is_dir():
            problems.append(f"validators.{name}: there is no harness folder at its path")
    for name, profile in file.profiles.items():
        problems.extend(f"profiles.{name}: {sentence}" for sentence in _profile_problems(file, profile))
    return tuple(problems)


def _profile_problems(file: ConfigFile, profile: ProfileEntry) -> list[str]:
    problems = []
    repository = file.repositories.get(profile.repository)
    if repository is None:
        problems.append(f"repository {profile.repository!r} is not configured")
    elif profile.target_ref not in repository.target_refs:
        problems.append(f"{profile.target_ref} is no target of repository {profile.repository!r}")
    problems.extend(
        f"runtime {name!r} is not configured" for name in profile.runtimes if name not in file.runtimes
    )
    if set(profile.target_kinds) != {NodeKind.TASK}:
        problems.append("a profile fits Tasks only")
    seen: set[str] = set()
    for requirement in profile.requirements:
        if requirement.id in seen:
            problems.append(f"requirement {requirement.id!r} stands twice")
        seen.add(requirement.id)
        if requirement.kind == "oracle" and requirement.validator not in file.validators:
            problems.append(f"requirement {requirement.id!r} names no configured validator")
        if requirement.kind == "artifact" and requirement.path is None:
            problems.append(f"requirement {requirement.id!r} names no path")
    return problems


def resolve(path: str, data_folder: Path) -> Path:
    """Return a configured path, relative ones under the data folder."""
    return data_folder / path
