"""From a request to what builders need: the project as this visitor may read it, and what its page opens."""

from dataclasses import replace

from app.routes.shelling import binding
from app.routes.visiting import Posted, Visitor
from app.views.opening import Opened
from app.views.parts import Refusal
from app.views.wording import Reading
from kernel.projections.acts import Act, require_act
from kernel.projections.past import state_at
from kernel.state import State
from kernel.vocabulary import NodeKind, Role


def reading(visitor: Visitor, state: State) -> Reading:
    """Return the project with who reads it, when, and what people and profiles are called."""
    studio = visitor.studio
    return Reading(
        state=state,
        role=acting_role(visitor, state),
        me=visitor.person.id,
        asks_outside=studio.placements.manager.facts.is_outside,
        at=studio.clock.now(),
        names=studio.access.names(state.ledger),
        profiles=tuple(
            (profile.contract.profile_id, profile.title)
            for profile in studio.registry.profiles
            if NodeKind.TASK in profile.target_kinds
        ),
    )


def acting_role(visitor: Visitor, state: State) -> Role:
    """Return in which role the visitor acts in a project; everybody only reads an imported one."""
    role = visitor.role(state.ledger) or Role.NONE
    is_imported = visitor.studio.access.imported(state.ledger) is not None
    return Role.VIEWER if is_imported and role is not Role.NONE else role


def past_reading(visitor: Visitor, state: State, number: int) -> Reading:
    """Return one accepted revision of the project; nobody acts on the past, so everybody reads it as a viewer.

    Raises: NotFoundError.
    """
    return replace(reading(visitor, state), state=state_at(state, number), role=Role.VIEWER)


def opened(visitor: Visitor, item_id: str, *, act: str = "", query: str = "", whole: bool = False) -> Opened:
    """Return what a page opens, with a fresh command for its form."""
    command_id = binding(visitor.studio).command_id
    return Opened(item_id, command_id, act=act, query=query, has_whole_words=whole)


def kept(visitor: Visitor, item_id: str, act: str, *, form: Posted, refusal: Refusal) -> Opened:
    """Return the same form again after a refusal, with everything that was typed."""
    command_id = binding(visitor.studio).command_id
    return Opened(item_id, command_id, act=act, typed=form.fields, refusal=refusal)


def offer(visitor: Visitor, state: State, subject_id: str, act: Act) -> None:
    """Refuse an act that the page would not offer this visitor now.

    Raises: AuthorityError; LifecycleError.
    """
    role, now = acting_role(visitor, state), visitor.studio.clock.now()
    require_act(state, subject_id, act, role=role, at=now, person_id=visitor.person.id)
