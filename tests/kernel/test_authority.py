"""Who may author what: every event type against every kind of actor, then roles and boundaries."""

from dataclasses import replace

import pytest

from kernel.commands import (
    AddPrincipal,
    AuthorizePromotion,
    CaptureSource,
    RejectDelta,
    RequestExchange,
    RetryPlacement,
)
from kernel.errors import AuthorityError, RefusedError
from kernel.events import BODIES
from kernel.events.envelope import Event
from kernel.rules.authority import WORLD_ONLY, check_authority
from kernel.rules.seen import promotion_seen
from kernel.values.stamp import Actor
from kernel.vocabulary import ActorKind, Boundary, Role, SourceKind, Via, Visibility
from tests.support.spec import before, refusal_of, refused
from tests.support.story import HOST, OPERATOR, OWNER, VIEWER, Story
from tests.support.whole import whole_project, whole_world

H, M, A, S, O = "human", "manager", "agent", "system", "operator"  # noqa: E741 - the table's own letters

MATRIX = {
    "project.opened.v1": {H},
    "project.archived.v1": {H},
    "project.restored.v1": {H},
    "principal.added.v1": {H},
    "role.granted.v1": {H},
    "role.revoked.v1": {H},
    "credential.issued.v1": {H},
    "credential.revoked.v1": {H},
    "config.activated.v1": {H},
    "key.rotated.v1": {H},
    "project.imported.v1": {H},
    "source.captured.v1": {H, A},
    "source.erased.v1": {H},
    "exchange.requested.v1": {S, O},
    "exchange.answered.v1": {S},
    "exchange.failed.v1": {S},
    "exchange.unreadable.v1": {S},
    "delta.proposed.v1": {H, M, A, S},
    "delta.deferred.v1": {H},
    "delta.remanded.v1": {H},
    "delta.rejected.v1": {H},
    "delta.split.v1": {H},
    "delta.superseded.v1": {H},
    "delta.accepted.v1": {H},
    "clarification.asked.v1": {M},
    "clarification.answered.v1": {H},
    "brief.compiled.v1": {H},
    "run.authorized.v1": {H},
    "run.progressed.v1": {S, A},
    "run.blocked.v1": {S},
    "run.cancelled.v1": {H},
    "run.failed.v1": {S},
    "run.lost.v1": {S},
    "candidate.sealed.v1": {S},
    "closure.staged.v1": {S},
    "validation.recorded.v1": {S},
    "promotion.proposed.v1": {H},
    "promotion.authorized.v1": {H},
    "promotion.observed.v1": {S},
    "promotion.reconciled.v1": {O},
}
"""Written down a second time, from the design's table and not from the code."""

LAWFUL_ROLES = {
    ActorKind.HUMAN: Role.OWNER,
    ActorKind.OPERATOR: Role.OPERATOR,
    ActorKind.MANAGER: Role.NONE,
    ActorKind.AGENT: Role.NONE,
    ActorKind.SYSTEM: Role.NONE,
}


def _event(event_type: str, actor: Actor) -> Event:
    story = whole_world() if event_type in WORLD_ONLY else whole_project()
    return replace(before(story, event_type).event, actor=actor)


def test_the_matrix_names_every_event() -> None:
    """An event that nobody thought of is in no row, and so this fails before it can be authored."""
    assert set(MATRIX) == set(BODIES)


@pytest.mark.parametrize("event_type", sorted(BODIES))
def test_an_actor_authors_exactly_what_the_matrix_says(event_type: str) -> None:
    """Each kind of actor, in its own role, is admitted or refused by name as the table says."""
    for kind in ActorKind:
        event = _event(event_type, Actor(kind=kind, id="x", role=LAWFUL_ROLES[kind]))
        article = "an" if kind.value[0] in "ao" else "a"
        message = f"{article} {kind.value} may not author {event_type}"
        expected = (
            None if kind.value in MATRIX[event_type] else (AuthorityError, "authority_violation", message)
        )
        assert refusal_of(lambda event=event: check_authority(event, None)) == expected  # type: ignore[misc]


@pytest.mark.parametrize("event_type", sorted(name for name in BODIES if H in MATRIX[name]))
def test_a_viewer_authors_nothing(event_type: str) -> None:
    """Whatever a person may author, a viewer may not."""
    moment = before(whole_world() if event_type in WORLD_ONLY else whole_project(), event_type)
    message = f"'vera' acts here as viewer, which may not author {event_type}"
    assert moment.but(actor=VIEWER).refusal() == (AuthorityError, "authority_violation", message)


@pytest.mark.parametrize("kind", list(ActorKind))
def test_nobody_borrows_a_role(kind: ActorKind) -> None:
    """Only people are owners, only operators operate, and a program has no role."""
    lawful = {Role.OWNER, Role.REVIEWER} if kind is ActorKind.HUMAN else {LAWFUL_ROLES[kind]}
    event_type = next(name for name in sorted(MATRIX) if kind.value in MATRIX[name])
    refused_roles = set()
    for role in Role:
        try:
            check_authority(_event(event_type, Actor(kind=kind, id="x", role=role)), None)
        except AuthorityError:
            refused_roles.add(role)
    assert refused_roles == set(Role) - lawful - ({Role.REVIEWER} if event_type in WORLD_ONLY else set())


@pytest.mark.parametrize("event_type", sorted(WORLD_ONLY))
def test_a_reviewer_leaves_authority_itself_alone(event_type: str) -> None:
    """People, roles, credentials, configuration and keys are an owner's."""
    reviewer = Actor(kind=ActorKind.HUMAN, id="rita", role=Role.REVIEWER)
    refusal = before(whole_world(), event_type).but(actor=reviewer).refusal()
    assert refusal == (AuthorityError, "authority_violation", f"only an owner may author {event_type}")


@pytest.mark.parametrize("event_type", sorted(WORLD_ONLY))
def test_authority_stands_in_the_world_ledger_alone(event_type: str) -> None:
    """A project's ledger takes no event about people, credentials, configuration or keys."""
    world, project = before(whole_world(), event_type), Story().opened()
    event = replace(world.event, seq=project.state.seq + 1, ledger=project.ledger)
    refusal = replace(world, state=project.state, event=event).refusal()
    assert refusal == (RefusedError, "refused", f"{event_type} stands in the world ledger only")


def test_a_reviewer_may_not_add_a_person_by_command() -> None:
    """The command fares as its event does."""
    story = Story()
    story.opened()
    assert refused(story, AddPrincipal("mira", "Mira")) == (
        RefusedError,
        "refused",
        "principal.added.v1 stands in the world ledger only",
    )


@pytest.mark.parametrize("boundary", list(Boundary))
def test_only_an_operator_requests_a_promotion_and_nothing_else(boundary: Boundary) -> None:
    """Every other request that leaves the process is the host's."""
    event = before(whole_project(), "exchange.requested.v1").event
    lawful, wrong = (OPERATOR, HOST) if boundary is Boundary.PROMOTION else (HOST, OPERATOR)
    check_authority(replace(event, actor=lawful), boundary)
    article = "an operator" if wrong is OPERATOR else "a system"
    with pytest.raises(AuthorityError, match=f"^{article} may not request a {boundary.value}$"):
        check_authority(replace(event, actor=wrong), boundary)


def test_an_owner_cannot_execute_a_promotion() -> None:
    """A person's authorisation is no authority: the request is refused without an operator."""
    story = Story().opened()
    _, reconciliation = story.integrated()
    promotion_id = story.promotable(reconciliation)
    assert refused(story, RequestExchange("promotion", promotion_id, "{}"), OWNER) == (
        AuthorityError,
        "authority_violation",
        "a system may not request a promotion",
    )


def test_an_operator_does_no_persons_acts() -> None:
    """A Bearer token moves branches; it neither rejects nor captures nor authorises."""
    story = Story().opened()
    waiting = story.captured("Buy a boat")
    text = CaptureSource("x", SourceKind.TEXT, Visibility.SHARED, "local/1")
    assert [
        refused(story, RejectDelta(waiting, None, story.seen(waiting)), OPERATOR),
        refused(story, text, OPERATOR),
    ] == [
        (AuthorityError, "authority_violation", "an operator may not author delta.rejected.v1"),
        (AuthorityError, "authority_violation", "an operator may not author source.captured.v1"),
    ]


def test_an_agent_authorises_no_promotion() -> None:
    """Not even the agent of the very run whose result it is."""
    story = Story().opened()
    _, reconciliation = story.integrated()
    promotion_id = story.promotable(reconciliation)
    seen = promotion_seen(story.state.promotions[promotion_id])
    command = AuthorizePromotion(promotion_id, story.state.revision, seen, story.later(600))
    agent = Actor(kind=ActorKind.AGENT, id="agent:run_1", role=Role.NONE)
    assert refused(story, command, agent) == (
        AuthorityError,
        "authority_violation",
        "an agent may not author promotion.authorized.v1",
    )


def test_an_agent_reports_of_its_own_run_only() -> None:
    """Progress by an agent names the agent's own run and is said in the agent's own name."""
    moment = before(whole_project(), "run.progressed.v1")
    run_id = moment.event.body.run_id  # type: ignore[attr-defined]
    own = Actor(kind=ActorKind.AGENT, id=f"agent:{run_id}", role=Role.NONE)
    other = Actor(kind=ActorKind.AGENT, id="agent:run_of_somebody_else", role=Role.NONE)
    sentence = "{!r} may report of its own run only, and not in the host's name"
    assert [
        moment.but(actor=own).refusal(),
        moment.but(actor=other).refusal(),
        moment.but(actor=own, said_by="host").refusal(),
    ] == [
        None,
        (AuthorityError, "authority_violation", sentence.format(other.id)),
        (AuthorityError, "authority_violation", sentence.format(own.id)),
    ]


def test_no_door_changes_who_may_act() -> None:
    """A viewer on the command line is as little admitted as in the browser."""
    event = before(whole_project(), "delta.rejected.v1").event
    for via in Via:
        with pytest.raises(AuthorityError):
            check_authority(replace(event, actor=VIEWER, via=via), None)


def test_a_viewer_makes_the_host_do_nothing() -> None:
    """A command whose events are the host's own is refused to a viewer as well."""
    story = Story().opened()
    waiting = story.captured("Buy a boat")
    source_id = story.state.deltas[waiting].body.source_ids[0]
    assert refused(story, RetryPlacement(source_id, "local/1"), VIEWER) == (
        AuthorityError,
        "authority_violation",
        "'vera' acts here as viewer, which may not ask for this",
    )
