"""One lawful request for every write endpoint, in an order in which each of them can be done for real."""

from collections.abc import Callable
from typing import Any, Final

from app import bootstrap
from kernel.commands import AcceptDelta
from kernel.state import revision_key
from tests.app.house import PROFILE, House

Request = tuple[str, dict[str, Any]]
"""(path under the API, body)."""


def prepare(house: House, *, reconciled: bool = True) -> None:
    """Walk the sandbox up to a validated result, with proposals, a brief and a queued run beside it."""
    studio, sentence = house.studio, bootstrap.sandbox_texts()[2]
    # Made before the head moves on, so that there is something to renew.
    renewed = house.captured("Ask Jonas about the old colour")
    task_id = house.accepted(house.captured(sentence))
    second_id = house.accepted(house.captured("Paint the boat with the same tins as well, buying the fewest"))
    run = studio.runs.authorize(
        house.me, studio.briefs.compile(house.project_id, house.me, task_id, PROFILE).body.brief_id
    )
    assert studio.queue.drain()
    state = studio.desk.state(house.project_id)
    closure_id = next(
        item for item in state.followed_by[run.body.run_id] if state.closures.get(item) is not None
    )
    studio.evidence.request(house.me, closure_id)
    assert studio.queue.drain()
    asked = studio.placements.capture(house.project_id, house.me, "zzzz qqqq")
    brief = studio.briefs.compile(house.project_id, house.me, second_id, PROFILE).body.brief_id
    house.ids |= {
        "task": second_id,
        "closure": closure_id,
        "asked": asked.source_id,
        "rebase": renewed,
        "shelf": studio.projects.open(house.me, "Put away"),
        "taken back": studio.placements.capture(house.project_id, house.me, "qqqq zzzz").source_id,
        "brief": brief,
        "queued": studio.runs.authorize(
            house.me, studio.briefs.compile(house.project_id, house.me, second_id, PROFILE).body.brief_id
        ).body.run_id,
        **{word: house.captured(f"Ask Jonas about the {word} colour") for word in _PROPOSALS},
    }
    if reconciled:
        house.ids["reconciliation"] = studio.evidence.reconcile(house.me, closure_id)


_PROPOSALS: Final = ("accept", "reject", "edit", "move", "defer", "remand", "split")


def prepare_promotion(house: House) -> None:
    """Integrate the result and offer it, so that the promotion's own acts have something to act on."""
    delta_id = house.ids["reconciliation"]
    state, record, seen = house.studio.reviews.shown(delta_id)
    if record.revision is None:
        house.studio.reviews.accept(house.me, AcceptDelta(delta_id, 0, state.revision, seen))
    if "promotion" not in house.ids:
        house.ids["promotion"] = house.studio.promotions.propose(house.me, delta_id).body.promotion_id


def _meaning(house: House, word: str) -> dict[str, Any]:
    return {"expected_revision": house.revision(), "seen": house.seen(house.ids[word])}


def _delta(act: str, more: Callable[[House], dict[str, Any]]) -> Callable[[House], Request]:
    return lambda house: (
        f"/deltas/{house.ids[act]}/{act}",
        {"seen": house.seen(house.ids[act]), **more(house)},
    )


def _promotion(house: House, act: str) -> Request:
    return f"/promotions/{house.ids['promotion']}/{act}", {}


def _compensation(house: House) -> Request:
    state = house.studio.desk.state(house.project_id)
    number = state.revision
    seen = state.revisions[revision_key(number)].state_root
    return f"/projects/{house.project_id}/revisions/{number}/compensate", {"seen": seen}


def _authorization(house: House) -> Request:
    seen = house.studio.promotions.seen(house.ids["promotion"])
    return _promotion(house, "authorize")[0], {"expected_revision": house.revision(), "seen": seen}


WRITES: Final[dict[str, Callable[[House], Request]]] = {
    "/projects": lambda _house: ("/projects", {"title": "Allotment"}),
    "/projects/{project_id}/sources": lambda house: (
        f"/projects/{house.project_id}/sources",
        {"text": "Ask Mira about the wall area"},
    ),
    "/projects/{project_id}/import-outline": lambda house: (
        f"/projects/{house.project_id}/import-outline",
        {"text": "# Garden\n- Shed"},
    ),
    "/sources/{source_id}/placements": lambda house: (f"/sources/{house.ids['asked']}/placements", {}),
    "/sources/{source_id}/erasure": lambda house: (f"/sources/{house.ids['taken back']}/erasure", {}),
    "/projects/{project_id}/briefs": lambda house: (
        f"/projects/{house.project_id}/briefs",
        {"node_id": house.ids["task"], "profile_id": PROFILE},
    ),
    "/runs/authorize": lambda house: ("/runs/authorize", {"brief_id": house.ids["brief"]}),
    "/runs/{run_id}/cancel": lambda house: (
        f"/runs/{house.ids['queued']}/cancel",
        {"reason": "Not today"},
    ),
    "/closures/{closure_id}/validations": lambda house: (
        f"/closures/{house.ids['closure']}/validations",
        {},
    ),
    "/closures/{closure_id}/reconciliations": lambda house: (
        f"/closures/{house.ids['closure']}/reconciliations",
        {},
    ),
    "/deltas/{delta_id}/accept": _delta("accept", lambda house: {"expected_revision": house.revision()}),
    "/deltas/{delta_id}/reject": _delta("reject", lambda _house: {"reason": "Too early"}),
    "/deltas/{delta_id}/edit": _delta("edit", lambda _house: {"title": "Ask Jonas", "kind": "Idea"}),
    "/deltas/{delta_id}/move": _delta("move", lambda house: {"to_node_id": house.ids["task"]}),
    "/deltas/{delta_id}/defer": _delta("defer", lambda _house: {"until": "2999-01-01T09:00:00.000000Z"}),
    "/deltas/{delta_id}/remand": _delta(
        "remand", lambda _house: {"reason": "Too vague", "corrections": ["Name the colour"]}
    ),
    "/deltas/{delta_id}/split": _delta(
        "split",
        lambda house: {
            "parts": [
                {"kind": kind, "title": f"A {kind}", "to_node_id": house.ids["task"]}
                for kind in ("Task", "Idea")
            ]
        },
    ),
    "/deltas/{delta_id}/rebase": _delta("rebase", lambda _house: {}),
    "/projects/{project_id}/revisions/{number}/compensate": _compensation,
    "/projects/{project_id}/nodes/{node_id}/changes": lambda house: (
        f"/projects/{house.project_id}/nodes/{house.ids['task']}/changes",
        {"title": "Paint the boat", "reason": "Shorter", "expected_revision": house.revision()},
    ),
    "/integrations": lambda house: (
        "/integrations",
        {"delta_id": house.ids["reconciliation"], **_meaning(house, "reconciliation")},
    ),
    "/promotions": lambda house: ("/promotions", {"delta_id": house.ids["reconciliation"]}),
    "/promotions/{promotion_id}/authorize": _authorization,
    "/promotions/{promotion_id}/execute": lambda house: _promotion(house, "execute"),
    "/promotions/{promotion_id}/reconcile": lambda house: _promotion(house, "reconcile"),
    "/projects/{project_id}/archive": lambda house: (f"/projects/{house.ids['shelf']}/archive", {}),
    "/projects/{project_id}/restore": lambda house: (f"/projects/{house.ids['shelf']}/restore", {}),
    "/people/{person_id}/roles": lambda house: (
        "/people/vera/roles",
        {"role": "reviewer", "project_id": house.ids["shelf"]},
    ),
    "/people/{person_id}/roles/end": lambda house: (
        "/people/vera/roles/end",
        {"project_id": house.ids["shelf"]},
    ),
    "/people": lambda house: (
        "/people",
        {"person_id": "nora", "name": "Nora", "role": "viewer", "project_id": house.project_id},
    ),
    "/people/{person_id}/links": lambda _house: ("/people/vera/links", {}),
    "/people/{person_id}/sessions/end": lambda _house: ("/people/olaf/sessions/end", {}),
}
"""Address in the OpenAPI -> the request, made from the house as it is then."""

OPERATORS: Final = frozenset({"/promotions/{promotion_id}/execute", "/promotions/{promotion_id}/reconcile"})
ON_MEANING: Final = frozenset(
    {
        "/deltas/{delta_id}/accept",
        "/deltas/{delta_id}/reject",
        "/deltas/{delta_id}/edit",
        "/deltas/{delta_id}/move",
        "/deltas/{delta_id}/defer",
        "/deltas/{delta_id}/remand",
        "/deltas/{delta_id}/split",
        "/deltas/{delta_id}/rebase",
        "/projects/{project_id}/revisions/{number}/compensate",
        "/integrations",
        "/promotions/{promotion_id}/authorize",
    }
)
