"""The tour: the whole path once, on a fresh sandbox, through the same services as the pages."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from app import bootstrap
from app.cli.desk import accept
from app.cli.output import EXIT_FOUND_WRONG, PRINTER
from app.config.settings import Settings, read_settings
from app.services.access import OWNER
from app.services.desk import Caller
from app.services.studio import Studio
from app.views.answers.answering import capture_answer, run_answer, validation_answer
from kernel.errors import EvidenceError, RefusedError
from kernel.ids import revision_id
from kernel.state import State
from kernel.vocabulary import Via

Until = Literal["brief", "candidate", "end"]
_PROFILE: Final = "paint-tins"
_TOURS_MAX: Final = 1000


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command("tour")(tour)


@dataclass
class Tour:
    """What the tour knows so far. Every step prints one object and leaves what the next one needs."""

    studio: Studio
    began: float = field(default_factory=time.monotonic)
    project_id: str = ""
    ids: dict[str, str] = field(default_factory=dict)

    @property
    def me(self) -> Caller:
        """Return the owner as an actor in the tour's project."""
        ledger = self.project_id or self.studio.world_id
        return self.studio.access.caller(ledger, OWNER, Via.CLI)

    def say(self, step: str, sentence: str, **facts: object) -> None:
        """Print one step."""
        elapsed = int((time.monotonic() - self.began) * 1000)
        PRINTER.answer(
            {"step": step, "sentence": sentence, "elapsed_ms": elapsed, **facts}, f"{step:<12} {sentence}"
        )


def tour(
    until: Annotated[str, typer.Option(help="Stop after: brief, candidate or end.")] = "end",
    keep: Annotated[
        bool, typer.Option(help="Work in ODEU_DATA and leave it; a later tour gets a data folder in tours/.")
    ] = False,
) -> None:
    """Walk the whole path once, from a sentence to a moved branch, and verify it."""
    if until not in {"brief", "candidate", "end"}:
        message = f"the tour stops at brief, candidate or end, not at {until!r}"
        raise RefusedError(message)
    os.umask(0o077)
    if keep:
        _walk(_untouched(read_settings()), until)
        return
    folder = Path(tempfile.mkdtemp(prefix="odeu-tour-"))
    try:
        # Others may pass through the parent, so that a dropped user reaches its run folder in it.
        folder.chmod(0o711)
        _walk(Settings(data=folder / "data", database_url="", config=""), until)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _untouched(settings: Settings) -> Settings:
    """Return settings of a data folder in which nobody promoted the sandbox project yet.

    Its worker changes the one file that it knows, so its branch can be moved once. The next kept tour is an
    installation of its own under `tours/`, with its own keys and its own history.
    """
    if not bootstrap.exists(settings) or not _has_promoted(settings):
        return settings
    for number in range(1, _TOURS_MAX):
        folder = settings.data_folder / "tours" / str(number)
        later = Settings(data=folder, database_url="", config="")
        if not bootstrap.exists(later) or not _has_promoted(later):
            return later
    message = f"there are {_TOURS_MAX - 1} tours in {settings.data_folder / 'tours'}; delete old ones"
    raise RefusedError(message, code="tour_already_done")


def _has_promoted(settings: Settings) -> bool:
    bootstrap.create_installation(settings)  # an older one is migrated before it is asked
    here = bootstrap.open_studio(settings)
    repositories = {
        item.contract.repository_id for item in here.registry.profiles if item.contract.profile_id == _PROFILE
    }
    return any(
        record.body.repository_id in repositories and record.authorization is not None
        for state in here.projects.seen_by(OWNER)
        for record in state.promotions.rows()
    )


def _walk(settings: Settings, until: str) -> None:
    bootstrap.create_installation(settings)
    bootstrap.install_sandbox(settings)
    walk = Tour(bootstrap.open_studio(settings))
    steps: dict[str, tuple[Callable[[Tour], None], ...]] = {
        "brief": (_open, _capture, _accept, _brief),
        "candidate": (_run,),
        "end": (_validate, _reconcile, _integrate, _promote, _audit),
    }
    for stage, functions in steps.items():
        for step in functions:
            step(walk)
        if stage == until:
            return


def _open(walk: Tour) -> None:
    title, outline, _sentence = bootstrap.sandbox_texts()
    here = walk.studio
    unused = _unused(here, title)
    if unused is not None:
        walk.project_id = unused.ledger
        sentence = f"Took {title}, which nobody has worked in yet, at revision {unused.revision}"
        revision = revision_id(unused.ledger, unused.revision, unused.state_root)
        delta_id = unused.deltas.keys()[0]
        walk.say(
            "open",
            sentence,
            project_id=unused.ledger,
            delta_id=delta_id,
            revision_id=revision,
            data=str(here.settings.data_folder),
        )
        return
    opened = here.projects.open(walk.me, title)
    walk.project_id = opened
    imported = here.projects.import_outline(opened, walk.me, outline)
    done = accept(here, walk.me, imported.delta_id)
    sentence = (
        f"Opened {title} and accepted {imported.nodes} nodes from an outline as revision {done.revision}"
    )
    walk.say("open", sentence, project_id=opened, delta_id=imported.delta_id, revision_id=done.revision_id)


def _unused(here: Studio, title: str) -> State | None:
    """Return the seeded project while it holds its outline and nothing else, so that it is not made twice."""
    for state in here.projects.seen_by(OWNER):
        is_titled = state.title is not None and state.title.or_erased() == title
        holds_outline = state.revision == 1 and len(state.deltas.keys()) == len(state.sources.keys()) == 1
        if is_titled and holds_outline and state.archived is None:
            return state
    return None


def _capture(walk: Tour) -> None:
    _title, _outline, sentence = bootstrap.sandbox_texts()
    here = walk.studio
    done = here.placements.capture(walk.project_id, walk.me, sentence)
    answer = capture_answer(
        here.desk.state(walk.project_id),
        done.source_id,
        done.exchange_id,
        delta_id=done.delta_id,
        failure=done.failure,
    )
    if done.delta_id is None or answer.proposed is None or answer.proposed.parent is None:
        message = f"the sentence was kept and found no place: {done.question or done.failure}"
        raise RefusedError(message)
    walk.ids.update(source_id=done.source_id, delta_id=done.delta_id)
    said = f"“{sentence}” fits as a {answer.proposed.kind} under {answer.proposed.parent.title}"
    walk.say("capture", said, **answer.model_dump(mode="json"))


def _accept(walk: Tour) -> None:
    done = accept(walk.studio, walk.me, walk.ids["delta_id"])
    walk.ids["node_id"] = done.node_ids[0]
    walk.say("accept", f"Accepted as revision {done.revision}", **done.model_dump(mode="json"))


def _brief(walk: Tour) -> None:
    record = walk.studio.briefs.compile(walk.project_id, walk.me, walk.ids["node_id"], _PROFILE)
    body = record.body
    walk.ids["brief_id"] = body.brief_id
    said = f"The brief shares {len(body.shared)} nodes and withholds {len(body.omitted)}, each with a reason"
    walk.say("brief", said, brief_id=body.brief_id, node_id=body.node_id, digest=body.payload_digest)


def _run(walk: Tour) -> None:
    here = walk.studio
    run_id = here.runs.authorize(walk.me, walk.ids["brief_id"]).body.run_id
    walk.say("authorize", "One run is allowed, to start within minutes", run_id=run_id)
    here.queue.drain(lambda job: job.id == run_id)
    state, run = here.runs.find(run_id)
    answer = run_answer(state, run)
    if answer.closure_id is None or answer.candidate_id is None:
        message = f"the run ended as {answer.status}: {answer.detail}"
        raise RefusedError(message)
    walk.ids.update(run_id=run_id, closure_id=answer.closure_id, candidate_id=answer.candidate_id)
    commit = state.candidates[answer.candidate_id].body.candidate.commit
    walk.ids["commit"] = commit
    said = f"The worker returned; its changes are sealed as {commit[:12]}"
    walk.say("candidate", said, commit=commit, **answer.model_dump(mode="json"))


def _validate(walk: Tour) -> None:
    here = walk.studio
    exchange_id = here.evidence.request(walk.me, walk.ids["closure_id"])
    here.queue.drain(lambda job: job.id == exchange_id)
    answer = validation_answer(here.desk.state(walk.project_id), exchange_id)
    if not answer.passed:
        failed = [
            f"{item.requirement_id}: {item.detail}" for item in answer.checks if item.result != "passed"
        ]
        message = "the evidence does not pass: " + "; ".join(failed or [answer.reason or answer.status])
        raise EvidenceError(message)
    passed = sum(item.result == "passed" for item in answer.checks)
    said = f"{passed} of {len(answer.checks)} requirements passed; the answers never left the host"
    walk.say("validate", said, **answer.model_dump(mode="json"))


def _reconcile(walk: Tour) -> None:
    delta_id = walk.studio.evidence.reconcile(walk.me, walk.ids["closure_id"])
    walk.ids["reconciliation"] = delta_id
    walk.say("reconcile", "The result waits for a human yes", delta_id=delta_id)


def _integrate(walk: Tour) -> None:
    done = accept(walk.studio, walk.me, walk.ids["reconciliation"])
    node = walk.studio.desk.state(walk.project_id).tables.nodes[walk.ids["node_id"]]
    said = f"Integrated as revision {done.revision}: the task is {node.phase.value} and {node.verification.value}"
    walk.say("integrate", said, **done.model_dump(mode="json"))


def _promote(walk: Tour) -> None:
    here = walk.studio
    promotion_id = here.promotions.propose(walk.me, walk.ids["reconciliation"]).body.promotion_id
    revision = here.desk.state(walk.project_id).revision
    seen = here.promotions.seen(promotion_id)
    here.promotions.authorize(walk.me, promotion_id, expected_revision=revision, seen=seen)
    walk.say("authorise", "The head is reserved for the operator", promotion_id=promotion_id)
    issued = here.access.issue_operator_token(
        here.access.caller(here.world_id, OWNER, Via.CLI), OWNER, "tour", lifetime_s=600
    )
    holder = here.access.operator(issued.secret, here.clock.now())
    record = here.promotions.execute(
        here.access.operator_caller(holder.person_id, Via.CLI), promotion_id, "cli"
    )
    here.access.revoke_token(here.access.caller(here.world_id, OWNER, Via.CLI), issued.id)
    code = None if record.outcome is None else record.outcome.code
    said = f"{record.body.target_ref}: {record.status.value} ({code})"
    walk.say("promote", said, promotion_id=promotion_id, status=record.status.value, code=code)


def _audit(walk: Tour) -> None:
    here = walk.studio
    verdict = here.audits.commit(walk.ids["commit"])
    record = here.promotions.find(verdict.promotion_id)[1]
    place = here.registry.repository(record.body.repository_id)
    on_branch = bootstrap.branch_by_plain_git(place.path, record.body.target_ref)
    links = [{"name": item.name, "standing": item.standing, "detail": item.detail} for item in verdict.links]
    holds = verdict.holds and on_branch == walk.ids["commit"]
    said = "Every link from the sentence to the branch holds" if holds else "The chain does not hold"
    walk.say("audit", said, holds=holds, commit=walk.ids["commit"], branch=on_branch, links=links)
    if not holds:
        raise SystemExit(EXIT_FOUND_WRONG)
