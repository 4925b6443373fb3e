"""A work thread in every state it can be in: what the pattern page and the tests render."""

from app.views.work.example_results import result_threads
from app.views.work.example_runs import run_threads
from app.views.work.thread import WorkThread


def threads() -> dict[str, WorkThread]:
    """Return every state of a thread by name, in the order of the stages."""
    return {**run_threads(), **result_threads()}
