"""Which manager is active: exactly the configured one, or nobody with a reason."""

import os
import stat
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit

from adapters.manager.local.shelf import LocalShelf
from adapters.manager.meaning import MeaningManager, load_encoder
from adapters.manager.nobody import NobodyManager
from adapters.manager.openai import Endpoint, OutsideManager, endpoint_problem, read_answer
from adapters.manager.scripted import read_script
from app.config.files import LoadedConfig, ManagerEntry, resolve
from app.config.secrets import manager_key
from app.ports import Manager
from kernel.errors import ConfigurationError
from kernel.values.placement import ManagerFacts

READERS: Final = MappingProxyType({"openai": read_answer})
"""Who reads the exact answers of a manager that speaks another form than the product's own."""
_SECRET_BYTES_MAX: Final = 1024


def manager_of(loaded: LoadedConfig, data_folder: Path) -> Manager:
    """Return the manager that the configuration names; where it cannot be used, one that says why."""
    if loaded.manager_problem:
        return NobodyManager(_facts(loaded.file.manager, loaded.manager_problem, is_known=False))
    entry = loaded.file.manager
    try:
        if entry.kind == "openai":
            return OutsideManager(_endpoint(entry, data_folder))
        if entry.kind == "scripted":
            return read_script(_read(resolve(entry.script, data_folder), "script"))
        if entry.embeddings:
            return MeaningManager(load_encoder())
    except ConfigurationError as error:
        return NobodyManager(_facts(entry, error.message, is_known=True))
    return LocalShelf


def with_manager(loaded: LoadedConfig, manager: Manager) -> LoadedConfig:
    """Return the configuration with what is wrong with its manager among the problems."""
    if not manager.facts.problem or loaded.manager_problem:
        return loaded
    return replace(loaded, problems=(*loaded.problems, f"manager: {manager.facts.problem}"))


def manager_secret(manager: LoadedConfig, data_folder: Path) -> tuple[bytes, ...]:
    """Return the key of the manager's endpoint, which no sealed file may hold."""
    entry = manager.file.manager
    if entry.kind != "openai" or manager.manager_problem:
        return ()
    try:
        key = _key(entry, data_folder)
    except ConfigurationError:
        return ()
    return () if key is None else (key.encode(),)


def _facts(entry: ManagerEntry, problem: str, *, is_known: bool) -> ManagerFacts:
    if not is_known:
        return ManagerFacts(name="unknown/1", mode="unknown", problem=problem)
    if entry.kind != "openai":
        return ManagerFacts(name=f"{entry.kind}/1", mode=entry.kind, problem=problem)
    host = urlsplit(entry.base_url).netloc.rpartition("@")[2] if "://" in entry.base_url else ""
    model = entry.model or "unnamed"
    return ManagerFacts(f"openai/{model}", "openai", host, entry.model, entry.dialect, problem)


def _endpoint(entry: ManagerEntry, data_folder: Path) -> Endpoint:
    key = _key(entry, data_folder)
    base_url = entry.base_url.rstrip("/")
    problem = endpoint_problem(base_url, key) or ("" if entry.model else "no model is named")
    if problem:
        raise ConfigurationError(problem)
    ca_file = str(resolve(entry.ca_file, data_folder)) if entry.ca_file else None
    if ca_file is not None and not Path(ca_file).is_file():
        message = "there is no file at its ca_file"
        raise ConfigurationError(message)
    return Endpoint(
        base_url=base_url,
        model=entry.model,
        dialect=entry.dialect,
        deadline_s=float(entry.deadline_s),
        candidates=entry.candidates,
        key=key,
        ca_file=ca_file,
    )


def _key(entry: ManagerEntry, data_folder: Path) -> str | None:
    """Return the key from the environment, or else from its private file; an endpoint may need none."""
    if (key := manager_key()) is not None:
        return key
    if not entry.key_file:
        return None
    path = resolve(entry.key_file, data_folder)
    data = _read(path, "key_file", is_secret=True)
    try:
        return data.decode("ascii").strip()
    except UnicodeDecodeError as error:
        message = "its key_file holds no key"
        raise ConfigurationError(message) from error


def _read(path: Path, what: str, *, is_secret: bool = False) -> bytes:
    """Read a file of the configuration; a secret must be its owner's alone.

    Raises: ConfigurationError.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        message = f"there is no readable file at its {what}"
        raise ConfigurationError(message) from error
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_uid not in {os.geteuid(), 0}:
            message = f"the file at its {what} is not a regular file of your own"
            raise ConfigurationError(message)
        if is_secret and found.st_mode & 0o077:
            message = f"the file at its {what} can be read by others; run chmod 600 on it"
            raise ConfigurationError(message)
        if found.st_mode & 0o022:
            message = f"the file at its {what} can be written by others; run chmod go-w on it"
            raise ConfigurationError(message)
        return file.read(_SECRET_BYTES_MAX if is_secret else -1)
