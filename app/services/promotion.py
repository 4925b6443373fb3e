"""Promotion: propose, authorise, execute once, observe; reconcile what nobody observed.

The human's authorisation reserves the head; authority is the operator's. The request's append is the point of
no return; only the process that creates the journal's attempt may swap the branch, and only once.
"""

from dataclasses import dataclass
from typing import Final, Literal

from app.ports import Promoter
from app.services.desk import Caller, Desk
from app.services.evidence import Evidence, closure_of
from app.services.execution import HOST
from app.services.moments import later
from app.services.registry import Registry
from kernel.canonical import canonical_bytes
from kernel.commands import (
    AuthorizePromotion,
    ObservePromotion,
    ProposePromotion,
    ReconcilePromotion,
    RequestExchange,
)
from kernel.errors import AuthorityError, EvidenceError, LifecycleError, StudioError
from kernel.events.promotion import PromotionProposed
from kernel.merkle import root_of
from kernel.rules.promotion import promotion_of
from kernel.rules.reconciliation import unmet_terms
from kernel.rules.seen import promotion_seen
from kernel.state import PromotionRecord, State
from kernel.values.execution import JournalState, PromotionOrder, PromotionReceipt
from kernel.vocabulary import ActorKind, PromotionStatus

RESERVATION_S: Final = 3600
Edge = Literal["http", "cli"]


@dataclass(frozen=True, slots=True)
class Promotions:
    """Proposes, authorises, executes and reconciles promotions."""

    desk: Desk
    registry: Registry
    evidence: Evidence
    promoter: Promoter

    def find(self, promotion_id: str) -> tuple[State, PromotionRecord]:
        """Return the promotion and its ledger's state. Raises: NotFoundError."""
        state = self.desk.state(self.desk.ledger_of(promotion_id))
        return state, promotion_of(state, promotion_id)

    def propose(self, caller: Caller, delta_id: str) -> PromotionRecord:
        """Offer an integrated result to the operator.

        Raises: RefusedError when the delta is no integrated reconciliation; LifecycleError; EvidenceError.
        """
        ledger_id = self.desk.ledger_of(delta_id)
        done = self.desk.act(ledger_id, caller, ProposePromotion(delta_id), material={"promote": delta_id})
        body = next(event.body for event in done.events if isinstance(event.body, PromotionProposed))
        return done.state.promotions[body.promotion_id]

    def seen(self, promotion_id: str) -> str:
        """Return the digest of what is shown of a promotion now."""
        return promotion_seen(self.find(promotion_id)[1])

    def authorize(
        self, caller: Caller, promotion_id: str, *, expected_revision: int, seen: str
    ) -> PromotionRecord:
        """Ask the operator to go ahead, and reserve the head for an hour.

        Raises: StaleError when the head or what was shown moved; LifecycleError.
        """
        ledger_id = self.desk.ledger_of(promotion_id)
        until = later(self.desk.clock.now(), RESERVATION_S - 1)
        command = AuthorizePromotion(promotion_id, expected_revision, seen, until)
        material = {"authorize": promotion_id, "revision": expected_revision, "seen": seen}
        done = self.desk.act(ledger_id, caller, command, material=material)
        return done.state.promotions[promotion_id]

    def execute(self, operator: Caller, promotion_id: str, edge: Edge) -> PromotionRecord:
        """Move the branch by one compare-and-swap, or say truthfully why not or that nobody knows.

        Before the point of no return the sealed candidate is judged once more. A promotion that already
        passed it is only carried on: the journal decides whether anything may still be swapped.

        Raises: AuthorityError, LifecycleError, StaleError, EvidenceError before anything is written; JournalError and
        OutcomeUnknownError when the outcome could not be recorded: ask for the status.
        """
        require_operator(operator)
        state, record = self.find(promotion_id)
        if record.status is not PromotionStatus.REQUESTED:
            self._judge_again(state, record)
            request = canonical_bytes({"promotion": promotion_id, "operator": operator.actor.id}).decode()
            command = RequestExchange("promotion", promotion_id, request)
            done = self.desk.act(state.ledger, operator, command)
            state, record = done.state, done.state.promotions[promotion_id]
        receipt = self.promoter.promote(self._order(state, record, operator, edge), self.desk.clock.now)
        return self._observe(state.ledger, promotion_id, receipt)

    def _judge_again(self, state: State, record: PromotionRecord) -> None:
        if record.status is not PromotionStatus.AUTHORIZED:
            message = f"promotion {record.body.promotion_id} is {record.status.value}, not authorized"
            raise LifecycleError(message)
        closure = closure_of(state, record.body.closure_id)
        report = self.evidence.judged(state, closure)
        missing = unmet_terms(state, closure, report.checks)
        if missing:
            message = "a fresh look at the candidate does not meet: " + ", ".join(missing)
            raise EvidenceError(message)

    def _order(self, state: State, record: PromotionRecord, operator: Caller, edge: Edge) -> PromotionOrder:
        assert record.authorized is not None
        assert record.authorization is not None
        size = record.authorized.seq
        leaves = [stored.leaf_hash for stored in self.desk.ledger.read(state.ledger, 0, size)]
        closure = closure_of(state, record.body.closure_id)
        return PromotionOrder(
            promotion_id=record.body.promotion_id,
            ledger_id=state.ledger,
            authorized_size=size,
            authorized_root=root_of(leaves).hex(),
            revision=record.authorization.revision,
            operator_id=operator.actor.id,
            edge=edge,
            repository=self.registry.repository(record.body.repository_id),
            target_ref=record.body.target_ref,
            candidate=state.candidates[closure.body.candidate_id].body.candidate,
        )

    def _observe(self, ledger_id: str, promotion_id: str, receipt: PromotionReceipt) -> PromotionRecord:
        current = self.desk.state(ledger_id).promotions[promotion_id]
        if current.status is not PromotionStatus.REQUESTED:
            return current
        done = self.desk.act(ledger_id, HOST, ObservePromotion(promotion_id, receipt))
        return done.state.promotions[promotion_id]

    def status(self, promotion_id: str) -> JournalState:
        """Return what the journal says, re-verified now; Git is not asked."""
        return self.promoter.status(promotion_id)

    def reconcile(self, operator: Caller, promotion_id: str, edge: Edge) -> PromotionRecord:
        """Record what an unobserved or unknown outcome turned out to be; the branch is only read.

        Raises: AuthorityError; LifecycleError when nothing is unknown; JournalError.
        """
        require_operator(operator)
        state, record = self.find(promotion_id)
        if record.status not in {PromotionStatus.REQUESTED, PromotionStatus.OUTCOME_UNKNOWN}:
            message = f"promotion {promotion_id} is {record.status.value}; nothing is unknown about it"
            raise LifecycleError(message)
        order = self._order(state, record, operator, edge)
        receipt = self.promoter.reconcile(order, self.desk.clock.now)
        command = ReconcilePromotion(promotion_id, receipt)
        return self.desk.act(state.ledger, operator, command).state.promotions[promotion_id]

    def recover(self, ledger_id: str) -> None:
        """Record outcomes the journal already holds; swap nothing and observe nothing new."""
        for record in self.desk.state(ledger_id).promotions.rows():
            if record.status is not PromotionStatus.REQUESTED:
                continue
            try:
                journal = self.promoter.status(record.body.promotion_id)
            except StudioError:
                # An unsafe journal stays for the operator to look at; the promotion stays unobserved.
                continue
            if journal.receipt is not None and not journal.problems:
                self._observe(ledger_id, record.body.promotion_id, journal.receipt)


def require_operator(caller: Caller) -> None:
    """Refuse everybody but an operator before journal or repository are touched.

    Raises: AuthorityError. The rules say the same of the events; this is about what is written before them.
    """
    if caller.actor.kind is not ActorKind.OPERATOR:
        message = "only an operator moves a branch, or records what became of an attempt"
        raise AuthorityError(message)
