"""Briefs, runs, candidates and evidence on the command line."""

import time
from typing import Annotated

import typer

from app.cli.desk import owner, project_id, studio
from app.cli.output import EXIT_FOUND_WRONG, PRINTER
from app.services.evidence import closure_of
from app.services.queue import Job
from app.services.studio import Studio
from app.views.answers.answering import (
    brief_answer,
    candidate_answer,
    proposal_answer,
    run_answer,
    validation_answer,
)
from app.views.answers.records import RunAnswer, ValidationAnswer
from kernel.errors import NotFoundError
from kernel.state import CandidateRecord, State

NoWait = Annotated[bool, typer.Option("--no-wait", help="Only queue the work; a worker does it.")]
_POLL_S = 0.1


def register(app: typer.Typer) -> None:
    """Add these commands."""
    briefs = typer.Typer(help="Least-context briefs.", no_args_is_help=True)
    briefs.command("compile")(compile_brief)
    runs = typer.Typer(help="Authorised runs.", no_args_is_help=True)
    runs.command("authorize")(authorize)
    runs.command("status")(status)
    runs.command("cancel")(cancel)
    candidates = typer.Typer(help="Sealed candidates.", no_args_is_help=True)
    candidates.command("show")(show_candidate)
    candidates.command("verify")(verify_candidate)
    app.add_typer(briefs, name="brief")
    app.add_typer(runs, name="run")
    app.add_typer(candidates, name="candidate")
    app.command("validate")(validate)
    app.command("reconcile")(reconcile)
    app.command("integrate")(integrate)


def compile_brief(
    project: Annotated[str, typer.Option("--project", "-p", help="Project id or exact title.")],
    task: Annotated[str, typer.Option(help="The accepted Task.")],
    profile: Annotated[
        str | None, typer.Option(help="Delegation profile; naming one selects it on the task.")
    ] = None,
) -> None:
    """Compile the least context for a task. It grants nothing."""
    ledger = project_id(project)
    record = studio().briefs.compile(ledger, owner(ledger), task, profile)
    answer = brief_answer(ledger, record)
    PRINTER.answer(
        answer,
        f"Brief {answer.brief_id}: {len(answer.shared)} shared, {len(answer.withheld)} withheld",
        *(f"  shares {node_id} because it is the task's {why}" for node_id, why in answer.shared),
        f"Allow a run: odeu run authorize {answer.brief_id}",
    )


def authorize(
    brief: Annotated[str, typer.Argument(help="Brief id.")],
    runtime: Annotated[str | None, typer.Option(help="Runtime; the profile's first by default.")] = None,
    no_wait: NoWait = False,
) -> None:
    """Allow exactly one run of a brief and do it, unless another process is the worker."""
    here = studio()
    run = here.runs.authorize(owner(here.desk.ledger_of(brief)), brief, runtime)
    run_id = run.body.run_id
    if not no_wait:
        _do(here, lambda job: job.id == run_id)
        _wait_for_run(here, run_id)
    state, run = here.runs.find(run_id)
    answer = run_answer(state, run)
    PRINTER.answer(answer, *_run_lines(answer))


def _do(here: Studio, wanted: object) -> None:
    assert callable(wanted)

    def is_wanted(job: Job) -> bool:
        return bool(wanted(job))

    here.queue.drain(is_wanted)


def _wait_for_run(here: Studio, run_id: str) -> None:
    """Wait while the worker that has the lock does the run."""
    while True:
        _state, run = here.runs.find(run_id)
        if run.ended is not None:
            return
        if here.queue.drain(lambda job: job.id == run_id):
            return
        time.sleep(_POLL_S)


def _run_lines(answer: RunAnswer) -> list[str]:
    lines = [f"Run {answer.run_id}: {answer.status}", *(f"  {line}" for line in answer.progress)]
    if answer.detail:
        lines.append(f"  {answer.code}: {answer.detail}")
    if answer.closure_id:
        lines.append(f"  candidate {answer.candidate_id}")
        lines.append(f"Check it: odeu validate {answer.closure_id}")
    return lines


def status(run: Annotated[str, typer.Argument(help="Run id.")]) -> None:
    """Say where a run stands."""
    state, record = studio().runs.find(run)
    answer = run_answer(state, record)
    PRINTER.answer(answer, *_run_lines(answer))


def cancel(
    run: Annotated[str, typer.Argument(help="Run id.")],
    reason: Annotated[str | None, typer.Option(help="Why, in your words.")] = None,
) -> None:
    """Withdraw a run that no worker has begun."""
    here = studio()
    record = here.runs.cancel(owner(here.desk.ledger_of(run)), run, reason)
    answer = run_answer(here.desk.state(here.desk.ledger_of(run)), record)
    PRINTER.answer(answer, *_run_lines(answer))


def _candidate(candidate_id: str) -> tuple[State, CandidateRecord]:
    here = studio()
    state = here.desk.state(here.desk.ledger_of(candidate_id))
    record = state.candidates.get(candidate_id)
    if record is None:
        message = f"there is no candidate {candidate_id}"
        raise NotFoundError(message)
    return state, record


def show_candidate(candidate: Annotated[str, typer.Argument(help="Candidate id.")]) -> None:
    """Show what was sealed."""
    state, record = _candidate(candidate)
    answer = candidate_answer(state, record)
    PRINTER.answer(
        answer,
        f"{answer.candidate_id}: {answer.commit} on {answer.base_commit[:12]} for {answer.target_ref}",
        *(f"  {status} {path}" for status, path in answer.paths),
    )


def verify_candidate(candidate: Annotated[str, typer.Argument(help="Candidate id.")]) -> None:
    """Recompute a candidate from raw Git objects, independently of the sealer."""
    here = studio()
    state, record = _candidate(candidate)
    facts = record.body.candidate
    place = here.registry.repository(facts.repository_id)
    found = (
        *here.repositories.verify_candidate(place, facts, expect_target_base=False),
        *here.evidence.receipt_problems(record),
    )
    PRINTER.answer(
        candidate_answer(state, record, found), *(found or ("The candidate is exactly what was sealed.",))
    )
    if found:
        raise SystemExit(EXIT_FOUND_WRONG)


def validate(
    closure: Annotated[str, typer.Argument(help="Closure id.")],
    no_wait: NoWait = False,
) -> None:
    """Have an independent validator look at the sealed candidate."""
    here = studio()
    ledger = here.desk.ledger_of(closure)
    exchange_id = here.evidence.request(owner(ledger), closure)
    while not no_wait and here.desk.state(ledger).exchanges[exchange_id].status == "requested":
        if not here.queue.drain(lambda job: job.id == exchange_id):
            time.sleep(_POLL_S)
    answer = validation_answer(here.desk.state(ledger), exchange_id)
    PRINTER.answer(answer, *_validation_lines(answer))


def _validation_lines(answer: ValidationAnswer) -> list[str]:
    lines = [f"Validation {answer.validation_id or answer.exchange_id}: {answer.status}"]
    lines.extend(
        f"  {item.requirement_id}: {item.result}, {item.cases_passed} of {item.cases_total}, {item.detail}"
        for item in answer.checks
    )
    if answer.reason:
        lines.append(f"  {answer.reason}")
    if answer.passed:
        lines.append(f"Offer the result: odeu reconcile {answer.closure_id}")
    return lines


def reconcile(
    closure: Annotated[str, typer.Argument(help="Closure id.")],
    validation: Annotated[str | None, typer.Option(help="Validation; the latest by default.")] = None,
) -> None:
    """Compile the validated result into a proposal for your yes."""
    here = studio()
    ledger = here.desk.ledger_of(closure)
    closure_of(here.desk.state(ledger), closure)
    delta_id = here.evidence.reconcile(owner(ledger), closure, validation)
    state = here.desk.state(ledger)
    answer = proposal_answer(state, state.deltas[delta_id])
    PRINTER.answer(answer, f"{answer.title}: odeu integrate {delta_id}")


def integrate(delta: Annotated[str, typer.Argument(help="Reconciliation proposal id.")]) -> None:
    """Say yes to a reconciliation: the task becomes completed and verified. No branch moves."""
    from app.cli.reviewing import accept_delta

    here = studio()
    state, record, _seen = here.reviews.shown(delta)
    if record.body.closure_id is None:
        message = f"{delta} is no reconciliation; accept it with `odeu accept`"
        raise NotFoundError(message)
    assert state.ledger
    accept_delta(delta, 0)
