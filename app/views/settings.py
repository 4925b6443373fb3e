"""Settings: people, tokens, the effective configuration with every problem, keys, the sandbox and its findings."""

from dataclasses import dataclass, replace

from app.views.account import (
    HeldRole,
    OfferedAccount,
    OwnWays,
    PersonForm,
    PersonRow,
    RoleForm,
    SessionRow,
)
from app.views.parts import Fact, IdCopy, Mark, Moment, Refusal
from app.views.shell import Shell


@dataclass(frozen=True, slots=True)
class TokenRow:
    """One operator or agent token; the secret itself was shown once and is not here."""

    name: str
    scope: str
    """What it allows, such as `Move branches, settle unclear outcomes`."""
    id: IdCopy
    expires: Moment
    mark: Mark
    """`Valid`, `Expired` or `Revoked`."""


@dataclass(frozen=True, slots=True)
class ConfigItem:
    """One configured thing: a manager, repository, runtime, validator or profile."""

    part: str
    """Such as `Validator`."""
    gloss: str
    """What such a thing is for, in a few words."""
    name: str
    about: str
    """What it is in one line, such as its branch or command."""
    digest: IdCopy | None
    """None for what has no content of its own, such as a repository."""


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """One problem of the configuration: where, what, and what to do."""

    where: str
    """File and place in it, such as `odeu.toml, line 12`."""
    text: str
    remedy: str
    mark: Mark
    """`Error` when it stops something, `Warning` otherwise."""


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One signing key. Only the public half is ever shown."""

    role: str
    """Such as `Checkpoint`."""
    use: str
    """What it signs, in words."""
    id: IdCopy
    since: Moment
    mark: Mark


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor: what was looked at, how it is, and how to get it."""

    name: str
    mark: Mark
    text: str
    remedy: str
    """A command or a sentence; empty when nothing is to be done."""


@dataclass(frozen=True, slots=True)
class SettingsPage:
    """Everything that is configured, readable in one place; most of it is changed where the server runs."""

    shell: Shell
    people: tuple[PersonRow, ...]
    """Everybody for the installation's owner; else whoever has a role in a project of the reader's."""
    role_form: RoleForm | None
    """None for somebody who governs nothing."""
    person_form: PersonForm | None
    """None for whoever does not own the installation."""
    tokens: tuple[TokenRow, ...]
    token_command: str
    """How a token is made; only the command line makes one."""
    config_summary: str
    """Such as `Active since today 09:00, 4 entries`."""
    config_digest: IdCopy
    config: tuple[ConfigItem, ...]
    problems: tuple[ConfigProblem, ...]
    settings: tuple[Fact, ...]
    """Effective settings from the environment, without secrets."""
    keys: tuple[KeyRow, ...]
    custody: str
    """What the separation of keys means here, plainly."""
    tier: Mark
    """How well code is confined here."""
    tier_text: str
    findings: tuple[Finding, ...]
    checked: Moment
    """When the doctor last looked."""
    ways: OwnWays
    sessions: tuple[SessionRow, ...]
    """Where the reader is signed in, this browser first."""
    end_others_action: str
    is_owner: bool = True
    """Whether the reader may see people, tokens and keys."""

    @classmethod
    def example(cls) -> "SettingsPage":
        """Return settings with one problem and one finding."""
        return cls(
            shell=Shell.example_world("Settings", "/settings"),
            people=_PEOPLE,
            role_form=RoleForm.example(),
            person_form=PersonForm.example(),
            tokens=_TOKENS,
            token_command="odeu operator token new NAME",
            config_summary="In force since today 09:00. 4 entries, 1 problem.",
            config_digest=IdCopy("digest 9F2C 71AB", "sha256:" + "9f2c71ab" * 8),
            config=_CONFIG,
            problems=_PROBLEMS,
            settings=(
                Fact("ODEU_DATA", "./data"),
                Fact("ODEU_HOST", "127.0.0.1"),
                Fact("ODEU_PORT", "8765"),
                Fact("ODEU_DATABASE_URL", "Not set: SQLite in the data folder"),
            ),
            keys=_KEYS,
            custody="All keys lie on this machine and one process can use them. Receipts say so: shared host.",
            tier=Mark("shield-check", "Own user", "ok"),
            tier_text="A fresh user for each run and no network. Not enforced here: cgroup limits (not used). "
            "Each result lists what held for it.",
            findings=_FINDINGS,
            checked=Moment("today 14:03", "2026-11-30T13:03:00Z"),
            ways=OwnWays.example(),
            sessions=_SESSIONS,
            end_others_action="/sessions/end-others",
        )

    @classmethod
    def examples(cls) -> dict[str, "SettingsPage"]:
        """Return every state of the page."""
        page = cls.example()
        return {
            "owner": page,
            "clean": replace(
                page,
                problems=(),
                tokens=(),
                config_summary="In force since today 09:00. 4 entries, no problem.",
            ),
            "viewer": replace(
                page,
                is_owner=False,
                people=(),
                role_form=None,
                person_form=None,
                tokens=(),
                keys=(),
                ways=_BARE,
            ),
            "linking": replace(
                page,
                ways=replace(
                    _BARE,
                    provider="Example login",
                    offered=OfferedAccount("https://login.example", "248289761001", "/settings/accounts"),
                    refusal=Refusal("Not changed", "The two new passwords differ."),
                ),
                person_form=_MISTYPED,
                role_form=replace(
                    RoleForm.example(),
                    person="nobody",
                    refusal=Refusal("Not given", "There is no person nobody."),
                ),
            ),
        }


_VALID = Mark("circle-check", "Valid")
_BARE = replace(OwnWays.example(), password_since=None, accounts=(), provider="")
_MISTYPED = replace(
    PersonForm.example(),
    person="Ruth",
    name="Aunt Ruth",
    handed=None,
    refusal=Refusal("Not added", "A person's id is a lower-case name such as `mira`."),
)
_SESSIONS = (
    SessionRow(
        "Firefox on Linux",
        Moment("today 09:02", "2026-11-30T08:02:00Z"),
        Moment.example(),
        "/sessions/session_01/end",
        is_this=True,
    ),
    SessionRow(
        "Safari on iPad",
        Moment("Fri 10:14", "2026-11-27T09:14:00Z"),
        Moment("Sat 10:14", "2026-11-28T09:14:00Z"),
        "/sessions/session_02/end",
    ),
)
_PEOPLE = (
    PersonRow(
        "owner",
        "Mira",
        (HeldRole("Owner everywhere", "", can_end=False),),
        Moment("today 09:02", "2026-11-30T08:02:00Z"),
        is_me=True,
    ),
    PersonRow(
        "jonas",
        "Jonas",
        (HeldRole("Viewer everywhere", ""), HeldRole("Reviewer in Birch Lane 7", "birch-lane")),
        Moment("yesterday 18:40", "2026-11-29T17:40:00Z"),
        may_invite=True,
        may_sign_out=True,
    ),
    PersonRow("ruth", "Aunt Ruth", (), None),
)
_TOKENS = (
    TokenRow(
        "kitchen laptop",
        "Move branches, settle unclear outcomes",
        IdCopy("token 4Q7R", "token_01jdz8q3v4m5n6p7q8r9s04q7r"),
        Moment("31 Dec", "2026-12-31T23:00:00Z"),
        _VALID,
    ),
    TokenRow(
        "first try",
        "Move branches, settle unclear outcomes",
        IdCopy("token 0A1B", "token_01jdz8q3v4m5n6p7q8r9s00a1b"),
        Moment("1 Nov", "2026-11-01T23:00:00Z"),
        Mark("clock-alert", "Expired", "stale"),
    ),
)
_CONFIG = (
    ConfigItem(
        "Repository",
        "where results of work go",
        "planner",
        "Branches: main",
        None,
    ),
    ConfigItem(
        "Runtime",
        "does the work of a run",
        "scripted",
        "A registered program, no model",
        IdCopy("digest 3E4F", "sha256:" + "3e4f" * 16),
    ),
    ConfigItem(
        "Validator",
        "checks what came back",
        "planner-oracle",
        "Compares 24 cases on the host",
        IdCopy("digest 5A6B", "sha256:" + "5a6b" * 16),
    ),
    ConfigItem(
        "Profile",
        "what one kind of work may do",
        "page-change",
        "May change planner.html and tiles.mjs",
        IdCopy("digest 7C8D", "sha256:" + "7c8d" * 16),
    ),
)
_PROBLEMS = (
    ConfigProblem(
        "odeu.toml, profiles.garden",
        "The profile names the validator “beds”, which is not configured.",
        "Add [validators.beds] or remove the profile. Nothing else is affected.",
        Mark("circle-x", "Error", "bad"),
    ),
)
_KEYS = (
    KeyRow(
        "Checkpoint",
        "Signs the head of each ledger",
        IdCopy("key 8B11", "sha256:" + "8b11" * 16),
        Moment("2 Nov", "2026-11-02T10:00:00Z"),
        _VALID,
    ),
    KeyRow(
        "Sealer",
        "Signs candidates",
        IdCopy("key 2F90", "sha256:" + "2f90" * 16),
        Moment("2 Nov", "2026-11-02T10:00:00Z"),
        _VALID,
    ),
    KeyRow(
        "Validator",
        "Signs results",
        IdCopy("key 77C0", "sha256:" + "77c0" * 16),
        Moment("2 Nov", "2026-11-02T10:00:00Z"),
        _VALID,
    ),
)
_FINDINGS = (
    Finding("bubblewrap", Mark("circle-check", "Found", "ok"), "Version 0.8.0", ""),
    Finding("User namespaces", Mark("circle-check", "Available", "ok"), "Unprivileged use is allowed.", ""),
    Finding(
        "Memory limit",
        Mark("triangle-alert", "Not enforced", "warn"),
        "This machine grants no memory limit to the sandbox. It is written into each result.",
        "Run the server under systemd with Delegate=yes.",
    ),
)
