"""A whole installation in a temporary folder, its server in memory, and clients that are signed in to it."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final

import httpx2
from starlette.types import ASGIApp, Message

from app import bootstrap
from app.config.settings import Settings
from app.main import create_app
from app.services.access import OWNER
from app.services.desk import Caller
from app.services.seeding import seed_sandbox
from app.services.studio import Studio
from app.web.origin import SESSION_COOKIE
from kernel.commands import AcceptDelta, AddPrincipal
from kernel.vocabulary import Role, Via

ORIGIN: Final = "http://127.0.0.1:8765"
SAME_SITE: Final = {"Sec-Fetch-Site": "same-origin"}
API: Final = "/api/v1"
PROFILE: Final = "paint-tins"


@dataclass
class House:
    """An installation with its sandbox project seeded, and a viewer and an outsider beside the owner."""

    studio: Studio
    app: ASGIApp
    project_id: str
    operator_token: str
    ids: dict[str, str] = field(default_factory=dict)
    """What the story made, by a word for it."""
    _sessions: dict[str, str] = field(default_factory=dict)
    _counter: Iterator[int] = field(default_factory=count)

    @property
    def me(self) -> Caller:
        """The owner, acting on the command line."""
        return self.studio.access.caller(self.studio.world_id, OWNER, Via.CLI)

    def link(self, person_id: str = OWNER) -> str:
        """Return the secret of a fresh sign-in link."""
        return self.studio.access.issue_link(self.me, person_id).secret

    def session(self, person_id: str = OWNER) -> str:
        """Return the secret of this person's session; the first time it is made, which the world ledger shows."""
        if person_id not in self._sessions:
            now = self.studio.clock.now()
            issued = self.studio.directory.sign_in(self.link(person_id), now, label="a test")
            self._sessions[person_id] = issued.secret
        return self._sessions[person_id]

    def key(self) -> str:
        """Return an idempotency key that was not used yet."""
        return f"key-{next(self._counter)}"

    def heads(self) -> dict[str, int]:
        """Return the head of every ledger."""
        ledger = self.studio.desk.ledger
        return {ledger_id: ledger.head(ledger_id).seq for ledger_id in ledger.ledgers()}

    @asynccontextmanager
    async def client(
        self, person_id: str | None = OWNER, headers: dict[str, str] | None = None
    ) -> AsyncIterator[httpx2.AsyncClient]:
        """Give a client of this person, or of a stranger when None; a page of the same origin by default."""
        cookies = {} if person_id is None else {SESSION_COOKIE: self.session(person_id)}
        transport = httpx2.ASGITransport(app=self.app, raise_app_exceptions=False)
        chosen = SAME_SITE if headers is None else headers
        async with httpx2.AsyncClient(
            transport=transport, base_url=ORIGIN, cookies=cookies, headers=chosen
        ) as client:
            yield client

    async def write(
        self, client: httpx2.AsyncClient, path: str, body: dict[str, Any], key: str = ""
    ) -> httpx2.Response:
        """Send a write with an idempotency key."""
        return await client.post(API + path, json=body, headers={"Idempotency-Key": key or self.key()})

    def captured(self, text: str) -> str:
        """Capture words that find a place; return the proposal."""
        done = self.studio.placements.capture(self.project_id, self.me, text)
        assert done.delta_id is not None, text
        return done.delta_id

    def accepted(self, delta_id: str) -> str:
        """Accept a proposal as it is shown now; return the node it added, or the proposal itself."""
        state, _record, seen = self.studio.reviews.shown(delta_id)
        done = self.studio.reviews.accept(self.me, AcceptDelta(delta_id, 0, state.revision, seen))
        return done.node_ids[0] if done.node_ids else delta_id

    def revision(self) -> int:
        """Return the project's head revision."""
        return self.studio.desk.state(self.project_id).revision

    def seen(self, delta_id: str) -> str:
        """Return the digest of a proposal as it is shown now."""
        return self.studio.reviews.shown(delta_id)[2]


def open_house(
    folder: Path,
    *,
    unhurried: bool = True,
    program: str | None = None,
    empty: bool = False,
    database_url: str = "",
) -> House:
    """Create an installation with the sandbox project unless `empty`, the viewer `vera` and the outsider `olaf`.

    When `unhurried`, a minute passes between any two requests, as far as rates can tell. `program` replaces the
    text of the sandbox's worker.
    """
    settings = Settings(data=folder / "data", public_origin=ORIGIN, database_url=database_url)
    bootstrap.create_installation(settings)
    bootstrap.install_sandbox(settings)
    if program is not None:
        (settings.data_folder / "sandbox" / "worker" / "worker.py").write_text(program)
    studio = bootstrap.open_studio(settings)
    title, outline, _sentence = bootstrap.sandbox_texts()
    (project_id,) = ("",) if empty else seed_sandbox(studio, title, outline)
    return house_over(studio, project_id, unhurried=unhurried)


def house_over(studio: Studio, project_id: str, *, unhurried: bool = True) -> House:
    """Put the app over an open studio, with the viewer `vera`, the outsider `olaf` and an operator's token."""
    owner = studio.access.caller(studio.world_id, OWNER, Via.CLI)
    studio.access.add_person(owner, "vera", "Vera", Role.VIEWER)
    studio.desk.act(studio.world_id, owner, AddPrincipal("olaf", "Olaf"))
    studio.directory.add_person("olaf", "Olaf", studio.clock.now())
    token = studio.access.issue_operator_token(owner, OWNER, "test", lifetime_s=3600).secret
    minutes = count(0.0, 60.0)
    app = create_app(studio, lambda: next(minutes) if unhurried else 0.0)
    house = House(studio, app, project_id, token)
    for person_id in (OWNER, "vera", "olaf"):
        house.session(person_id)
    return house


@asynccontextmanager
async def running(app: ASGIApp) -> AsyncIterator[None]:
    """Hold the application's lifespan open, as a server does: worker and live updates run."""
    inbox: asyncio.Queue[Message] = asyncio.Queue()
    outbox: asyncio.Queue[Message] = asyncio.Queue()
    task = asyncio.create_task(app({"type": "lifespan", "state": {}}, inbox.get, outbox.put))  # type: ignore[arg-type]
    await inbox.put({"type": "lifespan.startup"})
    assert (await outbox.get())["type"] == "lifespan.startup.complete"
    try:
        yield
    finally:
        await inbox.put({"type": "lifespan.shutdown"})
        assert (await outbox.get())["type"] == "lifespan.shutdown.complete"
        await task


async def until(client: httpx2.AsyncClient, path: str, field_name: str, values: set[str]) -> dict[str, Any]:
    """Ask again until a field of the answer has one of the values; fail after 30 seconds."""
    async with asyncio.timeout(30):
        while True:
            answer: dict[str, Any] = (await client.get(API + path)).json()
            if answer[field_name] in values:
                return answer
            await asyncio.sleep(0.05)
