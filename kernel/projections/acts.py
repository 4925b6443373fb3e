"""Which acts a person may begin on one thing right now: one typed set that pages offer and handlers re-check.

The set says what makes sense to offer. It is no authority: every act still passes the rules when it is done.
A person whose role may author nothing gets the empty set, whatever the thing.
"""

from enum import StrEnum
from typing import Final

from kernel.errors import AuthorityError, LifecycleError, StudioError
from kernel.projections.placing import stalled
from kernel.rules.dispositions import OPEN
from kernel.rules.operations import moved
from kernel.rules.promotion import require_free_head
from kernel.rules.reconciliation import require_open_gates
from kernel.state import DeltaRecord, State
from kernel.values.records import NodeAdd
from kernel.vocabulary import Disposition, Phase, Purpose, Role

DECIDERS: Final = frozenset({Role.OWNER, Role.REVIEWER})
"""Roles that may say yes, no, or anything else that is kept."""


class Act(StrEnum):
    """One thing a person may do."""

    CAPTURE = "capture"
    IMPORT = "import"
    ACCEPT = "accept"
    EDIT = "edit"
    MOVE = "move"
    REJECT = "reject"
    DEFER = "defer"
    REMAND = "remand"
    SPLIT = "split"
    REBASE = "rebase"
    ANSWER = "answer"
    ASK_AGAIN = "ask_again"
    CORRECT = "correct"
    BRIEF = "brief"
    ARCHIVE = "archive"
    RESTORE = "restore"
    ERASE = "erase"
    TAKE_BACK = "take_back"


_NONE: Final[frozenset[Act]] = frozenset()
_OF_OWNERS: Final = {
    Act.ARCHIVE: "a project is put away by its owner",
    Act.RESTORE: "a project is taken up again by its owner",
    Act.ERASE: "words are erased by who captured them, or by an owner",
}
"""Acts that a reviewer may not begin, or only on what is their own -> why."""


def acts_for(state: State, subject_id: str, role: Role, at: str, *, person_id: str = "") -> frozenset[Act]:
    """Return the acts on a proposal, a question, a kept text, a node or (by its ledger's id) the project.

    `at` is this moment: an authorised promotion closes every yes until it is over. `person_id` says who asks, for
    what its own author may do.
    """
    if role not in DECIDERS:
        return _NONE
    if subject_id in state.sources:
        return _on_source(state, subject_id, role, person_id)
    if subject_id == state.ledger:
        return _on_project(state, role)
    if state.archived is not None:
        return _NONE
    record = state.deltas.get(subject_id)
    if record is not None:
        return _on_delta(state, record, at)
    if subject_id in state.exchanges:
        return _on_exchange(state, subject_id)
    return _on_node(state, subject_id)


def _on_project(state: State, role: Role) -> frozenset[Act]:
    if state.archived is not None:
        return frozenset({Act.RESTORE}) if role is Role.OWNER else _NONE
    acts = {Act.CAPTURE, Act.IMPORT}
    if role is Role.OWNER:
        acts.add(Act.ARCHIVE)
    return frozenset(acts)


def _on_source(state: State, source_id: str, role: Role, person_id: str) -> frozenset[Act]:
    """Words are erased by who captured them, or by an owner; also in a project that was put away."""
    record = state.sources[source_id]
    is_mine = role is Role.OWNER or record.origin.actor.id == person_id
    return frozenset({Act.ERASE}) if record.erased is None and is_mine else _NONE


def _on_delta(state: State, record: DeltaRecord, at: str) -> frozenset[Act]:
    if record.disposition is Disposition.ACCEPTED:
        return frozenset({Act.TAKE_BACK})
    if record.disposition not in OPEN:
        return _NONE
    acts = {Act.REJECT}
    if is_single(record):
        acts |= {Act.EDIT, Act.MOVE, Act.SPLIT}
    if record.disposition is Disposition.REMANDED:
        return frozenset(acts)
    acts.add(Act.DEFER)
    if record.body.purpose is not Purpose.RECONCILIATION:
        acts.add(Act.REMAND)
    if record.body.base_revision != state.revision:
        acts.add(Act.REBASE)
    if closed_because(state, record, at) is None:
        acts.add(Act.ACCEPT)
    return frozenset(acts)


def is_single(record: DeltaRecord) -> bool:
    """Tell whether the proposal places exactly one node, so that it can be reworded or put elsewhere."""
    added = [item for item in record.body.operations if isinstance(item, NodeAdd)]
    return len(added) == 1 and record.body.purpose is Purpose.PLACEMENT


def closed_because(state: State, record: DeltaRecord, at: str) -> str | None:
    """Return in a sentence why nobody can say yes to a waiting proposal now; None when somebody can."""
    if record.body.base_revision != state.revision and moved(state.tables, record.body.touches):
        if is_single(record):
            return "What it touches changed since it was suggested. Edit, move or renew it to bring it up to date."
        return "What it touches changed since it was suggested. Renew it, for another look."
    try:
        require_free_head(state, at)
        if record.body.closure_id is not None and record.body.validation_id is not None:
            require_open_gates(state, record.body.closure_id, record.body.validation_id)
    except LifecycleError:
        return "A promotion that was authorised holds the newest revision. Wait for its outcome."
    except StudioError as error:
        return error.message
    return None


def _on_exchange(state: State, exchange_id: str) -> frozenset[Act]:
    question = state.clarifications.get(exchange_id)
    if question is not None:
        return frozenset({Act.ANSWER}) if question.answer_source_id is None else _NONE
    return frozenset({Act.ASK_AGAIN}) if stalled(state, exchange_id) else _NONE


def _on_node(state: State, node_id: str) -> frozenset[Act]:
    node = state.tables.nodes.get(node_id)
    if node is None or node.retired_in is not None:
        return _NONE
    acts = {Act.CAPTURE, Act.CORRECT}
    if node.profile_id is not None and node.phase is not Phase.NONE:
        acts.add(Act.BRIEF)
    return frozenset(acts)


def require_act(state: State, subject_id: str, act: Act, *, role: Role, at: str, person_id: str = "") -> None:
    """Refuse an act that is not offered on this thing now.

    Raises: AuthorityError for a role that may only read; LifecycleError when the thing is not in that state.
    """
    if act in acts_for(state, subject_id, role, at, person_id=person_id):
        return
    if role not in DECIDERS:
        message = "you may read this project, not act in it; that takes the role owner or reviewer"
        raise AuthorityError(message)
    if act in _OF_OWNERS and role is not Role.OWNER:
        raise AuthorityError(_OF_OWNERS[act])
    record = state.deltas.get(subject_id)
    why = None if record is None or act is not Act.ACCEPT else closed_because(state, record, at)
    if state.archived is not None:
        why = "This project is archived. Restore it before you go on with it."
    elif act is Act.RESTORE:
        why = "This project is not archived: it is worked on already."
    elif act is Act.ERASE:
        why = "These words are erased already."
    elif record is not None and record.disposition is Disposition.REMANDED:
        why = "This suggestion was sent back. It waits for its corrections."
    elif record is not None and record.disposition not in OPEN:
        why = f"This suggestion is already {record.disposition.value}."
    raise LifecycleError(why or "this is not possible here any more; look at it again")
