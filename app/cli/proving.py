"""Proofs of single nodes on the command line: made by the owner, verified by anybody."""

import json
from pathlib import Path
from typing import Annotated, Final

import typer

from app import bootstrap
from app.cli.desk import project_id, studio
from app.cli.output import EXIT_FOUND_WRONG, PRINTER
from app.services.access import OWNER
from kernel.canonical import plain
from kernel.provenance.node_proof import NodeProof

EXIT_SELF_CONSISTENT_ONLY: Final = 4
"""What was verified holds together, and nothing was asked about whose it is."""


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("prove")(prove)
    app.command("verify-proof")(verify_proof)


def prove(
    node: Annotated[str, typer.Argument(help="The node's id.")],
    at: Annotated[int | None, typer.Option(min=0, help="A past revision instead of the newest.")] = None,
    project: Annotated[
        str | None,
        typer.Option("--project", "-p", help="Project id, or its exact title; found by the node by default."),
    ] = None,
    without_words: Annotated[
        bool, typer.Option("--without-words", help="Leave the node's texts out; their commitments stay.")
    ] = False,
) -> None:
    """Print the proof that a node stands in a revision, or that it does not; anybody can verify it."""
    here = studio()
    ledger = project_id(project) if project else here.proofs.project_of(node)
    proof = here.proofs.node(ledger, OWNER, node, at=at, with_words=not without_words)
    # In ASCII, so that no text of a node speaks to the terminal, and every byte survives it.
    PRINTER.answer(proof, json.dumps(plain(proof), sort_keys=True, separators=(",", ":")))


def verify_proof(
    file: Annotated[Path, typer.Argument(help="The proof.")],
    trust: Annotated[
        Path | None, typer.Option(help="What you keep: pinned keys and known checkpoints.")
    ] = None,
) -> None:
    """Verify the proof of a node offline. Exits 0 when all that was asked passed, 3 when not, 4 without --trust."""
    proof, verdicts = bootstrap.verify_proof(file, trust)
    print_verdicts(verdicts, _claim(proof), claim={"node": proof.node, "revision": proof.revision})


def _claim(proof: NodeProof) -> str:
    where = f"in revision {proof.revision} of {proof.ledger}"
    if proof.record is None:
        return f"claimed: {proof.node} does not stand {where}"
    texts = {item.commitment: item.text for item in proof.words}
    title = texts.get(str(proof.record.get("title")), "(its title is not shown)")
    return f"claimed: {proof.node} stands {where}: {proof.record.get('kind')}, {title}"


def print_verdicts(verdicts: bootstrap.Verdicts, *said: str, claim: dict[str, object] | None = None) -> None:
    """Print what was claimed and the verdicts about it. Raises: SystemExit unless all that was asked passed."""
    named = {
        "self_consistent": verdicts.self_consistent,
        "signed_by_pinned": verdicts.signed_by_pinned,
        "extends_known": verdicts.extends_known,
    }
    record: dict[str, object] = {
        name: {"standing": item.standing, "detail": item.detail} for name, item in named.items()
    }
    lines = (f"{item.standing:<10} {name}: {item.detail}" for name, item in named.items())
    PRINTER.answer({**(claim or {}), **record}, *said, *lines)
    if not verdicts.holds:
        raise SystemExit(EXIT_FOUND_WRONG)
    if not verdicts.is_trusted:
        raise SystemExit(EXIT_SELF_CONSISTENT_ONLY)
