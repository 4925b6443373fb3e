"""kill -9 at every step of an erasure, through the whole product and on both engines: a start completes it.

The event is durable before the first of these steps, so at none of them may the words stay.
"""

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from adapters.ledger.database import driver_cursor
from app.bootstrap import NO_SEAMS, Seams
from tests.crash.acts import Ground, keyed
from tests.crash.stage import in_a_process
from tests.journey.test_erasure import MARKER, House

STEPS = ("tombstone", "next_key", "destroyed", "committed", "folded", "key_in_place")
"""Between the writes of an erasure, in their order; `destroyed` lies within the transaction."""
OTHERS = 5
"""How many other captures of the ground say the marker, and go on saying it."""


def _rows(house: House, asked: str) -> list[bytes]:
    store = house.studio.erasures.eraser._store  # type: ignore[attr-defined]
    with store.reading() as connection:
        return [bytes(row[0]) for row in driver_cursor(connection).execute(asked).fetchall()]


def _remains(house: House, source_id: str) -> list[bytes]:
    """Return bytes that tell the words, or open what does: ciphertexts, the wrapped key and the master key."""
    blobs = _rows(house, f"SELECT ciphertext FROM blobs WHERE key_id = '{source_id}'")  # noqa: S608 - our own id
    keys = _rows(house, f"SELECT wrapped FROM blob_keys WHERE id = '{source_id}'")  # noqa: S608 - our own id
    master = (house.settings.data_folder / "master.key").read_bytes()
    return [*(blob[:48] for blob in blobs), *keys, master]


def _dying_at(step: str) -> Callable[[str], None]:
    def die(name: str) -> None:
        if name == step:
            os.kill(os.getpid(), signal.SIGKILL)

    return die


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("engine", ["in_a_file", "at_a_server"])
def test_an_erasure_killed_here_is_completed_by_the_next_start(
    request: pytest.FixtureRequest, tmp_path: Path, engine: str, step: str
) -> None:
    """Afterwards the words open nowhere, nothing in the folder could open them, and everything else does."""
    ground: Ground = request.getfixturevalue(engine)
    settings, needles = ground.copy(tmp_path / "data"), tmp_path / "needles"
    source_id = ground.ids["erase"]

    def disturbed() -> None:
        house = House(settings, seams=Seams(erasing=_dying_at(step)))
        needles.write_bytes(b"\n--\n".join(_remains(house, source_id)))
        house.studio.erasures.erase(house.project_id, keyed(house, "erase"), source_id)

    def start() -> None:
        house = House(settings, seams=NO_SEAMS)
        house.studio.recover()
        state = house.studio.desk.state(house.project_id)
        gone = state.sources[source_id]
        assert (gone.erased is not None, gone.body.content.text) == (True, None)
        kept = [item.body.content.text for item in state.sources.rows() if item is not gone]
        assert sum(MARKER in (text or "") for text in kept) == OTHERS
        assert house.studio.erasures.eraser.unfinished([source_id]) == ()
        for ledger_id in house.studio.desk.ledger.ledgers():
            assert house.studio.audits.verify(ledger_id, strict=True).problems == ()
        files = [path.read_bytes() for path in settings.data_folder.rglob("*") if path.is_file()]
        assert not [part for part in needles.read_bytes().split(b"\n--\n") for file in files if part in file]
        assert not (settings.data_folder / "master.key.next").exists()

    status = in_a_process(disturbed)
    assert (os.WIFSIGNALED(status), os.WTERMSIG(status)) == (True, signal.SIGKILL)
    assert in_a_process(start) == 0
    shutil.rmtree(tmp_path)
