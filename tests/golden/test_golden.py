"""History stays readable: each event version ever shipped decodes, means the same, and encodes to the same bytes."""

import subprocess
import sys
from pathlib import Path

import pytest

from kernel.events import BODIES
from kernel.events.envelope import event_bytes, openings_of, words_of
from kernel.upcast import STEPS, decode_event
from kernel.values.words import opens
from tests.golden.files import FOLDER, golden_text, path_of, read_golden

FILES = sorted(FOLDER.glob("*.json"))


def test_every_event_has_its_golden_file() -> None:
    """Each version in the catalogue has one, and a version that left the catalogue has a step out of it."""
    named = {path.name.removesuffix(".json") for path in FILES}
    assert named == set(BODIES) | set(STEPS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_golden_event_decodes_and_encodes_to_itself(path: Path) -> None:
    """The bytes give an event whose words open truly, and the event gives the bytes and the file again."""
    data, openings = read_golden(path)
    event = decode_event(data, openings)
    assert event_bytes(event) == data
    assert openings_of(event) == openings
    assert all(opens(words) for words in words_of(event.body))
    assert golden_text(event) == path.read_text("utf-8")


def test_making_golden_files_overwrites_none() -> None:
    """Run again, the maker leaves every file as it is and says nothing."""
    before = {path: path.read_bytes() for path in FILES}
    done = subprocess.run(
        [sys.executable, "-m", "tests.golden.make"], cwd=FOLDER.parents[1], capture_output=True, check=True
    )
    assert (done.stdout, done.stderr) == (b"", b"")
    assert {path: path.read_bytes() for path in FILES} == before
    assert path_of("source.captured.v1") in before
