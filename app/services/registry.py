"""The effective configuration as services use it: places, profiles, runtimes, and every problem in one list."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeVar

from app.config.files import ConfigFile, LoadedConfig, ProfileEntry, RuntimeEntry, ValidatorEntry, resolve
from kernel.canonical import digest
from kernel.errors import ConfigurationError, NotFoundError
from kernel.values.execution import Limits, RepositoryPlace, ValidatorPlace
from kernel.values.work import Contract, Profile, Requirement, RuntimeFacts
from kernel.vocabulary import RuntimeKind, Via

CONFIG_DOMAIN: Final = "odeu.configuration.v1"
PROFILE_DOMAIN: Final = "odeu.profile.v1"
_MIB: Final = 1024 * 1024

FolderDigest = Callable[[str], str]
"""Returns the digest over a harness folder's files, or raises ConfigurationError."""

ProgramDigest = Callable[["RuntimePlace"], str]
"""Returns the digest of a runtime's command and files, or raises ConfigurationError."""


@dataclass(frozen=True, slots=True)
class RuntimePlace:
    """A configured runtime: what the ledger knows of it, and the program only the host knows."""

    facts: RuntimeFacts
    program: str
    argv: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Registry:
    """Everything configured, digest by digest."""

    digest: str
    doors: frozenset[Via]
    repositories: tuple[RepositoryPlace, ...]
    runtimes: tuple[RuntimePlace, ...]
    validators: tuple[ValidatorPlace, ...]
    profiles: tuple[Profile, ...]
    problems: tuple[str, ...]

    def repository(self, repository_id: str) -> RepositoryPlace:
        """Return the repository. Raises: NotFoundError."""
        return _named(self.repositories, repository_id, "repository")

    def runtime(self, runtime_id: str) -> RuntimePlace:
        """Return the runtime. Raises: NotFoundError."""
        for place in self.runtimes:
            if place.facts.id == runtime_id:
                return place
        message = f"no runtime {runtime_id!r} is configured"
        raise NotFoundError(message)

    def validator(self, validator_id: str) -> ValidatorPlace:
        """Return the validator. Raises: NotFoundError."""
        return _named(self.validators, validator_id, "validator")

    def profile(self, profile_id: str) -> Profile:
        """Return the profile. Raises: NotFoundError."""
        for profile in self.profiles:
            if profile.contract.profile_id == profile_id:
                return profile
        message = f"no profile {profile_id!r} is configured"
        raise NotFoundError(message)


_Place = TypeVar("_Place", RepositoryPlace, ValidatorPlace)


def _named(places: tuple[_Place, ...], wanted: str, what: str) -> _Place:
    for place in places:
        if place.id == wanted:
            return place
    message = f"no {what} {wanted!r} is configured"
    raise NotFoundError(message)


def build_registry(
    loaded: LoadedConfig, data_folder: Path, *, harness: FolderDigest, program: ProgramDigest
) -> Registry:
    """Return the effective configuration; an entry with a problem of its own is left out and named.

    `harness` and `program` give the digests that pin a validator's and a runtime's folder.
    """
    problems = list(loaded.problems)
    file = loaded.file
    repositories = tuple(
        RepositoryPlace(name, str(resolve(entry.path, data_folder)), entry.target_refs)
        for name, entry in sorted(file.repositories.items())
    )
    runtimes = _collect(
        file.runtimes, "runtimes", problems, lambda name, entry: _runtime(name, entry, data_folder, program)
    )
    validators = _collect(
        file.validators,
        "validators",
        problems,
        lambda name, entry: _validator(name, entry, data_folder, harness),
    )
    profiles = tuple(
        _profile(name, entry)
        for name, entry in sorted(file.profiles.items())
        if _usable(entry, file, {place.id for place in validators}, {place.facts.id for place in runtimes})
    )
    return Registry(
        digest=digest(CONFIG_DOMAIN, _secret_free(file, runtimes, validators)),
        doors=file.doors,
        repositories=repositories,
        runtimes=runtimes,
        validators=validators,
        profiles=profiles,
        problems=tuple(problems),
    )


_Entry = TypeVar("_Entry")
_Built = TypeVar("_Built")


def _collect(
    entries: dict[str, _Entry], room: str, problems: list[str], build: Callable[[str, _Entry], _Built]
) -> tuple[_Built, ...]:
    built = []
    for name, entry in sorted(entries.items()):
        try:
            built.append(build(name, entry))
        except ConfigurationError as error:
            problems.append(f"{room}.{name}: {error.message}")
    return tuple(built)


def _runtime(name: str, entry: RuntimeEntry, data_folder: Path, program: ProgramDigest) -> RuntimePlace:
    facts = RuntimeFacts(
        id=name,
        kind=RuntimeKind(entry.kind),
        label=entry.label,
        digest="",
        deadline_s=entry.deadline_s,
        available=True,
    )
    place = RuntimePlace(facts, str(resolve(entry.program, data_folder)), entry.argv)
    return replace(place, facts=facts.model_copy(update={"digest": program(place)}))


def _validator(name: str, entry: ValidatorEntry, data_folder: Path, harness: FolderDigest) -> ValidatorPlace:
    folder = str(resolve(entry.folder, data_folder))
    return ValidatorPlace(name, folder, harness(folder), _limits(entry))


def _limits(entry: ValidatorEntry) -> Limits:
    limits = entry.limits
    return Limits(
        wall_s=limits.wall_s,
        cpu_s=limits.cpu_s,
        memory_bytes=limits.memory_mib * _MIB,
        memory_sum_bytes=limits.memory_sum_mib * _MIB,
        scratch_bytes=limits.scratch_mib * _MIB,
        processes=limits.processes,
    )


def _usable(entry: ProfileEntry, file: ConfigFile, validators: set[str], runtimes: set[str]) -> bool:
    """Tell whether everything the profile names is there; what is missing already stands among the problems."""
    repository = file.repositories.get(entry.repository)
    return (
        repository is not None
        and entry.target_ref in repository.target_refs
        and set(entry.runtimes) <= runtimes
        and all(item.validator in validators for item in entry.requirements if item.kind == "oracle")
        and all(item.path is not None for item in entry.requirements if item.kind == "artifact")
    )


def _profile(name: str, entry: ProfileEntry) -> Profile:
    requirements = tuple(
        Requirement(
            id=item.id,
            label=item.label,
            kind=item.kind,
            validator_id=item.validator,
            path=item.path,
            grade=item.grade,
            required=item.required,
        )
        for item in entry.requirements
    )
    contract = Contract(
        profile_id=name,
        profile_version=entry.version,
        profile_digest=digest(PROFILE_DOMAIN, entry.model_dump(mode="json")),
        goal=entry.goal,
        done_means=entry.done_means,
        constraints=entry.constraints,
        allowed_actions=entry.allowed_actions,
        denied_actions=entry.denied_actions,
        confirm_actions=entry.confirm_actions,
        repository_id=entry.repository,
        target_ref=entry.target_ref,
        allowed_paths=entry.allowed_paths,
        expected_artifacts=entry.expected_artifacts,
        requirements=requirements,
        block_integration=entry.block_integration,
    )
    return Profile(
        contract=contract, title=entry.title, target_kinds=entry.target_kinds, runtime_ids=entry.runtimes
    )


def _secret_free(
    file: ConfigFile, runtimes: tuple[RuntimePlace, ...], validators: tuple[ValidatorPlace, ...]
) -> dict[str, object]:
    """Return what the configuration's digest covers: every entry, and the digests of the folders they name."""
    entries = file.model_dump(mode="json")
    for validator in entries["validators"].values():
        validator["limits"] = {name: str(value) for name, value in validator["limits"].items()}
    return {
        "entries": entries,
        "runtimes": [[place.facts.id, place.facts.digest] for place in runtimes],
        "validators": [[place.id, place.digest] for place in validators],
    }
