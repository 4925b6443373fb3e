"""What an installation needs of its machine, what is missing, and how to get it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from app.services.studio import Studio
from kernel.values.execution import SandboxFacts
from kernel.values.placement import ManagerFacts

_TIERS: Final = {
    "uid_drop": "each run is a user of its own",
    "same_uid": "each run is the user of this server",
    "unavailable": "nothing can be run here",
}
"""How runs are kept apart, in words."""
REMEMBERED_S: Final = 60.0
"""For how many seconds a good answer of the machine holds."""


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


class Looking:
    """Looks at the machine, and remembers a good answer for a minute: to look is to start a sandbox and programs.

    What is missing is looked for again each time, since somebody may be curing it.
    """

    def __init__(
        self, probe: Callable[[], Machine], now: Callable[[], str], seconds: Callable[[], float]
    ) -> None:
        """Ask `probe`; `now` tells the moment for people, `seconds` how time passes."""
        self._probe = probe
        self._now = now
        self._seconds = seconds
        self._last: tuple[float, Machine, str] | None = None

    def look(self) -> tuple[Machine, str]:
        """Return what the machine offers, and the moment at which that was seen."""
        started, last = self._seconds(), self._last
        if last is not None and 0 <= started - last[0] < REMEMBERED_S:
            return last[1:]
        machine, at = self._probe(), self._now()
        if all(item.is_fine for item in on_machine(machine)):
            self._last = (started, machine, at)
        return machine, at


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    name: str
    is_fine: bool
    detail: str
    cure: str | None = None


def examine(studio: Studio | None, machine: Machine) -> tuple[Finding, ...]:
    """Return every finding, in the order a newcomer would cure them."""
    findings = on_machine(machine)
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


def on_machine(machine: Machine) -> list[Finding]:
    """Return what was found on the machine itself, whatever is installed on it."""
    git = machine.git_version
    return [
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
    detail = f"{_TIERS.get(facts.tier, 'not known')} (tier {facts.tier})"
    if facts.missing:
        detail += "; " + "; ".join(facts.missing)
    cure = (
        "apt-get install bubblewrap, and allow unprivileged user namespaces; without it no evidence can pass"
    )
    return Finding("sandbox", facts.tier != "unavailable", detail, cure)
