"""Reading the proof of one node and judging it with public keys alone: no database, server or network.

The kernel follows the chain from the node to the log's head (`kernel/provenance`); here the head is read from the
checkpoint, and the checkpoint compared with what the reader keeps.
"""

from pathlib import Path
from typing import Final

from pydantic import ValidationError

from adapters.bundles.notes import signers, stated
from adapters.bundles.trust import Trust, Verdict, Verdicts
from kernel.canonical import parse_foreign, part_bytes
from kernel.errors import CanonicalError, InvalidError, StudioError
from kernel.merkle import LogHead
from kernel.provenance.node_proof import FORMAT, NodeProof, proof_problems

_BYTES_MAX: Final = 4 * 1024 * 1024


def read_proof(path: Path) -> NodeProof:
    """Return the proof in a file.

    Raises: InvalidError when the file cannot be read or is none.
    """
    try:
        record = parse_foreign(path.read_bytes(), max_bytes=_BYTES_MAX)
        return NodeProof.model_validate_json(part_bytes(record))
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}"
        raise InvalidError(message, code="proof_invalid") from error
    except (CanonicalError, ValidationError, TypeError) as error:
        message = f"{path} is no proof of the form {FORMAT}: {error}"
        raise InvalidError(message, code="proof_invalid") from error


def judge_proof(proof: NodeProof, trust: Trust | None) -> Verdicts:
    """Return the three verdicts about a proof; without trust the last two were not asked."""
    asked = trust or Trust((), ())
    try:
        origin, head = stated(proof.log.checkpoint)
    except StudioError as error:
        nothing = Verdict("failed", error.message)
        return Verdicts(nothing, nothing, nothing)
    problems = list(proof_problems(proof, head))
    if not origin.endswith(f"/{proof.ledger}"):
        problems.append("the checkpoint is of another ledger")
    consistent = Verdict("passed", f"it leads to a log of {head.size} events, root {head.root.hex()[:16]}")
    if problems:
        consistent = Verdict("failed", "; ".join(problems))
    return Verdicts(consistent, _signed(proof, asked), _known(origin, head, asked))


def _signed(proof: NodeProof, trust: Trust) -> Verdict:
    if not trust.keys:
        return Verdict("not_asked", "no key is pinned")
    try:
        if signers(proof.log.checkpoint, trust.keys):
            return Verdict("passed", "a pinned key signed the head that the proof leads to")
    except StudioError as error:
        return Verdict("failed", error.message)
    return Verdict("failed", "no pinned key signed the head that the proof leads to")


def _known(origin: str, head: LogHead, trust: Trust) -> Verdict:
    known = [said for name, said in map(stated, trust.checkpoints) if name == origin]
    if trust.checkpoints and not known:
        return Verdict("failed", "no known checkpoint is of this ledger")
    same = [said for said in known if said.size == head.size]
    if any(said != head for said in same):
        return Verdict("failed", f"the log of {head.size} events that is known has another root")
    if same:
        return Verdict("passed", "the proof leads to a known checkpoint")
    return Verdict(
        "not_asked", "no checkpoint of this size is known; only a consistency proof joins two sizes"
    )
