"""Moving a branch: the reserved head, the point of no return, outcomes and second tries."""

from dataclasses import replace
from typing import Any

import pytest

from kernel.commands import (
    AnswerExchange,
    AuthorizePromotion,
    ObservePromotion,
    ProposeCorrection,
    ProposePromotion,
    ReconcilePromotion,
    RequestExchange,
)
from kernel.errors import (
    EvidenceError,
    InvalidError,
    LifecycleError,
    NotFoundError,
    RefusedError,
    StaleError,
)
from kernel.rules.seen import promotion_seen
from kernel.vocabulary import Phase, PromotionOutcome
from tests.support.acts import accept, integrated, returned
from tests.support.build import words
from tests.support.spec import Refusal, before, refused
from tests.support.story import (
    BASE,
    HOST,
    OPERATOR,
    SEALED,
    Story,
    receipt,
)
from tests.support.whole import whole_project

INVALID = (InvalidError, "invalid")
CYCLE = (LifecycleError, "lifecycle_conflict")
NO = (RefusedError, "refused")
STALE = (StaleError, "stale")
BLOCKED = (EvidenceError, "evidence_gate_blocked")
UNSIGNED = SEALED.model_copy(update={"signatures": ()})


def authorize(story: Story, promotion_id: str, **changes: Any) -> AuthorizePromotion:
    """Return the command that authorises a promotion as shown, with some part of it changed."""
    shown: dict[str, Any] = {
        "promotion_id": promotion_id,
        "expected_revision": story.state.revision,
        "seen": promotion_seen(story.state.promotions[promotion_id]),
        "reserved_until": story.later(600),
    }
    return AuthorizePromotion(**{**shown, **changes})


PROPOSED: list[tuple[dict[str, Any], Refusal]] = [
    ({"promotion_id": "p"}, (*INVALID, "promotion id 'p' is malformed or already used")),
    ({"attempt": 2}, (*CYCLE, "this is attempt 1, not 2")),
    ({"delta_id": "delta_x"}, (*NO, "delta_x is not an integrated reconciliation")),
    (
        {"integrated_revision": 1},
        (*NO, "the promotion names another closure, validation or revision than was integrated"),
    ),
    (
        {"candidate_commit": BASE},
        (*NO, "the promotion names another candidate, branch or base than was sealed"),
    ),
    (
        {"target_ref": "refs/heads/other"},
        (*NO, "the promotion names another candidate, branch or base than was sealed"),
    ),
]


@pytest.mark.parametrize(("changes", "expected"), PROPOSED)
def test_a_promotion_is_exactly_the_integrated_result(changes: dict[str, Any], expected: Refusal) -> None:
    """Another delta, revision, candidate or branch than was integrated is refused."""
    assert before(whole_project(), "promotion.proposed.v1").but(**changes).refusal() == expected


def test_only_an_integrated_result_is_promoted() -> None:
    """A placement and a reconciliation that waits are none; an unknown delta is not found."""
    story, _, closure_id = returned()
    placement = next(iter(story.state.deltas.keys()))
    waiting = story.reconciled(closure_id, story.validated(closure_id))
    assert [
        refused(story, ProposePromotion(placement)),
        refused(story, ProposePromotion(waiting)),
        refused(story, ProposePromotion("delta_x")),
    ] == [
        (*NO, f"{placement} is not an integrated reconciliation"),
        (*NO, f"{waiting} is not an integrated reconciliation"),
        (NotFoundError, "not_found", "there is no proposal delta_x"),
    ]


def test_a_reopened_task_takes_its_result_out_of_force() -> None:
    """Work that a person took up again is not promoted on its old evidence."""
    story, task_id, delta_id = integrated()
    story.after(ProposeCorrection(task_id, "Not done", phase=Phase.PLANNED))
    (correction,) = story.state.open_deltas.keys()
    story.accepted(correction)
    message = "the integrated result is no longer in force: its task was changed since"
    assert refused(story, ProposePromotion(delta_id)) == (*STALE, message)


def test_a_later_result_takes_the_earlier_one_out_of_force() -> None:
    """Of two integrated results of one task only the latest can be promoted."""
    story, task_id, first = integrated()
    closure_id = story.returned(story.authorized(story.briefed(task_id)))
    second = story.reconciled(closure_id, story.validated(closure_id))
    story.accepted(second)
    message = "the integrated result is no longer in force: its task was changed since"
    assert refused(story, ProposePromotion(first)) == (*STALE, message)
    assert refused(story, ProposePromotion(second)) is None


def test_an_authorised_promotion_reserves_the_head() -> None:
    """Until it lapses, no proposal is accepted; captures and rejections go on."""
    story, _, delta_id = integrated()
    promotion_id = story.promotable(delta_id)
    until = story.state.promotions[promotion_id].authorization.reserved_until  # type: ignore[union-attr]
    waiting = story.captured("Buy a boat")
    message = f"promotion {promotion_id} reserves the head until {until}"
    held = refused(story, accept(story, waiting))
    story.step += 600
    assert held == (LifecycleError, "head_reserved", message)
    assert refused(story, accept(story, waiting)) is None


def test_a_promotion_under_way_holds_the_head() -> None:
    """After the operator's request nothing is accepted before the outcome is known."""
    story, _, delta_id = integrated()
    promotion_id = story.promotable(delta_id)
    story.after(RequestExchange("promotion", promotion_id, "{}"), OPERATOR)
    waiting = story.captured("Buy a boat")
    message = f"promotion {promotion_id} is under way; wait for its outcome"
    story.step += 7200
    assert refused(story, accept(story, waiting)) == (LifecycleError, "head_reserved", message)


def test_a_lapsed_authorisation_moves_nothing_and_can_be_given_again() -> None:
    """The operator came too late; the person authorises once more, for the head as it is then."""
    story, _, delta_id = integrated()
    promotion_id = story.promotable(delta_id)
    until = story.state.promotions[promotion_id].authorization.reserved_until  # type: ignore[union-attr]
    twice = refused(story, authorize(story, promotion_id))
    story.step += 600
    late = refused(story, RequestExchange("promotion", promotion_id, "{}"), OPERATOR)
    story.accepted(story.captured("Buy a boat"))
    assert twice == (*CYCLE, f"promotion {promotion_id} is authorized")
    assert late == (*STALE, f"the authorisation lapsed at {until}; authorise it again")
    assert refused(story, authorize(story, promotion_id)) is None
    assert refused(story, RequestExchange("promotion", promotion_id, "{}"), OPERATOR) is None


AUTHORIZED: list[tuple[dict[str, Any], Refusal]] = [
    ({"promotion_id": "promotion_x"}, (NotFoundError, "not_found", "there is no promotion promotion_x")),
    ({"revision": 1}, (*STALE, "the head is at revision 2, not 1; look again")),
    ({"seen": "x"}, (*STALE, "what was shown is not what this promotion is now; look again")),
    (
        {"reserved_until": "2026-11-30T08:00:00.000000Z"},
        (*INVALID, "the head is reserved for at most 3600 seconds"),
    ),
    (
        {"reserved_until": "2026-11-30T23:00:00.000000Z"},
        (*INVALID, "the head is reserved for at most 3600 seconds"),
    ),
    (
        {"reserved_until": "tomorrow"},
        (*INVALID, "the moment 'tomorrow' is not a moment such as 2026-11-30T09:00:00.000000Z"),
    ),
]


@pytest.mark.parametrize(("changes", "expected"), AUTHORIZED)
def test_an_authorisation_is_about_what_was_shown_at_this_head(
    changes: dict[str, Any], expected: Refusal
) -> None:
    """Another head, another promotion than was shown, or a reservation without bounds is refused."""
    assert before(whole_project(), "promotion.authorized.v1").but(**changes).refusal() == expected


def test_one_promotion_at_a_time() -> None:
    """While one promotion reserves the head, another result is not authorised."""
    story, _, first = integrated()
    _, second = story.integrated()
    (event,) = story.after(ProposePromotion(second))
    reserved = story.promotable(first)
    refusal = refused(story, authorize(story, event.body.promotion_id))  # type: ignore[attr-defined]
    assert refusal is not None
    assert (refusal[0], refusal[1]) == (LifecycleError, "head_reserved")
    assert reserved in refusal[2]


def test_nothing_is_executed_that_was_not_authorised() -> None:
    """A proposed promotion and an unknown one are refused to the operator."""
    story, _, delta_id = integrated()
    (event,) = story.after(ProposePromotion(delta_id))
    promotion_id = event.body.promotion_id  # type: ignore[attr-defined]
    assert [
        refused(story, RequestExchange("promotion", item, "{}"), OPERATOR)
        for item in (promotion_id, "promotion_x")
    ] == [
        (*CYCLE, f"promotion {promotion_id} is proposed, not authorized"),
        (NotFoundError, "not_found", "there is no promotion promotion_x"),
    ]


def test_a_promotion_passes_the_point_of_no_return_once() -> None:
    """The second operator is refused: the branch is swapped at most once."""
    story, _, delta_id = integrated()
    promotion_id = story.promotable(delta_id)
    command = RequestExchange("promotion", promotion_id, "{}")
    story.after(command, OPERATOR)
    expected = (*CYCLE, f"promotion {promotion_id} is requested, not authorized")
    assert refused(story, command, OPERATOR) == expected


OUTCOMES: list[tuple[dict[str, Any], Refusal]] = [
    (
        {"outcome": PromotionOutcome.PROMOTED, "observed_after": BASE},
        (*BLOCKED, "promoted is said only of a branch observed at exactly the candidate"),
    ),
    (
        {"outcome": PromotionOutcome.PROMOTED, "observed_after": None},
        (*BLOCKED, "promoted is said only of a branch observed at exactly the candidate"),
    ),
    ({"receipt": UNSIGNED}, (*INVALID, "an outcome needs the journal's signed record")),
    ({"detail": words("x" * 8193)}, (*INVALID, "the detail has 8193 bytes, at most 8192 are allowed")),
    (
        {"code": "It worked"},
        (*INVALID, "'It worked' is not a code: lower-case letters, digits and underscores, at most 64"),
    ),
]


@pytest.mark.parametrize("event_type", ["promotion.observed.v1", "promotion.reconciled.v1"])
@pytest.mark.parametrize(("changes", "expected"), OUTCOMES)
def test_an_outcome_is_what_was_observed(event_type: str, changes: dict[str, Any], expected: Refusal) -> None:
    """Promoted needs the raw branch at the candidate and a signed record, by whichever event it is said."""
    assert before(whole_project(), event_type).but(**changes).refusal() == expected


def test_an_outcome_answers_its_own_attempt() -> None:
    """Another exchange, an attempt nobody opened, or a receipt that is not durable is refused."""
    moment = before(whole_project(), "promotion.observed.v1")
    promotion_id = moment.event.body.promotion_id  # type: ignore[attr-defined]
    story, _, delta_id = integrated()
    waiting = story.promotable(delta_id)
    early = refused(story, ObservePromotion(waiting, receipt(waiting, PromotionOutcome.PROMOTED)), HOST)
    answered = before(whole_project(), "exchange.answered.v1", -1)
    hasty = replace(moment, state=answered.state, event=replace(moment.event, seq=answered.event.seq))
    assert [moment.but(exchange_id="exchange_x").refusal(), early, hasty.refusal()] == [
        (*CYCLE, f"promotion {promotion_id} is requested, no attempt of it is open"),
        (*NO, f"no attempt of promotion {waiting} is open"),
        (*CYCLE, "the promoter's receipt is not durable yet"),
    ]


def test_an_unknown_outcome_is_reconciled_also_after_the_head_moved() -> None:
    """The head is free meanwhile; the operator's look at the branch is recorded whenever it comes."""
    story, _, delta_id = integrated()
    promotion_id = story.promotable(delta_id)
    story.promoted(promotion_id, PromotionOutcome.OUTCOME_UNKNOWN)
    story.accepted(story.captured("Buy a boat"))
    command = ReconcilePromotion(promotion_id, receipt(promotion_id, PromotionOutcome.PROMOTED))
    assert refused(story, command, OPERATOR) is None
    assert refused(story, command, OPERATOR) == (
        *CYCLE,
        f"promotion {promotion_id} is promoted; nothing is unknown about it",
    )


def test_an_attempt_nobody_observed_is_reconciled() -> None:
    """When the process died after the request, the operator records what became of it."""
    story, _, delta_id = integrated()
    promotion_id = story.promotable(delta_id)
    story.after(RequestExchange("promotion", promotion_id, "{}"), OPERATOR)
    command = ReconcilePromotion(promotion_id, receipt(promotion_id, PromotionOutcome.STALE))
    assert refused(story, command, OPERATOR) is None


@pytest.mark.parametrize("outcome", [PromotionOutcome.STALE, PromotionOutcome.FAILED])
def test_a_stale_or_failed_attempt_is_tried_again_as_a_new_one(outcome: PromotionOutcome) -> None:
    """A new human decision makes attempt 2 with an id of its own."""
    story, _, delta_id = integrated()
    story.promoted(story.promotable(delta_id), outcome)
    (event,) = story.after(ProposePromotion(delta_id))
    assert event.body.attempt == 2  # type: ignore[attr-defined]


@pytest.mark.parametrize("outcome", [PromotionOutcome.PROMOTED, PromotionOutcome.OUTCOME_UNKNOWN])
def test_what_was_promoted_or_is_unknown_is_not_tried_again(outcome: PromotionOutcome) -> None:
    """A moved branch is not moved twice, and an unknown outcome is first looked at."""
    story, _, delta_id = integrated()
    promotion_id = story.promotable(delta_id)
    story.promoted(promotion_id, outcome)
    message = f"promotion {promotion_id} of this result is {outcome.value}"
    assert refused(story, ProposePromotion(delta_id)) == (*CYCLE, message)


def test_a_second_answer_changes_no_outcome() -> None:
    """The receipt is answered once, and an outcome recorded once."""
    story, _, delta_id = integrated()
    promotion_id = story.promotable(delta_id)
    story.promoted(promotion_id)
    exchange_id = story.state.promotions[promotion_id].exchange_id
    assert exchange_id is not None
    expected = (*CYCLE, f"exchange {exchange_id} already ended as answered")
    observed = ObservePromotion(promotion_id, receipt(promotion_id, PromotionOutcome.FAILED))
    assert refused(story, AnswerExchange(exchange_id, "{}"), HOST) == expected
    assert refused(story, observed, HOST) == expected
