"""Any command at all, about records that exist or do not: what a machine throws at a story.

Most of what it asks for is refused; what is not refused has told some new ledger. `draw` picks one of several.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from kernel import commands as c
from kernel.briefs import BriefOrder, compile_brief, terms_of
from kernel.canonical import canonical_bytes
from kernel.rules.seen import delta_seen, promotion_seen
from kernel.state import State, revision_key
from kernel.values.execution import BundleFacts
from kernel.values.placement import Place, PlacementAnswer
from kernel.values.work import CheckFacts, Claim
from kernel.vocabulary import (
    CheckResult,
    Grade,
    KeyRole,
    NodeKind,
    Phase,
    PromotionOutcome,
    RelationKind,
    Role,
    SourceKind,
    Visibility,
)
from tests.support.story import BASE, PROFILE, RUNTIME, SEALED, Story, candidate, receipt

T = TypeVar("T")


class Wild:
    """Makes commands from what a story holds and what `draw` picks."""

    def __init__(self, story: Story, draw: Callable[[Sequence[Any]], Any]) -> None:
        self.story = story
        self.draw = draw

    @property
    def state(self) -> State:
        """Return the story's state now."""
        return self.story.state

    def usually(self, options: Sequence[T]) -> T:
        """Return the first option most of the time, so that stories come somewhere."""
        return self.draw([*[options[0]] * 2 * len(options), *options])  # type: ignore[no-any-return]

    def some(self, table: Any) -> str:
        """Return a key of the table, the latest ones first, or one that is in none."""
        return str(self.usually([*reversed(table.keys()), "nothing_x"]))

    def text(self) -> str:
        """Return a text, sane or not."""
        return str(self.usually(["Paint the hall", "Ü😀\u202e", "", " ", "a\nb", "\ud83d", "x" * 9000]))

    def seen(self, delta_id: str) -> str:
        """Return what a person would have seen of a proposal, or a stale digest."""
        record = self.state.deltas.get(delta_id)
        return "sha256:stale" if record is None else delta_seen(self.state, record)

    def fence(self, run_id: str) -> int:
        """Return the fence of a run, or one that nobody holds."""
        record = self.state.runs.get(run_id)
        held = None if record is None else record.fence
        return int(self.usually([0 if held is None else held, 7]))

    def meaning(self) -> c.Command:
        """Return a command about words and proposals."""
        delta_id, node_id = self.some(self.state.deltas), self.some(self.state.tables.nodes)
        kind, seen = self.usually([NodeKind.TASK, *NodeKind]), self.seen(delta_id)
        visibility = self.draw(list(Visibility))
        outline = tuple(
            c.OutlineNode(kind, self.text(), None, self.usually([None, 0, 5, -1]))
            for _ in range(self.draw([1, 3]))
        )
        return self.draw(  # type: ignore[no-any-return]
            [
                c.CaptureSource(self.text(), SourceKind.TEXT, visibility, "local/1"),
                c.AcceptDelta(delta_id, self.usually([0, 1, -1]), self.state.revision, seen),
                c.RejectDelta(delta_id, self.draw([None, self.text()]), seen),
                c.EditDelta(delta_id, self.text(), None, kind, seen, self.usually(["demo", None, "A b"])),
                c.MoveDelta(delta_id, node_id, seen),
                self.review(delta_id, seen),
                c.ProposeCorrection(node_id, self.text(), self.text(), None, self.usually([None, *Phase])),
                self.wish(node_id),
                c.ImportOutline(self.text(), node_id, outline),
                c.RetryPlacement(self.some(self.state.sources), "local/1"),
                c.EraseSource(self.some(self.state.sources)),
                c.CaptureSource(
                    "Yes", SourceKind.TEXT, visibility, "l/1", None, self.some(self.state.exchanges)
                ),
            ]
        )

    def wish(self, node_id: str) -> c.Command:
        """Return a command that wishes another place, a relation more or less, or the end of a node."""
        other_id, relation_id = self.some(self.state.tables.nodes), self.some(self.state.tables.relations)
        join = c.Join(self.draw(list(RelationKind)), other_id, is_outgoing=self.draw([True, False]))
        wished: dict[str, Any] = self.draw(
            [
                {"under_id": other_id},
                {"joins": (join,)},
                {"parts": (relation_id,)},
                {"retires": self.draw(list(c.Below))},
            ]
        )
        seen = self.draw([None, self.state.revision, 0])
        return c.ProposeCorrection(node_id, None, expected_revision=seen, **wished)

    def review(self, delta_id: str, seen: str) -> c.Command:
        """Return a command that puts a proposal off, sends it back, parts it or renews it, or takes a revision back."""
        until = self.draw([None, self.story.later(3600), "soon"])
        node_id, number = self.some(self.state.tables.nodes), self.draw([self.state.revision, 1, 0])
        revision = self.state.revisions.get(revision_key(number))
        parts = tuple(c.Part(NodeKind.IDEA, self.text(), node_id) for _ in range(self.usually([2, 1, 9])))
        return self.draw(  # type: ignore[no-any-return]
            [
                c.DeferDelta(delta_id, until, None, seen),
                c.RemandDelta(delta_id, self.text(), (self.text(),) * self.usually([1, 0]), seen),
                c.SplitDelta(delta_id, parts, seen),
                c.RebaseDelta(delta_id, seen),
                c.ProposeCompensation(number, "" if revision is None else revision.state_root),
                self.draw([c.ArchiveProject(), c.RestoreProject(), c.RestoreProject()]),
            ]
        )

    def boundary(self) -> c.Command:
        """Return a command about an exchange, and what a manager might answer."""
        exchange_id = self.some(self.state.exchanges)
        places = tuple(
            Place(
                parent_id=self.some(self.state.tables.nodes),
                score=self.draw([0, 1000]),
                reason="It fits",
            )
            for _ in range(self.usually([1, 0, 5]))
        )
        answer = PlacementAnswer(
            kind=self.usually([NodeKind.TASK, *NodeKind]),
            title=self.text().replace("\ud83d", "?"),
            places=places,
            kind_reason="Because",
            alternative_kind=self.draw([None, NodeKind.IDEA]),
            question=self.draw([None, "Which one?"]),
        )
        return self.draw(  # type: ignore[no-any-return]
            [
                c.AnswerExchange(exchange_id, self.usually(["{}", "nonsense"])),
                c.ProposePlacement(exchange_id, answer),
                c.FailExchange(exchange_id, self.usually(["gone", "Not a code"]), self.text()),
                c.MarkUnreadable(exchange_id, "answer_malformed", self.text()),
            ]
        )

    def work(self) -> c.Command:
        """Return a command about a brief, a run or its return."""
        run_id, brief_id = self.some(self.state.runs), self.some(self.state.briefs)
        fence, exchange_id = self.fence(run_id), self.some(self.state.exchanges)
        fresh, until = self.story.stamp(), self.story.later(self.usually([300, 9000]))
        sealed = candidate(fresh.id("candidate"))
        return self.draw(  # type: ignore[no-any-return]
            [
                self.brief(),
                c.AuthorizeRun(fresh.id("run"), brief_id, RUNTIME, BASE, until, SEALED),
                c.RequestExchange(self.draw(["run", "validation", "promotion"]), run_id, "{}", BASE),
                c.ReportProgress(run_id, fence, "worker", self.text()),
                c.BlockRun(run_id, fence, self.text()),
                c.CancelRun(run_id),
                c.FailRun(run_id, self.draw([None, fence]), "crashed", self.text()),
                c.LoseRun(run_id, fence, self.text()),
                c.StageClosure(
                    run_id,
                    fence,
                    exchange_id,
                    sealed,
                    SEALED,
                    "Done",
                    (Claim(text="x"),),
                    (),
                    claimed_completion=self.usually([True, False]),
                ),
            ]
        )

    def brief(self) -> c.Command:
        """Return a compiled brief where one can be compiled, else an invented one."""
        node_id = self.some(self.state.tables.nodes)
        node = self.state.tables.nodes.get(node_id)
        fits = node is not None and node.profile_id == "demo" and node.retired_in is None
        if fits and node is not None and node.visibility is Visibility.SHARED and node.kind is NodeKind.TASK:
            return compile_brief(self.state, BriefOrder(node_id, PROFILE, BASE))
        empty = canonical_bytes({"context": []}).decode()
        return c.CompileBrief(node_id, BASE, terms_of(PROFILE.contract), ("x",), (), (), (), empty)

    def evidence(self) -> c.Command:
        """Return a command about evidence or a promotion."""
        closure_id, validation_id = self.some(self.state.closures), self.some(self.state.validations)
        promotion_id, fresh = self.some(self.state.promotions), self.story.stamp()
        record = self.state.promotions.get(promotion_id)
        seen = "sha256:stale" if record is None else promotion_seen(record)
        passed = self.usually([3, 0])
        result = CheckResult.PASSED if passed else CheckResult.FAILED
        check = CheckFacts(
            requirement_id="costs",
            result=result,
            grade=Grade.HOST_ORACLE,
            cases_total=3,
            cases_passed=passed,
            reason="ok",
            detail="",
        )
        until = self.story.later(self.usually([60, 9000]))
        outcome = receipt(promotion_id, self.draw(list(PromotionOutcome)))
        return self.draw(  # type: ignore[no-any-return]
            [
                c.RequestExchange("validation", closure_id, "{}"),
                c.RecordValidation(
                    fresh.id("validation"),
                    self.some(self.state.exchanges),
                    (check,),
                    "same_uid",
                    (),
                    (),
                    wall_ms=1,
                    receipt=SEALED,
                ),
                c.ProposeReconciliation(closure_id, validation_id),
                c.ProposePromotion(self.some(self.state.deltas)),
                c.AuthorizePromotion(promotion_id, self.state.revision, seen, until),
                c.RequestExchange("promotion", promotion_id, "{}"),
                c.ObservePromotion(promotion_id, outcome),
                c.ReconcilePromotion(promotion_id, outcome),
            ]
        )

    def authority(self) -> c.Command:
        """Return a command about people and keys, lawful in the world ledger alone."""
        person = self.draw(["owner", "mira", "Mira Holm"])
        return self.draw(  # type: ignore[no-any-return]
            [
                c.OpenProject(self.story.ledger, "project", self.text()),
                c.AddPrincipal(person, self.text()),
                c.GrantRole(person, self.draw(list(Role)), self.draw([None, self.story.ledger, "x"])),
                c.IssueCredential("token", person, "signin_link", self.draw([self.story.later(5), "never"])),
                c.RevokeCredential("token"),
                c.RevokeRole(person, self.draw([None, self.story.ledger, "x"])),
                c.ActivateConfig("sha256:x", 0),
                c.RotateKey(KeyRole.SEALER, "key:1", "AA=="),
                c.ImportProject(BundleFacts(self.story.ledger, "here", self.draw([0, 3]), "0" * 64, ())),
            ]
        )
