"""Operator tokens and promotions on the command line."""

import sys
from typing import Annotated

import typer

from app.cli.desk import owner, studio
from app.cli.output import PRINTER
from app.config.secrets import operator_token
from app.services.access import OWNER
from app.services.studio import Studio
from app.views.answers.answering import promotion_answer
from app.views.answers.records import PromotionAnswer, TokenAnswer
from kernel.errors import NotFoundError, StudioError
from kernel.values.execution import JournalState
from kernel.values.people import OperatorToken
from kernel.vocabulary import Via

_DAY_S = 24 * 3600
Promotion = Annotated[str, typer.Argument(help="Promotion id.")]


def register(app: typer.Typer) -> None:
    """Add these commands."""
    tokens = typer.Typer(help="Bearers of operators; made here only.", no_args_is_help=True)
    tokens.command("new")(new_token)
    tokens.command("list")(list_tokens)
    tokens.command("revoke")(revoke_token)
    operator = typer.Typer(help="Operators.", no_args_is_help=True)
    operator.add_typer(tokens, name="token")
    promotion = typer.Typer(help="Moving a branch.", no_args_is_help=True)
    for name, command in (
        ("propose", propose),
        ("authorize", authorize),
        ("execute", execute),
        ("status", status),
        ("reconcile", reconcile),
    ):
        promotion.command(name)(command)
    app.add_typer(operator, name="operator")
    app.add_typer(promotion, name="promotion")


def new_token(
    name: Annotated[str, typer.Argument(help="What the token is for.")] = "operator",
    person: Annotated[str, typer.Option(help="Who holds it.")] = OWNER,
    days: Annotated[int, typer.Option(min=1, max=365, help="How long it lasts.")] = 30,
) -> None:
    """Make an operator's Bearer. It is shown once."""
    issued = studio().access.issue_operator_token(owner(), person, name, lifetime_s=days * _DAY_S)
    answer = TokenAnswer(
        token_id=issued.id,
        name=name,
        operator=issued.person_id,
        expires_at=issued.expires_at,
        revoked_at=None,
        token=issued.secret,
    )
    PRINTER.aside(f"Token {issued.id}, good until {issued.expires_at}. It is shown this once:")
    PRINTER.answer(answer, issued.secret)


def _token_answer(token: OperatorToken) -> TokenAnswer:
    return TokenAnswer(
        token_id=token.id,
        name=token.name,
        operator=token.person_id,
        expires_at=token.expires_at,
        revoked_at=token.revoked_at,
        token=None,
    )


def list_tokens() -> None:
    """List operator tokens ever made."""
    found = [_token_answer(item) for item in studio().directory.operator_tokens()]
    PRINTER.answer(
        {"tokens": [item.model_dump(mode="json") for item in found]},
        *(f"{item.token_id}  {item.operator}  {item.name}  until {item.expires_at}" for item in found),
    )


def revoke_token(token: Annotated[str, typer.Argument(help="Token id.")]) -> None:
    """Stop a token from working, at once."""
    here = studio()
    here.access.revoke_token(owner(), token)
    found = next((item for item in here.directory.operator_tokens() if item.id == token), None)
    if found is None:
        message = f"there is no operator token {token}"
        raise NotFoundError(message)
    PRINTER.answer(_token_answer(found), f"Revoked {token}")


def _answer(here: Studio, promotion_id: str) -> PromotionAnswer:
    state, record = here.promotions.find(promotion_id)
    journal: JournalState | None
    try:
        journal = here.promotions.status(promotion_id)
    except StudioError:
        journal = None
    return promotion_answer(state, record, journal)


def _print(here: Studio, promotion_id: str, *more: str) -> None:
    answer = _answer(here, promotion_id)
    line = f"{answer.target_ref}: {answer.base_commit[:12]} -> {answer.candidate_commit[:12]}"
    lines = [f"Promotion {promotion_id}: {answer.status}", f"  {line}"]
    if answer.detail:
        lines.append(f"  {answer.code}: {answer.detail}")
    PRINTER.answer(answer, *lines, *more)


def propose(delta: Annotated[str, typer.Argument(help="Integrated reconciliation.")]) -> None:
    """Offer an integrated result to an operator."""
    here = studio()
    record = here.promotions.propose(owner(here.desk.ledger_of(delta)), delta)
    promotion_id = record.body.promotion_id
    _print(here, promotion_id, f"Ask for it: odeu promotion authorize {promotion_id}")


def authorize(promotion: Promotion) -> None:
    """Ask the operator to go ahead; reserves the head for an hour."""
    here = studio()
    state, _record = here.promotions.find(promotion)
    here.promotions.authorize(
        owner(state.ledger), promotion, expected_revision=state.revision, seen=here.promotions.seen(promotion)
    )
    _print(here, promotion, f"An operator moves it: odeu promotion execute {promotion}")


def _operator(here: Studio) -> str:
    secret = operator_token() or sys.stdin.readline().strip()
    return here.access.operator(secret, here.clock.now()).person_id


def execute(promotion: Promotion) -> None:
    """Move the branch, once. The token comes from ODEU_OPERATOR_TOKEN or standard input."""
    here = studio()
    caller = here.access.operator_caller(_operator(here), Via.CLI)
    here.promotions.execute(caller, promotion, "cli")
    _print(here, promotion)
    if here.promotions.find(promotion)[1].status.value != "promoted":
        raise SystemExit(4)


def status(promotion: Promotion) -> None:
    """Say what the ledger and the journal say of a promotion, re-verified now."""
    _print(studio(), promotion)


def reconcile(promotion: Promotion) -> None:
    """Record what an unknown outcome turned out to be; the branch is only read."""
    here = studio()
    caller = here.access.operator_caller(_operator(here), Via.CLI)
    here.promotions.reconcile(caller, promotion, "cli")
    _print(here, promotion)
