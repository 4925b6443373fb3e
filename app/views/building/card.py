"""Builds what a project's card offers beside the project: where it stands, and the way to put it away or back."""

from dataclasses import replace

from app.views.parts import Link, Mark
from app.views.world import ProjectCard
from kernel.projections.acts import Act, acts_for
from kernel.state import State
from kernel.vocabulary import Role

_IMPORTED = Mark("eye", "Imported, read only", "neutral")
_AWAY = Mark("archive", "Put away", "neutral")


def with_standing(card: ProjectCard, state: State, role: Role, at: str, *, is_imported: bool) -> ProjectCard:
    """Return the card with its mark and with the act that this role may begin; nobody acts on an imported one."""
    if is_imported:
        return replace(card, mark=_IMPORTED)
    acts, base = acts_for(state, state.ledger, role, at), f"/p/{state.ledger}"
    act = None
    if Act.ARCHIVE in acts:
        act = Link("Put it away", f"{base}/archive", "archive")
    elif Act.RESTORE in acts:
        act = Link("Take it up again", f"{base}/restore", "rotate-ccw")
    return replace(card, mark=None if state.archived is None else _AWAY, act=act)
