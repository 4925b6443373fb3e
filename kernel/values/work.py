"""Delegation profiles and the contract a brief carries.

A profile is configuration written by the host's owner. Selecting one on a Task is a proposal a person
accepts; its id is not authority. A contract is the profile's part that a brief repeats and gates re-check.
"""

from typing import Literal

from kernel.values.recorded import Recorded
from kernel.vocabulary import CheckResult, Grade, NodeKind, RuntimeKind


class RequirementTerm(Recorded):
    """The structure of one evidence requirement, without its words: what gates re-check."""

    id: str
    """Its name within the contract."""
    kind: Literal["oracle", "artifact"]
    """`oracle`: the validator's host-compared cases; `artifact`: `path` exists in the sealed tree and was changed."""
    validator_id: str | None = None
    """The validator that judges it, for an oracle."""
    path: str | None = None
    """The path that must be there, for an artifact."""
    grade: Grade
    """How strong the evidence must be."""
    required: bool
    """Whether integration needs it."""


class Requirement(RequirementTerm):
    """One thing that must be shown before work counts as verified, with the sentence people read."""

    label: str


class Terms(Recorded):
    """The structure of a contract that an event keeps in the clear; the words stand in the brief's payload."""

    profile_id: str
    """The delegation profile."""
    profile_version: int
    """Its version."""
    profile_digest: str
    """Digest of the profile as configured."""
    repository_id: str
    """The configured repository."""
    target_ref: str
    """The branch the work is for."""
    allowed_paths: tuple[str, ...]
    """What the run may change: paths, or folders ending in `/`."""
    expected_artifacts: tuple[str, ...]
    """Paths of which at least one must be changed."""
    requirements: tuple[RequirementTerm, ...]
    """What must be shown."""
    block_integration: bool
    """Whether unmet evidence blocks integration."""


class Contract(Recorded):
    """What a run must do and may do; equal to the profile at `profile_digest`."""

    profile_id: str
    profile_version: int
    profile_digest: str
    goal: str
    done_means: tuple[str, ...]
    constraints: tuple[str, ...]
    allowed_actions: tuple[str, ...]
    denied_actions: tuple[str, ...]
    confirm_actions: tuple[str, ...]
    repository_id: str
    target_ref: str
    allowed_paths: tuple[str, ...]
    """Exact paths, or folders ending in `/`, that the run may change."""
    expected_artifacts: tuple[str, ...]
    requirements: tuple[Requirement, ...]
    block_integration: bool
    """True when unmet required evidence blocks integration."""


class Profile(Recorded):
    """A delegation profile as configured: the contract, which tasks it fits and which runtimes may take it."""

    contract: Contract
    title: str
    target_kinds: tuple[NodeKind, ...]
    runtime_ids: tuple[str, ...]


class RuntimeFacts(Recorded):
    """A configured runtime as the ledger and the pages know it; no path, no command."""

    id: str
    kind: RuntimeKind
    label: str
    """What it is, truthfully, such as `Scripted worker (no model)`."""
    digest: str
    deadline_s: int
    available: bool
    reason: str | None = None
    """Why it is unavailable."""


class SharedNode(Recorded):
    """A node a brief shares: its digest then, and the need that put it there."""

    node_id: str
    """The node."""
    digest: str
    """Digest of the node as it was shared."""
    reason: Literal[
        "target", "ancestor", "goal", "constraint", "decision", "dependency", "artifact", "evidence"
    ]
    """Why the task needs it."""


class OmittedNode(Recorded):
    """A node a brief withholds, and why; kept by the owner, never sent."""

    node_id: str
    """The node."""
    reason: Literal["private", "out_of_scope", "over_budget"]
    """Why the worker does not get to know it."""


class ManifestEntry(Recorded):
    """One changed path of a candidate. Modes are `100644` or `100755`; blobs are hex object ids."""

    path: str
    """The path, relative to the tree."""
    status: Literal["added", "modified", "deleted"]
    """What happened to it."""
    old_mode: str | None
    """Its mode before; none when added."""
    new_mode: str | None
    """Its mode now; none when deleted."""
    old_blob: str | None
    """Its content before."""
    new_blob: str | None
    """Its content now."""


class CandidateFacts(Recorded):
    """A sealed candidate: one deterministic single-parent commit, kept under its own ref."""

    candidate_id: str
    """The candidate."""
    repository_id: str
    """The configured repository that keeps it."""
    target_ref: str
    """The branch it is meant for."""
    object_format: Literal["sha1", "sha256"]
    """The repository's hash."""
    base_commit: str
    """Its one parent."""
    base_tree: str
    """The parent's tree."""
    commit: str
    """The sealed commit."""
    tree: str
    """The sealed tree."""
    ref: str
    """`refs/odeu/candidates/<candidate id>`."""
    manifest: tuple[ManifestEntry, ...]
    """Sorted by path bytes, unique, at least one."""
    manifest_digest: str
    """Digest of the manifest."""
    patch_digest: str
    """Digest of the binary patch."""
    patch_bytes: int
    """Length of the binary patch in bytes."""


class Claim(Recorded):
    """One sentence the worker says about its own work: reported, not observed."""

    text: str


class Observation(Recorded):
    """One fact the host saw itself: a command's exit, a changed path, a limit hit."""

    kind: Literal["exit", "files", "output", "limit", "timing"]
    text: str


class CheckFacts(Recorded):
    """The result of one requirement."""

    requirement_id: str
    result: CheckResult
    grade: Grade
    cases_total: int
    cases_passed: int
    reason: str
    """A code such as `ok`, `wrong_answer`, `crashed`, `timed_out`, `output_limit`, `bad_answer`, `not_changed`."""
    detail: str
    """One sentence for a person; never an expected value."""


class IsolationFact(Recorded):
    """One fact about how code was confined, such as `network: none` or `memory_sum: watched at 512 MiB`."""

    name: str
    """What was confined."""
    value: str
    """How."""
    enforced: bool
    """False when the machine could not grant it; shown as such."""


class Envelope(Recorded):
    """A DSSE envelope: base64 payload of an in-toto Statement and its signatures."""

    payload_type: str
    """What the payload is, as a media type."""
    payload: str
    """The signed statement, base64."""
    signatures: tuple["Signature", ...]
    """Who signed it."""


class Signature(Recorded):
    """One Ed25519 signature (base64) and the id of the key that made it."""

    key_id: str
    """The key."""
    signature: str
    """The signature, base64."""


Envelope.model_rebuild()
