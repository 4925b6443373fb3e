"""The kernel's laws, as properties over whole told ledgers, in this process and in fresh ones."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from kernel.canonical import digest
from kernel.commands import CaptureSource
from kernel.decide import decide, propose
from kernel.events.envelope import decode_event, event_bytes, openings_of
from kernel.reducer import evolve, fold
from kernel.reducer.operations import state_root
from kernel.rules import check
from kernel.rules.unseen import unmeant
from kernel.state import INITIAL, State, Tables, revision_key
from kernel.values.stamp import Stamp
from kernel.values.words import commit, opens
from kernel.vocabulary import SourceKind, Visibility
from tests.support.acts import copy_of
from tests.support.build import add, grown, root, under
from tests.support.story import OWNER, Story
from tests.support.whole import whole_project, whole_world

STORIES = st.sampled_from([whole_world, whole_project])
FEW = settings(max_examples=25, deadline=None)


@FEW
@given(STORIES, st.data())
def test_folding_a_prefix_and_then_the_rest_is_folding_all(
    told: Callable[[], Story], data: st.DataObject
) -> None:
    """Where a replay pauses makes no difference to what it remembers."""
    story = told()
    cut = data.draw(st.integers(0, len(story.events)))
    assert fold(story.events[cut:], fold(story.events[:cut])) == fold(story.events) == story.state


def test_every_told_event_is_admitted_again() -> None:
    """Import and strict verification run the same rules over the same history and refuse nothing."""
    for story in (whole_world(), whole_project()):
        state = INITIAL
        for event in story.events:
            check(state, event)
            state = evolve(state, event)
        assert state == story.state


def test_history_without_its_words_is_admitted_and_remembered_alike() -> None:
    """With every text erased, the same events pass the rules, and give the same roots and revisions."""
    for story in (whole_world(), whole_project()):
        state = INITIAL
        for event in story.events:
            bare = decode_event(event_bytes(event), {})
            check(state, bare)
            state = evolve(state, bare)
        assert state == story.state
        assert state.title is not None
        assert state.title.text is None


def _print(state: State) -> str:
    """Return everything a state holds, in words: a change of any part changes it."""
    return digest("test.state", repr(state).encode("utf-8", "backslashreplace"))


def test_remembering_and_deciding_leave_their_inputs_as_they_were() -> None:
    """A state is a value: evolve and propose return new ones."""
    story = whole_project()
    state = INITIAL
    for event in story.events:
        printed = _print(state)
        after = evolve(state, event)
        assert _print(state) == printed
        state = after
    printed = _print(state)
    told = copy_of(story)
    propose(state, capture("More"), told.stamp(), ledger=told.ledger)
    assert _print(state) == printed


def capture(text: str) -> CaptureSource:
    """Return the command that captures a shared text."""
    return CaptureSource(text, SourceKind.TEXT, Visibility.SHARED, "local/1")


@FEW
@given(
    st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=60)
    .filter(str.strip)
    .filter(lambda text: unmeant(text) is None)
)
def test_any_text_is_kept_word_for_word(text: str) -> None:
    """What was captured reads back exactly, of whatever Unicode it is, and stands in no event's bytes."""
    told = copy_of(whole_project())
    source, request = told.after(capture(text))
    for event in (source, request):
        assert decode_event(event_bytes(event), openings_of(event)) == event
    back = decode_event(event_bytes(source), openings_of(source)).body
    assert back.content.text == text  # type: ignore[attr-defined]


@FEW
@given(st.text(max_size=40), st.binary(min_size=32, max_size=32))
def test_words_open_what_they_commit_to(text: str, salt: bytes) -> None:
    """A commitment is opened by its own text and salt, and by no other text."""
    words = commit(text, salt)
    assert opens(words)
    assert commit(text + "x", salt) != words


@FEW
@given(st.binary(min_size=32, max_size=32))
def test_deciding_is_a_function_of_state_command_and_stamp(entropy: bytes) -> None:
    """The same three give the same events; other entropy gives other ids and salts and the same meaning."""
    story = whole_project()
    stamp = Stamp(
        "2026-11-30T10:00:00.000000Z", OWNER, story.events[-1].via, story.events[-1].command, entropy
    )
    first = decide(story.state, capture("Once"), stamp, ledger=story.ledger)
    assert decide(story.state, capture("Once"), stamp, ledger=story.ledger) == first
    ids = {event.id for event in first} | {event.id for event in story.events}
    assert len(ids) == len(first) + len(story.events)


@FEW
@given(st.permutations(["a", "b", "c", "d", "e"]))
def test_the_state_root_is_that_of_the_records_not_of_their_order(names: list[str]) -> None:
    """Disjoint nodes accepted in any order make one root, and each prefix its own."""
    tables, roots = root(), []
    for name in names:
        tables = grown(add(name), under(name), tables=tables)
        roots.append(state_root(tables))
    assert roots[-1] == state_root(_grown_together(sorted(names)))
    assert len(set(roots)) == len(names)


def _grown_together(names: list[str]) -> Tables:
    operations = [operation for name in names for operation in (add(name), under(name))]
    return grown(*operations)


def test_every_revision_stays_reachable_as_it_was() -> None:
    """Each revision's tables make the root that was recorded with it."""
    state = whole_project().state
    numbers = [revision.number for revision in state.revisions.rows()]
    assert numbers == list(range(state.revision + 1))
    for revision in state.revisions.rows():
        assert state_root(revision.tables) == revision.state_root
    assert state.revisions[revision_key(state.revision)].tables == state.tables


def test_a_clock_that_steps_back_is_flagged_and_never_lowers_the_latest_moment() -> None:
    """Order is the sequence; the moment of the ledger only grows."""
    story = copy_of(whole_project())
    latest = story.state.at
    story.step = -50
    (first, second) = story.after(capture("Earlier"))
    assert first.at < latest
    assert (story.state.at, story.state.clock_stepped_back) == (latest, second.seq)


_REPLAY = """
from kernel.canonical import digest
from kernel.events.envelope import event_bytes
from tests.support.whole import whole_project, whole_world
for story in (whole_world(), whole_project()):
    data = b"".join(event_bytes(event) for event in story.events)
    print(digest("test.story", data), story.state.state_root, digest("test.state", repr(story.state.open_deltas).encode()))
"""


def test_every_process_tells_the_same_story() -> None:
    """Under three hash seeds, in fresh processes, deciding and replaying give the same bytes and roots."""
    running = [
        subprocess.Popen(
            [sys.executable, "-c", _REPLAY],
            cwd=Path(__file__).parents[2],
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
        )
        for seed in ("0", "1", "4711")
    ]
    said = [process.communicate(timeout=60)[0].decode() for process in running]
    here = [b"".join(event_bytes(event) for event in told().events) for told in (whole_world, whole_project)]
    assert said[0] == said[1] == said[2]
    assert [line.split()[0] for line in said[0].splitlines()] == [digest("test.story", data) for data in here]


def test_a_story_told_twice_is_one_story() -> None:
    """The stand-in of the clock and the entropy is itself deterministic."""
    first, second = Story().opened(), Story().opened()
    assert first.captured("Paint") == second.captured("Paint")
    assert first == second
