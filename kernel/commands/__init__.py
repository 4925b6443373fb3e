"""The command catalogue: what somebody asks for, as frozen dataclasses, one union.

Commands carry plain text and ids; who asks and when comes with the `Stamp`. Facts outside history (a signature
checked, a ref observed) are established by the service and carried in.
"""

from typing import TypeAlias

from kernel.commands.delegation import (
    AuthorizeRun,
    BlockRun,
    CancelRun,
    CompileBrief,
    FailRun,
    LoseRun,
    ProposeReconciliation,
    RecordValidation,
    ReportProgress,
    StageClosure,
)
from kernel.commands.delta import (
    AcceptDelta,
    Below,
    DeferDelta,
    EditDelta,
    ImportOutline,
    Join,
    MoveDelta,
    OutlineNode,
    Part,
    ProposeCompensation,
    ProposeCorrection,
    ProposePlacement,
    RebaseDelta,
    RejectDelta,
    RemandDelta,
    SplitDelta,
)
from kernel.commands.project import (
    ActivateConfig,
    AddPrincipal,
    ArchiveProject,
    GrantRole,
    ImportProject,
    IssueCredential,
    OpenProject,
    RestoreProject,
    RevokeCredential,
    RevokeRole,
    RotateKey,
)
from kernel.commands.promotion import (
    AuthorizePromotion,
    ObservePromotion,
    ProposePromotion,
    ReconcilePromotion,
)
from kernel.commands.source import (
    AnswerExchange,
    CaptureSource,
    EraseSource,
    FailExchange,
    MarkUnreadable,
    RequestExchange,
    RetryPlacement,
)

__all__ = [
    "AcceptDelta",
    "ActivateConfig",
    "AddPrincipal",
    "AnswerExchange",
    "ArchiveProject",
    "AuthorizePromotion",
    "AuthorizeRun",
    "Below",
    "BlockRun",
    "CancelRun",
    "CaptureSource",
    "Command",
    "CompileBrief",
    "DeferDelta",
    "EditDelta",
    "EraseSource",
    "FailExchange",
    "FailRun",
    "GrantRole",
    "ImportOutline",
    "ImportProject",
    "IssueCredential",
    "Join",
    "LoseRun",
    "MarkUnreadable",
    "MoveDelta",
    "ObservePromotion",
    "OpenProject",
    "OutlineNode",
    "Part",
    "ProposeCompensation",
    "ProposeCorrection",
    "ProposePlacement",
    "ProposePromotion",
    "ProposeReconciliation",
    "RebaseDelta",
    "ReconcilePromotion",
    "RecordValidation",
    "RejectDelta",
    "RemandDelta",
    "ReportProgress",
    "RequestExchange",
    "RestoreProject",
    "RetryPlacement",
    "RevokeCredential",
    "RevokeRole",
    "RotateKey",
    "SplitDelta",
    "StageClosure",
]

Command: TypeAlias = (
    OpenProject
    | ArchiveProject
    | RestoreProject
    | AddPrincipal
    | GrantRole
    | IssueCredential
    | RevokeCredential
    | RevokeRole
    | ActivateConfig
    | RotateKey
    | ImportProject
    | CaptureSource
    | RetryPlacement
    | EraseSource
    | AnswerExchange
    | FailExchange
    | MarkUnreadable
    | ProposePlacement
    | ImportOutline
    | ProposeCorrection
    | AcceptDelta
    | RejectDelta
    | DeferDelta
    | RemandDelta
    | SplitDelta
    | RebaseDelta
    | ProposeCompensation
    | EditDelta
    | MoveDelta
    | CompileBrief
    | AuthorizeRun
    | RequestExchange
    | ReportProgress
    | BlockRun
    | CancelRun
    | FailRun
    | LoseRun
    | StageClosure
    | RecordValidation
    | ProposeReconciliation
    | ProposePromotion
    | AuthorizePromotion
    | ObservePromotion
    | ReconcilePromotion
)
