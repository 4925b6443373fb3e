"""The whole error vocabulary, adapters included.

Every message is a sentence to a person: what, which, and what now. `code` is the machine's name for the
refusal and is stable. The web layer maps classes to status codes in one table.
"""

from typing import ClassVar


class StudioError(Exception):
    """Anything this product refuses or fails at."""

    code: ClassVar[str] = "studio_error"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.reason_code = code or self.code


class RefusedError(StudioError):
    """A rule of the kernel says no; nothing was written."""

    code = "refused"


class AuthorityError(RefusedError):
    """The actor may not author this event, here or in this way."""

    code = "authority_violation"


class NotFoundError(RefusedError):
    """No such record, or none this reader may know of."""

    code = "not_found"


class InvalidError(RefusedError):
    """The request does not fit: an unknown field, a bound, a format."""

    code = "invalid"


class ConflictError(RefusedError):
    """The request was lawful for an earlier state and is not for this one."""

    code = "conflict"


class StaleError(ConflictError):
    """The revision or the shown material moved since the person saw it."""

    code = "stale"


class CommandConflictError(ConflictError):
    """This command id was used for something else."""

    code = "command_conflict"


class LifecycleError(ConflictError):
    """The record is not in a status from which this step is possible."""

    code = "lifecycle_conflict"


class EvidenceError(RefusedError):
    """Required evidence is missing, failed or bound to something else."""

    code = "evidence_gate_blocked"


class HistoryError(StudioError):
    """The stored history is not what it must be."""

    code = "history_invalid"


class UnknownEventError(HistoryError):
    """An event type this version does not know."""

    code = "unknown_event"


class CanonicalError(StudioError):
    """A value has no canonical bytes, or bytes are not canonical."""

    code = "not_canonical"


class BoundaryError(StudioError):
    """Something outside the process failed or did not answer."""

    code = "boundary_failed"


class LedgerConflictError(BoundaryError):
    """Another writer appended first; load and decide again."""

    code = "ledger_conflict"

    def __init__(self, message: str, *, head_seq: int) -> None:
        super().__init__(message)
        self.head_seq = head_seq


class LedgerUnavailableError(BoundaryError):
    """The ledger cannot be read or written now."""

    code = "ledger_unavailable"


class ConfigurationError(BoundaryError):
    """The configuration is missing, malformed or unsafe."""

    code = "configuration_invalid"


class ManagerUnavailableError(BoundaryError):
    """The manager did not answer."""

    code = "manager_unavailable"


class GitRefusedError(BoundaryError):
    """A repository, ref, tree or candidate is not what it must be."""

    code = "git_refused"


class SealRefusedError(GitRefusedError):
    """The run folder cannot become a candidate; the code says which rule refused it."""

    code = "seal_refused"


class SandboxUnavailableError(BoundaryError):
    """This machine cannot confine code well enough, so nothing ran."""

    code = "sandbox_unavailable"


class JournalError(BoundaryError):
    """The promotion journal is unsafe, inconsistent or could not be written."""

    code = "journal_conflict"


class OutcomeUnknownError(BoundaryError):
    """Something may have happened and nobody observed it."""

    code = "outcome_unknown"
