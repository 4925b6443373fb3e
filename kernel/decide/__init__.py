"""Intent: `decide(state, command, stamp)` returns events and refuses only what it cannot build.

Whether the events are lawful is `kernel.rules.check`'s business; `propose` runs both, event by event, and is
what services call. One function per command, named as the command; `_ROUTES` is the whole table.
"""

from collections.abc import Callable
from typing import Any, Final

from kernel import commands as c
from kernel.decide import (
    compensation,
    correction,
    delegation,
    delta,
    evidence,
    placement,
    project,
    promotion,
    source,
)
from kernel.decide.drafts import Draft
from kernel.events.envelope import Event
from kernel.reducer import evolve
from kernel.rules import check, require_whole
from kernel.rules.authority import check_asker
from kernel.rules.project import is_own_credential
from kernel.rules.unseen import check_writing
from kernel.state import State
from kernel.values.stamp import Stamp

_ROUTES: Final[dict[type, Callable[[State, Any, Stamp], tuple[Draft, ...]]]] = {
    c.OpenProject: project.open_project,
    c.ArchiveProject: project.archive_project,
    c.RestoreProject: project.restore_project,
    c.AddPrincipal: project.add_principal,
    c.GrantRole: project.grant_role,
    c.IssueCredential: project.issue_credential,
    c.RevokeCredential: project.revoke_credential,
    c.RevokeRole: project.revoke_role,
    c.ActivateConfig: project.activate_config,
    c.RotateKey: project.rotate_key,
    c.ImportProject: project.import_project,
    c.CaptureSource: source.capture_source,
    c.RetryPlacement: source.retry_placement,
    c.EraseSource: source.erase_source,
    c.AnswerExchange: source.answer_exchange,
    c.FailExchange: source.fail_exchange,
    c.MarkUnreadable: source.mark_unreadable,
    c.RequestExchange: source.request_exchange,
    c.ProposePlacement: placement.propose_placement,
    c.ImportOutline: placement.import_outline,
    c.ProposeCorrection: correction.propose_correction,
    c.EditDelta: placement.edit_delta,
    c.MoveDelta: placement.move_delta,
    c.AcceptDelta: delta.accept_delta,
    c.RejectDelta: delta.reject_delta,
    c.DeferDelta: delta.defer_delta,
    c.RemandDelta: delta.remand_delta,
    c.RebaseDelta: delta.rebase_delta,
    c.SplitDelta: placement.split_delta,
    c.ProposeCompensation: compensation.propose_compensation,
    c.CompileBrief: delegation.compile_brief,
    c.AuthorizeRun: delegation.authorize_run,
    c.ReportProgress: delegation.report_progress,
    c.BlockRun: delegation.block_run,
    c.CancelRun: delegation.cancel_run,
    c.FailRun: delegation.fail_run,
    c.LoseRun: delegation.lose_run,
    c.StageClosure: delegation.stage_closure,
    c.RecordValidation: evidence.record_validation,
    c.ProposeReconciliation: evidence.propose_reconciliation,
    c.ProposePromotion: promotion.propose_promotion,
    c.AuthorizePromotion: promotion.authorize_promotion,
    c.ObservePromotion: promotion.observe_promotion,
    c.ReconcilePromotion: promotion.reconcile_promotion,
}
"""Command class -> its decision."""


def decide(state: State, command: c.Command, stamp: Stamp, *, ledger: str) -> tuple[Event, ...]:
    """Return the events the command asks for, enveloped to continue the ledger.

    Raises: a RefusedError subclass when they cannot be built.
    """
    drafts = _ROUTES[type(command)](state, command, stamp)
    return tuple(
        Event(
            ledger=ledger,
            seq=state.seq + 1 + ordinal,
            id=stamp.id("event", str(state.seq + 1 + ordinal)),
            at=stamp.at,
            actor=draft.actor or stamp.actor,
            via=stamp.via,
            command=stamp.command_id,
            ordinal=ordinal,
            body=draft.body,
        )
        for ordinal, draft in enumerate(drafts)
    )


def propose(
    state: State, command: c.Command, stamp: Stamp, *, ledger: str
) -> tuple[tuple[Event, ...], State]:
    """Return the admitted events and the state after them: decide, then check and evolve each in turn.

    Whoever asks must be able to author something, also where the events are the host's own: a viewer makes
    nothing happen, but for their own way to sign in.

    Raises: a RefusedError subclass; then nothing may be appended.
    """
    check_writing(command, stamp.actor)
    events = decide(state, command, stamp, ledger=ledger)
    is_own = bool(events)
    for event in events:
        is_own = is_own and is_own_credential(state, event)
        check(state, event)
        state = evolve(state, event)
    require_whole(state)
    if not is_own:
        check_asker(stamp.actor)
    return events, state
