"""The event catalogue: every fact this product can remember, one union, the version in the wire name.

`docs/events.md` is generated from the docstrings here. A new kind of fact is a new class; a changed meaning
is a new version and an upcaster. Who may author what is data in `kernel/rules/authority.py`.
"""

from typing import Final, TypeAlias, get_args

from kernel.events.body import Body
from kernel.events.delegation import (
    BriefCompiled,
    CandidateSealed,
    ClosureStaged,
    RunAuthorized,
    RunBlocked,
    RunCancelled,
    RunFailed,
    RunLost,
    RunProgressed,
)
from kernel.events.delta import (
    ClarificationAnswered,
    ClarificationAsked,
    DeltaAccepted,
    DeltaDeferred,
    DeltaProposed,
    DeltaRejected,
    DeltaRemanded,
    DeltaSplit,
    DeltaSuperseded,
)
from kernel.events.evidence import ValidationRecorded
from kernel.events.project import (
    ConfigActivated,
    CredentialIssued,
    CredentialRevoked,
    KeyRotated,
    PrincipalAdded,
    ProjectArchived,
    ProjectImported,
    ProjectOpened,
    ProjectRestored,
    RoleGranted,
    RoleRevoked,
)
from kernel.events.promotion import (
    PromotionAuthorized,
    PromotionObserved,
    PromotionProposed,
    PromotionReconciled,
)
from kernel.events.source import (
    ExchangeAnswered,
    ExchangeFailed,
    ExchangeRequested,
    ExchangeUnreadable,
    SourceCaptured,
    SourceErased,
)

AnyBody: TypeAlias = (
    ProjectOpened
    | ProjectArchived
    | ProjectRestored
    | PrincipalAdded
    | RoleGranted
    | RoleRevoked
    | CredentialIssued
    | CredentialRevoked
    | ConfigActivated
    | KeyRotated
    | ProjectImported
    | SourceCaptured
    | SourceErased
    | ExchangeRequested
    | ExchangeAnswered
    | ExchangeFailed
    | ExchangeUnreadable
    | DeltaProposed
    | DeltaDeferred
    | DeltaRemanded
    | DeltaRejected
    | DeltaSuperseded
    | DeltaSplit
    | DeltaAccepted
    | ClarificationAsked
    | ClarificationAnswered
    | BriefCompiled
    | RunAuthorized
    | RunProgressed
    | RunBlocked
    | RunCancelled
    | RunFailed
    | RunLost
    | CandidateSealed
    | ClosureStaged
    | ValidationRecorded
    | PromotionProposed
    | PromotionAuthorized
    | PromotionObserved
    | PromotionReconciled
)
"""Every event body."""

BODIES: Final[dict[str, type[Body]]] = {body.TYPE: body for body in get_args(AnyBody)}
"""Wire name -> body class."""
