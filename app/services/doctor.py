"""What an installation needs of its machine, what is missing, and how to get it."""

from dataclasses import dataclass

from app.services.studio import Studio
from kernel.values.execution import SandboxFacts
from kernel.values.placement import ManagerFacts


@dataclass(frozen=True, slots=True)
class Machine:
    """What was found on the machine."""

    sandbox: SandboxFacts
    git_version: str | None
    sqlite_version: str
    data_folder: str
    data_problem: str | None
    """What is wrong with the data folder: its owner, its mode, its parents."""
    run_folder: str
    unsearchable: str | None
    """The parent of the run folder that a dropped user cannot pass, or None."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    name: str
    is_fine: bool
    detail: str
    cure: str | None = None


def examine(studio: Studio | None, machine: Machine) -> tuple[Finding, ...]:
    """Return every finding, in the order a newcomer would cure them."""
    git = machine.git_version
    findings = [
        Finding("git", git is not None, git or "not found", "apt-get install git"),
        _sandbox(machine.sandbox),
        Finding("sqlite", is_fine=True, detail=f"{machine.sqlite_version}, bundled"),
        Finding(
            "data folder",
            machine.data_problem is None,
            machine.data_problem or machine.data_folder,
            "make it your own with mode 0700, or set ODEU_DATA",
        ),
        Finding(
            "run folder",
            machine.unsearchable is None,
            machine.run_folder
            if machine.unsearchable is None
            else f"{machine.unsearchable} cannot be passed",
            "let the dropped user pass the parents of the run folder (chmod o+x)",
        ),
    ]
    if studio is None:
        findings.append(Finding("installation", is_fine=False, detail="there is none yet", cure="odeu init"))
        return tuple(findings)
    findings.append(_manager(studio.placements.manager.facts))
    problems = studio.registry.problems
    findings.append(
        Finding(
            "configuration",
            not problems,
            "; ".join(problems) or f"profiles in force: {len(studio.registry.profiles)}; no problem",
            f"edit {studio.settings.config_file.name} in the data folder; Settings lists every problem",
        )
    )
    return tuple(findings)


def _manager(facts: ManagerFacts) -> Finding:
    detail = {
        "local": f"{facts.name}, on this machine: rules, {facts.model or 'no model'}",
        "scripted": f"{facts.name}, on this machine: prepared answers for tests and demonstrations",
        "openai": f"{facts.name} at {facts.host or 'no host'}, spoken to by {facts.dialect}; gets shared words only",
        "unknown": "not known",
    }[facts.mode]
    if facts.problem:
        detail = f"{detail}; cannot be asked, and nobody else is: {facts.problem}"
    return Finding(
        "manager", not facts.problem, detail, "correct [manager] in the configuration file and start again"
    )


def _sandbox(facts: SandboxFacts) -> Finding:
    detail = f"tier {facts.tier}"
    if facts.missing:
        detail += "; " + "; ".join(facts.missing)
    cure = (
        "apt-get install bubblewrap, and allow unprivileged user namespaces; without it no evidence can pass"
    )
    return Finding("sandbox", facts.tier != "unavailable", detail, cure)
