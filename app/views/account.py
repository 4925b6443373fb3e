"""Parts of Settings about people: who is known and may do what, how oneself signs in, and where one is signed in."""

from dataclasses import dataclass

from app.views.parts import Moment, Option, Refusal


@dataclass(frozen=True, slots=True)
class HeldRole:
    """One role of a person."""

    text: str
    """Such as `Reviewer in Birch Lane 7`."""
    project: str
    """The project's id; empty for the role that holds everywhere."""
    can_end: bool = True


@dataclass(frozen=True, slots=True)
class PersonRow:
    """One person and what they may do, as far as the reader governs it."""

    id: str
    name: str
    roles: tuple[HeldRole, ...]
    seen: Moment | None
    """When they were last here; None when never."""
    is_me: bool = False
    may_invite: bool = False
    """Whether the reader may hand them a sign-in link."""
    may_sign_out: bool = False
    """Whether the reader may end their sessions, and they were ever here."""


@dataclass(frozen=True, slots=True)
class HandedLink:
    """A sign-in link that was just made; this page alone shows it."""

    name: str
    address: str
    until: Moment


@dataclass(frozen=True, slots=True)
class PersonForm:
    """The form that makes a person known, and where they are handed a link or signed out."""

    action: str
    link_action: str
    sign_out_action: str
    person: str
    """What was typed."""
    name: str
    projects: tuple[Option, ...]
    roles: tuple[Option, ...]
    handed: HandedLink | None = None
    refusal: Refusal | None = None

    @classmethod
    def example(cls) -> "PersonForm":
        """Return the form after somebody was added."""
        until = Moment("today 14:30", "2026-11-30T13:30:00Z")
        given = RoleForm.example()
        return cls(
            action="/settings/people",
            link_action="/settings/people/link",
            sign_out_action="/settings/people/sign-out",
            person="",
            name="",
            projects=given.projects,
            roles=given.roles,
            handed=HandedLink("Aunt Ruth", "http://127.0.0.1:8765/signin?link=example-link", until),
        )


@dataclass(frozen=True, slots=True)
class RoleForm:
    """The form that gives a role, and where a role is ended."""

    action: str
    end_action: str
    person: str
    """What was typed."""
    projects: tuple[Option, ...]
    """What the reader governs; the empty value is every project."""
    roles: tuple[Option, ...]
    refusal: Refusal | None = None

    @classmethod
    def example(cls) -> "RoleForm":
        """Return the form of an owner of everything."""
        return cls(
            action="/settings/roles",
            end_action="/settings/roles/end",
            person="",
            projects=(Option("", "Every project", is_chosen=True), Option("birch-lane", "Birch Lane 7")),
            roles=(
                Option("viewer", "Viewer: reads", is_chosen=True),
                Option("reviewer", "Reviewer: reads, captures and decides"),
                Option("owner", "Owner: all that, and governs"),
            ),
        )


@dataclass(frozen=True, slots=True)
class AccountRow:
    """An account at a provider that signs the reader in."""

    issuer: str
    subject: str
    since: Moment
    end_action: str


@dataclass(frozen=True, slots=True)
class OfferedAccount:
    """An account that the provider just named in this browser, and that is nobody's yet."""

    issuer: str
    subject: str
    action: str


@dataclass(frozen=True, slots=True)
class OwnWays:
    """How the reader signs in beside the one-time link."""

    password_action: str
    password_since: Moment | None
    """When the password was set; None without one."""
    drop_action: str
    accounts: tuple[AccountRow, ...]
    provider: str
    """What the configured provider is called; empty without one."""
    begin_href: str
    offered: OfferedAccount | None = None
    refusal: Refusal | None = None

    @classmethod
    def example(cls) -> "OwnWays":
        """Return a reader with a password and an account."""
        since = Moment("12 Nov", "2026-11-12T08:00:00Z")
        account = AccountRow(
            "https://login.example", "248289761001", since, "/settings/accounts/identity_01/end"
        )
        return cls(
            password_action="/settings/password",
            password_since=since,
            drop_action="/settings/password/end",
            accounts=(account,),
            provider="Example login",
            begin_href="/signin/oidc",
        )


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One browser in which the reader is signed in."""

    label: str
    """What the browser calls itself, in a few words."""
    began: Moment
    used: Moment
    end_action: str
    is_this: bool = False
