# ruff: noqa: RUF001 - the words are typeset
"""The acts of a work thread as forms, with what each does and does not do, and why one is not possible now."""

from dataclasses import replace
from typing import Final

from app.views.moments import moment
from app.views.parts import Link
from app.views.work.parts import Act
from app.views.work.sight import View, branch_words
from kernel.projections.threads import WorkAct

ONE_RUN: Final = "One run, once. It works in a copy; your branch and your worldstate stay as they are."
ONLY_LOOK: Final = "You may look here and not act."


def compile_act(view: View, label: str = "Compile the brief") -> Act:
    """Return the act that compiles a brief, and say whether it first records a profile on the task."""
    node = view.thread.node
    says = "Writes down what a worker would see. No run starts."
    if node is not None and node.profile_id is None:
        says = "Records the profile on the task as a revision, then writes down what a worker would see. No run starts."
    return view.act(WorkAct.COMPILE, label, "file-text", says)


def brief_again(view: View) -> Act:
    """Return the act that briefs the task anew under the profile it has."""
    act = compile_act(view, "Brief this task again")
    node = view.thread.node
    profile_id = None if node is None else node.profile_id
    return replace(act, fields=(("profile_id", profile_id),)) if profile_id else act


def choose_again(view: View, text: str = "Choose another profile") -> tuple[Link, ...]:
    """Return the way to another profile, when a brief may be compiled."""
    if not view.offers(WorkAct.COMPILE):
        return ()
    return (Link(text, f"{view.here}?choose=1", "pencil"),)


def brief_field(view: View) -> tuple[tuple[str, str], ...]:
    """Return the hidden field that names the current brief."""
    brief = view.thread.trail.brief
    return () if brief is None else (("brief_id", brief.body.brief_id),)


def moved_words(view: View) -> str:
    """Return why the branch read just now keeps a run from being authorised; empty when it does not."""
    brief, branch = view.thread.trail.brief, view.sight.branch
    if brief is None or branch is None:
        return ""
    ref = branch_words(brief.body.terms.target_ref)
    if branch.commit is None:
        return f"{ref} cannot be read: {branch.problem}"
    if branch.commit != brief.body.base_commit:
        return f"{ref} moved since the brief was compiled. Brief the task again."
    return ""


def validate_act(view: View, label: str) -> Act:
    """Return the act that asks for a validation of the current candidate."""
    says = "Runs the checks on the sealed files, in a sandbox. The worker’s words are not evidence."
    closure = view.thread.trail.closure
    assert closure is not None
    act = view.act(WorkAct.VALIDATE, label, "scale", says)
    return replace(act, fields=(("closure_id", closure.body.closure_id),))


def propose_act(view: View, label: str) -> Act:
    """Return the act that offers the integrated result to an operator."""
    record = view.thread.trail.reconciliation
    assert record is not None
    says = "Writes down exactly what would move. Nothing moves."
    act = view.act(WorkAct.PROPOSE, label, "rocket", says)
    return replace(act, fields=(("delta_id", record.body.delta_id),))


def why_not(view: View) -> str:
    """Return why the head cannot take an acceptance now."""
    holder = view.thread.reserved_by
    if holder is None:
        return "A gate is not open any more. Reject it and brief the task again."
    if holder.authorization is not None and holder.requested is None:
        until = moment(holder.authorization.reserved_until).text
        return f"Another promotion reserves the worldstate until {until}."
    return "Another promotion is under way; wait for its outcome."
