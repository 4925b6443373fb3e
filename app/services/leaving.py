"""Leaving: a project's bundle and the installation's backup, for an owner alone."""

from dataclasses import dataclass
from pathlib import Path

from app.ports import BackupWriter, BundleWriter, WrittenBundle
from app.services.access import Access
from kernel.errors import AuthorityError
from kernel.vocabulary import Role


@dataclass(frozen=True, slots=True)
class Leaving:
    """Writes what a person can take away."""

    access: Access
    write_bundle: BundleWriter
    write_backup: BackupWriter

    def export(
        self, ledger_id: str, person_id: str, target: Path, trust: Path | None = None
    ) -> WrittenBundle:
        """Write the project's bundle to a new file, and what to trust beside it; return what was written.

        Raises: NotFoundError; AuthorityError unless the person owns the project; InvalidError for the file.
        """
        if self.access.role(ledger_id, person_id) is not Role.OWNER:
            message = (
                "a bundle opens every text of a project, private ones included: only an owner exports it"
            )
            raise AuthorityError(message)
        return self.write_bundle(ledger_id, target, trust)

    def back_up(self, person_id: str, target: Path, *, with_master_key: bool) -> tuple[str, ...]:
        """Write a backup of the installation to a new file; return the names of what is in it.

        Raises: AuthorityError unless the person owns the installation; InvalidError for the file.
        """
        if self.access.role(self.access.world_id, person_id) is not Role.OWNER:
            message = "only an owner of the installation backs it up"
            raise AuthorityError(message)
        return self.write_backup(target, with_master_key=with_master_key)
