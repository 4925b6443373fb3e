"""What every page and act of the Work room needs: the thread as it is now, what is read outside, one way to act.

Every act loads the thread again and asks whether it is among the acts that are lawful now; the service and the
kernel then decide. A refusal shows the same page with the reason, and keeps what was chosen.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from fastapi import Request
from starlette.responses import Response

from app.routes.shelling import Place, binding, page_response, refused, see_other, shell_for
from app.routes.visiting import Posted, Visitor
from app.services.desk import Caller
from app.services.studio import Studio
from app.views.building.work import thread_page
from app.views.work.sight import Branch, Journal, Patch, Sight
from kernel.errors import AuthorityError, CommandConflictError, NotFoundError, StudioError
from kernel.projections.threads import Thread, WorkAct, require_act, thread_of
from kernel.projections.trails import Trail
from kernel.projections.visible import knows
from kernel.state import CandidateRecord, State
from kernel.vocabulary import Role

PATCH_BYTES_MAX: Final = 64 * 1024
"""How much of a patch stands on a page."""
_WHOLE_PATCH: Final = "This is its beginning. `git diff` of the two commits above shows all of it."
_UNSENT: Final = b""
"""Material that no command of a form has, so a look-up says whether its id was used at all."""


def role_of(visitor: Visitor, state: State) -> Role:
    """Return the visitor's role in the project."""
    return visitor.role(state.ledger) or Role.NONE


def find_thread(visitor: Visitor, project_id: str, task_id: str) -> tuple[State, Thread]:
    """Return the project and the thread of a task as they are now.

    Raises: NotFoundError, in the same words for what is hidden and what is not there.
    """
    state = visitor.project(project_id)
    thread = thread_of(state, task_id, role_of(visitor, state), visitor.studio.clock.now())
    if thread is None:
        message = f"there is no work {task_id}"
        raise NotFoundError(message)
    return state, thread


def sight_of(request: Request, visitor: Visitor, state: State, thread: Thread) -> Sight:
    """Return what the page of this thread rests on, with everything outside the ledger read now."""
    studio = visitor.studio
    here = f"/p/{state.ledger}/work/{thread.task_id}"
    return Sight(
        shell=shell_for(request, visitor, Place(thread.title, here, "Work", project=state)),
        now=studio.clock.now(),
        names=studio.access.names(state.ledger),
        profiles=studio.registry.profiles,
        runtimes=tuple(place.facts for place in studio.registry.runtimes),
        can_act=visitor.may_write(state.ledger),
        new_command=lambda: binding(studio).command_id,
        branch=_branch(studio, thread.trail),
        patch=read_patch(studio, thread.trail.candidate),
        journal=_journal(studio, thread.trail),
    )


def _branch(studio: Studio, trail: Trail) -> Branch | None:
    if trail.brief is None:
        return None
    terms = trail.brief.body.terms
    return read_branch(studio, terms.repository_id, terms.target_ref)


def read_branch(studio: Studio, repository_id: str, ref: str) -> Branch:
    """Read a branch raw; a branch that cannot be read is said so, never guessed."""
    try:
        return Branch(studio.repositories.resolve(studio.registry.repository(repository_id), ref).commit)
    except StudioError as error:
        return Branch(None, error.message)


def read_patch(studio: Studio, candidate: CandidateRecord | None) -> Patch:
    """Read a candidate's patch for people, cut at a bound."""
    if candidate is None:
        return Patch()
    facts = candidate.body.candidate
    try:
        place = studio.registry.repository(facts.repository_id)
        text = studio.repositories.patch(place, facts.base_commit, facts.commit, max_bytes=PATCH_BYTES_MAX)
    except StudioError as error:
        return Patch("", f"The patch cannot be read: {error.message}")
    return Patch(text, _WHOLE_PATCH if facts.patch_bytes > PATCH_BYTES_MAX else "")


def _journal(studio: Studio, trail: Trail) -> Journal | None:
    if trail.promotion is None or trail.promotion.outcome is None:
        return None
    return read_journal(studio, trail.promotion.body.promotion_id)


def read_journal(studio: Studio, promotion_id: str) -> Journal:
    """Read a promotion's journal and verify it now."""
    try:
        return Journal(studio.promotions.status(promotion_id))
    except StudioError as error:
        return Journal(None, error.message)


@dataclass(frozen=True, slots=True)
class Sent:
    """One act as it came in: who, where, and the form whose token has been checked."""

    request: Request
    visitor: Visitor
    form: Posted
    project_id: str
    task_id: str

    @property
    def caller(self) -> Caller:
        """The person as an actor under the form's own command.

        Raises: NotFoundError; AuthorityError; InvalidError for the command.
        """
        return self.visitor.caller(self.project_id, self.form.key)

    def own(self, name: str) -> str:
        """Return the id of a record of this project that the form names.

        Raises: NotFoundError, in the same words for another project's record and for none.
        """
        record_id = self.form.text(name)
        is_here = self.visitor.studio.desk.ledger.ledger_of(record_id) == self.project_id
        if not (is_here and knows(self.visitor.state(self.project_id), record_id)):
            message = "the form names a record that is not in this project; open the page again"
            raise NotFoundError(message)
        return record_id

    @property
    def here(self) -> str:
        """The address of the thread."""
        return f"/p/{self.project_id}/work/{self.task_id}"


@dataclass(frozen=True, slots=True)
class Acting:
    """What an act is, what does it, which toast says so, and how its refusal begins."""

    act: WorkAct
    do: Callable[[Studio, Sent], object]
    said: str
    not_done: str


def carried_out(sent: Sent, acting: Acting) -> Response:
    """Carry one act out and lead back to the thread, or show the thread with the refusal.

    An act sent twice is answered twice and done once: the second time the ledger knows its command already.
    """
    _state, thread = find_thread(sent.visitor, sent.project_id, sent.task_id)
    try:
        if not _was_done(sent):
            _require_role(sent)
            require_act(thread, acting.act)
        acting.do(sent.visitor.studio, sent)
    except StudioError as error:
        return _refused_page(sent, acting, error)
    return see_other(sent.here, acting.said)


def _require_role(sent: Sent) -> None:
    if not sent.visitor.may_write(sent.project_id):
        message = "you may look at this work and not act on it"
        raise AuthorityError(message)


def _was_done(sent: Sent) -> bool:
    command_id = sent.caller.command_id
    if command_id is None:
        return False
    ledger = sent.visitor.studio.desk.ledger
    try:
        return ledger.find_command(sent.project_id, sent.visitor.person.id, command_id, _UNSENT) is not None
    except CommandConflictError:
        return True


def _refused_page(sent: Sent, acting: Acting, error: StudioError) -> Response:
    status, refusal = refused(error, acting.not_done)
    state, thread = find_thread(sent.visitor, sent.project_id, sent.task_id)
    is_choosing = acting.act is WorkAct.COMPILE and thread.trail.brief is not None
    sight = replace(
        sight_of(sent.request, sent.visitor, state, thread),
        refusal=refusal,
        chosen=sent.form.text("profile_id"),
        reason=sent.form.text("reason"),
        is_choosing=is_choosing,
    )
    return page_response(sent.request, "work/thread.html", thread_page(state, thread, sight), status)
