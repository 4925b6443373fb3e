"""Turn an accepted revision into a proposal that takes it back."""

from kernel.commands import ProposeCompensation
from kernel.decide.drafts import Draft
from kernel.errors import NotFoundError, StaleError
from kernel.events.delta import DeltaProposed
from kernel.rules.compensation import inverse_of
from kernel.rules.operations import touched
from kernel.state import State, revision_key
from kernel.values.stamp import Stamp
from kernel.vocabulary import Purpose


def propose_compensation(state: State, command: ProposeCompensation, stamp: Stamp) -> tuple[Draft, ...]:
    """Propose the inverse operations; what later records lose by them stands in the uncertainty.

    Raises: NotFoundError when there is no such revision; StaleError when another one was shown; RefusedError when
    nothing of it is left to take back.
    """
    revision = state.revisions.get(revision_key(command.revision)) if command.revision > 0 else None
    if revision is None or revision.delta_id is None:
        message = f"there is no revision {command.revision} that could be taken back"
        raise NotFoundError(message)
    if command.seen != revision.state_root:
        message = f"what was shown is not revision {command.revision}; look at it again"
        raise StaleError(message)
    named: list[str] = []

    def name(kind: str) -> str:
        named.append(stamp.id(kind, f"inverse {len(named)}"))
        return named[-1]

    inverse = inverse_of(state, command.revision, name)
    taken_back = state.deltas[revision.delta_id].body.title.or_erased()
    title = f"Take back revision {command.revision}: {taken_back}"[:300]
    body = DeltaProposed(
        delta_id=stamp.id("delta"),
        purpose=Purpose.COMPENSATION,
        base_revision=state.revision,
        source_ids=(),
        title=stamp.words(title, "title"),
        operations=inverse.operations,
        reasons=() if command.reason is None else (stamp.words(command.reason, "reason"),),
        uncertainty=tuple(stamp.words(text, f"remark {index}") for index, text in enumerate(inverse.remarks)),
        touches=touched(state.tables, inverse.operations),
        compensates=command.revision,
    )
    return (Draft(body),)
