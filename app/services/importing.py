"""Importing: a bundle whose every event the rules admit again, and nothing that could act by itself."""

from dataclasses import dataclass
from pathlib import Path

from app.ports import BundleReader
from app.services.access import Access
from app.services.desk import Caller, Desk
from kernel.commands import ImportProject
from kernel.errors import AuthorityError, ConflictError, InvalidError, LifecycleError
from kernel.events.stored import ReadBundle
from kernel.reducer import fold
from kernel.state import State
from kernel.values.execution import BundleFacts
from kernel.vocabulary import PromotionStatus, Role, RunStatus

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
        _refuse_live(fold(item.event for item in bundle.stored))
        here = self._prefix(bundle)
        is_foreign = bundle.installation_id != self.installation_id
        if is_foreign:
            self._record(caller, bundle)
        new = [item.event for item in bundle.stored[here:]]
        if new:
            self.desk.ledger.append(bundle.ledger_id, here, new)
        return Taken(bundle.ledger_id, bundle.installation_id, bundle.size, len(new), is_foreign)

    def _prefix(self, bundle: ReadBundle) -> int:
        """Return how many events of this ledger are here. Raises: ConflictError unless one begins with the other."""
        known = [item.leaf_hash for item in self.desk.ledger.read(bundle.ledger_id, 0, bundle.size)]
        if known != [item.leaf_hash for item in bundle.stored[: len(known)]]:
            message = f"another history of {bundle.ledger_id} is here already; neither begins with the other"
            raise ConflictError(message, code="other_history")
        if known and bundle.installation_id != self.installation_id and self._record_of(bundle) is None:
            message = (
                f"{bundle.ledger_id} is this installation's own; a bundle of another one cannot extend it"
            )
            raise ConflictError(message, code="other_history")
        return len(known)

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


def _refuse_live(state: State) -> None:
    if state.scope != "project":
        message = "a world ledger is the authority of one installation and is never imported"
        raise InvalidError(message, code="bundle_is_world")
    live = [run.body.run_id for run in state.runs.rows() if run.status in _LIVE_RUNS]
    live += [item.body.promotion_id for item in state.promotions.rows() if item.status in _LIVE_PROMOTIONS]
    if live:
        message = f"{live[0]} is still live there; end it, export again, and import that"
        raise LifecycleError(message, code="live_authority")
