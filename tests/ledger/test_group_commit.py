"""Appends of one process that arrive together share a transaction, and each gets its own answer."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from adapters.ledger import SqlLedger
from adapters.ledger.appending import Appender
from adapters.ledger.batch import batch_of
from adapters.ledger.group import CommitQueue, Ticket
from kernel.errors import LedgerConflictError, LedgerUnavailableError
from kernel.events.envelope import Event
from kernel.events.stored import Appended, CommandMaterial
from tests.ledger.building import LEDGER, OTHER, Author, open_store, prepare, sql_ledger

ROOT = Path(__file__).resolve().parents[2]
PRODUCERS = 8
EACH = 15


def _ledger_id(number: int) -> str:
    return f"project_{number + 1:026d}"


def _together(act: Callable[[int], None]) -> None:
    threads = [threading.Thread(target=act, args=(number,)) for number in range(PRODUCERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_eight_producers_on_their_own_ledgers(tmp_path: Path) -> None:
    """Everything acknowledged is stored in its place, every ledger verifies, and groups are shared."""
    prepare(tmp_path)
    store = open_store(tmp_path)
    ledger = sql_ledger(tmp_path, store)

    def produce(number: int) -> None:
        for seq in range(1, EACH + 1):
            event = Author(_ledger_id(number)).captured(seq)
            assert ledger.append(_ledger_id(number), seq - 1, [event]).head_seq == seq

    _together(produce)
    heads = {ledger_id: ledger.head(ledger_id).seq for ledger_id in ledger.ledgers()}
    assert heads == {_ledger_id(number): EACH for number in range(PRODUCERS)}
    assert [ledger.audit(ledger_id).problems for ledger_id in heads] == [()] * PRODUCERS
    store.close()


def test_eight_producers_on_one_ledger_lose_nothing(tmp_path: Path) -> None:
    """Losers of the race learn the head and try again; the ledger is gapless and everyone gets through."""
    prepare(tmp_path)
    store = open_store(tmp_path)
    ledger = sql_ledger(tmp_path, store)
    told: list[tuple[int, str]] = []

    def produce(number: int) -> None:
        done, seq = 0, 0
        while done < EACH:
            text = f"{number} wrote {done}"
            try:
                event = Author(name=text).captured(seq + 1, text)
                seq = ledger.append(LEDGER, seq, [event]).head_seq
            except LedgerConflictError as conflict:
                seq = conflict.head_seq
                continue
            told.append((seq, text))
            done += 1

    _together(produce)
    stored = [(item.event.seq, item.event.body.content.text) for item in ledger.read(LEDGER)]  # type: ignore[attr-defined]
    assert stored == sorted(told)
    assert [seq for seq, _ in stored] == list(range(1, PRODUCERS * EACH + 1))
    assert ledger.audit(LEDGER).problems == ()
    store.close()


def _ticket(ledger_id: str, expected: int, *events: Event, command: CommandMaterial | None = None) -> Ticket:
    return Ticket(batch_of(ledger_id, expected, events), command)


def _appender(folder: Path) -> tuple[Appender, SqlLedger]:
    prepare(folder)
    ledger = sql_ledger(folder, open_store(folder))
    return Appender(ledger._store, ledger._vault, ledger._signer), ledger


def test_one_group_answers_each_append_for_itself(tmp_path: Path) -> None:
    """Conflicts, refusals and repeated commands stand beside what is written; one checkpoint covers a ledger's part."""
    appender, ledger = _appender(tmp_path)
    author, other = Author(), Author(OTHER)
    command = CommandMaterial("owner", "command_1", b"x")
    group = [
        _ticket(LEDGER, 0, author.opened(), command=command),
        _ticket(OTHER, 0, other.captured(1), other.captured(2)),
        _ticket(LEDGER, 1, author.captured(2)),
        _ticket(LEDGER, 1, Author(name="late").captured(2)),
        _ticket(LEDGER, 2, Author(name="again").captured(3), command=command),
        _ticket(OTHER, 2, Author(OTHER, "taken").event(3, author.captured(2).body)),
        _ticket(LEDGER, 2, author.captured(3)),
    ]
    appender.write(group)
    heads = [ticket.appended.head_seq if ticket.appended else None for ticket in group]
    assert heads == [1, 2, 2, None, None, None, 3]
    assert [type(ticket.failure).__name__ for ticket in group if ticket.failure] == [
        "LedgerConflictError",
        "LedgerConflictError",
        "HistoryError",
    ]
    assert isinstance(group[3].failure, LedgerConflictError)
    assert group[3].failure.head_seq == 2
    assert [ledger.audit(name).problems for name in (LEDGER, OTHER)] == [(), ()]
    last = ledger.last_append(LEDGER)
    assert last is None, "the three appends of the group share one checkpoint"
    ledger._store.close()


def test_what_spoils_a_group_meets_only_its_owner(tmp_path: Path) -> None:
    """A ledger whose head may not be signed is refused; the others of its group are written."""
    appender, ledger = _appender(tmp_path)
    ledger.append(OTHER, 0, [Author(OTHER).captured(1)])
    stray = Author(LEDGER, "stray").captured(1)
    # As if this ledger had been longer once: the keys remember a head that the database does not have.
    ledger._signer.sign_checkpoint(LEDGER, 7, bytes(32))
    ledger._signer.sign_checkpoint(LEDGER, 8, bytes(32))
    group = [_ticket(LEDGER, 0, stray), _ticket(OTHER, 1, Author(OTHER).captured(2))]
    appender.write(group)
    assert getattr(group[0].failure, "reason_code", None) == "checkpoint_not_extension"
    assert group[1].appended == Appended(2, 2, ledger.head(OTHER).root, None)
    assert ledger.head(LEDGER).seq == 0
    ledger._store.close()


def test_the_queue_is_fair_and_never_forgets(tmp_path: Path) -> None:
    """Groups are made in the order of arrival, everyone is answered, and a writer that breaks answers too."""
    del tmp_path
    sizes: list[int] = []
    order: list[int] = []

    def write(group: list[Ticket]) -> None:
        sizes.append(len(group))
        for ticket in group:
            order.append(ticket.batch.expected_seq)
            if ticket.batch.expected_seq % 10 == 9:
                ticket.failure = LedgerUnavailableError("no")
            else:
                ticket.appended = Appended(1, 1, "", None)

    queue = CommitQueue(write)  # type: ignore[arg-type]
    answers: Counter[str] = Counter()

    def produce(number: int) -> None:
        for step in range(50):
            seq = number * 100 + step
            try:
                queue.submit(_ticket(LEDGER, seq, Author().captured(seq + 1)))
                answers["written"] += 1
            except LedgerUnavailableError:
                answers["refused"] += 1

    _together(produce)
    assert answers == {"written": PRODUCERS * 45, "refused": PRODUCERS * 5}
    assert sum(sizes) == PRODUCERS * 50
    for number in range(PRODUCERS):
        mine = [seq for seq in order if seq // 100 == number]
        assert mine == sorted(mine)


def test_those_who_come_back_together_share_the_next_group(tmp_path: Path) -> None:
    """Once all are there each write is for all; whoever stays away is not waited for a second time."""
    del tmp_path
    sizes: list[int] = []

    def write(group: list[Ticket]) -> None:
        sizes.append(len(group))
        time.sleep(0.02)
        for ticket in group:
            ticket.appended = Appended(1, 1, "", None)

    queue = CommitQueue(write)  # type: ignore[arg-type]
    ticket = _ticket(LEDGER, 0, Author().captured(1))

    def produce(number: int) -> None:
        for _ in range(30 if number < 2 else 20):
            queue.submit(Ticket(ticket.batch, None))

    _together(produce)
    assert sum(sizes) == 2 * 30 + (PRODUCERS - 2) * 20
    assert len(sizes) <= 40, "eight at a time, then two; on a busy machine a few groups are parted"
    assert sizes.count(PRODUCERS) >= 10


def test_one_producer_waits_for_nobody(tmp_path: Path) -> None:
    """Alone, every append is written at once."""
    del tmp_path
    times: list[float] = []

    def write(group: list[Ticket]) -> None:
        times.append(time.monotonic())
        time.sleep(0.01)
        group[0].appended = Appended(1, 1, "", None)

    queue = CommitQueue(write)  # type: ignore[arg-type]
    asked = []
    for _ in range(20):
        asked.append(time.monotonic())
        queue.submit(_ticket(LEDGER, 0, Author().captured(1)))
    waits = sorted(begun - told for told, begun in zip(asked, times, strict=True))
    assert waits[10] < 0.002


def test_killed_in_the_middle_only_unacknowledged_is_lost(tmp_path: Path) -> None:
    """A kill -9 among eight producers: what any of them was told is stored, and every ledger verifies."""
    prepare(tmp_path)
    program = [sys.executable, "-m", "tests.ledger.crowd", str(tmp_path), str(PRODUCERS)]
    crowd = subprocess.Popen(program, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert crowd.stdout is not None
    told: list[str] = []
    # On a busy machine the last of them begins late.
    while len(told) < 60 or len({line.partition(" ")[0] for line in told}) < PRODUCERS:
        told.append(crowd.stdout.readline())
        assert told[-1], "it ended before it was killed"
    os.kill(crowd.pid, signal.SIGKILL)
    # Through the same reader: it holds lines that were told and not yet looked at.
    rest = crowd.stdout.read()
    crowd.stdout.close()
    crowd.wait(60)
    acknowledged: dict[str, int] = {}
    for line in (*told, *rest.splitlines(keepends=True)):
        if line.endswith(".\n"):
            name, seq = line.removesuffix(".\n").split()
            acknowledged[name] = max(acknowledged.get(name, 0), int(seq))
    store = open_store(tmp_path)
    ledger = sql_ledger(tmp_path, store)
    for name, told_seq in acknowledged.items():
        assert ledger.head(name).seq in {told_seq, told_seq + 1}
        assert ledger.audit(name).problems == ()
        head = ledger.head(name).seq
        assert ledger.append(name, head, [Author(name, "next").captured(head + 1)]).head_seq == head + 1
    assert len(acknowledged) == PRODUCERS
    store.close()


def test_a_memory_that_a_power_cut_left_behind_is_brought_on(tmp_path: Path) -> None:
    """One append behind is followed, two are not: then the keys are an older copy, and that is said."""
    prepare(tmp_path)
    store = open_store(tmp_path)
    ledger = sql_ledger(tmp_path, store)
    memory = tmp_path / "keys" / "heads" / f"{LEDGER}.head"
    kept = []
    for seq in range(1, 5):
        ledger.append(LEDGER, seq - 1, [Author().captured(seq)])
        kept.append(memory.read_bytes())
    memory.write_bytes(kept[1])
    assert not ledger.follow(LEDGER)
    memory.write_bytes(kept[2])
    assert ledger.follow(LEDGER)
    assert ledger.append(LEDGER, 4, [Author().captured(5)]).head_seq == 5
    assert ledger.audit(LEDGER).problems == ()
    store.close()
