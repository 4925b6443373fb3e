"""A machine that cannot confine code: nothing is allowed, nothing is claimed, and the reason says the way out."""

from dataclasses import replace
from pathlib import Path

import pytest

from adapters.sandbox.bubblewrap import Bubblewrap
from app.bootstrap import open_studio
from kernel.errors import SandboxUnavailableError
from kernel.vocabulary import RunStatus
from tests.support.recipe import install_library, library_texts
from tests.support.walk import Walk


def test_no_run_is_allowed_or_claimed_without_confinement(tmp_path: Path) -> None:
    """Authorising is refused and writes nothing; a run allowed before ends as failed without ever being claimed."""
    studio = open_studio(install_library(tmp_path / "data"))
    missing = Bubblewrap("/usr/bin/no-such-program")
    walk = Walk(studio, library_texts())
    walk.until("compile_brief")
    walk.compile_brief()
    (brief_id,) = walk.state.briefs.keys()
    before = walk.state.seq
    with pytest.raises(SandboxUnavailableError) as refused:
        replace(studio.runs, sandbox=missing).authorize(walk.owner, brief_id)
    assert refused.value.message == (
        "nothing runs here: this machine cannot confine code. Missing: bubblewrap (install the package bubblewrap). "
        "`odeu doctor` says how to get it"
    )
    assert walk.state.seq == before

    run_id = studio.runs.authorize(walk.owner, brief_id).body.run_id
    replace(studio.queue.execution, sandbox=missing).perform(walk.project_id, run_id, lambda: False)
    (run,) = walk.runs()
    assert (run.status, run.claimed, run.code) == (RunStatus.FAILED, None, "sandbox_unavailable")
    assert run.detail is not None
    assert run.detail.or_erased() == refused.value.message
