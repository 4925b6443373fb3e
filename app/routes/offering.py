"""What a page may offer a visitor in other projects than the one it shows: only those in which they write themselves."""

from app.routes.visiting import Visitor
from app.services.elsewhere import BetterProject, better_project
from kernel.projections.acts import Act, acts_for
from kernel.state import State
from kernel.vocabulary import Role


def may_capture(visitor: Visitor, state: State) -> bool:
    """Tell whether this visitor is offered to capture in a project: by the set that pages and handlers share."""
    role = visitor.role(state.ledger) or Role.NONE
    is_offered = Act.CAPTURE in acts_for(state, state.ledger, role, visitor.studio.clock.now())
    return is_offered and visitor.may_write(state.ledger)


def fits_better(visitor: Visitor, state: State, exchange_id: str) -> BetterProject | None:
    """Return the project that fits the words of a placement clearly better, if this visitor writes in both."""
    if not may_capture(visitor, state):
        return None
    studio = visitor.studio
    others = (item for item in studio.projects.seen_by(visitor.person.id) if may_capture(visitor, item))
    return better_project(studio.placements, state, exchange_id, others)
