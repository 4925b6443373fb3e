"""Two installations that differ in private activity only, and everything that can be read of them.

Both grow from one founded installation, at the same place, with the same moments and the same entropy for their
public acts. Between these, one of them lives a second life that only its owner knows of.
"""

import hashlib
import itertools
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from app import bootstrap
from app.bootstrap import Seams
from app.config.settings import Settings
from app.main import create_app
from app.services.access import OWNER
from app.services.desk import Caller
from app.services.moments import later
from kernel.commands import (
    AcceptDelta,
    DeferDelta,
    EditDelta,
    Part,
    ProposeCompensation,
    ProposeCorrection,
    RejectDelta,
    RemandDelta,
    SplitDelta,
)
from kernel.state import State, revision_key
from kernel.vocabulary import NodeKind, Role, Via, Visibility
from tests.app.house import ORIGIN, PROFILE, House, open_house
from tests.app.writes import prepare, prepare_promotion

CANARY: Final = "zebra"
"""A word that every private text holds, and no public one."""
READERS: Final = ("vera", "rita")
"""A viewer and a reviewer."""


@dataclass
class Fate:
    """The clock and the entropy of a twin: what comes next depends only on what is done by now in public."""

    start: str
    label: str = "opening"
    minute: int = 0
    _drawn: Iterator[int] = field(default_factory=itertools.count)

    def turn(self, label: str, minute: int) -> None:
        """Begin another act, at its minute."""
        self.label, self.minute, self._drawn = label, minute, itertools.count()

    def now(self) -> str:
        """Return the moment of the act."""
        return later(self.start, 60 * self.minute)

    def bytes(self, count: int) -> bytes:
        """Return bytes that follow from the act and from how many were drawn in it."""
        seed = f"{self.label} {next(self._drawn)}".encode()
        return hashlib.shake_256(seed).digest(count)


@dataclass
class Twin:
    """One of the two."""

    house: House
    fate: Fate
    nodes: list[str] = field(default_factory=list)
    """Private nodes that were accepted."""
    secrets: int = 0
    life: "tuple[Act, ...]" = ()
    """What it does that only its owner knows of."""

    def live(self, label: str, minute: int) -> None:
        """Live the second life for a moment, if there is one."""
        for part, secret in enumerate(self.life):
            self.fate.turn(f"secret {label} {part}", minute)
            secret(self)

    @property
    def state(self) -> State:
        """The whole project."""
        return self.house.studio.desk.state(self.house.project_id)

    @property
    def seen(self) -> State:
        """What people who are not owners see of it."""
        return self.house.studio.desk.sights.state(self.house.project_id)

    def caller(self, person_id: str) -> Caller:
        """Return a person, acting in the browser."""
        return self.house.studio.access.caller(self.house.project_id, person_id, Via.BROWSER)

    def captured(self, person_id: str, text: str, **more: Any) -> str:
        """Capture words; return the proposal, or the exchange when there is none."""
        done = self.house.studio.placements.capture(
            self.house.project_id, self.caller(person_id), text, **more
        )
        return done.delta_id or done.exchange_id

    def accepted(self, person_id: str, delta_id: str) -> None:
        """Accept a proposal as this person sees it."""
        role = self.caller(person_id).actor.role
        state = self.house.studio.desk.state_for(self.house.project_id, role)
        command = AcceptDelta(delta_id, 0, state.revision, self.digest(delta_id))
        self.house.studio.reviews.accept(self.caller(person_id), command)

    def digest(self, delta_id: str) -> str:
        """Return what is bound to a proposal as it is shown now."""
        return self.house.studio.reviews.shown(delta_id)[2]


@dataclass(frozen=True)
class Ground:
    """What both twins grow from."""

    settings: Settings
    pristine: Path
    house: House
    start: str


def founded(folder: Path) -> Ground:
    """Found an installation with work in every state, an owner, a reviewer and a viewer."""
    house = open_house(folder)
    house.studio.access.add_person(house.me, "rita", "Rita", Role.REVIEWER)
    house.session("rita")
    prepare(house)
    prepare_promotion(house)
    settings = house.studio.settings
    shutil.copytree(settings.data_folder, folder / "pristine", symlinks=True)
    return Ground(settings, folder / "pristine", house, house.studio.clock.now())


def grown(ground: Ground, *, is_secretive: bool) -> Twin:
    """Put the founded installation back, open it anew and tell the story."""
    data = ground.settings.data_folder
    shutil.rmtree(data)
    shutil.copytree(ground.pristine, data, symlinks=True)
    fate = Fate(ground.start)
    settings = Settings(data=data, public_origin=ORIGIN)
    studio = bootstrap.open_studio(settings, seams=Seams(clock=fate, entropy=fate))
    minutes = itertools.count(0.0, 60.0)
    app = create_app(studio, lambda: next(minutes))
    house = House(studio, app, ground.house.project_id, ground.house.operator_token, dict(ground.house.ids))
    house._sessions = dict(ground.house._sessions)
    twin = Twin(house, fate, life=SECRET if is_secretive else ())
    for number, act in enumerate(PUBLIC, 1):
        twin.live(str(number), number)
        fate.turn(f"public {number}", number)
        act(twin)
    return twin


Act = Callable[[Twin], object]


def _by_title(state: State, title: str) -> str:
    return next(item.id for item in state.tables.nodes.rows() if item.title.text == title)


def _latest(twin: Twin) -> str:
    """Return the proposal that waits longest among those everybody sees and nobody made for the founding."""
    waiting = twin.seen.open_deltas
    return max(waiting.keys(), key=lambda item: waiting[item])


def _compensated(twin: Twin) -> None:
    number = twin.seen.revision
    whole = twin.house.studio.desk.sights.sight(twin.house.project_id).numbers.whole_of(number)
    assert whole is not None
    seen = twin.state.revisions[revision_key(whole)].state_root
    twin.house.studio.reviews.compensate(
        twin.house.project_id, twin.caller(OWNER), ProposeCompensation(whole, seen, "Too much")
    )


def _edited(twin: Twin) -> None:
    delta_id = _latest(twin)
    command = EditDelta(delta_id, "Order the primer", "Ten litres", NodeKind.TASK, twin.digest(delta_id))
    twin.house.studio.reviews.edit(twin.caller("rita"), command)


def _parted(twin: Twin) -> None:
    delta_id, root = _latest(twin), twin.state.root_id
    parts = tuple(Part(NodeKind.TASK, title, root) for title in ("Sand the door", "Prime the door"))
    twin.house.studio.reviews.split(twin.caller("rita"), SplitDelta(delta_id, parts, twin.digest(delta_id)))


def _renamed(twin: Twin) -> None:
    node_id = _by_title(twin.seen, "Order the primer")
    command = ProposeCorrection(node_id, "Clearer", title="Order all the primer")
    twin.house.studio.reviews.correct(twin.house.project_id, twin.caller("rita"), command)


def _briefed(twin: Twin) -> None:
    twin.house.studio.briefs.compile(
        twin.house.project_id, twin.caller("rita"), twin.house.ids["task"], PROFILE
    )


def _promoted(twin: Twin) -> None:
    studio, promotion_id = twin.house.studio, twin.house.ids["promotion"]
    seen = studio.promotions.seen(promotion_id)
    studio.promotions.authorize(
        twin.caller(OWNER), promotion_id, expected_revision=twin.state.revision, seen=seen
    )
    studio.promotions.execute(studio.access.operator_caller(OWNER, Via.CLI), promotion_id, "cli")


def _erased(twin: Twin) -> None:
    studio = twin.house.studio
    studio.erasures.erase(twin.house.project_id, twin.caller(OWNER), twin.house.ids["taken back"])


def _put_off(twin: Twin) -> None:
    delta_id = _latest(twin)
    until = later(twin.fate.now(), 3600)
    twin.house.studio.reviews.defer(
        twin.caller("rita"), DeferDelta(delta_id, until, "Later", twin.digest(delta_id))
    )


PUBLIC: Final[tuple[Act, ...]] = (
    lambda twin: twin.captured(OWNER, "Ask Jonas about the wall colour of the new hall"),
    lambda twin: twin.accepted("rita", _latest(twin)),
    lambda twin: twin.captured("rita", "Order ten litres of primer for the hall"),
    _edited,
    lambda twin: twin.accepted(OWNER, _latest(twin)),
    _renamed,
    lambda twin: twin.accepted("rita", _latest(twin)),
    _compensated,
    lambda twin: twin.accepted(OWNER, _latest(twin)),
    lambda twin: twin.captured("rita", "wwww vvvv"),
    lambda twin: twin.captured(OWNER, "Sand and prime the door of the shed"),
    _parted,
    lambda twin: twin.accepted(OWNER, _latest(twin)),
    _put_off,
    _briefed,
    _erased,
    _promoted,
    lambda twin: twin.captured("rita", "Ask Jonas about the floor of the hall"),
    lambda twin: twin.captured(OWNER, "The hall needs a second coat"),
)
"""What happens in both."""


def _secret_node(twin: Twin) -> None:
    if twin.secrets % 2 and twin.nodes:
        delta_id = twin.captured(OWNER, f"Feed the {CANARY} of the hall", selected_node_id=twin.nodes[-1])
    else:
        delta_id = twin.captured(
            OWNER, f"Buy a {CANARY} for the hall {twin.secrets}", visibility=Visibility.PRIVATE
        )
    twin.secrets += 1
    if delta_id.startswith("delta"):
        twin.accepted(OWNER, delta_id)
        record = twin.state.deltas[delta_id]
        twin.nodes.extend(item.node_id for item in record.body.operations if hasattr(item, "node_id"))


def _secret_review(twin: Twin) -> None:
    reviews, me = twin.house.studio.reviews, twin.caller(OWNER)
    words = {"visibility": Visibility.PRIVATE}
    deltas = [twin.captured(OWNER, f"Order a {CANARY} {name} for the hall", **words) for name in "abcde"]
    first, second, third, fourth, _fifth = [item for item in deltas if item.startswith("delta")]
    reviews.reject(me, RejectDelta(first, f"No {CANARY}", twin.digest(first)))
    reviews.remand(me, RemandDelta(second, f"Which {CANARY}", (f"Name the {CANARY}",), twin.digest(second)))
    reviews.edit(me, EditDelta(third, f"A small {CANARY}", None, NodeKind.IDEA, twin.digest(third)))
    root = twin.state.root_id
    parts = tuple(Part(NodeKind.IDEA, f"{CANARY} {part}", root) for part in ("head", "tail"))
    reviews.split(me, SplitDelta(fourth, parts, twin.digest(fourth)))


def _secret_change(twin: Twin) -> None:
    if not twin.nodes:
        return
    project_id, me = twin.house.project_id, twin.caller(OWNER)
    command = ProposeCorrection(twin.nodes[0], f"A better {CANARY}", description=f"{CANARY} {twin.secrets}")
    twin.accepted(OWNER, twin.house.studio.reviews.correct(project_id, me, command))
    outline = f"# {CANARY} stable\n- {CANARY} hay"
    twin.house.studio.projects.import_outline(project_id, me, outline, twin.nodes[0])


def _secret_question(twin: Twin) -> None:
    studio, me = twin.house.studio, twin.caller(OWNER)
    done = studio.placements.capture(
        twin.house.project_id, me, f"{CANARY}{CANARY} xxxx", visibility=Visibility.PRIVATE
    )
    if twin.secrets % 3 == 0:
        studio.erasures.erase(twin.house.project_id, me, done.source_id)


SECRET: Final[tuple[Act, ...]] = (_secret_node, _secret_review, _secret_change, _secret_question)
"""What happens in one of them only, before each public act."""
