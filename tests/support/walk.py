"""People, a worker and an operator who walk the whole path, and go on from wherever they find it.

Which act is next is read from the ledgers alone, so the same walk begins a journey and finishes one that a killed
process left: whatever ended without a result is decided anew by a person, as they would.
"""

from collections.abc import Callable
from dataclasses import dataclass

from app.services.desk import Caller
from app.services.studio import Studio
from kernel.commands import AcceptDelta
from kernel.state import DeltaRecord, ExchangeRecord, PromotionRecord, RunRecord, State
from kernel.vocabulary import Disposition, PromotionStatus, Purpose, RunStatus, Via


@dataclass(frozen=True, slots=True)
class Texts:
    """What a person brings: a project, its outline, one sentence, and the profile that fits its task."""

    title: str
    outline: str
    sentence: str
    profile_id: str


@dataclass(frozen=True, slots=True)
class Walk:
    """One journey in one studio."""

    studio: Studio
    texts: Texts

    def to_the_end(self, before: Callable[[str], None] = lambda _act: None) -> PromotionRecord:
        """Do act after act until the branch moved; `before` hears the name of each. At most 60 acts."""
        for _ in range(60):
            act = self.next_act()
            if act is None:
                return self.promotions()[-1]
            before(act.__name__)
            act()
        message = "the walk does not come to its end"
        raise AssertionError(message)

    def until(self, name: str) -> None:
        """Do act after act until the named one is next."""
        for _ in range(60):
            act = self.next_act()
            assert act is not None, f"the walk ended before {name}"
            if act.__name__ == name:
                return
            act()

    # ------------------------------------------------------------------------------------------ what is there

    @property
    def owner(self) -> Caller:
        """Return the owner on the command line, with a fresh command."""
        return self.studio.access.caller(self.studio.world_id, "owner", Via.CLI)

    @property
    def operator(self) -> Caller:
        """Return the owner as an operator."""
        return self.studio.access.operator_caller("owner", Via.CLI)

    @property
    def project_id(self) -> str:
        """Return the project."""
        return self.studio.projects.find("owner", self.texts.title)

    @property
    def state(self) -> State:
        """Return the project's state as it is now."""
        return self.studio.desk.state(self.project_id)

    def source_id(self) -> str | None:
        """Return the captured sentence, or None."""
        found = [
            record.body.source_id
            for record in self.state.sources.rows()
            if record.body.content.text == self.texts.sentence
        ]
        assert len(found) < 2, "the sentence was captured twice"
        return found[0] if found else None

    def deltas(self, subject_id: str | None, purpose: Purpose) -> list[DeltaRecord]:
        """Return the proposals that followed from a record, in order."""
        state = self.state
        records = (state.deltas.get(item) for item in state.followed_by.get(subject_id or "") or ())
        return [record for record in records if record is not None and record.body.purpose is purpose]

    def task_id(self) -> str | None:
        """Return the node that the sentence became, or None."""
        source_id = self.source_id()
        found = [node.id for node in self.state.tables.nodes.rows() if source_id in node.source_ids]
        return found[0] if found else None

    def runs(self) -> list[RunRecord]:
        """Return every run, in order."""
        return list(self.state.runs.rows())

    def closure_id(self) -> str:
        """Return the closure of the last run."""
        state, run = self.state, self.runs()[-1]
        return next(item for item in state.followed_by[run.body.run_id] if item in state.closures)

    def validations(self) -> list[ExchangeRecord]:
        """Return the requests to validate, in order."""
        rows = self.state.exchanges.rows()
        return [record for record in rows if record.body.boundary.value == "validation"]

    def promotions(self) -> list[PromotionRecord]:
        """Return every promotion, in order."""
        return list(self.state.promotions.rows())

    # ------------------------------------------------------------------------------------------- what is next

    def next_act(self) -> Callable[[], object] | None:
        """Return the next act, or None when the branch has moved."""
        if not any(state.title and state.title.text == self.texts.title for state in self._projects()):
            return self.open_project
        if self.state.revision == 0:
            return self.accept_outline if self.state.open_deltas.keys() else self.import_outline
        return self._next_for_words() or self._next_for_work()

    def _projects(self) -> tuple[State, ...]:
        return self.studio.projects.seen_by("owner")

    def _next_for_words(self) -> Callable[[], object] | None:
        source_id = self.source_id()
        if source_id is None:
            return self.capture
        if self.task_id() is not None:
            return None
        return self.accept_task if self.deltas(source_id, Purpose.PLACEMENT) else self.ask_again

    def _next_for_work(self) -> Callable[[], object] | None:
        state = self.state
        if not state.briefs.keys():
            return self.compile_brief
        if not self.runs() or self.runs()[-1].status in _ENDED_WITHOUT_RESULT:
            return self.authorize_run
        if self.runs()[-1].status is not RunStatus.RETURNED:
            return self.work
        closure_id = self.closure_id()
        if not any(item in state.validations for item in state.followed_by.get(closure_id) or ()):
            waiting = [item for item in self.validations() if item.status in {"requested", "answered"}]
            return self.judge if waiting else self.ask_validation
        return self._next_for_result(closure_id)

    def _next_for_result(self, closure_id: str) -> Callable[[], object] | None:
        offered = self.deltas(closure_id, Purpose.RECONCILIATION)
        if not offered:
            return self.reconcile
        if offered[-1].disposition is not Disposition.ACCEPTED:
            return self.integrate
        status = self.promotions()[-1].status if self.promotions() else None
        acts: dict[PromotionStatus | None, Callable[[], object] | None] = {
            PromotionStatus.PROPOSED: self.authorize_promotion,
            PromotionStatus.AUTHORIZED: self.execute,
            PromotionStatus.REQUESTED: self.execute,
            PromotionStatus.OUTCOME_UNKNOWN: self.settle,
            PromotionStatus.PROMOTED: None,
        }
        return acts.get(status, self.propose_promotion)

    # ---------------------------------------------------------------------------------------------- the acts

    def open_project(self) -> None:
        """Open the project."""
        self.studio.projects.open(self.owner, self.texts.title)

    def import_outline(self) -> None:
        """Propose the outline."""
        self.studio.projects.import_outline(self.project_id, self.owner, self.texts.outline)

    def accept_outline(self) -> None:
        """Say yes to the outline."""
        self.accept(self.state.open_deltas.keys()[0])

    def capture(self) -> None:
        """Say the sentence."""
        self.studio.placements.capture(self.project_id, self.owner, self.texts.sentence)

    def ask_again(self) -> None:
        """Ask again where the kept sentence fits."""
        source_id = self.source_id()
        assert source_id is not None
        self.studio.placements.retry(self.project_id, self.owner, source_id)

    def accept_task(self) -> None:
        """Say yes to the place of the sentence."""
        self.accept(self.deltas(self.source_id(), Purpose.PLACEMENT)[-1].body.delta_id)

    def compile_brief(self) -> None:
        """Brief the task."""
        task_id = self.task_id()
        assert task_id is not None
        self.studio.briefs.compile(self.project_id, self.owner, task_id, self.texts.profile_id)

    def authorize_run(self) -> None:
        """Allow one run."""
        self.studio.runs.authorize(self.owner, self.state.briefs.keys()[-1])

    def work(self) -> None:
        """Let the worker work."""
        assert self.studio.queue.drain()

    def ask_validation(self) -> None:
        """Ask for evidence."""
        self.studio.evidence.request(self.owner, self.closure_id())

    def judge(self) -> None:
        """Let the worker judge."""
        assert self.studio.queue.drain()

    def reconcile(self) -> None:
        """Compile the result."""
        self.studio.evidence.reconcile(self.owner, self.closure_id())

    def integrate(self) -> None:
        """Say yes to the result."""
        self.accept(self.deltas(self.closure_id(), Purpose.RECONCILIATION)[-1].body.delta_id)

    def propose_promotion(self) -> None:
        """Offer the result to the operator."""
        delta_id = self.deltas(self.closure_id(), Purpose.RECONCILIATION)[-1].body.delta_id
        self.studio.promotions.propose(self.owner, delta_id)

    def authorize_promotion(self) -> None:
        """Ask the operator to go ahead."""
        promotion_id = self.promotions()[-1].body.promotion_id
        seen = self.studio.promotions.seen(promotion_id)
        self.studio.promotions.authorize(
            self.owner, promotion_id, expected_revision=self.state.revision, seen=seen
        )

    def execute(self) -> None:
        """Move the branch."""
        self.studio.promotions.execute(self.operator, self.promotions()[-1].body.promotion_id, "cli")

    def settle(self) -> None:
        """Record what an unknown outcome turned out to be."""
        self.studio.promotions.reconcile(self.operator, self.promotions()[-1].body.promotion_id, "cli")

    def accept(self, delta_id: str, caller: Caller | None = None) -> int:
        """Say yes to a proposal as it is shown now; return the revision."""
        state, _, seen = self.studio.reviews.shown(delta_id)
        command = AcceptDelta(delta_id, 0, state.revision, seen)
        return self.studio.reviews.accept(caller or self.owner, command).revision


_ENDED_WITHOUT_RESULT = frozenset(
    {RunStatus.OUTCOME_UNKNOWN, RunStatus.FAILED, RunStatus.BLOCKED, RunStatus.CANCELLED}
)
