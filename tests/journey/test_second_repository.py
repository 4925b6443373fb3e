"""The recipe for one's own repository, followed: a project that shares no name with the shipped one."""

import subprocess
from pathlib import Path

from app.bootstrap import open_studio
from kernel.vocabulary import NodeKind
from tests.support.recipe import REPOSITORY, branch, git, install_library, library_texts
from tests.support.walk import Walk


def test_the_recipe_moves_the_branch_of_another_repository(tmp_path: Path) -> None:
    """Other branch, paths, profile, runtime, validator, worker, harness and words: the same path, and it verifies."""
    data = tmp_path / "data"
    studio = open_studio(install_library(data))
    assert studio.registry.problems == ()
    base = branch(data)
    walk = Walk(studio, library_texts())
    walk.until("compile_brief")
    task_id = walk.task_id()
    assert task_id is not None
    assert walk.state.tables.nodes[task_id].kind is NodeKind.TASK
    promoted = walk.to_the_end()
    assert branch(data) == promoted.body.candidate_commit
    assert git(data, "diff", "--name-only", base, branch(data)) == "lending/due.py"
    assert "while due.weekday() in closed" in git(data, "show", f"{branch(data)}:lending/due.py")
    verdict = studio.audits.commit(branch(data))
    assert [(link.name, link.standing) for link in verdict.links if link.standing != "passed"] == []
    assert [run.body.runtime_id for run in walk.runs()] == ["due-date-script"]
    assert not (data / "sandbox").exists()


def test_a_bare_copy_of_an_existing_project_is_accepted(tmp_path: Path) -> None:
    """The other way that the page names: cloned bare from a person's own project, its remote removed."""
    data, copy = tmp_path / "data", tmp_path / "data" / "library" / "copy.git"
    studio = open_studio(install_library(data))
    source = data / REPOSITORY
    command = ["git", "clone", "--quiet", "--bare", "--no-hardlinks", str(source), str(copy)]
    subprocess.run(command, check=True, umask=0o077)
    subprocess.run(["git", "--git-dir", str(copy), "remote", "remove", "origin"], check=True)
    place = studio.registry.repository("town-library")
    copied = type(place)(place.id, str(copy), place.target_refs)
    assert studio.repositories.inspect(copied) == ()
    assert studio.repositories.resolve(copied, "refs/heads/desk").commit == branch(data)
