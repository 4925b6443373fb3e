"""Builds the parts of Settings about people: roles that the reader governs, and their own ways to sign in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.views.account import (
    AccountRow,
    HandedLink,
    HeldRole,
    OfferedAccount,
    OwnWays,
    PersonForm,
    PersonRow,
    RoleForm,
    SessionRow,
)
from app.views.moments import moment
from app.views.parts import Option, Refusal
from app.views.wording import capital
from kernel.values.people import (
    Identity,
    LinkedIdentity,
    Membership,
    OperatorToken,
    PasswordFacts,
    Person,
    Session,
)
from kernel.vocabulary import Role

_ROLES: Final = (
    (Role.VIEWER, "Viewer: reads"),
    (Role.REVIEWER, "Reviewer: reads, captures and decides"),
    (Role.OWNER, "Owner: all that, and governs"),
)


@dataclass(frozen=True, slots=True)
class Known:
    """Who is known here, as the reader may know it."""

    me: str
    session_id: str
    people: Sequence[Person]
    memberships: Sequence[Membership]
    sessions: Sequence[Session]
    """The reader's own."""
    tokens: Sequence[OperatorToken]
    titles: Mapping[str, str]
    """Ledger id -> title, for roles that hold in one project."""
    governed: Sequence[str]
    """Ledger ids of the projects whose roles the reader gives."""
    is_owner: bool
    """Whether the reader owns the installation, and so gives roles everywhere."""
    lasting: str
    """The person whom the command line acts as, and who keeps the role everywhere."""
    seen: Mapping[str, str]
    """Person -> when they were last here."""


@dataclass(frozen=True, slots=True)
class Ways:
    """What is known of the reader's own ways to sign in."""

    password: PasswordFacts | None
    accounts: Sequence[LinkedIdentity]
    provider: str
    """What the configured provider is called; empty without one."""
    offered: Identity | None
    """An account that this browser just came back with."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What was typed into one of the forms, and why it was refused."""

    form: str = ""
    """`people`, `roles` or `ways`."""
    refusal: Refusal | None = None
    person: str = ""
    project: str = ""
    role: str = Role.VIEWER.value
    name: str = ""
    handed: HandedLink | None = None
    """A link that was made just now."""


NOTHING: Final = Entry()


def people_rows(known: Known) -> tuple[PersonRow, ...]:
    """Return everybody to the installation's owner; to others whoever has a role in a project of theirs."""
    rows = []
    for person in known.people:
        roles = tuple(_held(known, item) for item in known.memberships if _is_mine(known, item, person.id))
        if roles or known.is_owner:
            seen = known.seen.get(person.id) if known.is_owner else None
            at = None if seen is None else moment(seen)
            is_me = person.id == known.me
            reaches = known.is_owner and not is_me
            rows.append(
                PersonRow(
                    person.id,
                    person.name,
                    roles,
                    at,
                    is_me=is_me,
                    may_invite=reaches and bool(roles),
                    may_sign_out=reaches and at is not None,
                )
            )
    return tuple(rows)


def _is_mine(known: Known, item: Membership, person_id: str) -> bool:
    is_theirs = item.person_id == person_id and item.role is not Role.NONE
    return is_theirs and (known.is_owner or item.ledger_id in known.governed)


def _held(known: Known, item: Membership) -> HeldRole:
    role = capital(item.role.value)
    if item.ledger_id is None:
        return HeldRole(f"{role} everywhere", "", can_end=item.person_id != known.lasting)
    return HeldRole(f"{role} in {known.titles.get(item.ledger_id, 'a project')}", item.ledger_id)


def role_form(known: Known, entry: Entry) -> RoleForm | None:
    """Return the form that gives roles; None for somebody who governs nothing."""
    if not known.is_owner and not set(known.governed) & set(known.titles):
        return None
    mine = entry if entry.form == "roles" else NOTHING
    return RoleForm(
        action="/settings/roles",
        end_action="/settings/roles/end",
        person=mine.person,
        projects=_places(known, mine.project),
        roles=_roles(mine.role),
        refusal=mine.refusal,
    )


def person_form(known: Known, entry: Entry) -> PersonForm | None:
    """Return the form that makes people known; None for whoever does not own the installation."""
    if not known.is_owner:
        return None
    mine = entry if entry.form == "people" else NOTHING
    return PersonForm(
        action="/settings/people",
        link_action="/settings/people/link",
        sign_out_action="/settings/people/sign-out",
        person=mine.person,
        name=mine.name,
        projects=_places(known, mine.project),
        roles=_roles(mine.role),
        handed=mine.handed,
        refusal=mine.refusal,
    )


def _places(known: Known, project: str) -> tuple[Option, ...]:
    everywhere = [("", "Every project")] if known.is_owner else []
    places = everywhere + [(item, known.titles[item]) for item in known.governed if item in known.titles]
    chosen = project if project in dict(places) else places[0][0]
    return tuple(Option(item, title, is_chosen=item == chosen) for item, title in places)


def _roles(chosen: str) -> tuple[Option, ...]:
    return tuple(Option(role.value, text, is_chosen=role.value == chosen) for role, text in _ROLES)


def own_ways(ways: Ways, entry: Entry) -> OwnWays:
    """Return how the reader signs in."""
    offered = ways.offered
    return OwnWays(
        password_action="/settings/password",
        password_since=None if ways.password is None else moment(ways.password.changed_at),
        drop_action="/settings/password/end",
        accounts=tuple(
            AccountRow(
                item.identity.issuer,
                item.identity.subject,
                moment(item.linked_at),
                f"/settings/accounts/{item.credential_id}/end",
            )
            for item in ways.accounts
        ),
        provider=ways.provider,
        begin_href="/signin/oidc",
        offered=None
        if offered is None
        else OfferedAccount(offered.issuer, offered.subject, "/settings/accounts"),
        refusal=entry.refusal if entry.form == "ways" else None,
    )


_BROWSERS: Final = {
    "Firefox/": "Firefox",
    "Edg/": "Edge",
    "OPR/": "Opera",
    "Chrome/": "Chrome or Chromium",
    "Safari/": "Safari",
}
_SYSTEMS: Final = {
    "Windows": "Windows",
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Mac OS X": "macOS",
    "Linux": "Linux",
}
_LABEL_SHOWN: Final = 60


def browser_words(label: str) -> str:
    """Return what a browser calls itself in a few words, such as `Firefox on Linux`; an unknown name as it is."""
    browser = next((word for sign, word in _BROWSERS.items() if sign in label), None)
    system = next((word for sign, word in _SYSTEMS.items() if sign in label), None)
    if browser is None:
        return label if len(label) <= _LABEL_SHOWN else f"{label[:_LABEL_SHOWN].rstrip()} …"
    return browser if system is None else f"{browser} on {system}"


def session_rows(known: Known) -> tuple[SessionRow, ...]:
    """Return where the reader is signed in, this browser first."""
    rows = [
        SessionRow(
            label=browser_words(session.label),
            began=moment(session.created_at),
            used=moment(session.last_used_at),
            end_action=f"/sessions/{session.id}/end",
            is_this=session.id == known.session_id,
        )
        for session in known.sessions
    ]
    return tuple(sorted(rows, key=lambda row: not row.is_this))
