"""A ledger in memory, told step by step: the kernel's own walk from words to a moved branch.

Every step goes through `propose` (decide, check, evolve), so a story can only be told lawfully. Ids, salts and
moments are derived from a counter: the same story gives the same events.
"""

import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from kernel.briefs import BriefOrder, compile_brief
from kernel.commands import (
    AcceptDelta,
    AnswerExchange,
    AuthorizePromotion,
    AuthorizeRun,
    CaptureSource,
    Command,
    EditDelta,
    MoveDelta,
    ObservePromotion,
    OpenProject,
    ProposePlacement,
    ProposePromotion,
    ProposeReconciliation,
    RecordValidation,
    RequestExchange,
    StageClosure,
)
from kernel.decide import propose
from kernel.events.envelope import Event
from kernel.rules.seen import delta_seen, promotion_seen
from kernel.state import INITIAL, State
from kernel.values.execution import PromotionReceipt
from kernel.values.placement import Place, PlacementAnswer
from kernel.values.stamp import Actor, Stamp
from kernel.values.work import (
    CandidateFacts,
    CheckFacts,
    Claim,
    Contract,
    Envelope,
    IsolationFact,
    ManifestEntry,
    Observation,
    Profile,
    Requirement,
    RuntimeFacts,
    Signature,
)
from kernel.vocabulary import (
    ActorKind,
    CheckResult,
    Grade,
    NodeKind,
    PromotionOutcome,
    Role,
    RuntimeKind,
    SourceKind,
    Via,
    Visibility,
)

OWNER = Actor(kind=ActorKind.HUMAN, id="owner", role=Role.OWNER)
VIEWER = Actor(kind=ActorKind.HUMAN, id="vera", role=Role.VIEWER)
OPERATOR = Actor(kind=ActorKind.OPERATOR, id="opal", role=Role.OPERATOR)
HOST = Actor(kind=ActorKind.SYSTEM, id="host", role=Role.NONE)

BASE = "a" * 40
CANDIDATE_COMMIT = "b" * 40
SEALED = Envelope(
    payload_type="application/vnd.in-toto+json",
    payload="e30=",
    signatures=(Signature(key_id="key:0", signature="AA=="),),
)
RUNTIME = RuntimeFacts(
    id="scripted-demo",
    kind=RuntimeKind.SCRIPTED,
    label="Scripted worker (no model)",
    digest="sha256:" + "1" * 64,
    deadline_s=60,
    available=True,
)
PROFILE = Profile(
    contract=Contract(
        profile_id="demo",
        profile_version=1,
        profile_digest="sha256:" + "2" * 64,
        goal="Work out the cost of moving",
        done_means=("The cost of three vans is right",),
        constraints=("Standard library only",),
        allowed_actions=("edit files",),
        denied_actions=("use the network",),
        confirm_actions=(),
        repository_id="demo",
        target_ref="refs/heads/main",
        allowed_paths=("cost.py",),
        expected_artifacts=("cost.py",),
        requirements=(
            Requirement(
                id="costs",
                label="Costs are right",
                kind="oracle",
                validator_id="demo",
                grade=Grade.HOST_ORACLE,
                required=True,
            ),
        ),
        block_integration=True,
    ),
    title="Demo",
    target_kinds=(NodeKind.TASK,),
    runtime_ids=("scripted-demo",),
)


@dataclass
class Story:
    """A growing ledger. `events` is what would be stored, `state` what it means."""

    ledger: str = ""
    state: State = INITIAL
    events: list[Event] = field(default_factory=list)
    step: int = 0

    def stamp(self, actor: Actor = OWNER, via: Via = Via.BROWSER) -> Stamp:
        """Return the next stamp: one second later, with entropy from the step's number."""
        self.step += 1
        moment = datetime(2026, 11, 30, 9, tzinfo=UTC) + timedelta(seconds=self.step)
        entropy = hashlib.sha256(f"story {self.step}".encode()).digest()
        draft = Stamp(moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), actor, via, "", entropy)
        return Stamp(draft.at, actor, via, draft.id("command"), entropy)

    def after(self, command: Command, actor: Actor = OWNER) -> tuple[Event, ...]:
        """Propose the command, keep its events and return them."""
        stamp = self.stamp(actor)
        if not self.ledger:
            self.ledger = stamp.id("project")
        events, self.state = propose(self.state, command, stamp, ledger=self.ledger)
        self.events.extend(events)
        return events

    def later(self, seconds: int) -> str:
        """Return the moment `seconds` after the latest step."""
        moment = datetime(2026, 11, 30, 9, tzinfo=UTC) + timedelta(seconds=self.step + seconds)
        return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    def opened(self) -> "Story":
        """Open a project."""
        stamp = Stamp("2026-11-30T09:00:00.000000Z", OWNER, Via.CLI, "", b"o" * 32)
        self.ledger = stamp.id("project")
        self.after(OpenProject(self.ledger, "project", "Birch Lane 7"))
        return self

    def captured(
        self,
        text: str,
        kind: NodeKind = NodeKind.TASK,
        *,
        under: str | None = None,
        others: tuple[str, ...] = (),
        private: bool = False,
    ) -> str:
        """Capture and place a text, `others` less well fitting places; return the waiting proposal's id."""
        visibility = Visibility.PRIVATE if private else Visibility.SHARED
        events = self.after(CaptureSource(text, SourceKind.TEXT, visibility, "local/1"))
        exchange_id = events[-1].body.exchange_id  # type: ignore[attr-defined]
        answer = PlacementAnswer(
            kind=kind,
            title=text[:80],
            places=(
                Place(parent_id=under or self.state.root_id, score=700, reason="It fits"),
                *(Place(parent_id=other, score=300, reason="It may fit") for other in others),
            ),
            kind_reason="It says what to do",
        )
        self.after(AnswerExchange(exchange_id, answer.model_dump_json()), HOST)
        (proposed,) = self.after(ProposePlacement(exchange_id, answer))
        return str(proposed.body.delta_id)  # type: ignore[attr-defined]

    def seen(self, delta_id: str, choice: int = 0) -> str:
        """Return the digest of what a person would be shown with one choice of a proposal."""
        return delta_seen(self.state, self.state.deltas[delta_id], choice)

    def accepted(self, delta_id: str, choice: int = 0) -> str:
        """Accept a proposal as shown; return the first record its last revision added."""
        self.after(AcceptDelta(delta_id, choice, self.state.revision, self.seen(delta_id, choice)))
        added = self.events[-1].body.operations[0]  # type: ignore[attr-defined]
        return str(added.node_id)

    def accepted_as_shown(self, proposed: Event) -> None:
        """Accept the proposal that this event made."""
        delta_id = str(proposed.body.delta_id)  # type: ignore[attr-defined]
        self.after(AcceptDelta(delta_id, 0, self.state.revision, self.seen(delta_id)))

    def move(self, delta_id: str, to_id: str) -> None:
        """Replace a proposal by the same one under another node."""
        self.after(MoveDelta(delta_id, to_id, self.seen(delta_id)))

    def briefed(self, task_id: str, profile: Profile = PROFILE) -> str:
        """Compile a brief; return its id."""
        command = compile_brief(self.state, BriefOrder(task_id, profile, BASE))
        return str(self.after(command)[0].body.brief_id)  # type: ignore[attr-defined]

    def authorized(self, brief_id: str) -> str:
        """Authorise a run; return its id."""
        run_id = self.stamp().id("run")
        self.after(AuthorizeRun(run_id, brief_id, RUNTIME, BASE, self.later(300), SEALED))
        return run_id

    def claimed(self, run_id: str) -> tuple[str, int]:
        """Claim the run; return the exchange and the fence."""
        (event,) = self.after(RequestExchange("run", run_id, "{}", BASE), HOST)
        return event.body.exchange_id, event.seq  # type: ignore[attr-defined]

    def returned(self, run_id: str) -> str:
        """Claim, answer and stage the run with a sealed candidate; return the closure's id."""
        exchange_id, fence = self.claimed(run_id)
        self.after(AnswerExchange(exchange_id, "{}"), HOST)
        candidate_id = self.stamp().id("candidate")
        command = StageClosure(
            run_id=run_id,
            fence=fence,
            exchange_id=exchange_id,
            candidate=candidate(candidate_id),
            receipt=SEALED,
            summary="Added the sum",
            claims=(Claim(text="All costs are right"),),
            observations=(Observation(kind="exit", text="The program ended with 0"),),
            claimed_completion=True,
        )
        return str(self.after(command, HOST)[1].body.closure_id)  # type: ignore[attr-defined]

    def validated(self, closure_id: str, passed: int = 3) -> str:
        """Validate the closure with 3 cases; return the validation's id."""
        (event,) = self.after(RequestExchange("validation", closure_id, "{}"), HOST)
        exchange_id = event.body.exchange_id  # type: ignore[attr-defined]
        self.after(AnswerExchange(exchange_id, "{}"), HOST)
        validation_id = self.stamp().id("validation")
        result = CheckResult.PASSED if passed == 3 else CheckResult.FAILED
        check = CheckFacts(
            requirement_id="costs",
            result=result,
            grade=Grade.HOST_ORACLE,
            cases_total=3,
            cases_passed=passed,
            reason="ok" if passed == 3 else "wrong_answer",
            detail="3 cases compared on the host",
        )
        command = RecordValidation(
            validation_id=validation_id,
            exchange_id=exchange_id,
            checks=(check,),
            tier="uid_drop",
            isolation=(IsolationFact(name="network", value="none", enforced=True),),
            harness_digests=("sha256:" + "3" * 64,),
            wall_ms=40,
            receipt=SEALED,
        )
        self.after(command, HOST)
        return validation_id

    def reconciled(self, closure_id: str, validation_id: str) -> str:
        """Compile the reconciliation; return its delta."""
        (event,) = self.after(ProposeReconciliation(closure_id, validation_id), HOST)
        return str(event.body.delta_id)  # type: ignore[attr-defined]

    def promotable(self, delta_id: str) -> str:
        """Propose and authorise the promotion; return its id."""
        (event,) = self.after(ProposePromotion(delta_id))
        promotion_id = str(event.body.promotion_id)  # type: ignore[attr-defined]
        seen = promotion_seen(self.state.promotions[promotion_id])
        self.after(AuthorizePromotion(promotion_id, self.state.revision, seen, self.later(600)))
        return promotion_id

    def promoted(self, promotion_id: str, outcome: PromotionOutcome = PromotionOutcome.PROMOTED) -> None:
        """Let the operator's request pass and record the outcome."""
        self.after(RequestExchange("promotion", promotion_id, "{}"), OPERATOR)
        self.after(ObservePromotion(promotion_id, receipt(promotion_id, outcome)), HOST)

    def integrated(self) -> tuple[str, str]:
        """Tell the whole path up to the integrated result; return the task and the reconciliation."""
        delta_id = self.captured("Work out the cost of three vans")
        task_id = self.accepted(delta_with_profile(self, delta_id))
        closure_id = self.returned(self.authorized(self.briefed(task_id)))
        reconciliation = self.reconciled(closure_id, self.validated(closure_id))
        self.accepted(reconciliation)
        return task_id, reconciliation


def delta_with_profile(story: Story, delta_id: str) -> str:
    """Replace a placement by the same one with the demo profile selected; return the new proposal."""
    title = story.state.deltas[delta_id].body.title.or_erased()
    story.after(EditDelta(delta_id, title, None, NodeKind.TASK, story.seen(delta_id), profile_id="demo"))
    return str(story.events[-1].body.delta_id)  # type: ignore[attr-defined]


def candidate(candidate_id: str) -> CandidateFacts:
    """Return a candidate that changes `cost.py` on top of `BASE`."""
    return CandidateFacts(
        candidate_id=candidate_id,
        repository_id="demo",
        target_ref="refs/heads/main",
        object_format="sha1",
        base_commit=BASE,
        base_tree="c" * 40,
        commit=CANDIDATE_COMMIT,
        tree="d" * 40,
        ref=f"refs/odeu/candidates/{candidate_id}",
        manifest=(
            ManifestEntry(
                path="cost.py",
                status="modified",
                old_mode="100644",
                new_mode="100644",
                old_blob="e" * 40,
                new_blob="f" * 40,
            ),
        ),
        manifest_digest="sha256:" + "4" * 64,
        patch_digest="sha256:" + "5" * 64,
        patch_bytes=120,
    )


def receipt(promotion_id: str, outcome: PromotionOutcome) -> PromotionReceipt:
    """Return a journal receipt with this outcome."""
    after = CANDIDATE_COMMIT if outcome is PromotionOutcome.PROMOTED else BASE
    return PromotionReceipt(
        promotion_id=promotion_id,
        outcome=outcome,
        code="cas_updated",
        detail="The branch was observed at the candidate",
        observed_before=BASE,
        observed_after=after,
        attempted_at="2026-11-30T09:10:00.000000Z",
        observed_at="2026-11-30T09:10:01.000000Z",
        intent_digest="sha256:" + "6" * 64,
        attempt_digest="sha256:" + "7" * 64,
        status_digest="sha256:" + "8" * 64,
        receipt=SEALED,
    )
