"""Importing: a bundle whose every event the rules admit again, and nothing that could act by itself."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.ports import BundleReader
from app.services.access import Access
from app.services.desk import Caller, Desk
from kernel.commands import ImportProject
from kernel.errors import AuthorityError, ConflictError, InvalidError, LifecycleError
from kernel.events.stored import EventAsWritten
from kernel.provenance.read_bundle import ReadBundle
from kernel.state import State
from kernel.values.execution import BundleFacts
from kernel.vocabulary import PromotionStatus, Role, RunStatus

_BATCH: Final = 512
_LIVE_RUNS = frozenset({RunStatus.QUEUED, RunStatus.CLAIMED})
_LIVE_PROMOTIONS = frozenset({PromotionStatus.AUTHORIZED, PromotionStatus.REQUESTED})


@dataclass(frozen=True, slots=True)
class Taken:
    """What an import left."""

    project_id: str
    installation_id: str
    size: int
    """Events of the bundle."""
    added: int
    """Events that were not here before."""
    is_foreign: bool
    """Another installation recorded it, so that it is only read here."""


@dataclass(frozen=True, slots=True)
class Importing:
    """Takes bundles in."""

    desk: Desk
    access: Access
    read: BundleReader
    installation_id: str

    def take(self, caller: Caller, source: Path, trust: Path | None = None) -> Taken:
        """Take a bundle in: of another installation to be read here, or of this one to bring back what was lost.

        Every event was admitted by the rules again; its texts are sealed under keys of this installation. Sent
        again, it adds nothing.
        Raises: AuthorityError unless the caller is an owner; InvalidError when the bundle does not verify or is a
        world; LifecycleError when it holds live authority; ConflictError when the known ledger is another history.
        """
        if caller.actor.role is not Role.OWNER:
            message = "only an owner of the installation imports"
            raise AuthorityError(message)
        bundle = self.read(source, trust)
        if bundle.problems:
            message = f"the bundle does not verify: {bundle.problems[0]}"
            raise InvalidError(message, code="bundle_invalid")
        _refuse_live(bundle.state)
        here = self._prefix(bundle)
        is_foreign = bundle.installation_id != self.installation_id
        if is_foreign:
            self._record(caller, bundle)
        for batch in _batches(bundle.events_after(here)):
            self.desk.ledger.append(bundle.ledger_id, batch[0].event.seq - 1, batch)
        return Taken(
            bundle.ledger_id, bundle.installation_id, bundle.size, max(bundle.size - here, 0), is_foreign
        )

    def _prefix(self, bundle: ReadBundle) -> int:
        """Return how many events of this ledger are here. Raises: ConflictError unless one begins with the other."""
        here = self.desk.ledger.head(bundle.ledger_id).seq
        known = min(here, bundle.size)
        if known and self.desk.ledger.root(bundle.ledger_id, known) != bundle.root_at(known):
            message = f"another history of {bundle.ledger_id} is here already; neither begins with the other"
            raise ConflictError(message, code="other_history")
        if known and bundle.installation_id != self.installation_id and self._record_of(bundle) is None:
            message = (
                f"{bundle.ledger_id} is this installation's own; a bundle of another one cannot extend it"
            )
            raise ConflictError(message, code="other_history")
        return here

    def _record_of(self, bundle: ReadBundle) -> int | None:
        record = self.access.imported(bundle.ledger_id)
        return None if record is None else record.body.size

    def _record(self, caller: Caller, bundle: ReadBundle) -> None:
        """Say in the world ledger where the project comes from, before its first event is here."""
        size = self._record_of(bundle)
        if size is None or size < bundle.size:
            facts = BundleFacts(
                bundle.ledger_id, bundle.installation_id, bundle.size, bundle.root, bundle.keys
            )
            self.desk.act(self.access.world_id, caller, ImportProject(facts))


def _batches(events: Iterable[EventAsWritten]) -> Iterator[list[EventAsWritten]]:
    """Yield the events in appends of some hundred, none of which ends within an act."""
    batch: list[EventAsWritten] = []
    for item in events:
        # What an interrupted import leaves must be a history of whole acts; the next one goes on from there.
        if len(batch) >= _BATCH and item.event.ordinal == 0:
            yield batch
            batch = []
        batch.append(item)
    if batch:
        yield batch


def _refuse_live(state: State) -> None:
    if state.scope != "project":
        message = "a world ledger is the authority of one installation and is never imported"
        raise InvalidError(message, code="bundle_is_world")
    live = [run.body.run_id for run in state.runs.rows() if run.status in _LIVE_RUNS]
    live += [item.body.promotion_id for item in state.promotions.rows() if item.status in _LIVE_PROMOTIONS]
    if live:
        message = f"{live[0]} is still live there; end it, export again, and import that"
        raise LifecycleError(message, code="live_authority")
