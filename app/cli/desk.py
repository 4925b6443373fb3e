"""How a command reaches the product: the owner at their own machine, `via: cli`, over an existing data folder."""

from functools import cache

from app import bootstrap
from app.config.settings import read_settings
from app.services.access import OWNER
from app.services.desk import Caller
from app.services.studio import Studio
from app.views.answers.answering import accept_answer
from app.views.answers.records import AcceptAnswer
from kernel.commands import AcceptDelta
from kernel.vocabulary import Via


@cache
def studio() -> Studio:
    """Return the product over this installation, opened once per process."""
    return bootstrap.open_studio(read_settings())


def owner(ledger_id: str | None = None) -> Caller:
    """Return the owner as an actor in a ledger, or in the world ledger."""
    here = studio()
    return here.access.caller(ledger_id or here.world_id, OWNER, Via.CLI)


def project_id(wanted: str) -> str:
    """Return the id of the project a command names by id or by exact title."""
    return studio().projects.find(OWNER, wanted)


def accept(here: Studio, caller: Caller, delta_id: str, choice: int = 0) -> AcceptAnswer:
    """Accept one choice of a proposal as it is shown now."""
    state, _record, seen = here.reviews.shown(delta_id, choice)
    done = here.reviews.accept(caller, AcceptDelta(delta_id, choice, state.revision, seen))
    return accept_answer(
        done.project_id,
        delta_id=done.delta_id,
        revision=done.revision,
        state_root=done.state_root,
        node_ids=done.node_ids,
        rebased=done.rebased_from,
    )
