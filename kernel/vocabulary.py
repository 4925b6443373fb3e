"""The closed word lists of the field: kinds, statuses, roles, outcomes.

A word that can stand in an event is a `StrEnum` member or a `Literal` here and nowhere else. This module owns
no rule about how words combine: see `kernel/rules`.
"""

from enum import StrEnum
from typing import Final


class ActorKind(StrEnum):
    """Who authored an event. A person is `human`; the same person with a Bearer is `operator`."""

    HUMAN = "human"
    MANAGER = "manager"
    AGENT = "agent"
    OPERATOR = "operator"
    SYSTEM = "system"


class Role(StrEnum):
    """What a person may do in a project; `none` stands for actors that are no person."""

    OWNER = "owner"
    REVIEWER = "reviewer"
    VIEWER = "viewer"
    OPERATOR = "operator"
    NONE = "none"


class Via(StrEnum):
    """The door an event came through."""

    BROWSER = "browser"
    CLI = "cli"
    API = "api"
    MCP = "mcp"
    WORKER = "worker"


class NodeKind(StrEnum):
    """What a node is. The value is the wire name and the word people read."""

    WORLD = "World"
    PROJECT = "Project"
    GOAL = "Goal"
    IDEA = "Idea"
    DECISION = "Decision"
    CONSTRAINT = "Constraint"
    OPEN_QUESTION = "OpenQuestion"
    TASK = "Task"
    ARTIFACT = "Artifact"
    AGENT_RUN = "AgentRun"
    EVIDENCE = "Evidence"


class Lane(StrEnum):
    """How kinds are grouped for people: what exists, what we know, what is allowed, what matters."""

    O = "O"  # noqa: E741 - the letter is the lane's name
    E = "E"
    D = "D"
    U = "U"


LANE_OF: Final[dict[NodeKind, Lane]] = {
    NodeKind.WORLD: Lane.O,
    NodeKind.PROJECT: Lane.O,
    NodeKind.IDEA: Lane.O,
    NodeKind.ARTIFACT: Lane.O,
    NodeKind.EVIDENCE: Lane.E,
    NodeKind.OPEN_QUESTION: Lane.E,
    NodeKind.AGENT_RUN: Lane.E,
    NodeKind.DECISION: Lane.D,
    NodeKind.CONSTRAINT: Lane.D,
    NodeKind.GOAL: Lane.U,
    NodeKind.TASK: Lane.U,
}


class RelationKind(StrEnum):
    """How two nodes hang together; read from `from_id` to `to_id`."""

    BELONGS_TO = "belongs_to"
    REFINES = "refines"
    DEPENDS_ON = "depends_on"
    CONFLICTS_WITH = "conflicts_with"
    SUPERSEDES = "supersedes"
    IMPLEMENTS = "implements"
    EVIDENCED_BY = "evidenced_by"
    ORIGINATED_FROM = "originated_from"


class Visibility(StrEnum):
    """`private` stays on this host: never in a brief, never to an outside manager."""

    SHARED = "shared"
    PRIVATE = "private"


class Governance(StrEnum):
    """The governance family: has a person taken this on."""

    SUGGESTED = "suggested"
    ADOPTED = "adopted"
    RESTRICTED = "restricted"


class Phase(StrEnum):
    """The stored part of the work family; running is an overlay of the latest run, never stored."""

    NONE = "none"
    PLANNED = "planned"
    BLOCKED = "blocked"
    COMPLETED = "completed"


class Verification(StrEnum):
    """The second part of the work family; `verified` enters only through an accepted reconciliation."""

    UNVERIFIED = "unverified"
    VERIFIED = "verified"


class SourceKind(StrEnum):
    """Where captured words came from."""

    TEXT = "text"
    FILE = "file"
    IMPORT = "import"
    AGENT = "agent"
    SYSTEM = "system"


class Boundary(StrEnum):
    """Which process boundary an exchange crosses."""

    PLACEMENT = "placement"
    RUN = "run"
    VALIDATION = "validation"
    PROMOTION = "promotion"


class Purpose(StrEnum):
    """Why a delta exists."""

    PLACEMENT = "placement"
    CORRECTION = "correction"
    RECONCILIATION = "reconciliation"
    COMPENSATION = "compensation"


class Disposition(StrEnum):
    """Where a proposal stands. Only `pending`, `deferred` and `remanded` are open."""

    PENDING = "pending"
    DEFERRED = "deferred"
    REMANDED = "remanded"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    ACCEPTED = "accepted"


class RunStatus(StrEnum):
    """Where a run stands. `outcome_unknown` and after are terminal and never a success by themselves."""

    QUEUED = "queued"
    CLAIMED = "claimed"
    WORKING = "working"
    BLOCKED = "blocked"
    RETURNED = "returned"
    FAILED = "failed"
    CANCELLED = "cancelled"
    OUTCOME_UNKNOWN = "outcome_unknown"


class RuntimeKind(StrEnum):
    """What executes a run. `scripted` is a registered deterministic program: the live path, no model."""

    SCRIPTED = "scripted"


class Grade(StrEnum):
    """How strong a piece of evidence is. `host_oracle`: the host compared, the candidate never saw the answers."""

    HOST_ORACLE = "host_oracle"
    SEALED_OBJECTS = "sealed_objects"


class CheckResult(StrEnum):
    """The outcome of one evidence requirement; `missing` and `unavailable` never pass."""

    PASSED = "passed"
    FAILED = "failed"
    MISSING = "missing"
    UNAVAILABLE = "unavailable"


class PromotionOutcome(StrEnum):
    """What became of one attempt to move a ref; an unobserved outcome is `outcome_unknown`."""

    PROMOTED = "promoted"
    STALE = "stale"
    FAILED = "failed"
    OUTCOME_UNKNOWN = "outcome_unknown"


class PromotionStatus(StrEnum):
    """Where a promotion stands in the ledger."""

    PROPOSED = "proposed"
    AUTHORIZED = "authorized"
    REQUESTED = "requested"
    PROMOTED = "promoted"
    STALE = "stale"
    FAILED = "failed"
    OUTCOME_UNKNOWN = "outcome_unknown"


class KeyRole(StrEnum):
    """One signing key per role; a signature names its role and key id."""

    CHECKPOINT = "checkpoint"
    RUN_AUTHORITY = "run_authority"
    SEALER = "sealer"
    VALIDATOR = "validator"
    PROMOTION_JOURNAL = "promotion_journal"
