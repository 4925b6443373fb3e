"""Verification on the command line."""

from typing import Annotated

import typer

from app.cli.desk import project_id, studio
from app.cli.output import EXIT_FOUND_WRONG, PRINTER
from app.views.answers.records import AuditAnswer, LinkAnswer, VerifyAnswer


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("verify")(verify)
    app.command("audit")(audit)


def verify(
    project: Annotated[str | None, typer.Option("--project", "-p", help="Project; all by default.")] = None,
    strict: Annotated[bool, typer.Option(help="Re-admit every event and verify every receipt.")] = False,
) -> None:
    """Re-read ledgers: leaves, tree, checkpoints, texts. Exits 3 when something does not fit."""
    here = studio()
    ledgers = [project_id(project)] if project else here.desk.ledger.ledgers()
    verdicts = [here.audits.verify(ledger, strict=strict) for ledger in ledgers]
    answers = [
        VerifyAnswer(ledger_id=item.ledger_id, size=item.size, root=item.root, problems=item.problems)
        for item in verdicts
    ]
    wrong = any(item.problems for item in answers)
    lines = []
    for item in answers:
        lines.append(f"{item.ledger_id}: {item.size} events, root {item.root[:16]}")
        lines.extend(f"  wrong: {problem}" for problem in item.problems)
    PRINTER.answer(
        {
            "strict": strict,
            "verified": not wrong,
            "ledgers": [item.model_dump(mode="json") for item in answers],
        },
        *lines,
    )
    if wrong:
        raise SystemExit(EXIT_FOUND_WRONG)


def audit(commit: Annotated[str, typer.Argument(help="The full commit id on the branch.")]) -> None:
    """Say link by link why a commit was allowed, from the words to the branch. Exits 3 unless all pass."""
    verdict = studio().audits.commit(commit)
    answer = AuditAnswer(
        commit=verdict.commit,
        promotion_id=verdict.promotion_id,
        project_id=verdict.ledger_id,
        holds=verdict.holds,
        links=tuple(
            LinkAnswer(name=item.name, standing=item.standing, detail=item.detail) for item in verdict.links
        ),
    )
    PRINTER.answer(answer, *(f"{item.standing:<8} {item.name:<14} {item.detail}" for item in answer.links))
    if not verdict.holds:
        raise SystemExit(EXIT_FOUND_WRONG)
