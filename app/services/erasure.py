"""Erasing: the event first, then the keys. What was begun is completed at the next start, also in a restored copy."""

from dataclasses import dataclass

from app.ports import Eraser
from app.services.desk import Caller, Desk
from kernel.commands import EraseSource
from kernel.errors import LifecycleError, NotFoundError
from kernel.events.delta import DeltaRejected
from kernel.events.source import SourceErased
from kernel.projections.leftovers import Leftovers, leftovers
from kernel.state import State


@dataclass(frozen=True, slots=True)
class Erased:
    """What an erasure took, and what came from it and stays."""

    project_id: str
    source_ids: tuple[str, ...]
    """The captures whose words are gone: the one named last, before it the answers that repeated its words."""
    closed: tuple[str, ...]
    """Proposals that waited and were closed, since they have no words any more."""
    left: Leftovers
    is_folded: bool
    """False while a reader of an older moment keeps unreadable remains in the database's log; a start folds it."""


@dataclass(frozen=True, slots=True)
class Erasures:
    """Erases captures and keeps them erased."""

    desk: Desk
    eraser: Eraser

    def erase(self, ledger_id: str, caller: Caller, source_id: str) -> Erased:
        """Erase the words of a capture, and of every answer that repeats them; say what the caller may know of it.

        Raises: NotFoundError; AuthorityError unless the caller captured them or is an owner; LifecycleError when
        they are erased already: then whatever of it was left is destroyed first.
        """
        try:
            done = self.desk.act(ledger_id, caller, EraseSource(source_id), material={"erase": source_id})
        except LifecycleError as error:
            if error.reason_code == "source_erased":
                self.recover(ledger_id)
            raise
        erased = tuple(event.body.source_id for event in done.events if isinstance(event.body, SourceErased))
        closed = tuple(event.body.delta_id for event in done.events if isinstance(event.body, DeltaRejected))
        is_folded = self.eraser.erase(ledger_id, erased, done.events[-1].at)
        role = caller.actor.role
        seen = self.desk.state_for(ledger_id, role)
        names = (self.desk.name_for(ledger_id, role, item) for item in closed)
        return Erased(
            ledger_id,
            tuple(item for item in erased if item in seen.sources),
            tuple(item for item in names if item in seen.deltas),
            leftovers(seen, erased),
            is_folded,
        )

    def recover(self, ledger_id: str) -> tuple[str, ...]:
        """Destroy what an interrupted erasure of this ledger left; return the captures that were left."""
        state = self.desk.state(ledger_id)
        erased = [record for record in state.sources.rows() if record.erased is not None]
        left = self.eraser.unfinished([record.body.source_id for record in erased])
        if left:
            self.eraser.erase(ledger_id, left, state.at)
        return left

    def reapply(self, owner: Caller) -> tuple[str, ...]:
        """Erase again what a restored copy brought back; return the captures. Ask before anything is shown.

        A copy from before the erasure does not know of it: the owner's event is then appended anew.
        """
        self.eraser.settle()
        stones = {stone.source_id: stone for stone in self.eraser.tombstones()}
        left = self.eraser.unfinished(sorted(stones))
        for source_id in left:
            ledger_id = stones[source_id].ledger_id
            state = self._state(ledger_id)
            source = None if state is None else state.sources.get(source_id)
            if source is not None and source.erased is None:
                self.desk.act(ledger_id, owner, EraseSource(source_id))
            self.eraser.erase(ledger_id, (source_id,), stones[source_id].at)
        return left

    def _state(self, ledger_id: str) -> State | None:
        try:
            return self.desk.state(ledger_id)
        except NotFoundError:
            return None
