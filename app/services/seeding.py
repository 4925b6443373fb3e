"""The first project of a fresh installation: the sandbox, proposed from its outline and accepted by its owner."""

from app.services.access import OWNER
from app.services.studio import Studio
from kernel.commands import AcceptDelta
from kernel.state import State
from kernel.vocabulary import Via


def seed_sandbox(studio: Studio, title: str, outline: str) -> tuple[str, ...]:
    """Open the sandbox project when there is no project at all; return the ids of what was opened.

    A start that died half-way is finished: an open sandbox with a waiting first import gets its yes.
    """
    caller = studio.access.caller(studio.world_id, OWNER, Via.CLI)
    owned = studio.projects.ids_seen_by(OWNER)
    # Heads answer for every start but the first, which need not read a long history to find that there is one.
    if len(owned) > 1 or any(studio.desk.ledger.head(ledger_id).revision for ledger_id in owned):
        return ()
    if owned and not _is_called(studio.desk.state(owned[0]), title):
        return ()
    project_id = owned[0] if owned else studio.projects.open(caller, title)
    state = studio.desk.state(project_id)
    if not state.open_deltas.keys():
        studio.projects.import_outline(project_id, caller, outline)
        state = studio.desk.state(project_id)
    delta_id = state.open_deltas.keys()[0]
    _, _, seen = studio.reviews.shown(delta_id)
    studio.reviews.accept(caller, AcceptDelta(delta_id, 0, state.revision, seen))
    return (project_id,)


def _is_called(state: State, title: str) -> bool:
    return state.title is not None and state.title.text == title
