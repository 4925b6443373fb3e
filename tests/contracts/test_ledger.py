"""What every ledger keeps, held against the database and against memory."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.keys.ring import KeyRing
from adapters.ledger import Database, MemoryLedger, SqlLedger
from adapters.ledger import open_store as open_database
from kernel.errors import CommandConflictError, HistoryError, LedgerConflictError, NotFoundError
from kernel.events.envelope import Event, event_bytes
from kernel.events.project import PrincipalAdded
from kernel.events.stored import (
    Appended,
    AuditReport,
    CommandMaterial,
    Head,
    RecordedCommand,
    StoredEvent,
)
from kernel.merkle import consistency_proof, leaf_hash, root_of, verify_inclusion
from kernel.values.words import Opening, Words, commit
from tests.ledger.building import (
    LEDGER,
    NOW,
    OTHER,
    Author,
    memory_ledger,
    open_store,
    prepare,
    sql_ledger,
)
from tests.ledger.postgres_server import Server

AnyLedger = SqlLedger | MemoryLedger
COMMAND = CommandMaterial("owner", "command_1", b"capture these words")


@pytest.fixture(params=["sql", "memory", "postgresql"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AnyLedger]:
    """Return an empty ledger of each kind."""
    if request.param == "memory":
        tmp_path.chmod(0o700)
        yield memory_ledger(tmp_path)
        return
    store: Database
    if request.param == "postgresql":
        server: Server = request.getfixturevalue("postgres_server")
        store = open_database(prepare(tmp_path, server.fresh_database()))
    else:
        prepare(tmp_path)
        store = open_store(tmp_path)
    yield sql_ledger(tmp_path, store)
    store.close()


def _history(count: int) -> list[Event]:
    author = Author()
    return [author.opened(), *(author.captured(seq) for seq in range(2, count + 1))]


def _root(events: list[Event]) -> str:
    return root_of([leaf_hash(event_bytes(event)) for event in events]).hex()


def _texts(stored: list[StoredEvent]) -> list[tuple[int, str | None]]:
    return [(item.event.seq, getattr(item.event.body, "content", Words("")).text) for item in stored]


def test_an_unknown_ledger_is_empty(ledger: AnyLedger) -> None:
    """Asking for a ledger that nobody began is no error, and begins none."""
    assert ledger.head(LEDGER) == Head(0, _root([]), None)
    assert ledger.read(LEDGER) == []
    assert ledger.page(LEDGER, None, 10) == []
    assert ledger.ledgers() == []
    assert ledger.audit(LEDGER) == AuditReport(LEDGER, 0, _root([]), ())


def test_what_is_appended_is_read_back(ledger: AnyLedger) -> None:
    """Events come back as they were, with their words, and the head covers all of them."""
    events = [*_history(4), Author().accepted(5, 1)]
    assert ledger.append(LEDGER, 0, events[:1]) == Appended(1, 1, _root(events[:1]), 0)
    assert ledger.append(LEDGER, 1, events[1:]) == Appended(2, 5, _root(events), 1)
    assert ledger.head(LEDGER) == Head(5, _root(events), 1)
    stored = ledger.read(LEDGER)
    assert stored == [StoredEvent(event, leaf_hash(event_bytes(event))) for event in events]
    assert _texts(stored)[1:4] == [(2, "some words"), (3, "some words"), (4, "some words")]
    assert ledger.audit(LEDGER) == AuditReport(LEDGER, 5, _root(events), ())


def test_reading_in_parts(ledger: AnyLedger) -> None:
    """A reader continues after a place, oldest first; a page goes back from a place, newest first."""
    ledger.append(LEDGER, 0, _history(6))
    assert [item.event.seq for item in ledger.read(LEDGER, after_seq=2, limit=3)] == [3, 4, 5]
    assert [item.event.seq for item in ledger.read(LEDGER, after_seq=6)] == []
    assert [item.event.seq for item in ledger.page(LEDGER, None, 2)] == [6, 5]
    assert [item.event.seq for item in ledger.page(LEDGER, 5, 10)] == [4, 3, 2, 1]
    assert ledger.page(LEDGER, 1, 10) == []
    assert ledger.page(LEDGER, 2**63, 10) == ledger.page(LEDGER, None, 10)
    assert ledger.picked(LEDGER, [5, 2, 7, 0]) == [*ledger.page(LEDGER, 6, 1), *ledger.page(LEDGER, 3, 1)]


def test_a_lost_swap_names_the_head(ledger: AnyLedger) -> None:
    """Whoever decided on an older head writes nothing and learns where the head is."""
    ledger.append(LEDGER, 0, _history(3))
    before = ledger.changed()
    with pytest.raises(LedgerConflictError, match="stands at event 3, not at 1") as conflict:
        ledger.append(LEDGER, 1, [Author(name="late").captured(2)])
    assert conflict.value.head_seq == 3
    with pytest.raises(LedgerConflictError):
        ledger.append(LEDGER, 4, [Author(name="early").captured(5)])
    assert [item.event.seq for item in ledger.read(LEDGER)] == [1, 2, 3]
    assert ledger.changed() == before


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda event: replace(event, seq=9), "is made for place 9"),
        (lambda event: replace(event, ledger=OTHER), f"is made for place 2 of {OTHER}"),
        (lambda event: replace(event, at="2026-11-30T12:00:00Z"), "a moment in another spelling"),
    ],
)
def test_events_that_do_not_fit_are_refused(
    ledger: AnyLedger, change: Callable[[Event], Event], sentence: str
) -> None:
    """An event of another place, another ledger or another spelling is never written."""
    ledger.append(LEDGER, 0, _history(1))
    with pytest.raises(HistoryError, match=sentence):
        ledger.append(LEDGER, 1, [change(Author().captured(2))])
    assert ledger.head(LEDGER).seq == 1


def test_an_empty_append_is_refused(ledger: AnyLedger) -> None:
    """An append says something."""
    with pytest.raises(HistoryError, match="an append without events says nothing"):
        ledger.append(LEDGER, 0, [])


def test_words_that_do_not_open_are_refused(ledger: AnyLedger) -> None:
    """A text that is not the committed one never reaches the disk."""
    forged = Words(commit("one thing", bytes(32)).commitment, Opening(bytes(32), "another"))
    event = Author().event(1, PrincipalAdded(principal_id="owner", name=forged))
    with pytest.raises(HistoryError, match="carries words whose text does not open"):
        ledger.append(LEDGER, 0, [event])


def test_words_without_a_text_stay_without_one(ledger: AnyLedger) -> None:
    """An event may repeat words whose text is gone; it reads back the same."""
    erased = Words(commit("gone", bytes(32)).commitment)
    event = Author().event(1, PrincipalAdded(principal_id="owner", name=erased))
    ledger.append(LEDGER, 0, [event])
    (stored,) = ledger.read(LEDGER)
    assert stored.event == event
    assert isinstance(stored.event.body, PrincipalAdded)
    assert stored.event.body.name.text is None
    assert ledger.audit(LEDGER).problems == ()


def test_an_id_is_created_once(ledger: AnyLedger) -> None:
    """Neither an event's id nor an id it creates can be taken twice, in any ledger; nothing is written."""
    author = Author()
    ledger.append(LEDGER, 0, [author.opened()])
    again = replace(author.opened(), ledger=OTHER)
    with pytest.raises(HistoryError):
        ledger.append(OTHER, 0, [again])
    with pytest.raises(HistoryError):
        ledger.append(OTHER, 0, [replace(again, id=Author(name="b").plain(1).id)])
    twice = [author.captured(2), replace(author.captured(2), seq=3, id=author.plain(3).id)]
    with pytest.raises(HistoryError):
        ledger.append(LEDGER, 1, twice)
    assert ledger.ledgers() == [LEDGER]
    assert ledger.head(LEDGER).seq == 1


def test_ledgers_stand_side_by_side(ledger: AnyLedger) -> None:
    """Each ledger has its own numbers and root; an id leads to the ledger that created it."""
    one, two = Author(LEDGER), Author(OTHER)
    ledger.append(OTHER, 0, [two.opened()])
    ledger.append(LEDGER, 0, [one.opened(), one.captured(2)])
    source = getattr(one.captured(2).body, "source_id", "")
    assert ledger.ledgers() == [LEDGER, OTHER]
    assert (ledger.head(LEDGER).seq, ledger.head(OTHER).seq) == (2, 1)
    assert [ledger.ledger_of(name) for name in (LEDGER, OTHER, source, "source_x")] == [
        LEDGER,
        OTHER,
        LEDGER,
        None,
    ]


def test_a_command_is_recorded_once(ledger: AnyLedger) -> None:
    """The same request finds what it recorded; a second append of it is refused without writing."""
    assert ledger.find_command(LEDGER, "owner", "command_1", COMMAND.material) is None
    ledger.append(LEDGER, 0, _history(2), COMMAND)
    recorded = RecordedCommand(LEDGER, "command_1", 1, 2)
    assert ledger.find_command(LEDGER, "owner", "command_1", COMMAND.material) == recorded
    with pytest.raises(LedgerConflictError, match="was recorded meanwhile"):
        ledger.append(LEDGER, 2, [Author().captured(3)], COMMAND)
    assert ledger.head(LEDGER).seq == 2


def test_a_command_id_is_not_used_for_two_things(ledger: AnyLedger) -> None:
    """Other material under the same id is a conflict, on lookup and on append."""
    ledger.append(LEDGER, 0, _history(2), COMMAND)
    with pytest.raises(CommandConflictError):
        ledger.find_command(LEDGER, "owner", "command_1", b"something else")
    with pytest.raises(CommandConflictError):
        ledger.append(LEDGER, 2, [Author().captured(3)], replace(COMMAND, material=b"something else"))
    assert ledger.head(LEDGER).seq == 2


def test_the_command_id_of_another_actor_is_unused(ledger: AnyLedger) -> None:
    """Nobody learns from an id what others did, and nobody is stopped by it."""
    ledger.append(LEDGER, 0, _history(1), COMMAND)
    assert ledger.find_command(LEDGER, "reviewer", "command_1", b"anything") is None
    assert ledger.find_command(OTHER, "owner", "command_1", b"anything") is None
    ledger.append(LEDGER, 1, [Author().captured(2)], replace(COMMAND, actor_id="reviewer"))
    assert ledger.find_command(LEDGER, "reviewer", "command_1", COMMAND.material) == RecordedCommand(
        LEDGER, "command_1", 2, 1
    )


def test_a_change_is_noticed(ledger: AnyLedger) -> None:
    """The counter moves with a write and stands still without one."""
    first = ledger.changed()
    assert ledger.changed() == first
    ledger.append(LEDGER, 0, _history(1))
    second = ledger.changed()
    assert second != first
    ledger.read(LEDGER)
    assert ledger.changed() == second


def test_every_head_has_its_checkpoint(ledger: AnyLedger, tmp_path: Path) -> None:
    """The note of the head verifies under the installation's key and states size and root."""
    with pytest.raises(NotFoundError):
        ledger.checkpoint(LEDGER)
    name = "keys" if isinstance(ledger, SqlLedger) else "memory-keys"
    signer = KeyRing.open(str(tmp_path / name), lambda: NOW).checkpoint_signer("here")
    events = _history(3)
    for seq, event in enumerate(events):
        ledger.append(LEDGER, seq, [event])
        head = signer.verify_note(LEDGER, ledger.checkpoint(LEDGER))
        assert (head.size, head.root.hex()) == (seq + 1, _root(events[: seq + 1]))


def test_every_event_has_a_path_to_the_root(ledger: AnyLedger) -> None:
    """The proof of an event verifies against the head; there is none for an event that is not there."""
    ledger.append(LEDGER, 0, _history(7))
    for seq in range(1, 8):
        path = ledger.path(LEDGER, seq)
        assert (path.seq, path.size, path.root) == (seq, 7, ledger.head(LEDGER).root)
        steps = [bytes.fromhex(step) for step in path.hashes]
        leaf, root = bytes.fromhex(path.leaf_hash), bytes.fromhex(path.root)
        assert verify_inclusion(leaf, seq - 1, 7, steps, root=root)
    for seq in (0, 8):
        with pytest.raises(NotFoundError):
            ledger.path(LEDGER, seq)


steps = st.lists(
    st.tuples(st.integers(0, 3), st.integers(-1, 1), st.sampled_from(["a", "b"]), st.sampled_from("xyz")),
    max_size=12,
)


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[AnyLedger, AnyLedger]]:
    """Return one of each kind, to be asked the same things."""
    folder = tmp_path_factory.mktemp("twins")
    prepare(folder)
    store = open_store(folder)
    yield sql_ledger(folder, store), memory_ledger(folder)
    store.close()


@given(steps)
def test_memory_and_database_answer_alike(
    twins: tuple[AnyLedger, AnyLedger], acts: list[tuple[int, int, str, str]]
) -> None:
    """Whatever is asked in whatever order, both kinds write, refuse and answer the same."""
    ledger_id = f"project_{len(twins[1].ledgers()) + 1:026d}"
    for number, (count, shift, actor, material) in enumerate(acts):
        answers = [
            _act(twin, Author(ledger_id, f"act {number}"), (count, shift), actor + material) for twin in twins
        ]
        assert answers[0] == answers[1]
    assert twins[0].read(ledger_id) == twins[1].read(ledger_id)
    assert twins[0].audit(ledger_id) == twins[1].audit(ledger_id)
    assert twins[0].ledgers() == twins[1].ledgers()


def _act(ledger: AnyLedger, author: Author, where: tuple[int, int], who: str) -> object:
    count, shift = where
    head = ledger.head(author.ledger)
    expected = max(head.seq + shift, 0)
    events = [author.captured(seq) for seq in range(expected + 1, expected + count + 1)]
    command = CommandMaterial(who[0], "command_1", who[1].encode()) if count > 1 else None
    try:
        appended = ledger.append(author.ledger, expected, events, command)
    except (HistoryError, LedgerConflictError, CommandConflictError) as err:
        return head, type(err)
    return head, appended, ledger.page(author.ledger, None, 3)


def test_roots_tiles_and_consistency_are_those_of_all_leaves(ledger: AnyLedger) -> None:
    """What is computed from a few leaves is what all of them give; what the log does not have is refused."""
    events = _history(300)
    ledger.append(LEDGER, 0, events)
    leaves = [leaf_hash(event_bytes(event)) for event in events]
    for first, size in ((1, 300), (256, 300), (257, 299), (300, 300)):
        assert ledger.root(LEDGER, size) == root_of(leaves[:size])
        assert ledger.consistency(LEDGER, first, size) == consistency_proof(leaves[:size], first)
    assert ledger.tile(LEDGER, 0, 0, width=256) == tuple(leaves[:256])
    assert ledger.tile(LEDGER, 0, 1, width=44) == tuple(leaves[256:])
    assert ledger.tile(LEDGER, 1, 0, width=1) == (root_of(leaves[:256]),)
    assert ledger.entries(LEDGER, 298, 5) == [event_bytes(event) for event in events[298:]]
    assert ledger.path(LEDGER, 7).checkpoint == ledger.checkpoint(LEDGER)
    for level, index, width in ((0, 1, 45), (0, 2, 1), (1, 0, 2), (2, 0, 1)):
        with pytest.raises(NotFoundError, match="has no tile"):
            ledger.tile(LEDGER, level, index, width=width)
    with pytest.raises(HistoryError, match="lacks events"):
        ledger.root(LEDGER, 301)
