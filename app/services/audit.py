"""Audits: is a ledger the one that was written, and why was a commit allowed on a branch.

Every finding is one line: passed, failed, or unknown with the reason. Nothing is repaired here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from app.ports import CheckpointKeeper, Keys, Promoter, Repositories
from app.services.access import Access
from app.services.desk import Desk
from app.services.entitled import Entitlements
from app.services.registry import Registry
from app.services.runs import grant_of
from kernel.errors import NotFoundError, StudioError
from kernel.events.envelope import Event, data_key_of, words_of
from kernel.merkle import LogHead
from kernel.receipts import capability_of, status_of
from kernel.receipts.roles import receipt_of
from kernel.reducer import evolve
from kernel.rules import check, require_whole
from kernel.rules.reconciliation import unmet
from kernel.state import INITIAL, PromotionRecord, State
from kernel.values.work import Envelope
from kernel.vocabulary import KeyRole, PromotionStatus

Standing = Literal["passed", "failed", "unknown"]


@dataclass(frozen=True, slots=True)
class Link:
    """One checked link of a chain."""

    name: str
    standing: Standing
    detail: str


@dataclass(frozen=True, slots=True)
class LedgerVerdict:
    """What re-reading one ledger found."""

    ledger_id: str
    size: int
    root: str
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CommitVerdict:
    """Why a commit stands on a branch, link by link from the words to the ref."""

    commit: str
    promotion_id: str
    ledger_id: str
    links: tuple[Link, ...]

    @property
    def holds(self) -> bool:
        """Tell whether every link passed."""
        return all(link.standing == "passed" for link in self.links)


@dataclass(frozen=True, slots=True)
class Audits:
    """Verifies ledgers and chains."""

    desk: Desk
    registry: Registry
    repositories: Repositories
    promoter: Promoter
    keys: Keys
    checkpoints: CheckpointKeeper
    access: Access
    entitlements: Entitlements

    def verify(self, ledger_id: str, *, strict: bool = False) -> LedgerVerdict:
        """Re-read a ledger: leaves, tree, root, checkpoints, blobs; with `strict` re-admit every event.

        The tables that are read beside the events are compared with them (ADR 0029). Strict also verifies the
        signature of every receipt the ledger holds.
        """
        report = self.desk.ledger.audit(ledger_id, remembers_all=True)
        problems = list(report.problems)
        head = LogHead(report.size, bytes.fromhex(report.root))
        problems.extend(self.checkpoints.head_problems(ledger_id, head))
        try:
            problems.extend(self.entitlements.problems(ledger_id))
        except StudioError as error:
            problems.append(f"the tables of people cannot be compared with the world ledger: {error.message}")
        if strict:
            try:
                problems.extend(self._readmit(ledger_id))
            except StudioError as error:
                problems.append(f"the events cannot be re-read: {error.message}")
        return LedgerVerdict(ledger_id, report.size, report.root, tuple(problems))

    def _readmit(self, ledger_id: str) -> Iterator[str]:
        state = INITIAL
        sources = self.desk.state(ledger_id).sources
        for stored in self.desk.ledger.read(ledger_id):
            event = stored.event
            source = sources.get(data_key_of(event))
            if (source is None or source.erased is None) and _has_lost_words(event):
                yield f"event {event.seq} ({event.type}) lost its texts, though nobody erased them"
            try:
                check(state, event)
            except StudioError as error:
                yield f"event {event.seq} ({event.type}) would not be admitted: {error.message}"
            yield from self._signature_problems(event)
            state = evolve(state, event)
        try:
            require_whole(state)
        except StudioError as error:
            yield f"the ledger ends in the middle of an act: {error.message}"

    def _signature_problems(self, event: Event) -> Iterator[str]:
        signed = receipt_of(event.type, event.body)
        if signed is not None:
            for problem in self._envelope_problems(event.ledger, *signed):
                yield f"event {event.seq} ({event.type}): {problem}"

    def _envelope_problems(self, ledger_id: str, role: KeyRole, envelope: Envelope) -> tuple[str, ...]:
        """Return what is wrong with a receipt, under the keys of the installation that recorded the project."""
        known = self.access.imported(ledger_id)
        if known is None:
            return self.keys.verify_envelope(envelope, role)
        keys = [(key.role, key.key_id, key.public_key) for key in known.body.keys]
        return self.keys.verify_foreign(envelope, role, keys)

    def commit(self, commit: str) -> CommitVerdict:
        """Verify the chain behind a promoted commit.

        Raises: NotFoundError when no promotion of this installation names it.
        """
        for ledger_id in self.desk.ledger.ledgers():
            state = self.desk.state(ledger_id)
            for record in reversed(state.promotions.rows()):
                if record.body.candidate_commit == commit:
                    links = tuple(self._links(state, record))
                    return CommitVerdict(commit, record.body.promotion_id, ledger_id, links)
        message = f"no promotion of this installation names the commit {commit}"
        raise NotFoundError(message)

    def _links(self, state: State, record: PromotionRecord) -> Iterator[Link]:
        yield from self._words_link(state, record)
        yield self._ledger_link(state.ledger)
        yield self._capability_link(state, record)
        yield self._candidate_link(state, record)
        yield self._evidence_link(state, record)
        yield self._harness_link(state, record)
        yield self._integration_link(state, record)
        yield self._authorization_link(record)
        yield self._journal_link(state, record)
        yield self._ref_link(record)

    def _words_link(self, state: State, record: PromotionRecord) -> Iterator[Link]:
        brief = state.briefs[state.closures[record.body.closure_id].body.brief_id].body
        task = state.tables.nodes[brief.node_id]
        if not task.source_ids:
            yield Link("words", "unknown", "The task was proposed without a captured source")
            return
        for source_id in task.source_ids:
            source = state.sources.get(source_id)
            if source is None:
                yield Link("words", "failed", f"The task names the source {source_id}, which does not exist")
            elif source.body.content.text is None:
                yield Link(
                    "words", "unknown", f"The words of {source_id} were erased; their commitment stands"
                )
            else:
                detail = f"{source.origin.actor.id} wrote {source_id}, accepted in revision {task.created_in}"
                yield Link("words", "passed", detail)

    def _ledger_link(self, ledger_id: str) -> Link:
        verdict = self.verify(ledger_id, strict=True)
        if verdict.problems:
            return Link("ledger", "failed", "; ".join(verdict.problems))
        return Link("ledger", "passed", f"{verdict.size} events re-admitted, root {verdict.root[:16]}")

    def _capability_link(self, state: State, record: PromotionRecord) -> Link:
        run = state.runs[state.closures[record.body.closure_id].body.run_id]
        problems = self.keys.verify_envelope(run.body.capability, KeyRole.RUN_AUTHORITY)
        if not problems and capability_of(run.body.capability).grant != grant_of(state, run):
            problems = ("the permission was given for another run",)
        detail = "; ".join(problems) or f"Run {run.body.run_id} was allowed by {run.origin.actor.id}"
        return Link("authorisation", "failed" if problems else "passed", detail)

    def _candidate_link(self, state: State, record: PromotionRecord) -> Link:
        sealed = state.candidates[record.body.candidate_id].body
        problems = list(self.keys.verify_envelope(sealed.receipt, KeyRole.SEALER))
        try:
            place = self.registry.repository(record.body.repository_id)
            problems.extend(
                self.repositories.verify_candidate(place, sealed.candidate, expect_target_base=False)
            )
        except StudioError as error:
            return Link("candidate", "unknown", f"The repository cannot be read: {error.message}")
        detail = "; ".join(problems) or "One parent, tree, manifest and patch recomputed from raw objects"
        return Link("candidate", "failed" if problems else "passed", detail)

    def _evidence_link(self, state: State, record: PromotionRecord) -> Link:
        validation = state.validations[record.body.validation_id].body
        problems = list(self.keys.verify_envelope(validation.receipt, KeyRole.VALIDATOR))
        missing = unmet(state, state.closures[record.body.closure_id], validation)
        if missing:
            problems.append("not met: " + ", ".join(missing))
        passed = sum(item.result.value == "passed" for item in validation.checks)
        detail = "; ".join(problems) or f"{passed} of {len(validation.checks)} requirements passed"
        return Link("evidence", "failed" if problems else "passed", detail)

    def _harness_link(self, state: State, record: PromotionRecord) -> Link:
        validation = state.validations[record.body.validation_id].body
        brief = state.briefs[validation.brief_id].body
        now = {place.digest for place in self.registry.validators}
        gone = [digest for digest in validation.harness_digests if digest not in now]
        profiles = {item.contract.profile_digest for item in self.registry.profiles}
        if gone or brief.terms.profile_digest not in profiles:
            return Link(
                "configuration", "unknown", "The harness or profile was changed since; its digest stands"
            )
        return Link("configuration", "passed", "Harness and profile are still those of the evidence")

    def _integration_link(self, state: State, record: PromotionRecord) -> Link:
        delta = state.deltas[record.body.delta_id]
        if delta.revision != record.body.integrated_revision or delta.decided is None:
            return Link("integration", "failed", "The reconciliation was not accepted in the named revision")
        who = delta.decided.actor
        standing: Standing = "passed" if who.kind.value == "human" else "failed"
        return Link("integration", standing, f"{who.id} integrated it in revision {delta.revision}")

    def _authorization_link(self, record: PromotionRecord) -> Link:
        asked, requested = record.authorized, record.requested
        if asked is None or requested is None:
            return Link("promotion", "failed", "It was never authorised and requested")
        if requested.actor.kind.value != "operator" or requested.seq <= asked.seq:
            return Link(
                "promotion", "failed", "The request is not an operator's, or came before the authorisation"
            )
        return Link(
            "promotion", "passed", f"{asked.actor.id} authorised it, operator {requested.actor.id} acted"
        )

    def _journal_link(self, state: State, record: PromotionRecord) -> Link:
        try:
            journal = self.promoter.status(record.body.promotion_id)
        except StudioError as error:
            return Link("journal", "failed", error.message)
        if journal.problems:
            return Link("journal", "failed", "; ".join(journal.problems))
        if journal.receipt is None or record.outcome is None or record.authorized is None:
            return Link("journal", "unknown", f"The journal is {journal.state}; no outcome was observed")
        if journal.receipt.status_digest != record.outcome.status_digest:
            return Link("journal", "failed", "The journal holds another status than the ledger")
        return self._binding_link(state, record, journal.receipt.receipt)

    def _binding_link(self, state: State, record: PromotionRecord, receipt: Envelope) -> Link:
        assert record.authorized is not None
        size = record.authorized.seq
        root = self.desk.ledger.root(state.ledger, size).hex()
        binding = status_of(receipt).binding
        bound = (binding.ledger_id, binding.authorized_size, binding.authorized_root)
        if bound != (state.ledger, size, root) or binding.commit != record.body.candidate_commit:
            return Link("journal", "failed", "The signed record is bound to another history or commit")
        return Link("journal", "passed", f"Signed, and bound to {size} events with root {bound[2][:16]}")

    def _ref_link(self, record: PromotionRecord) -> Link:
        try:
            place = self.registry.repository(record.body.repository_id)
            found = self.repositories.resolve(place, record.body.target_ref)
        except StudioError as error:
            return Link("branch", "unknown", f"The branch cannot be read: {error.message}")
        if found.commit == record.body.candidate_commit:
            return Link("branch", "passed", f"{record.body.target_ref} holds exactly this commit")
        if record.status is PromotionStatus.PROMOTED:
            return Link("branch", "unknown", f"{record.body.target_ref} has moved on since to {found.commit}")
        return Link("branch", "failed", f"{record.body.target_ref} holds {found.commit}")


def _has_lost_words(event: Event) -> bool:
    return any(words.opening is None for words in words_of(event.body))
