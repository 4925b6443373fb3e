"""Builds Settings: what is in force here, every problem of it, and who may act."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.views.building.account import (
    Entry,
    Known,
    Ways,
    own_ways,
    people_rows,
    person_form,
    role_form,
    session_rows,
)
from app.views.moments import moment
from app.views.parts import Fact, IdCopy, Mark
from app.views.settings import (
    ConfigItem,
    ConfigProblem,
    Finding,
    KeyRow,
    SettingsPage,
    TokenRow,
)
from app.views.shell import Shell
from app.views.wording import capital, count, short_digest, short_id
from kernel.state import State
from kernel.values.execution import RepositoryPlace, SandboxFacts, ValidatorPlace
from kernel.values.people import OperatorToken
from kernel.values.placement import ManagerFacts
from kernel.values.work import Profile, RuntimeFacts
from kernel.vocabulary import KeyRole

_ERROR: Final = Mark("circle-x", "Problem", "bad")
_FOUND: Final = Mark("circle-check", "Fine", "ok")
_MISSING: Final = Mark("triangle-alert", "Missing", "warn")
_TIERS: Final = {
    "uid_drop": (
        Mark("shield-check", "Full", "ok"),
        "A fresh user for each run and no network.",
    ),
    "same_uid": (
        Mark("shield-alert", "Same user", "warn"),
        "Confined, but as the user of this server; every result says so.",
    ),
    "unavailable": (Mark("ban", "Unavailable", "bad"), "Nothing can be run or validated on this machine."),
}
_OWN_USER: Final = Mark("shield-check", "Own user", "ok")
"""A user of its own for each run, with limits that are not enforced."""
_GLOSSES: Final = {
    "Manager": "suggests where words fit",
    "Repository": "where results of work go",
    "Runtime": "does the work of a run",
    "Validator": "checks what came back",
    "Profile": "what one kind of work may do",
}
"""Part of the configuration -> what it is for."""
_USES: Final = {
    KeyRole.CHECKPOINT: ("Checkpoint", "Signs the head of each ledger"),
    KeyRole.RUN_AUTHORITY: ("Run authority", "Signs permissions to start one run"),
    KeyRole.SEALER: ("Sealer", "Signs candidates"),
    KeyRole.VALIDATOR: ("Validator", "Signs results"),
    KeyRole.PROMOTION_JOURNAL: ("Promotion journal", "Signs what happened to a branch"),
}


@dataclass(frozen=True, slots=True)
class Configured:
    """The effective configuration as kernel values."""

    file: str
    """The name of the configuration file."""
    digest: str
    manager: ManagerFacts
    repositories: Sequence[RepositoryPlace]
    runtimes: Sequence[RuntimeFacts]
    validators: Sequence[ValidatorPlace]
    profiles: Sequence[Profile]
    problems: Sequence[str]


@dataclass(frozen=True, slots=True)
class SigningKey:
    """The public side of one key."""

    role: KeyRole
    key_id: str
    created_at: str
    is_revoked: bool


@dataclass(frozen=True, slots=True)
class Looked:
    """What the machine offers, when that was seen, and this moment."""

    sandbox: SandboxFacts
    findings: Sequence[tuple[str, bool, str, str]]
    """(name, whether it is fine, what was found, the cure), in the order to cure them."""
    environment: Sequence[tuple[str, str]]
    checked: str
    at: str


def settings_page(
    shell: Shell,
    world: State | None,
    configured: Configured,
    *,
    known: Known,
    ways: Ways,
    entry: Entry,
    keys: Sequence[SigningKey],
    looked: Looked,
) -> SettingsPage:
    """Return the page; `world` None is a reader who may see neither people, tokens nor keys."""
    tier, tier_text = _confinement(looked.sandbox)
    is_owner = world is not None
    return SettingsPage(
        shell=shell,
        people=people_rows(known),
        role_form=role_form(known, entry),
        person_form=person_form(known, entry),
        tokens=tuple(_token(item, looked.at) for item in known.tokens) if is_owner else (),
        token_command="odeu operator token new NAME",
        config_summary=_summary(configured),
        config_digest=short_digest("digest", configured.digest),
        config=_items(configured),
        problems=tuple(_problem(configured, text) for text in configured.problems),
        settings=tuple(Fact(name, value) for name, value in looked.environment),
        keys=tuple(_key(item) for item in keys) if is_owner else (),
        custody="All keys lie on this machine and one process can use them. Receipts say so: shared host.",
        tier=tier,
        tier_text=tier_text,
        findings=tuple(_finding(*item) for item in looked.findings),
        checked=moment(looked.checked),
        ways=own_ways(ways, entry),
        sessions=session_rows(known),
        end_others_action="/sessions/end-others",
        is_owner=is_owner,
    )


def _confinement(facts: SandboxFacts) -> tuple[Mark, str]:
    """Return how well code is confined; a limit that is not enforced here is named, and then it is not full."""
    mark, text = _TIERS.get(facts.tier, _TIERS["unavailable"])
    if facts.missing:
        return mark, f"{text} Missing: {'; '.join(facts.missing)}."
    open_ends = [
        f"{item.name.replace('_', ' ')} ({item.value})" for item in facts.isolation if not item.enforced
    ]
    if not open_ends:
        return mark, text
    if facts.tier == "uid_drop":
        mark = _OWN_USER
    return mark, f"{text} Not enforced here: {', '.join(open_ends)}. Each result lists what held for it."


def _token(token: OperatorToken, at: str) -> TokenRow:
    mark = Mark("circle-check", "Valid")
    if token.revoked_at is not None:
        mark = Mark("ban", "Revoked")
    elif token.expires_at <= at:
        mark = Mark("clock-alert", "Expired", "stale")
    return TokenRow(
        token.name,
        "Move branches, settle unclear outcomes",
        short_id(token.id),
        moment(token.expires_at),
        mark,
    )


def _summary(configured: Configured) -> str:
    problems = len(configured.problems)
    found = count(problems, "problem") if problems else "no problem"
    entries = count(len(_items(configured)), "entry", "entries")
    return f"Read from {configured.file} when the server started. {entries}, {found}."


def _manager_item(facts: ManagerFacts) -> ConfigItem:
    """Return who says where a text fits, as it is; a key is never shown, not even that there is one."""
    about = {
        "local": f"Answers on this machine, by rules and {f'the sentence model {facts.model}' if facts.model else 'without a model'}",
        "scripted": "Gives prepared answers on this machine, for tests and demonstrations",
        "openai": f"The model {facts.model or 'unnamed'} at {facts.host or 'no host'}, by {facts.dialect}. "
        "It gets shared words and shared entries only",
        "unknown": "Not known",
    }[facts.mode]
    if facts.problem:
        about = f"{about}. It cannot be asked, and nobody else is: {facts.problem}"
    return _item("Manager", facts.name, about, None)


def _item(part: str, name: str, about: str, digest: IdCopy | None) -> ConfigItem:
    return ConfigItem(part, _GLOSSES[part], name, about, digest)


def _items(configured: Configured) -> tuple[ConfigItem, ...]:
    repositories = (
        _item("Repository", item.id, f"Branches: {', '.join(map(_branch, item.target_refs))}", None)
        for item in configured.repositories
    )
    runtimes = (
        _item("Runtime", item.id, item.label, short_digest("digest", item.digest))
        for item in configured.runtimes
    )
    validators = (
        _item("Validator", item.id, "Compares answers on the host", short_digest("digest", item.digest))
        for item in configured.validators
    )
    profiles = (
        _item(
            "Profile",
            item.contract.profile_id,
            f"{item.title}: may change {', '.join(item.contract.allowed_paths)}",
            short_digest("digest", item.contract.profile_digest),
        )
        for item in configured.profiles
    )
    return (_manager_item(configured.manager), *repositories, *runtimes, *validators, *profiles)


def _branch(ref: str) -> str:
    return ref.removeprefix("refs/heads/")


def _problem(configured: Configured, text: str) -> ConfigProblem:
    place, separator, rest = text.partition(": ")
    where = f"{configured.file}, {place}" if separator else configured.file
    return ConfigProblem(
        where,
        capital(rest or text),
        f"Correct it in {configured.file} where the server runs, and start the server again.",
        _ERROR,
    )


def _key(key: SigningKey) -> KeyRow:
    name, use = _USES[key.role]
    mark = Mark("ban", "Revoked") if key.is_revoked else Mark("circle-check", "Valid")
    return KeyRow(name, use, short_digest("key", key.key_id), moment(key.created_at), mark)


def _finding(name: str, is_fine: bool, detail: str, cure: str) -> Finding:  # noqa: FBT001 - a row of a table
    return Finding(capital(name), _FOUND if is_fine else _MISSING, capital(detail), "" if is_fine else cure)
