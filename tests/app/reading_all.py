"""Every address that can be read, from the application's own table of routes, and how to read it from inside."""

import asyncio
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import httpx2
from starlette.types import Message

from app.main import application
from app.web.origin import SESSION_COOKIE
from kernel.state import State
from kernel.vocabulary import NodeKind
from tests.app.house import ORIGIN, SAME_SITE
from tests.app.twins import Twin

_PARAMETER: Final = re.compile(r"\{(\w+)(?::\w+)?\}")
_EACH: Final = 3
"""How many visible, and how many hidden, records of each kind are asked for."""
_ENDS: Final = re.compile(r"; expires=[^;]*")
SILENCE_S: Final = 0.4
"""How long a stream is listened to."""
NOBODY: Final = "01jdz8q3v4m5n6p7q8r9s0t1v2"


def templates(twin: Twin) -> tuple[str, ...]:
    """Return the path of every route that answers GET, as the application lists them."""
    return tuple(
        sorted({path for path, methods in _walk(application(twin.house.studio)) if "GET" in methods})
    )


def _walk(owner: Any, prefix: str = "") -> Iterator[tuple[str, set[str]]]:
    for route in owner.routes:
        inner = getattr(route, "original_router", None)
        if inner is not None:
            yield from _walk(inner, prefix + route.include_context.prefix)
        elif getattr(route, "methods", None):
            yield prefix + route.path, route.methods


@dataclass(frozen=True)
class Known:
    """The ids that are asked for: visible ones, hidden ones, and some that never were."""

    visible: dict[str, tuple[str, ...]]
    hidden: dict[str, tuple[str, ...]]
    project: str
    world: str
    revision: int
    commit: str

    def of(self, kind: str) -> tuple[str, ...]:
        """Return ids of one kind, of each sort."""
        return (*self.visible[kind], *self.hidden[kind], f"{kind}_{NOBODY}")


_TABLES: Final = {
    "source": "sources",
    "exchange": "exchanges",
    "delta": "deltas",
    "brief": "briefs",
    "run": "runs",
    "candidate": "candidates",
    "closure": "closures",
    "promotion": "promotions",
}


def _ids(state: State, kind: str) -> tuple[str, ...]:
    if kind == "node":
        return state.tables.nodes.keys()
    if kind == "task":
        rows = state.tables.nodes.rows()
        return tuple(item.id for item in rows if item.kind is NodeKind.TASK)
    keys: tuple[str, ...] = getattr(state, _TABLES[kind]).keys()
    return keys


def known(secretive: Twin) -> Known:
    """Return what is asked for in both twins; only the secretive one has anything hidden."""
    visible, hidden = {}, {}
    for kind in ("node", "task", *_TABLES):
        seen = _ids(secretive.seen, kind)
        visible[kind] = (*seen[:1], *seen[-_EACH:])
        hidden[kind] = tuple(item for item in _ids(secretive.state, kind) if item not in seen)[-_EACH:]
    commit = secretive.seen.candidates.rows()[0].body.candidate.commit
    house = secretive.house
    return Known(visible, hidden, house.project_id, house.studio.world_id, secretive.seen.revision, commit)


def _values(name: str, ids: Known, path: str) -> tuple[str, ...]:
    """Return what stands for a parameter of a path. Raises: KeyError for one that nobody thought of."""
    special = {
        "project_id": (ids.project,),
        "ledger_id": (ids.project, ids.world),
        "item_id": (*ids.of("delta"), *ids.of("exchange")),
        "task_id": ids.of("task"),
        "number": tuple(str(item) for item in (0, 1, ids.revision, ids.revision + 1)),
        "commit": (ids.commit, "0" * 40),
        "fragment": ("nothing",),
        "level": ("0", "1", "entries", "events"),
        "place": ("000", "000.p/1"),
    }
    if name in special:
        return special[name]
    kind = name.removesuffix("_id")
    if kind not in {"node", *_TABLES}:
        message = f"{path}: nobody said what stands for {name}, so nobody knows whether it tells of private activity"
        raise KeyError(message)
    return ids.of(kind)


def _queries(path: str, ids: Known) -> tuple[str, ...]:
    """Return the queries to read a path with, the bare address first."""
    nodes = [f"node={item}" for item in ids.of("node")]
    past = ["at=0", f"at={ids.revision}", f"at={ids.revision + 1}"]
    found = {
        "outline": [*nodes, *past, f"diff=1..{ids.revision}", f"diff=1..{ids.revision + 1}", "open=all"],
        "map": [*nodes, *past, "steps=2", "zoom=150"],
        "focus": [f"diff=1..{ids.revision}", *nodes, *(item.replace("node=", "node_id=") for item in nodes)],
        "timeline": [*nodes, f"before={ids.revision}", "before=3"],
        "search": [f"q={word}" for word in ("zebra", "zebar", "hall", "halls", "primer", "")]
        + [f"q=hall&in={group}&start=1" for group in ("accepted", "waiting", "questions", "captured")],
        "compare": [f"earlier=1&later={ids.revision}", f"earlier=1&later={ids.revision + 1}"],
        "capture": [f"of={item}" for item in ids.of("exchange")] + nodes,
        "proposals": ["deferred=true"],
        "inclusion": ["seq=1", "seq=9999"],
        "consistency": ["first=1", "first=1&second=2"],
        "inbox": ["start=2"],
        "ledger": ["before=9"],
        "events": ["before=9", "limit=3"] if path.startswith("/api") else [],
        "import-outline": nodes,
        "change": [
            *(f"way={way}" for way in ("move", "relate", "end", "retire")),
            *(f"way=move&q={word}" for word in ("hall", "zebra")),
            "way=relate&verb=depends_on.in&q=zebra",
        ],
    }
    acts = ["act=edit", "act=move&q=hall", "act=split", "words=all"] if "{item_id}" in path else []
    return ("", *found.get(path.rsplit("/", 1)[-1], []), *acts)


def is_stream(path: str) -> bool:
    """Tell whether a path answers with a stream that does not end."""
    return path.endswith("/events") and "/ledgers/" not in path


def addresses(path: str, ids: Known) -> Iterator[str]:
    """Yield the addresses that a template stands for."""
    names = _PARAMETER.findall(path)
    plain = _PARAMETER.sub(r"{\1}", path)
    for values in itertools.product(*(_values(name, ids, path) for name in names)):
        address = plain
        for name, value in zip(names, values, strict=True):
            address = address.replace(f"{{{name}}}", value)
        if path == "/api/v1/events":
            yield f"{address}?ledger_id={ids.project}"
            continue
        for query in ("",) if is_stream(path) else _queries(path, ids):
            yield f"{address}?{query}" if query else address


@dataclass(frozen=True)
class Answered:
    """One answer: its status, its headers but the date, and its body."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


def answered(answer: httpx2.Response) -> Answered:
    """Return an answer without what tells the time on the wall: the date, and when a cookie ends."""
    headers = ((name, _ENDS.sub("", value)) for name, value in answer.headers.multi_items() if name != "date")
    return Answered(answer.status_code, tuple(sorted(headers)), answer.content)


async def listened(twin: Twin, person_id: str, address: str) -> Answered:
    """Open a stream, and return what it said in a moment."""
    path, _, query = address.partition("?")
    cookie = f"{SESSION_COOKIE}={twin.house.session(person_id)}"
    headers = {"host": ORIGIN.removeprefix("http://"), "cookie": cookie, **SAME_SITE}
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "scheme": "http",
        "server": ("127.0.0.1", 8765),
        "client": ("127.0.0.1", 1),
        "root_path": "",
    }
    said: list[Message] = []

    async def receive() -> Message:
        """Hand the application its next message."""
        await asyncio.sleep(60)
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        """Take what the application sends."""
        said.append(message)

    task = asyncio.create_task(twin.house.app(scope, receive, send))  # type: ignore[arg-type]
    await asyncio.wait({task}, timeout=SILENCE_S)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    shown = tuple(sorted((name.decode(), value.decode()) for name, value in said[0]["headers"]))
    return Answered(said[0]["status"], shown, b"".join(item.get("body", b"") for item in said[1:]))


async def read_all(twin: Twin, person_id: str, ids: Known) -> dict[str, Answered]:
    """Read every address as this person, each with the same entropy whatever was read before."""
    found: dict[str, Answered] = {}
    async with twin.house.client(person_id) as client:
        for path in templates(twin):
            for address in addresses(path, ids):
                twin.fate.turn(f"{person_id} reads {address}", 1000)
                if is_stream(path):
                    found[address] = await listened(twin, person_id, address)
                    continue
                answer = await client.get(address)
                found[address] = answered(answer)
    return found
