"""The whole product as one value: every service, wired. Built by the composition root, used by the edges."""

from dataclasses import dataclass

from app.config.settings import Settings
from app.ports import Clock, Directory, Keys, Repositories, Sandbox
from app.services.access import Access
from app.services.audit import Audits
from app.services.briefing import Briefs
from app.services.capture import Placements
from app.services.desk import Desk
from app.services.erasure import Erasures
from app.services.evidence import Evidence
from app.services.importing import Importing
from app.services.leaving import Leaving
from app.services.people import People
from app.services.projects import Projects
from app.services.promotion import Promotions
from app.services.proofs import Proofs
from app.services.queue import WorkQueue
from app.services.registry import Registry
from app.services.review import Reviews
from app.services.runs import Runs
from app.services.signin import SignIn


@dataclass(frozen=True, slots=True)
class Studio:
    """Every service of one installation."""

    settings: Settings
    installation_id: str
    world_id: str
    clock: Clock
    desk: Desk
    directory: Directory
    registry: Registry
    access: Access
    people: People
    sign_in: SignIn
    projects: Projects
    placements: Placements
    reviews: Reviews
    erasures: Erasures
    leaving: Leaving
    importing: Importing
    proofs: Proofs
    briefs: Briefs
    runs: Runs
    evidence: Evidence
    promotions: Promotions
    queue: WorkQueue
    audits: Audits
    repositories: Repositories
    sandbox: Sandbox
    keys: Keys
    form_key: bytes
    """Key of form tokens, fresh at every start."""

    def recover(self) -> None:
        """Complete erasures and placement answers; the queue recovers its own work, and roles are settled before.

        A ledger that cannot be read, or that another installation recorded, is left as it is.
        """
        for ledger_id in self.desk.ledger.ledgers():
            if self.access.imported(ledger_id) is None and self.desk.readable(ledger_id) is not None:
                self.erasures.recover(ledger_id)
                self.placements.recover(ledger_id)
