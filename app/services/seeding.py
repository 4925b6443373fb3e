"""The first project of a fresh installation: the sandbox, proposed from its outline and accepted by its owner."""

from app.services.access import OWNER
from app.services.studio import Studio
from kernel.commands import AcceptDelta
from kernel.vocabulary import Via


def seed_sandbox(studio: Studio, title: str, outline: str) -> tuple[str, ...]:
    """Open the sandbox project when there is no project at all; return the ids of what was opened.

    A start that died half-way is finished: an open sandbox with a waiting first import gets its yes.
    """
    owned = studio.projects.seen_by(OWNER)
    caller = studio.access.caller(studio.world_id, OWNER, Via.CLI)
    if owned and not (
        len(owned) == 1
        and owned[0].revision == 0
        and owned[0].title is not None
        and owned[0].title.text == title
    ):
        return ()
    project_id = owned[0].ledger if owned else studio.projects.open(caller, title)
    state = studio.desk.state(project_id)
    if not state.open_deltas.keys():
        studio.projects.import_outline(project_id, caller, outline)
        state = studio.desk.state(project_id)
    delta_id = state.open_deltas.keys()[0]
    _, _, seen = studio.reviews.shown(delta_id)
    studio.reviews.accept(caller, AcceptDelta(delta_id, 0, state.revision, seen))
    return (project_id,)
