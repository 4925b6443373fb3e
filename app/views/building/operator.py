# ruff: noqa: RUF001 - the words are typeset
"""From every ledger a person may read to the Operator room: moves that wait, unknown outcomes, journal, earlier moves.

Everything outside the ledger was read by whoever asks for the page: the branch, the candidate's objects, the journal.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from app.views.building.parts import attested
from app.views.building.results import contains
from app.views.moments import moment
from app.views.operator import (
    EarlierMove,
    JournalLine,
    JournalStory,
    OperatorPage,
    TokenForm,
    UnknownMove,
    WaitingMove,
)
from app.views.parts import Fact, IdCopy, Mark, Sentence
from app.views.shell import Shell
from app.views.wording import count, origin_words, speaker
from app.views.work.parts import RefMove
from app.views.work.sight import Branch, Journal, Patch, branch_words, commit_id, sentence
from kernel.rules.delegation import seconds_between
from kernel.rules.promotion import lapsed
from kernel.rules.reconciliation import in_force
from kernel.state import PromotionRecord, RunRecord, State
from kernel.vocabulary import CheckResult, PromotionStatus

_OPEN: Final = frozenset({PromotionStatus.REQUESTED, PromotionStatus.OUTCOME_UNKNOWN})
_OUTCOMES: Final[dict[PromotionStatus, Mark]] = {
    PromotionStatus.PROMOTED: Mark("rocket", "Promoted", "ok"),
    PromotionStatus.STALE: Mark("clock-alert", "Stale, nothing moved", "stale"),
    PromotionStatus.FAILED: Mark("circle-x", "Failed, nothing moved", "bad"),
}
_STORIES_MAX: Final = 3
"""How many journals are told in full; every promotion is compared with its journal all the same."""
_LATE_S: Final = 60
"""Seconds past a run's deadline after which its claim is called left over."""


@dataclass(frozen=True, slots=True)
class Read:
    """What was read outside the ledger about one promotion, just now."""

    branch: Branch
    journal: Journal
    problems: tuple[str, ...] = ()
    """What differs between the sealed candidate and its raw objects; empty when nothing does."""
    patch: Patch = field(default_factory=Patch)


@dataclass(frozen=True, slots=True)
class OperatorSight:
    """What the page rests on besides the ledgers."""

    shell: Shell
    origin: str
    now: str
    names: Mapping[str, str]
    read: Mapping[str, Read]
    """Promotion id -> what was read about it."""
    new_command: Callable[[], str]


@dataclass(frozen=True, slots=True)
class _Case:
    """One promotion with its ledger."""

    state: State
    record: PromotionRecord

    @property
    def id(self) -> str:
        """The promotion's id."""
        return self.record.body.promotion_id

    @property
    def task_id(self) -> str:
        """The task whose result it is."""
        closure = self.state.closures[self.record.body.closure_id]
        return self.state.briefs[closure.body.brief_id].body.node_id

    @property
    def title(self) -> str:
        """The task's title."""
        return self.state.tables.nodes[self.task_id].title.or_erased()

    @property
    def ref(self) -> str:
        """The branch, as people say it."""
        return branch_words(self.record.body.target_ref)

    @property
    def href(self) -> str:
        """The thread of the work."""
        return f"/p/{self.state.ledger}/work/{self.task_id}"


def operator_page(states: tuple[State, ...], sight: OperatorSight) -> OperatorPage:
    """Return everything an operator decides on in these ledgers, newest first within each part."""
    cases = [_Case(state, record) for state in states for record in state.promotions.rows()]
    cases.sort(key=lambda case: case.record.origin.at, reverse=True)
    waiting = [case for case in cases if case.record.status is PromotionStatus.AUTHORIZED]
    unknown = [case for case in cases if case.record.status in _OPEN]
    ended = [case for case in cases if case.record.status in _OUTCOMES]
    return OperatorPage(
        shell=sight.shell,
        origin=sight.origin,
        journal=_journal_mark(sight),
        journal_at=moment(sight.now),
        unknown=tuple(_unknown(case, sight, number) for number, case in enumerate(unknown, 1)),
        waiting=tuple(_waiting(case, sight, number) for number, case in enumerate(waiting, 1)),
        stories=tuple(_story(case, sight) for case in (*unknown, *ended)[:_STORIES_MAX]),
        leftovers=_leftovers(states, sight.now),
        earlier=tuple(_earlier(case, sight) for case in ended),
    )


def _journal_mark(sight: OperatorSight) -> Mark:
    broken = [
        item for item in sight.read.values() if item.journal.state is None or item.journal.state.problems
    ]
    if broken:
        return Mark("circle-x", "Journal cannot be trusted", "bad")
    written = [
        item for item in sight.read.values() if item.journal.state and item.journal.state.state != "absent"
    ]
    if not written:
        return Mark("check", "Journal readable, nothing in it yet")
    return Mark("badge-check", "Journal readable, chain intact", "ok")


def _move(case: _Case, patch: Patch) -> RefMove:
    body = case.record.body
    candidate = case.state.candidates[body.candidate_id]
    base, commit = IdCopy.of_object(body.base_commit), IdCopy.of_object(body.candidate_commit)
    return RefMove(body.repository_id, case.ref, base, commit, contains(candidate, patch))


def _waiting(case: _Case, sight: OperatorSight, number: int) -> WaitingMove:
    record = case.record
    assert record.authorization is not None
    refused = _refused(case, sight)
    waits = Mark("clock-alert", "Lapsed", "stale")
    if not lapsed(record, sight.now):
        left = int(seconds_between(sight.now, record.authorization.reserved_until)) // 60
        waits = Mark("hourglass", f"Reserved for {count(left, 'more minute')}", "accent")
    form = _token(case, sight, "execute", f"token-{number}")
    return WaitingMove(
        title=f"Move {case.ref} to “{case.title}”",
        waits=waits,
        move=_move(case, sight.read[case.id].patch),
        seen=_seen(case, sight),
        form=None if refused else form,
        refused=refused,
    )


def _refused(case: _Case, sight: OperatorSight) -> str:
    """Return why the move cannot be executed now; empty when nothing seen here speaks against it."""
    record, read = case.record, sight.read[case.id]
    assert record.authorization is not None
    if lapsed(record, sight.now):
        return "No operator acted in time. A person can authorise it again in the thread; nothing moved."
    if record.authorization.revision != case.state.revision:
        return "The worldstate moved since it was authorised. A person has to look again in the thread."
    if not in_force(case.state, record.body.closure_id):
        return "The task was changed since, so the integrated result is no longer in force."
    if read.problems:
        return "The candidate is not what was sealed: " + "; ".join(read.problems)
    return ""


def _seen(case: _Case, sight: OperatorSight) -> tuple[Sentence, ...]:
    body, read = case.record.body, sight.read[case.id]
    delta = case.state.deltas[body.delta_id]
    checks = case.state.validations[body.validation_id].body.checks
    passed = sum(item.result is CheckResult.PASSED for item in checks)
    assert delta.decided is not None
    by = speaker(delta.decided.actor, sight.names)
    integrated = (
        f"Integrated at revision {body.integrated_revision} by {by}, evidence {passed} of {len(checks)}."
    )
    authorized = "" if case.record.authorized is None else origin_words(case.record.authorized, sight.names)
    again = "The validator runs again before the move. If anything differs, nothing moves."
    return (
        Sentence(integrated, "circle-check", "ok"),
        Sentence(f"Authorised by {authorized}. That is a wish, not the authority.", "stamp"),
        _sealed(read),
        _branch(case, read.branch),
        Sentence(again, "rotate-ccw"),
    )


def _sealed(read: Read) -> Sentence:
    if read.problems:
        return Sentence("The candidate is not what was sealed.", "circle-x", "bad")
    return Sentence(
        "The candidate’s objects are exactly what was sealed, read again just now.", "circle-check", "ok"
    )


def _branch(case: _Case, branch: Branch) -> Sentence:
    body = case.record.body
    if branch.commit is None:
        return Sentence(f"{case.ref} cannot be read: {branch.problem}", "circle-help", "warn")
    if branch.commit == body.base_commit:
        return Sentence(
            f"{case.ref} is where the candidate started from, read directly.", "circle-check", "ok"
        )
    if branch.commit == body.candidate_commit:
        return Sentence(f"{case.ref} is already at the candidate, read directly.", "info")
    said = f"{case.ref} is somewhere else by now, read directly. Executing records that as stale and moves nothing."
    return Sentence(said, "clock-alert", "warn")


def _token(case: _Case, sight: OperatorSight, act: str, field_id: str) -> TokenForm:
    label, icon = {
        "execute": ("Move it, once", "key-round"),
        "reconcile": ("Record what is seen", "clipboard-check"),
    }[act]
    return TokenForm(
        field_id=field_id,
        url=f"/api/v1/promotions/{case.id}/{act}",
        key=sight.new_command(),
        label=label,
        icon=icon,
        command=f"odeu promotion {act} {case.id}",
    )


def _unknown(case: _Case, sight: OperatorSight, number: int) -> UnknownMove:
    record, read = case.record, sight.read[case.id]
    since = record.ended or record.requested or record.origin
    facts = [
        Fact(f"{case.ref} was", "", commit_id(record.body.base_commit)),
        Fact("should become", "", commit_id(record.body.candidate_commit)),
    ]
    if read.branch.commit is None:
        facts.append(Fact(f"{case.ref} is now", f"not readable: {read.branch.problem}"))
    else:
        facts.append(Fact(f"{case.ref} is now", "", commit_id(read.branch.commit)))
    facts.append(Fact("read directly", "", when=moment(sight.now)))
    return UnknownMove(
        title=f"Outcome unknown: did “{case.title}” become {case.ref}?",
        text=_unknown_words(case),
        when=moment(since.at),
        facts=tuple(facts),
        finding=_finding(case, read.branch),
        form=_token(case, sight, "reconcile", f"token-unknown-{number}"),
    )


def _unknown_words(case: _Case) -> str:
    if case.record.status is PromotionStatus.REQUESTED:
        return (
            "An operator asked for the move and no outcome is recorded. Either it is happening right now, or its "
            "process ended before it could say. It counts neither as promoted nor as failed, and is not tried again."
        )
    detail = "" if case.record.outcome is None else f"{sentence(case.record.outcome.detail.or_erased())} "
    return f"{detail}It counts neither as promoted nor as failed, and no second attempt was made."


def _finding(case: _Case, branch: Branch) -> str:
    then = "The host looks once more and records what it sees; it moves nothing."
    if branch.commit == case.record.body.candidate_commit:
        return f"What is seen matches the candidate. {then}"
    if branch.commit == case.record.body.base_commit:
        return f"What is seen is where it started. {then}"
    return f"What is seen is neither of the two. {then}"


def _story(case: _Case, sight: OperatorSight) -> JournalStory:
    read = sight.read[case.id]
    mark, text = attested(read.journal, case.record)
    if case.record.status is PromotionStatus.REQUESTED and read.journal.state is not None:
        mark, text = _open_story(read.journal)
    return JournalStory(case.title, _lines(case, sight, read.journal), mark, text, moment(sight.now))


def _open_story(journal: Journal) -> tuple[Mark, str]:
    assert journal.state is not None
    if journal.state.problems:
        return Mark("circle-x", "Journal damaged", "bad"), "; ".join(journal.state.problems)
    return Mark("badge-check", "Attested"), "What is there is signed and chained; it has no outcome yet"


def _lines(case: _Case, sight: OperatorSight, journal: Journal) -> tuple[JournalLine, ...]:
    """Return the journal's records, newest first, as far as it says so."""
    if journal.state is None:
        return (JournalLine("Not readable", journal.problem, "circle-x", None, "bad"),)
    asked = (
        ""
        if case.record.requested is None
        else f"By operator {origin_words(case.record.requested, sight.names)}"
    )
    intent = JournalLine("Intent written", asked, "file-pen-line", None)
    attempt_note = "The process that opened it alone may swap, once"
    receipt = journal.state.receipt
    if receipt is not None:
        status = JournalLine(
            f"Status: {receipt.outcome.value.replace('_', ' ')}",
            sentence(receipt.detail),
            "clipboard-check",
            moment(receipt.observed_at),
        )
        attempt = JournalLine(
            "Attempt opened", attempt_note, "arrow-right-left", moment(receipt.attempted_at)
        )
        return (status, attempt, intent)
    missing = JournalLine("No status", "Nobody wrote down how it ended", "circle-help", None)
    if journal.state.state == "attempt_only":
        return (missing, JournalLine("Attempt opened", attempt_note, "arrow-right-left", None), intent)
    if journal.state.state == "intent_only":
        return (JournalLine("No attempt", "Nothing was swapped", "circle-help", None), intent)
    return (JournalLine("Nothing written", "The journal knows nothing of it", "circle-help", None),)


def _earlier(case: _Case, sight: OperatorSight) -> EarlierMove:
    record = case.record
    mark, _text = attested(sight.read[case.id].journal, record)
    assert record.ended is not None
    return EarlierMove(
        title=case.title,
        href=case.href,
        outcome=_OUTCOMES[record.status],
        operator=origin_words(record.requested or record.ended, sight.names),
        when=moment(record.ended.at),
        attested=mark,
        attested_at=moment(sight.now),
    )


def _leftovers(states: tuple[State, ...], now: str) -> tuple[str, ...]:
    """Return claims whose worker should have answered by now, one sentence each."""
    found = []
    for state in states:
        for run in state.runs.rows():
            late = _late_s(run, now)
            if late > 0:
                brief = state.briefs[run.body.brief_id].body
                title = state.tables.nodes[brief.node_id].title.or_erased()
                found.append(
                    f"A worker took the run of “{title}” and is {count(int(late), 'second')} past its end. The next "
                    "worker to start settles it as lost; nothing is done twice."
                )
    return tuple(found)


def _late_s(run: RunRecord, now: str) -> float:
    if run.claimed is None or run.ended is not None:
        return 0
    return seconds_between(run.claimed.at, now) - run.body.deadline_s - _LATE_S
