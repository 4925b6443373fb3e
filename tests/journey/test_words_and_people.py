"""What people and managers may bring: any words, or none of their business."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.bootstrap import Seams, open_studio
from app.services.desk import Caller
from kernel.commands import AddPrincipal, EditDelta, MoveDelta, ProposeCorrection, RejectDelta
from kernel.errors import (
    AuthorityError,
    ConflictError,
    InvalidError,
    ManagerUnavailableError,
    NotFoundError,
    StudioError,
)
from kernel.values.placement import (
    ManagerFacts,
    Place,
    PlaceableNode,
    PlacementAnswer,
    PlacementRequest,
    SentQuestion,
)
from kernel.vocabulary import NodeKind, Role, Via, Visibility
from tests.support.sandbox import branch, install, moves, sandbox_texts
from tests.support.walk import Walk

ODD = "Buy \u200enothing\u200f <script>alert(1)</script> & \u200b\ufeff\u00ad\u200d e\u0301 \U0001f4a9"
MIB = 1024 * 1024
UNMEANT = [
    "half \ud800 a character",
    "Buy \u202egnihton\u202c",
    "a \u0000",
    "\u001b[31mred",
    "one \u2066x\u2069",
]


@pytest.fixture
def walk(tmp_path: Path) -> Walk:
    """Return a walk through a fresh sandbox whose outline is accepted."""
    walk = Walk(open_studio(install(tmp_path / "data")), sandbox_texts())
    walk.until("capture")
    return walk


@pytest.mark.parametrize(
    "text",
    [
        ODD,
        "\r\n\u2028 x \ufeff",
        "=1+1 {{7*7}} ${x} '; DROP TABLE events; --",
        "x" * MIB,
        "\u4f60\u597d " * 20_000,
    ],
    ids=["unseen-markup", "line-ends", "formulas", "one-mebibyte", "many-words"],
)
def test_any_words_are_kept_exactly(walk: Walk, text: str) -> None:
    """Not a character is lost or normalised, the words get an answer, and the ledger verifies after a restart."""
    kept = walk.studio.placements.capture(walk.project_id, walk.owner, text)
    assert kept.failure is None
    again = Walk(open_studio(walk.studio.settings), walk.texts)
    content = again.state.sources[kept.source_id].body.content
    assert content.text == text
    assert again.studio.audits.verify(again.project_id, strict=True).problems == ()


@pytest.mark.parametrize("text", ["", "   ", "\n\t \u2003", "x" * (MIB + 1), *UNMEANT])
def test_words_that_cannot_be_kept_are_refused_before_anything_is_written(walk: Walk, text: str) -> None:
    """Empty, too many, or no text at all: a refusal by name, and no event."""
    before = walk.state.seq
    with pytest.raises(InvalidError):
        walk.studio.placements.capture(walk.project_id, walk.owner, text)
    assert walk.state.seq == before


class Confused:
    """A manager that answers something else every time, as its test tells it."""

    facts = ManagerFacts(name="confused/1", mode="scripted")
    answers: list[PlacementAnswer | None]

    def __init__(self, answers: list[PlacementAnswer | None]) -> None:
        self.answers = answers

    def __call__(self) -> "Confused":
        """Return the view of one worldstate: this one."""
        return self

    def put(self, node: PlaceableNode) -> None:
        """Take no notice."""

    def remove(self, node_id: str) -> None:
        """Take no notice."""

    def prepare(self, _text: str, _visibility: Visibility, _selected: str | None) -> SentQuestion | None:
        """Send nothing away."""
        return None

    def nearest(self, _text: str, _visibility: Visibility) -> Place | None:
        """Know no place."""
        return None

    def begin(self, request: PlacementRequest) -> Callable[[], str]:
        """Give the next answer; None is no answer."""
        assert request.text
        answer = self.answers.pop(0)
        if answer is None:
            raise ManagerUnavailableError("it did not answer " + "in time " * 2000)
        return answer.model_dump_json


def placed_under(node_id: str, title: str = "Compare three shops") -> PlacementAnswer:
    """Return an answer that puts a task under a node."""
    place = Place(parent_id=node_id, score=900, reason="It belongs there")
    return PlacementAnswer(kind=NodeKind.TASK, title=title, places=(place,), kind_reason="It says compare")


def with_manager(walk: Walk, manager: Confused) -> Walk:
    """Return the same walk with another manager."""
    return Walk(open_studio(walk.studio.settings, seams=Seams(manager=manager)), walk.texts)


def test_an_answer_that_names_a_missing_node_is_unreadable_and_can_be_asked_again(walk: Walk) -> None:
    """The words and the exact answer are kept, the reason is said, and the next attempt may succeed."""
    missing = "node_01k0000000000000000000000a"
    manager = Confused([placed_under(missing), None, placed_under(walk.state.root_id)])
    confused = with_manager(walk, manager)
    studio, project_id = confused.studio, confused.project_id
    kept = studio.placements.capture(project_id, confused.owner, "Compare three shops")
    exchange = confused.state.exchanges[kept.exchange_id]
    assert (kept.delta_id, exchange.status) == (None, "unreadable")
    assert exchange.response is not None
    assert missing in (exchange.response.text or "")
    assert kept.failure is not None
    assert kept.failure.endswith("Your words are kept; ask again.")
    silent = studio.placements.retry(project_id, confused.owner, kept.source_id)
    assert confused.state.exchanges[silent.exchange_id].status == "failed"
    placed = studio.placements.retry(project_id, confused.owner, kept.source_id)
    assert placed.delta_id is not None
    assert confused.state.sources[kept.source_id].body.content.text == "Compare three shops"
    assert confused.accept(placed.delta_id) == walk.state.revision
    assert studio.audits.verify(project_id, strict=True).problems == ()


@pytest.mark.parametrize("title", ["", "two\nlines", "x" * 301])
def test_an_answer_with_an_impossible_title_is_unreadable(walk: Walk, title: str) -> None:
    """Whatever a manager says is checked like anybody's words."""
    confused = with_manager(walk, Confused([placed_under(walk.state.root_id, title)]))
    kept = confused.studio.placements.capture(confused.project_id, confused.owner, "Compare three shops")
    assert confused.state.exchanges[kept.exchange_id].status == "unreadable"


def viewer_of(walk: Walk) -> Caller:
    """Return a viewer of the project, added by the owner."""
    walk.studio.access.add_person(walk.owner, "vera", "Vera", Role.VIEWER)
    return walk.studio.access.caller(walk.project_id, "vera", Via.BROWSER)


@dataclass(frozen=True)
class Scene:
    """A finished journey, its viewer, and the ids that acts name."""

    walk: Walk
    viewer: Caller
    delta_id: str


def _acts(scene: Scene) -> dict[str, Callable[[], object]]:
    walk, viewer, delta_id = scene.walk, scene.viewer, scene.delta_id
    studio, project_id, task_id = walk.studio, walk.project_id, walk.task_id() or ""
    _, _, seen = studio.reviews.shown(delta_id)
    run_id, brief_id = walk.runs()[-1].body.run_id, walk.state.briefs.keys()[-1]
    promotion_id = walk.promotions()[-1].body.promotion_id
    result = walk.promotions()[-1].body.delta_id
    return {
        "open": lambda: studio.projects.open(viewer, "Mine"),
        "import": lambda: studio.projects.import_outline(project_id, viewer, "# Mine"),
        "capture": lambda: studio.placements.capture(project_id, viewer, "Mine"),
        "ask again": lambda: studio.placements.retry(project_id, viewer, walk.source_id() or ""),
        "accept": lambda: walk.accept(delta_id, viewer),
        "reject": lambda: studio.reviews.reject(viewer, RejectDelta(delta_id, "No", seen)),
        "edit": lambda: studio.reviews.edit(viewer, EditDelta(delta_id, "Mine", None, NodeKind.IDEA, seen)),
        "move": lambda: studio.reviews.move(viewer, MoveDelta(delta_id, walk.state.root_id, seen)),
        "correct": lambda: studio.reviews.correct(
            project_id, viewer, ProposeCorrection(task_id, "Mine", title="Mine")
        ),
        "brief": lambda: studio.briefs.compile(project_id, viewer, task_id),
        "authorise a run": lambda: studio.runs.authorize(viewer, brief_id),
        "cancel a run": lambda: studio.runs.cancel(viewer, run_id),
        "validate": lambda: studio.evidence.request(viewer, walk.closure_id()),
        "reconcile": lambda: studio.evidence.reconcile(viewer, walk.closure_id()),
        "propose a promotion": lambda: studio.promotions.propose(viewer, result),
        "authorise a promotion": lambda: studio.promotions.authorize(
            viewer,
            promotion_id,
            expected_revision=walk.state.revision,
            seen=studio.promotions.seen(promotion_id),
        ),
        "execute": lambda: studio.promotions.execute(viewer, promotion_id, "http"),
        "settle": lambda: studio.promotions.reconcile(viewer, promotion_id, "http"),
        "add a person": lambda: studio.access.add_person(viewer, "mallory", "Mallory", Role.OWNER),
        "make a token": lambda: studio.access.issue_operator_token(viewer, "vera", "mine", lifetime_s=60),
        "make a link": lambda: studio.access.issue_link(viewer, "owner"),
    }


def _refusal(act: Callable[[], object]) -> str:
    """Return the code with which an act is refused."""
    try:
        act()
    except StudioError as error:
        return error.reason_code
    return "not refused"


def test_a_viewer_writes_nothing(walk: Walk) -> None:
    """Every act of the services is refused to a viewer before a promotion and leaves no event, file or move."""
    walk.until("execute")
    captured = walk.studio.placements.capture(walk.project_id, walk.owner, "Compare three shops")
    assert captured.delta_id is not None
    scene = Scene(walk, viewer_of(walk), captured.delta_id)
    ledger = walk.studio.desk.ledger
    before = {ledger_id: ledger.head(ledger_id) for ledger_id in ledger.ledgers()}
    assert {name: _refusal(act) for name, act in _acts(scene).items()} == dict.fromkeys(
        _acts(scene), "authority_violation"
    )
    assert {ledger_id: ledger.head(ledger_id) for ledger_id in ledger.ledgers()} == before
    data = walk.studio.settings.data_folder
    assert (moves(data), list((data / "journal").glob("promotion_*"))) == (0, [])
    assert branch(data) == walk.promotions()[-1].body.base_commit


def test_only_an_operator_goes_on_with_an_open_attempt(walk: Walk) -> None:
    """After a server died on the way, nobody else can swap or close it: the journal is not touched for them."""

    def die(name: str) -> None:
        if name == "before_intent":
            message = "the power went out"
            raise RuntimeError(message)

    walk = Walk(open_studio(walk.studio.settings, seams=Seams(step=die)), walk.texts)
    walk.until("execute")
    with pytest.raises(RuntimeError):
        walk.execute()
    promotion_id = walk.promotions()[-1].body.promotion_id
    for caller in (walk.owner, viewer_of(walk)):
        for act in (walk.studio.promotions.execute, walk.studio.promotions.reconcile):
            with pytest.raises(AuthorityError):
                act(caller, promotion_id, "http")
    assert walk.studio.promotions.status(promotion_id).state == "absent"


def test_a_stranger_does_not_learn_that_a_project_exists(walk: Walk) -> None:
    """Who has no role in it is told that there is no such project, whatever its id."""
    walk.studio.directory.add_person("sam", "Sam", walk.studio.clock.now())
    with pytest.raises(NotFoundError, match="there is no project"):
        walk.studio.access.caller(walk.project_id, "sam", Via.BROWSER)
    assert walk.studio.projects.seen_by("sam") == ()


def test_a_person_added_only_in_part_is_added_to_the_end(walk: Walk) -> None:
    """A process that ended between ledger and directory does not make a name unusable; a known name is refused."""
    studio = walk.studio
    studio.desk.act(studio.world_id, walk.owner, AddPrincipal("mira", "Mira"))
    studio.access.add_person(walk.owner, "mira", "Mira", Role.REVIEWER)
    assert studio.directory.role_of("mira", walk.project_id) is Role.REVIEWER
    with pytest.raises(ConflictError, match="already known"):
        studio.access.add_person(walk.owner, "mira", "Mira", Role.OWNER)
