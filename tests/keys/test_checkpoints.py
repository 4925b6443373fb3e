"""Signed ledger heads: the note format, and a signer that never tells two histories."""

import base64
import fcntl
import hashlib
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.keys import CheckpointSigner, KeyRing, open_note
from adapters.keys.checkpoints import _note, _text_of, key_hash
from kernel.errors import ConfigurationError, HistoryError, InvalidError
from kernel.events.stored import LastAppend
from kernel.merkle import LogHead, consistency_proof, leaf_hash, root_of
from kernel.vocabulary import KeyRole

AT = "2026-01-02T03:04:05.000000Z"
LATER = "2026-02-02T03:04:05.000000Z"
LEDGER = "project_01k0000000000000000000000a"
ORIGIN = f"odeu/studio-one/{LEDGER}"
LEAVES = [leaf_hash(bytes([number])) for number in range(12)]
FORK = [*LEAVES[:3], leaf_hash(b"forged"), *LEAVES[4:]]

# The example of Go's golang.org/x/mod/sumdb/note, from which C2SP's signed-note was written.
GO_NOTE = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n\n"
    "\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
GO_KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"


def head(size: int, leaves: list[bytes] = LEAVES) -> LogHead:
    """Return the head of the first leaves of a log."""
    return LogHead(size, root_of(leaves[:size]))


def signer_in(root: Path) -> CheckpointSigner:
    """Return the signer as another process of this host would build it."""
    return KeyRing.open(str(root / "keys"), lambda: AT).checkpoint_signer("studio-one")


def sign(signer: CheckpointSigner, new: LogHead, after: LogHead | None = None) -> str:
    """Sign a head."""
    return signer.sign_checkpoint(LEDGER, new.size, new.root, after=after)


def refused(signer: CheckpointSigner, new: LogHead, after: LogHead | None = None) -> str:
    """Return why a head is not signed."""
    with pytest.raises(HistoryError) as caught:
        sign(signer, new, after)
    assert caught.value.reason_code == "checkpoint_not_extension"
    return caught.value.message


def test_a_note_of_another_tool_opens() -> None:
    """Key hash, signature line and signed text are those of the format."""
    name, hash_hex, spelled = GO_KEY.split("+", 2)
    public = base64.b64decode(spelled)[1:]
    assert key_hash(name, public).hex() == hash_hex
    assert open_note(GO_NOTE, name, (public,)) == GO_NOTE.split("\n\n", maxsplit=1)[0] + "\n"
    with pytest.raises(HistoryError, match="does not fit"):
        open_note(GO_NOTE.replace("answer", "problem"), name, (public,))


def test_a_checkpoint_is_three_lines_and_one_signature(tmp_path: Path) -> None:
    """Origin, size, root; the key has the origin's name; the note reads back as the head."""
    signer = signer_in(tmp_path)
    note = sign(signer, head(5))
    lines = note.split("\n")
    assert lines[:4] == [ORIGIN, "5", base64.b64encode(head(5).root).decode("ascii"), ""]
    assert lines[4].startswith(f"\u2014 {ORIGIN} ")
    assert lines[5:] == [""]
    assert signer.verify_note(LEDGER, note) == head(5)


def test_the_public_key_is_told_in_the_form_of_note_tools(tmp_path: Path) -> None:
    """Name, four bytes of hash, and the algorithm byte before the key."""
    name, hash_hex, spelled = signer_in(tmp_path).verifier_key(LEDGER).split("+", 2)
    raw = base64.b64decode(spelled)
    assert (name, raw[0], len(raw)) == (ORIGIN, 1, 33)
    assert hashlib.sha256(name.encode() + b"\n" + raw).hexdigest()[:8] == hash_hex


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\n5\n", "\n6\n"),
        ("\n5\n", "\n05\n"),
        (LEDGER, LEDGER[:-1] + "b"),
        ("\n\n", "\nextension\n\n"),
        ("\n\n", "\n"),
        ("\u2014 ", "- "),
    ],
)
def test_a_changed_note_is_refused(tmp_path: Path, old: str, new: str) -> None:
    """Another size, spelling, ledger or line is not what was signed."""
    signer = signer_in(tmp_path)
    with pytest.raises(HistoryError) as caught:
        signer.verify_note(LEDGER, sign(signer, head(5)).replace(old, new, 1))
    assert caught.value.reason_code == "checkpoint_invalid"


@given(st.text(max_size=300))
def test_any_other_text_is_refused_by_name(text: str) -> None:
    """Whatever comes, the answer is a refusal and never a crash."""
    with pytest.raises(HistoryError):
        open_note(text, ORIGIN, (bytes(32),))


def test_a_note_of_another_host_or_ledger_is_refused(tmp_path: Path) -> None:
    """The key belongs to the origin, so a line by a stranger counts for nothing."""
    (tmp_path / "other").mkdir()
    foreign = sign(signer_in(tmp_path / "other"), head(5))
    signer = signer_in(tmp_path)
    with pytest.raises(HistoryError, match="no live key"):
        signer.verify_note(LEDGER, foreign)
    with pytest.raises(HistoryError, match="no live key"):
        signer.verify_note(LEDGER[:-1] + "b", sign(signer, head(5)))


def test_a_growing_ledger_is_signed_also_by_another_process(tmp_path: Path) -> None:
    """The memory is a file, so a restart or a second process goes on from it."""
    for size in (1, 4, 4, 9):
        note = sign(signer_in(tmp_path), head(size))
        assert signer_in(tmp_path).verify_note(LEDGER, note) == head(size)


def test_a_smaller_head_is_not_signed(tmp_path: Path) -> None:
    """A database put back from an older copy does not continue silently."""
    sign(signer_in(tmp_path), head(9))
    assert refused(signer_in(tmp_path), head(4)) == (
        "event 9 of this ledger was signed; a head at event 4 is not signed after it"
    )


def test_another_history_of_the_same_size_is_not_signed(tmp_path: Path) -> None:
    """One size has one root."""
    sign(signer_in(tmp_path), head(9))
    assert refused(signer_in(tmp_path), head(9, FORK)) == (
        "another history of 9 events of this ledger was signed before"
    )


def test_the_very_head_that_was_signed_is_signed_again_with_its_proof(tmp_path: Path) -> None:
    """The same events are written again after a COMMIT that nobody confirmed; their proof starts before them."""
    signer = signer_in(tmp_path)
    sign(signer, head(5))
    proof = consistency_proof(LEAVES[:9], 5)
    notes = {
        signer.sign_checkpoint(LEDGER, 9, head(9).root, after=head(5), proof=proof) for _attempt in range(2)
    }
    assert [signer.verify_note(LEDGER, note) for note in notes] == [head(9)]
    with pytest.raises(HistoryError, match="the proof does not show"):
        signer.sign_checkpoint(LEDGER, 9, head(9, FORK).root, after=head(5), proof=proof)


def test_the_signer_names_the_ledgers_it_ever_signed(tmp_path: Path) -> None:
    """So that a database without one of them is noticed at start."""
    signer = signer_in(tmp_path)
    assert signer.ledgers() == ()
    sign(signer, head(5))
    assert signer_in(tmp_path).ledgers() == (LEDGER,)


def test_a_fork_behind_a_larger_size_is_not_signed_with_its_proof(tmp_path: Path) -> None:
    """With a consistency proof the larger tree must contain the signed one."""
    signer = signer_in(tmp_path)
    sign(signer, head(5))
    good = consistency_proof(LEAVES[:9], 5)
    with pytest.raises(HistoryError, match="does not show that 9 events extend the 5 signed"):
        signer.sign_checkpoint(LEDGER, 9, head(9, FORK).root, proof=consistency_proof(FORK[:9], 5))
    note = signer.sign_checkpoint(LEDGER, 9, head(9).root, proof=good)
    assert signer.verify_note(LEDGER, note) == head(9)


def test_an_append_that_builds_on_something_else_is_not_signed(tmp_path: Path) -> None:
    """Given the head it builds on, a fork is noticed without any proof, at whatever size."""
    signer = signer_in(tmp_path)
    sign(signer, head(3), after=head(0))
    sign(signer, head(5), after=head(3))
    assert refused(signer, head(9, FORK), after=head(5, FORK)).startswith("this append builds on event 5")


def test_a_signature_whose_commit_was_lost_does_not_stop_the_ledger(tmp_path: Path) -> None:
    """A crash between signing and commit leaves the ledger at the head before; it goes on, with other events."""
    signer = signer_in(tmp_path)
    sign(signer, head(3), after=head(0))
    sign(signer, head(4), after=head(3))
    again = signer_in(tmp_path)
    assert again.head_problems(LEDGER, head(3)) == ()
    sign(again, head(4, FORK), after=head(3))
    sign(again, head(6, FORK), after=head(4, FORK))
    assert refused(again, head(5), after=head(3)).startswith("this append builds on event 3")


def test_a_confirmed_head_leaves_no_way_back(tmp_path: Path) -> None:
    """Once its commit is known, even the last append cannot be told otherwise."""
    signer = signer_in(tmp_path)
    sign(signer, head(3), after=head(0))
    sign(signer, head(4), after=head(3))
    signer.confirm(LEDGER, head(4))
    assert refused(signer, head(4, FORK), after=head(3)).startswith("this append builds on event 3")
    assert len(signer.head_problems(LEDGER, head(3))) == 1


def test_a_ledger_behind_its_signature_is_reported_with_the_way_out(tmp_path: Path) -> None:
    """An older copy or another history may not be served."""
    signer = signer_in(tmp_path)
    for size in (2, 5, 9):
        sign(signer, head(size))
    assert signer.head_problems(LEDGER, head(9)) == signer.head_problems(LEDGER, head(5)) == ()
    (problem,) = signer.head_problems(LEDGER, head(4))
    assert problem.startswith(f"the ledger {LEDGER} stands at event 4, but event 9 was signed")
    assert len(signer.head_problems(LEDGER, head(9, FORK))) == 1


def test_keys_older_than_the_ledger_are_reported_and_catch_up_by_proof(tmp_path: Path) -> None:
    """A restored copy of the keys learns the newer head only when it extends what was signed."""
    signer = signer_in(tmp_path)
    sign(signer, head(3), after=head(0))
    (problem,) = signer.head_problems(LEDGER, head(9))
    assert problem.startswith(f"the ledger {LEDGER} stands at event 9, but the keys know only of event 3")
    assert refused(signer, head(10), after=head(9)).startswith("this append builds on event 9")
    with pytest.raises(HistoryError, match="does not show that 9 events extend the 3 signed"):
        signer.catch_up(LEDGER, head(9, FORK), consistency_proof(FORK[:9], 4))
    signer.catch_up(LEDGER, head(9), consistency_proof(LEAVES[:9], 3))
    assert signer.head_problems(LEDGER, head(9)) == ()
    sign(signer, head(10), after=head(9))


def test_a_write_torn_by_a_power_cut_leaves_the_head_before(tmp_path: Path) -> None:
    """Each slot has its own checksum, so half a slot counts as none and the other one stands."""
    signer = signer_in(tmp_path)
    sign(signer, head(3), after=head(0))
    sign(signer, head(4), after=head(3))
    memory = tmp_path / "keys" / "heads" / f"{LEDGER}.head"
    content = memory.read_bytes()
    memory.write_bytes(content[:700] + b" " * (len(content) - 700))
    assert signer.head_problems(LEDGER, head(3)) == ()
    sign(signer, head(4), after=head(3))


def test_each_ledger_has_a_memory_of_its_own(tmp_path: Path) -> None:
    """A small ledger beside a large one is signed."""
    signer = signer_in(tmp_path)
    sign(signer, head(9))
    other = signer.sign_checkpoint("world", 1, head(1).root)
    assert signer.verify_note("world", other) == head(1)


def test_a_killed_signer_leaves_a_memory_that_reads(tmp_path: Path) -> None:
    """Old or new, never half: a write goes beside the newest slot."""
    sign(signer_in(tmp_path), head(1))
    for size in range(2, 12):
        pid = os.fork()
        if pid == 0:
            sign(signer_in(tmp_path), head(size))
            os._exit(0)
        os.kill(pid, 9)
        os.waitpid(pid, 0)
    note = sign(signer_in(tmp_path), head(12))
    assert signer_in(tmp_path).verify_note(LEDGER, note) == head(12)


@pytest.mark.parametrize("content", [b"", b"{}", b" " * 1024])
def test_a_damaged_memory_is_refused(tmp_path: Path, content: bytes) -> None:
    """Forgetting what was signed must be a decision, never an accident."""
    signer = signer_in(tmp_path)
    sign(signer, head(3))
    memory = tmp_path / "keys" / "heads" / f"{LEDGER}.head"
    memory.write_bytes(content)
    with pytest.raises(ConfigurationError, match="is damaged"):
        sign(signer, head(4))


@pytest.mark.parametrize("ledger_id", ["", "a/b", "a b", "a\nb", "..", "Ä"])
def test_a_ledger_id_that_could_not_stand_in_a_note_is_refused(tmp_path: Path, ledger_id: str) -> None:
    """The id becomes a line of the note and the name of a file."""
    with pytest.raises(InvalidError, match="cannot stand in the origin"):
        signer_in(tmp_path).sign_checkpoint(ledger_id, 1, head(1).root)


@pytest.mark.parametrize(("size", "root"), [(-1, bytes(32)), (1, b"short")])
def test_a_head_that_cannot_be_is_refused(tmp_path: Path, size: int, root: bytes) -> None:
    """A size of 0 or more, a root of 32 bytes."""
    with pytest.raises(InvalidError, match="a checkpoint has"):
        signer_in(tmp_path).sign_checkpoint(LEDGER, size, root)


def test_after_a_rotation_old_notes_still_verify(tmp_path: Path) -> None:
    """The signature line names its key, so both keys are live side by side."""
    old = sign(signer_in(tmp_path), head(3))
    ring = KeyRing.open(str(tmp_path / "keys"), lambda: AT)
    ring.rotate(KeyRole.CHECKPOINT, LATER)
    new = sign(signer_in(tmp_path), head(4))
    assert old.split(" ")[-1][:5] != new.split(" ")[-1][:5]
    assert signer_in(tmp_path).verify_note(LEDGER, old) == head(3)
    assert signer_in(tmp_path).verify_note(LEDGER, new) == head(4)


def _last(signer: CheckpointSigner, sizes: tuple[int, int], leaves: list[bytes] = LEAVES) -> LastAppend:
    """Return the last append of a ledger that stands at the second size, its notes signed by this signer's keys."""
    notes = [signer_note(signer, head(size, leaves)) for size in sizes]
    return LastAppend(LEDGER, notes[1], notes[0], consistency_proof(leaves[: sizes[1]], sizes[0]))


def signer_note(signer: CheckpointSigner, new: LogHead) -> str:
    """Return the note of a head in the keys' name, whatever is remembered."""
    return _note(_text_of(ORIGIN, new), signer._name(LEDGER), signer._held)


def test_a_head_signed_beside_a_commit_is_durable_after_the_block(tmp_path: Path) -> None:
    """Within the block the memory is written and its lock held; after it another process goes on from there."""
    signer = signer_in(tmp_path)
    sign(signer, head(1))
    with signer.beside_commit():
        sign(signer, head(2), head(1))
        content = (tmp_path / "keys" / "heads" / f"{LEDGER}.head").read_bytes()
        assert head(2).root.hex().encode() in content
        lock = os.open(tmp_path / "keys" / "heads" / f"{LEDGER}.lock", os.O_RDWR)
        with pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(lock)
    assert signer_in(tmp_path).head_problems(LEDGER, head(2)) == ()


def test_a_memory_one_append_behind_follows(tmp_path: Path) -> None:
    """A failure of the power between COMMIT and sync leaves the memory one append behind; the notes bring it on."""
    signer = signer_in(tmp_path)
    sign(signer, head(3))
    assert len(signer.head_problems(LEDGER, head(5))) == 1
    assert signer.follow(_last(signer, (3, 5)))
    assert signer.head_problems(LEDGER, head(5)) == ()
    sign(signer, head(6), head(5))


@pytest.mark.parametrize(
    ("sizes", "leaves"), [((4, 6), LEAVES), ((2, 3), LEAVES), ((1, 2), LEAVES), ((3, 5), FORK)]
)
def test_a_memory_follows_nothing_else(tmp_path: Path, sizes: tuple[int, int], leaves: list[bytes]) -> None:
    """Neither two appends ahead, nor back, nor to what other leaves say: the memory stays as it is."""
    signer = signer_in(tmp_path)
    sign(signer, head(3))
    last = _last(signer, sizes, leaves)
    if leaves is not LEAVES:
        last = replace(last, note=signer_note(signer, head(5)), proof=consistency_proof(leaves[:5], 3))
    assert not signer.follow(last)
    assert signer.head_problems(LEDGER, head(3)) == ()


def test_a_forged_note_moves_no_memory(tmp_path: Path) -> None:
    """Only a note under a live key of this installation counts."""
    signer = signer_in(tmp_path)
    sign(signer, head(3))
    other = tmp_path / "other"
    other.mkdir(mode=0o700)
    with pytest.raises(HistoryError):
        signer.follow(_last(signer_in(other), (3, 5)))
    assert signer.head_problems(LEDGER, head(3)) == ()
