"""Every refusal of the rules for ledgers, authority's own events, captures and boundary crossings, by name."""

from dataclasses import replace
from typing import Any

import pytest

from kernel.errors import HistoryError, InvalidError, LifecycleError, NotFoundError, RefusedError
from kernel.events.source import ExchangeUnreadable
from kernel.rules import check
from kernel.values.words import Words, commit
from kernel.vocabulary import Role
from tests.support.spec import Refusal, before, next_event, refusal_of
from tests.support.story import HOST, Story
from tests.support.whole import whole_project, whole_world

SALT = b"s" * 32
LONG = commit("x" * 8193, SALT)
ID = "_00000000000000000000000001"


def words(text: str) -> Words:
    """Return a text as words."""
    return commit(text, SALT)


INVALID = (InvalidError, "invalid")

WORLD: list[tuple[str, dict[str, Any], Refusal]] = [
    ("project.opened.v1", {"project_id": "p"}, (*INVALID, "a ledger opens under its own id, not 'p'")),
    ("project.opened.v1", {"root_id": "n"}, (*INVALID, "the root node's id 'n' is malformed")),
    (
        "project.opened.v1",
        {"title": words(" ")},
        (*INVALID, "the project's title is empty; give it a few words"),
    ),
    (
        "project.opened.v1",
        {"title": words("a\nb")},
        (*INVALID, "the project's title must be a single line"),
    ),
    (
        "project.opened.v1",
        {"title": words("é" * 301)},
        (*INVALID, "the project's title has 301 characters, at most 300 are allowed"),
    ),
    (
        "project.opened.v1",
        {"description": words("é" * 32769)},
        (*INVALID, "the project's description has 65538 bytes, at most 65536 are allowed"),
    ),
    (
        "project.opened.v1",
        {"state_root": "sha256:0"},
        (*INVALID, "the state root is not that of the root node"),
    ),
    (
        "principal.added.v1",
        {"principal_id": "Mira Holm"},
        (*INVALID, "the person's id 'Mira Holm' is not a lower-case name of letters, digits and dashes"),
    ),
    (
        "principal.added.v1",
        {"name": words("")},
        (*INVALID, "the person's name is empty; give it a few words"),
    ),
    (
        "role.granted.v1",
        {"principal_id": "nobody"},
        (NotFoundError, "not_found", "there is no person 'nobody'"),
    ),
    ("role.granted.v1", {"role": Role.NONE}, (*INVALID, "grant owner, reviewer, viewer or operator")),
    (
        "role.granted.v1",
        {"ledger_id": "the kitchen"},
        (*INVALID, "a role holds in a project or in all of them, not in 'the kitchen'"),
    ),
    (
        "credential.issued.v1",
        {"principal_id": "nobody"},
        (NotFoundError, "not_found", "there is no person 'nobody'"),
    ),
    (
        "credential.issued.v1",
        {"expires_at": "2026-11-30T08:00:00.000000Z"},
        (*INVALID, "a credential must expire after it is issued"),
    ),
    (
        "credential.issued.v1",
        {"expires_at": "never"},
        (*INVALID, "the expiry 'never' is not a moment such as 2026-11-30T09:00:00.000000Z"),
    ),
    (
        "credential.revoked.v1",
        {"credential_id": "t"},
        (NotFoundError, "not_found", "there is no credential 't'"),
    ),
]


@pytest.mark.parametrize(("event_type", "changes", "expected"), WORLD)
def test_a_world_event_is_refused_by_name(
    event_type: str, changes: dict[str, Any], expected: Refusal
) -> None:
    """An event about a ledger or about authority that is altered in one field is refused, and says why."""
    assert before(whole_world(), event_type).but(**changes).refusal() == expected


AGAIN: list[tuple[str, type[RefusedError], str]] = [
    ("principal.added.v1", RefusedError, "there is already a person 'mira'"),
    ("credential.issued.v1", RefusedError, "credential 'token_1' was already issued"),
    ("credential.revoked.v1", RefusedError, "credential 'token_1' is already revoked"),
    ("config.activated.v1", RefusedError, "this configuration is already in force"),
    ("key.rotated.v1", RefusedError, "key key:1 is already the current one for sealer"),
]


@pytest.mark.parametrize(("event_type", "error", "message"), AGAIN)
def test_authority_is_not_recorded_twice(event_type: str, error: type[RefusedError], message: str) -> None:
    """What is already so is refused by name, not recorded a second time."""
    world = whole_world()
    event = before(world, event_type).event
    later = replace(event, seq=world.state.seq + 1, at=world.state.at)
    assert refusal_of(lambda: check(world.state, later)) == (error, "refused", message)


def test_a_ledger_continues_where_it_stands() -> None:
    """A gap, a second opening, another ledger's event, another spelling or a malformed id never enters."""
    moment = before(whole_project(), "source.captured.v1")
    state, event = moment.state, moment.event
    opening = before(whole_project(), "project.opened.v1").event

    def refusal(**changes: Any) -> Refusal | None:
        return refusal_of(lambda: check(state, replace(event, **changes)))

    assert [
        refusal(seq=state.seq + 2),
        refusal(body=opening.body),
        refusal(ledger="project_other"),
        refusal(at="2026-11-30T09:00:00Z"),
        refusal(at="2026-02-30T09:00:00.000000Z"),
        refusal(at="\uff12026-11-30T09:00:00.000000Z"),
        refusal(id="event_1"),
        refusal(command="c"),
    ] == [
        (HistoryError, "history_invalid", f"event {event.id} has sequence 3, the ledger continues at 2"),
        (HistoryError, "history_invalid", "a ledger begins with project.opened, and only with it"),
        (
            HistoryError,
            "history_invalid",
            f"event {event.id} belongs to project_other, not to {state.ledger}",
        ),
        (*INVALID, f"event {event.id} has a moment in another spelling: '2026-11-30T09:00:00Z'"),
        (*INVALID, f"event {event.id} has a moment in another spelling: '2026-02-30T09:00:00.000000Z'"),
        (*INVALID, f"event {event.id} has a moment in another spelling: '\uff12026-11-30T09:00:00.000000Z'"),
        (*INVALID, f"event 'event_1' or its command {event.command!r} has a malformed id"),
        (*INVALID, f"event {event.id!r} or its command 'c' has a malformed id"),
    ]


PROJECT: list[tuple[str, dict[str, Any], Refusal]] = [
    ("source.captured.v1", {"source_id": "s"}, (*INVALID, "source id 's' is malformed or already used")),
    (
        "source.captured.v1",
        {"content": words(" \n\t")},
        (*INVALID, "there is nothing to capture: the text is empty"),
    ),
    (
        "source.captured.v1",
        {"content": words("x" * (1024 * 1024 + 1))},
        (*INVALID, "the text has 1048577 bytes, at most 1048576 are allowed"),
    ),
    ("source.captured.v1", {"size_bytes": 3}, (*INVALID, "the recorded size is not that of the text")),
    (
        "source.captured.v1",
        {"selected_node_id": "node_x"},
        (NotFoundError, "not_found", "the selected node node_x does not exist"),
    ),
    (
        "exchange.requested.v1",
        {"exchange_id": "e"},
        (*INVALID, "exchange id 'e' is malformed or already used"),
    ),
    (
        "exchange.requested.v1",
        {"request": words("x" * (4 * 1024 * 1024 + 1))},
        (*INVALID, "the request has 4194305 bytes, at most 4194304 are allowed"),
    ),
    (
        "exchange.requested.v1",
        {"request": words("{}")},
        (*INVALID, "the recorded digest is not that of the exact text"),
    ),
    (
        "exchange.requested.v1",
        {"subject_id": "source_x"},
        (NotFoundError, "not_found", "there is no source source_x to place"),
    ),
    (
        "exchange.answered.v1",
        {"exchange_id": "exchange_x"},
        (NotFoundError, "not_found", "there is no exchange exchange_x"),
    ),
    (
        "exchange.answered.v1",
        {"response": words("[]")},
        (*INVALID, "the recorded digest is not that of the exact text"),
    ),
    (
        "exchange.failed.v1",
        {"detail": LONG},
        (*INVALID, "the detail has 8193 bytes, at most 8192 are allowed"),
    ),
    (
        "exchange.failed.v1",
        {"code": "It broke."},
        (*INVALID, "'It broke.' is not a code: lower-case letters, digits and underscores, at most 64"),
    ),
    (
        "exchange.unreadable.v1",
        {"code": "Außer sich"},
        (*INVALID, "'Außer sich' is not a code: lower-case letters, digits and underscores, at most 64"),
    ),
    (
        "exchange.unreadable.v1",
        {"detail": LONG},
        (*INVALID, "the detail has 8193 bytes, at most 8192 are allowed"),
    ),
]


@pytest.mark.parametrize(("event_type", "changes", "expected"), PROJECT)
def test_a_capture_or_a_crossing_is_refused_by_name(
    event_type: str, changes: dict[str, Any], expected: Refusal
) -> None:
    """A capture or an exchange that is altered in one field is refused, and says why."""
    assert before(whole_project(), event_type).but(**changes).refusal() == expected


def test_a_source_is_captured_once() -> None:
    """A source id that the ledger knows is not used again."""
    project = whole_project()
    body = before(project, "source.captured.v1").event.body
    told = Story(project.ledger, project.state, [], 900)
    message = f"source id {body.source_id!r} is malformed or already used"  # type: ignore[attr-defined]
    assert next_event(told, body).refusal() == (*INVALID, message)


def test_an_exchange_is_about_the_source_it_was_asked_about() -> None:
    """An answer under another source's data key is refused."""
    moment = before(whole_project(), "exchange.answered.v1")
    exchange_id = moment.event.body.exchange_id  # type: ignore[attr-defined]
    assert moment.but(source_id=None).refusal() == (
        *INVALID,
        f"exchange {exchange_id} is about another source",
    )


def test_an_exchange_ends_once() -> None:
    """An answered exchange is neither answered again nor failed."""
    story = whole_project()
    answered = before(story, "exchange.answered.v1")
    failed = before(story, "exchange.failed.v1").event.body
    body = answered.event.body
    exchange_id, source_id = body.exchange_id, body.source_id  # type: ignore[attr-defined]
    told = Story(story.ledger, story.state, [], 900)
    again = next_event(told, body, HOST).refusal()
    after = next_event(
        told, failed.model_copy(update={"exchange_id": exchange_id, "source_id": source_id}), HOST
    ).refusal()
    expected = (LifecycleError, "lifecycle_conflict", f"exchange {exchange_id} already ended as answered")
    assert (again, after) == (expected, expected)


def test_attempts_are_counted() -> None:
    """The third try of a subject cannot call itself the first."""
    moment = before(whole_project(), "exchange.requested.v1")
    subject_id = moment.event.body.subject_id  # type: ignore[attr-defined]
    assert moment.but(attempt=2).refusal() == (
        LifecycleError,
        "lifecycle_conflict",
        f"this is attempt 1 of {subject_id}, not 2",
    )


def test_only_an_answer_can_be_unreadable() -> None:
    """A call that failed left nothing to read."""
    moment = before(whole_project(), "exchange.unreadable.v1")
    failed = before(whole_project(), "exchange.failed.v1").event.body
    exchange_id = failed.exchange_id  # type: ignore[attr-defined]
    assert moment.but(exchange_id=exchange_id).refusal() == (
        LifecycleError,
        "lifecycle_conflict",
        f"exchange {exchange_id} holds no answer that could be unreadable",
    )


def test_an_answer_that_was_applied_is_not_unreadable() -> None:
    """Neither a placement that led to a proposal nor a run, a validation or a promotion that ended."""
    story = whole_project()
    told = Story(story.ledger, story.state, [], 900)
    answered = {
        record.body.boundary: record.body
        for record in story.state.exchanges.rows()
        if record.status == "answered"
    }
    refusals = []
    for body in answered.values():
        event = ExchangeUnreadable(
            exchange_id=body.exchange_id, source_id=body.source_id, code="x", detail=words("x")
        )
        refusals.append(next_event(told, event, HOST).refusal())
    assert len(answered) == 4
    assert refusals == [
        (RefusedError, "refused", f"the answer of exchange {body.exchange_id} was already applied")
        for body in answered.values()
    ]


def test_erased_words_pass_the_bounds_they_once_passed() -> None:
    """History whose words were erased is admitted again on import: structure and proofs stay valid."""
    moment = before(whole_project(), "source.captured.v1")
    erased = Words(moment.event.body.content.commitment)  # type: ignore[attr-defined]
    assert moment.but(content=erased).refusal() is None
