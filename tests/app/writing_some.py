"""What a viewer and a reviewer try to do in both twins: on what is visible, on what is not, and on what never was."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import httpx2

from kernel.rules.seen import delta_seen
from kernel.state import State, revision_key
from kernel.vocabulary import Disposition, RunStatus
from tests.app.house import PROFILE
from tests.app.reading_all import Answered, Known, answered
from tests.app.twins import READERS, Twin

_TOKEN: Final = re.compile(r'name="form_token" value="([0-9a-f]{64})"')
NO_DIGEST: Final = "sha256:" + "0" * 64

Try = tuple[str, str, dict[str, Any]]
"""(what it is, the address under the API, the body)."""


def _open(state: State, place: int = 0) -> str:
    """Return one of the placements that wait, as they are seen, the oldest first."""
    waiting = sorted(state.open_deltas.keys(), key=lambda item: state.open_deltas[item])
    pending = [
        item
        for item in waiting
        if state.deltas[item].disposition is Disposition.PENDING and state.deltas[item].body.fits
    ]
    return pending[place]


def _seen(state: State, delta_id: str) -> str:
    return delta_seen(state, state.deltas[delta_id])


def _on(state: State, delta_id: str, to_id: str) -> Iterator[Try]:
    """Yield every act on one proposal, as if it were visible."""
    record = state.deltas.get(delta_id)
    seen = {"seen": NO_DIGEST if record is None else delta_seen(state, record)}
    at, parts = (
        {"expected_revision": state.revision},
        {"kind": "Task", "title": "A part", "to_node_id": to_id},
    )
    yield "accept", f"/deltas/{delta_id}/accept", {**seen, **at}
    yield "reject", f"/deltas/{delta_id}/reject", seen
    yield "edit", f"/deltas/{delta_id}/edit", {**seen, "title": "Better", "kind": "Task"}
    yield "move", f"/deltas/{delta_id}/move", {**seen, "to_node_id": to_id}
    yield "defer", f"/deltas/{delta_id}/defer", seen
    yield "remand", f"/deltas/{delta_id}/remand", {**seen, "reason": "Vague", "corrections": ["Which"]}
    yield "split", f"/deltas/{delta_id}/split", {**seen, "parts": [parts, parts]}
    yield "rebase", f"/deltas/{delta_id}/rebase", seen
    yield "promote", "/promotions", {"delta_id": delta_id}
    yield "integrate", "/integrations", {"delta_id": delta_id, **seen, **at}


def _elsewhere(ids: Known, node_id: str, exchange_id: str, source_id: str) -> Iterator[Try]:
    """Yield acts that name a node, a question or a capture."""
    project = f"/projects/{ids.project}"
    yield "select", f"{project}/sources", {"text": "Near it", "selected_node_id": node_id}
    yield "answer", f"{project}/sources", {"text": "The hall", "answers_exchange_id": exchange_id}
    yield "import", f"{project}/import-outline", {"text": "# A\n- B", "under_node_id": node_id}
    yield "brief", f"{project}/briefs", {"node_id": node_id, "profile_id": PROFILE}
    yield "rename", f"{project}/nodes/{node_id}/changes", {"title": "Mine", "reason": "Because"}
    yield "retire", f"{project}/nodes/{node_id}/changes", {"retire": "retired"}
    yield "ask again", f"/sources/{source_id}/placements", {}
    yield "erase", f"/sources/{source_id}/erasure", {}


def refused(state: State, ids: Known) -> Iterator[Try]:
    """Yield what nobody may do who is no owner, or what is not about the head as it is seen."""
    project, delta_id, node_id = f"/projects/{ids.project}", _open(state), ids.visible["node"][0]
    for hidden in (*ids.hidden["delta"], "delta_01jdz8q3v4m5n6p7q8r9s0t1v2"):
        yield from _on(state, hidden, node_id)
    names = zip(ids.hidden["node"], ids.hidden["exchange"], ids.hidden["source"], strict=True)
    for node, exchange, source in names:
        yield from _elsewhere(ids, node, exchange, source)
        shown = {"seen": _seen(state, delta_id)}
        yield "move out", f"/deltas/{delta_id}/move", {**shown, "to_node_id": node}
        part = {"kind": "Task", "title": "A part", "to_node_id": node}
        yield "leave out", f"{project}/nodes/{node_id}/changes", {"under_node_id": node}
        yield (
            "tie out",
            f"{project}/nodes/{node_id}/changes",
            {"relate": [{"kind": "refines", "node_id": node}]},
        )
        yield "part out", f"/deltas/{delta_id}/split", {**shown, "parts": [part, part]}
    yield "private", f"{project}/sources", {"text": "My secret", "private": True}
    for number in (0, ids.revision - 1, ids.revision + 1, ids.revision + 20):
        at = {"expected_revision": number, "seen": _seen(state, delta_id)}
        yield f"accept at {number}", f"/deltas/{delta_id}/accept", at
        yield f"take back {number}", f"{project}/revisions/{number}/compensate", {"seen": NO_DIGEST}
    yield "archive", f"{project}/archive", {}


Step = Callable[[Twin], Try]


def _changed(wish: dict[str, Any]) -> Step:
    """Return the step that proposes to change the newest node that is seen, below the root."""

    def step(twin: Twin) -> Try:
        state = twin.seen
        active = (item for item in state.tables.nodes.rows() if item.retired_in is None)
        node_id = max(active, key=lambda item: (item.created_in, item.id)).id
        address = f"/projects/{state.ledger}/nodes/{node_id}/changes"
        return "change", address, {"reason": "Tidier", "expected_revision": state.revision, **wish}

    return step


def _act(place: int, name: str) -> Step:
    """Return the step that does one lawful thing to one of the proposals that wait."""

    def step(twin: Twin) -> Try:
        state = twin.seen
        return next(item for item in _on(state, _open(state, place), state.root_id) if item[0] == name)

    return step


def _taken_back(twin: Twin) -> Try:
    state = twin.seen
    shown = {"seen": state.revisions[revision_key(state.revision)].state_root, "reason": "Not yet"}
    return "take back", f"/projects/{state.ledger}/revisions/{state.revision}/compensate", shown


def _capture(text: str) -> Step:
    return lambda twin: ("capture", f"/projects/{twin.house.project_id}/sources", {"text": text})


def _answered(twin: Twin) -> Try:
    asked = next(item for item in twin.seen.clarifications.rows() if item.answer_source_id is None)
    body = {"text": "It is about the hall", "answers_exchange_id": asked.body.exchange_id}
    return "answer", f"/projects/{twin.house.project_id}/sources", body


def _authorised(twin: Twin) -> Try:
    busy = {run.body.brief_id for run in twin.seen.runs.rows() if run.status is not RunStatus.FAILED}
    brief_id = next(item for item in reversed(twin.seen.briefs.keys()) if item not in busy)
    return "authorise", "/runs/authorize", {"brief_id": brief_id}


def _cancelled(twin: Twin) -> Try:
    run = next(item for item in reversed(twin.seen.runs.rows()) if item.status is RunStatus.QUEUED)
    return "cancel", f"/runs/{run.body.run_id}/cancel", {"reason": "Not today"}


def _erased(twin: Twin) -> Try:
    mine = [
        item for item in twin.seen.sources.rows() if item.origin.actor.id == "rita" and item.erased is None
    ]
    source = min(mine, key=lambda item: item.origin.seq)
    return "erase", f"/sources/{source.body.source_id}/erasure", {}


LAWFUL: Final[tuple[Step, ...]] = (
    _capture("Paint the skirting of the hall with the rest of the primer"),
    _act(0, "accept"),
    _act(0, "edit"),
    _act(0, "move"),
    _act(0, "split"),
    _act(1, "reject"),
    _act(0, "defer"),
    _act(0, "accept"),
    _act(0, "rebase"),
    _taken_back,
    _answered,
    _capture("Ask Mira about the hall"),
    _act(0, "accept"),
    _changed({"title": "Ask Mira about all of it"}),
    _changed({"retire": "retired"}),
    _changed({"retire": "lifted", "expected_revision": 0}),
    _authorised,
    _cancelled,
    _erased,
)
"""What a reviewer does, one thing after the other; the acts need not all be possible, only answered alike."""


async def _sent(twin: Twin, client: httpx2.AsyncClient, tried: Try, name: str) -> Answered:
    twin.fate.turn(name, 2000)
    answer = await twin.house.write(client, tried[1], tried[2], key=re.sub(r"\W+", "-", name))
    return answered(answer)


async def _forms(twin: Twin, client: httpx2.AsyncClient, person: str, ids: Known) -> dict[str, Answered]:
    """Send forms of pages: to what is hidden, about an older revision, and with words kept private."""
    state, base = twin.seen, f"/p/{ids.project}"
    twin.fate.turn(f"{person} opens a form", 2000)
    found = _TOKEN.search((await client.get(f"{base}/outline")).text)
    assert found is not None
    shown = {"form_token": found.group(1), "command_id": "", "seen": _seen(state, _open(state))}
    tries = {
        "older": (f"{base}/inbox/{_open(state)}/accept", {"expected_revision": "0"}),
        "private": (f"{base}/capture", {"text": "My own secret", "private": "on"}),
        "out": (f"{base}/inbox/{_open(state)}/move", {"parent_id": ids.hidden["node"][0]}),
        **{
            f"hidden {act}": (f"{base}/inbox/{ids.hidden['delta'][0]}/{act}", {"expected_revision": "1"})
            for act in ("accept", "reject", "edit", "move")
        },
        "work": (f"{base}/work/{ids.hidden['task'][0]}/brief", {"profile_id": PROFILE}),
    }
    answers = {}
    for name, (path, fields) in tries.items():
        twin.fate.turn(f"{person} sends {name}", 2000)
        answer = await client.post(path, data={**shown, **fields}, headers={"Accept": "text/html"})
        answers[f"{person} form {name}"] = answered(answer)
    return answers


async def write_some(twin: Twin, ids: Known) -> dict[str, Answered]:
    """Try everything as the viewer and as the reviewer, then do what a reviewer may do."""
    answers: dict[str, Answered] = {}
    for person in READERS:
        async with twin.house.client(person) as client:
            for number, tried in enumerate(refused(twin.seen, ids)):
                name = f"{person} {number} {tried[0]}"
                answers[name] = await _sent(twin, client, tried, name)
            answers |= await _forms(twin, client, person, ids)
            for number, step in enumerate(LAWFUL):
                twin.live(f"{person} {number}", 2000)
                tried = step(twin)
                name = f"{person} may {number} {tried[0]}"
                answers[name] = await _sent(twin, client, tried, name)
    return answers
