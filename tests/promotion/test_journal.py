"""A journal that was touched is reported, and nothing is promoted on its word."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.keys import KeyRing
from adapters.promotion import Promoter
from kernel.canonical import canonical_bytes, decode_canonical, plain
from kernel.errors import ConfigurationError, InvalidError, JournalError, OutcomeUnknownError
from kernel.receipts import INTENT_PAYLOAD, PromotionIntent, binding_of, payload_of
from kernel.values.work import Envelope
from tests.promotion.scene import PROMOTION, SEALED_AT, Scene, TickingClock


def record(scene: Scene, part: str) -> Path:
    """Return the path of one record."""
    return scene.journal / f"{PROMOTION}.{part}.json"


def flip_a_bit(path: Path) -> None:
    """Change one bit inside the base64 of the payload."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def link_elsewhere(path: Path) -> None:
    """Put a symbolic link to the same bytes in place of the file."""
    elsewhere = path.with_name("elsewhere.json")
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def open_to_others(path: Path) -> None:
    """Let everybody read the file."""
    path.chmod(0o644)


def add_a_space(path: Path) -> None:
    """Keep the meaning and change the bytes."""
    path.write_bytes(path.read_bytes() + b" ")


def put_a_fifo(path: Path) -> None:
    """Put something in place of the file at which a reader would wait."""
    path.unlink()
    os.mkfifo(path, 0o600)


@pytest.mark.parametrize("part", ["intent", "attempt", "status-01"])
@pytest.mark.parametrize("touch", [flip_a_bit, link_elsewhere, open_to_others, add_a_space, put_a_fifo])
def test_a_touched_record_is_reported(promoted: Scene, part: str, touch: Callable[[Path], None]) -> None:
    """The status names the file, withholds the receipt and does not pretend that less had happened."""
    touch(record(promoted, part))
    state = promoted.promoter().status(PROMOTION)
    assert (state.state, state.receipt) == ("completed", None)
    assert any(f"{PROMOTION}.{part}.json" in problem for problem in state.problems)
    with pytest.raises(JournalError, match="put the journal right first"):
        promoted.promote()


def test_a_record_of_another_owner_is_reported(promoted: Scene) -> None:
    """A file that somebody else wrote is not ours, whatever it says."""
    if os.geteuid() != 0:
        pytest.skip("needs root to give a file away")
    os.chown(record(promoted, "status-01"), 12345, 12345)
    (problem,) = promoted.promoter().status(PROMOTION).problems
    assert "belongs to uid 12345" in problem


def test_a_lost_record_is_reported(promoted: Scene) -> None:
    """A status without the attempt before it is a broken chain."""
    record(promoted, "attempt").unlink()
    state = promoted.promoter().status(PROMOTION)
    assert state.problems == ("the journal has a status but lost the attempt before it",)


def test_a_swapped_record_is_reported(promoted: Scene, scene: Scene) -> None:
    """A record that verifies by itself but belongs to another chain does not fit the digests."""
    scene.promoter().promote(scene.order, TickingClock(600))
    record(promoted, "attempt").write_bytes(record(scene, "attempt").read_bytes())
    assert promoted.promoter().status(PROMOTION).problems == (
        "the attempt does not follow from the intent",
        "status 1 does not follow from the record before it",
    )


def test_a_record_signed_by_another_role_or_host_is_reported(scene: Scene, tmp_path: Path) -> None:
    """A well-formed intent under a foreign key is not believed, and nothing is moved."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    foreign = KeyRing.open(str(elsewhere / "keys"), lambda: SEALED_AT).journal_signer()
    intent = PromotionIntent(binding=binding_of(scene.order), recorded_at=SEALED_AT)
    scene.promoter().status(PROMOTION)
    path = record(scene, "intent")
    path.write_bytes(canonical_bytes(plain(foreign.sign_record(intent))))
    path.chmod(0o600)
    with pytest.raises(JournalError, match="no key 'promotion_journal:"):
        scene.promote()
    assert scene.target() == scene.candidate.base_commit


def test_the_records_are_private_and_hold_canonical_bytes(promoted: Scene) -> None:
    """Folder 0700, files 0600, and each payload has one spelling."""
    scene = promoted
    assert scene.journal.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in scene.journal.iterdir()} == {0o600}
    envelope = Envelope.model_validate_json(record(scene, "intent").read_bytes())
    payload = decode_canonical(payload_of(envelope, INTENT_PAYLOAD))
    assert payload["binding"]["authorized_root"] == scene.order.authorized_root
    assert payload["key_custody"] == "shared_host"


def test_an_open_or_linked_journal_folder_is_refused(scene: Scene) -> None:
    """Nothing is read from a folder that others could have written, nor through a link."""
    scene.promote()
    scene.journal.chmod(0o750)
    with pytest.raises(JournalError, match="open to others"):
        scene.promoter().status(PROMOTION)
    scene.journal.chmod(0o700)
    scene.journal.rename(scene.root / "moved")
    scene.journal.symlink_to(scene.root / "moved")
    with pytest.raises(JournalError, match="without following a link"):
        scene.promoter().status(PROMOTION)


def test_a_journal_inside_the_repository_is_refused(scene: Scene) -> None:
    """What a repository holds is not where its history of promotions lies."""
    keys = KeyRing.open(str(scene.root / "keys"), lambda: SEALED_AT)
    inside = Promoter(f"{scene.git_dir}/journal", keys.journal_signer(), lambda *_a, **_k: ())
    with pytest.raises(ConfigurationError, match="inside each other"):
        inside.promote(scene.order, TickingClock())


def test_an_id_that_is_none_reads_no_file(scene: Scene) -> None:
    """A promotion id is checked before it becomes a file name."""
    with pytest.raises(InvalidError, match="is not a promotion id"):
        scene.promoter().status("promotion_../../keys/revoked")


def test_a_status_that_cannot_be_written_is_an_unknown_outcome(scene: Scene) -> None:
    """The branch has moved, so the caller is told that it does not know, not that it failed."""

    def spoil(name: str) -> None:
        if name == "after_swap":
            record(scene, "attempt").chmod(0o644)

    with pytest.raises(OutcomeUnknownError, match="could not be recorded"):
        scene.promote(spoil)
    record(scene, "attempt").chmod(0o600)
    assert scene.reconcile().code == "already_promoted"


def test_another_promotion_of_a_failed_candidate_is_a_new_attempt(scene: Scene) -> None:
    """A new id is a new human decision; the earlier failure does not stand in its way."""
    blocker = Path(scene.git_dir, "refs/odeu/promoted", PROMOTION + ".lock")
    blocker.parent.mkdir(parents=True)
    blocker.touch()
    assert scene.promote().code == "update_ref_rejected"
    later = replace(scene.order, promotion_id=PROMOTION[:-1] + "b")
    assert scene.promoter().promote(later, TickingClock()).code == "cas_updated"
