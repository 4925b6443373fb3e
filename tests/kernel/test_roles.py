"""Roles given and ended in the world ledger: by whom, for whom, and who always stays."""

import pytest

from kernel.commands import AddPrincipal, GrantRole, IssueCredential, OpenProject, RevokeRole
from kernel.errors import AuthorityError, InvalidError, NotFoundError, RefusedError
from kernel.values.stamp import Actor
from kernel.vocabulary import ActorKind, Role
from tests.support.spec import refused
from tests.support.story import OWNER, Story

MIRA = Actor(kind=ActorKind.HUMAN, id="mira", role=Role.OWNER)
P = "project_01jdz8q3v4m5n6p7q8r9s0t1v2"
Q = "project_01jdz8q3v4m5n6p7q8r9s0t1v3"


@pytest.fixture
def world() -> Story:
    """Return a world with its owner, and `mira` and `jonas` without a role."""
    story = Story()
    story.ledger = story.stamp().id("project")
    story.after(OpenProject(story.ledger, "world", "My world"))
    for person in ("owner", "mira", "jonas"):
        story.after(AddPrincipal(person, person.capitalize()))
    story.after(GrantRole("owner", Role.OWNER, None))
    return story


def _roles(story: Story, person_id: str) -> tuple[tuple[str | None, Role], ...]:
    return story.state.authority.principals[person_id].roles


def test_a_later_grant_takes_the_place_of_an_earlier_one(world: Story) -> None:
    """A person has one role in a project, beside the one that holds everywhere; ending one leaves the other."""
    for command in (
        GrantRole("mira", Role.VIEWER, None),
        GrantRole("mira", Role.VIEWER, P),
        GrantRole("mira", Role.REVIEWER, P),
    ):
        world.after(command)
    assert _roles(world, "mira") == ((None, Role.VIEWER), (P, Role.REVIEWER))
    world.after(RevokeRole("mira", P))
    assert _roles(world, "mira") == ((None, Role.VIEWER),)
    world.after(RevokeRole("mira", None))
    assert _roles(world, "mira") == ()


def test_a_role_that_nobody_holds_is_not_ended(world: Story) -> None:
    """Ending what is not held, or for a stranger, is refused by name."""
    assert [
        refused(world, RevokeRole(person, where)) for person, where in (("mira", P), ("mira", None), ("x", P))
    ] == [
        (NotFoundError, "not_found", f"'mira' has no role of their own in '{P}'"),
        (NotFoundError, "not_found", "'mira' has no role in every project"),
        (NotFoundError, "not_found", "there is no person 'x'"),
    ]


def test_the_last_owner_of_the_installation_stays(world: Story) -> None:
    """Their role is neither ended nor lowered; with a second owner it can be."""
    last = (
        RefusedError,
        "last_owner",
        "'owner' is the installation's last owner; make somebody else an owner first",
    )
    assert refused(world, RevokeRole("owner", None)) == last
    assert refused(world, GrantRole("owner", Role.VIEWER, None)) == last
    world.after(GrantRole("mira", Role.OWNER, None))
    world.after(RevokeRole("owner", None))
    assert refused(world, RevokeRole("mira", None), MIRA) == (
        *last[:2],
        last[2].replace("owner'", "mira'", 1),
    )


def test_whoever_opens_a_project_takes_its_first_role(world: Story) -> None:
    """The first role in a project may be taken for oneself, as owner; the second one is its owner's to give."""
    foreign = (
        AuthorityError,
        "authority_violation",
        "'mira' does not own this project, so its roles are not theirs to give or end",
    )
    assert refused(world, GrantRole("jonas", Role.OWNER, P), MIRA) == foreign
    assert refused(world, GrantRole("mira", Role.REVIEWER, P), MIRA) == foreign
    world.after(GrantRole("mira", Role.OWNER, P), MIRA)
    jonas = MIRA.model_copy(update={"id": "jonas"})
    assert refused(world, GrantRole("jonas", Role.OWNER, P), jonas) == (
        *foreign[:2],
        foreign[2].replace("mira", "jonas"),
    )


def test_an_owner_of_one_project_governs_that_one_alone(world: Story) -> None:
    """They give and end roles there, and nowhere else; the installation's owner does everywhere."""
    world.after(GrantRole("mira", Role.OWNER, P))
    world.after(GrantRole("owner", Role.OWNER, Q))
    world.after(GrantRole("jonas", Role.VIEWER, P), MIRA)
    world.after(RevokeRole("jonas", P), MIRA)
    here = "'mira' does not own {}, so its roles are not theirs to give or end"
    assert [
        refused(world, GrantRole("jonas", Role.VIEWER, Q), MIRA),
        refused(world, GrantRole("jonas", Role.VIEWER, None), MIRA),
        refused(world, RevokeRole("owner", None), MIRA),
    ] == [
        (AuthorityError, "authority_violation", here.format("this project")),
        (AuthorityError, "authority_violation", here.format("the installation")),
        (AuthorityError, "authority_violation", here.format("the installation")),
    ]
    world.after(RevokeRole("mira", P), OWNER)
    assert _roles(world, "mira") == ()


def test_a_password_holds_until_it_is_revoked(world: Story) -> None:
    """A password and an identity have no end of their own; a link and a token have one."""
    for kind in ("password", "identity"):
        world.after(IssueCredential(f"{kind}_1", "mira", kind, None))  # type: ignore[arg-type]
    expected = "a credential of kind operator_token expires"
    assert refused(world, IssueCredential("token_1", "mira", "operator_token", None)) == (
        InvalidError,
        "invalid",
        expected,
    )
