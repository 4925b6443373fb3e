"""A replay trusts a proved history, and remembers exactly what reading it strictly and folding it remembers."""

import copy
import json
import pickle
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from kernel.canonical import canonical_bytes, decode_canonical, plain, record_bytes
from kernel.errors import CanonicalError, HistoryError, LedgerUnavailableError
from kernel.events import BODIES
from kernel.events.body import Body
from kernel.events.delta import DeltaProposed
from kernel.events.envelope import event_bytes
from kernel.events.proved import body_reader
from kernel.events.skimmed import event_reader
from kernel.events.stored import Written
from kernel.reducer import fold
from kernel.reducer.replaying import replay
from kernel.state import INITIAL, State, StateDraft
from kernel.table import Table
from kernel.upcast import decode_event, upcast
from kernel.values.recorded import Recorded, made
from kernel.values.words import Opening, Openings, SealedWords, Words, commit
from tests.golden.files import path_of, read_golden
from tests.support.story import Story
from tests.support.whole import whole_project, whole_world
from tests.support.written import all_said, pages, written


@pytest.mark.parametrize("event_type", sorted(BODIES))
def test_every_event_ever_written_reads_as_it_reads_strictly(event_type: str) -> None:
    """The quick reader gives the same body, in the same types, with the same texts and bytes, for every golden."""
    data, openings = read_golden(path_of(event_type))
    event = decode_event(data, openings)
    raw = upcast(decode_canonical(data))
    body = body_reader(raw["type"])(raw["body"], data, lambda: openings)
    assert body == event.body
    assert all_said(body) == all_said(event.body)
    assert event_bytes(replace(event, body=body)) == event_bytes(event)
    assert body.model_copy() == event.body


def test_an_event_without_a_field_it_must_have_is_not_read() -> None:
    """What the catalogue cannot complete raises at once; it does not become half a body."""
    data, _ = read_golden(path_of("delta.proposed.v1"))
    body = decode_canonical(data)["body"]
    del body["delta_id"]
    with pytest.raises(KeyError, match="delta_id"):
        body_reader("delta.proposed.v1")(body, data, None)


@settings(max_examples=20, deadline=None)
@given(st.sampled_from([whole_world, whole_project]), st.data())
def test_replaying_any_beginning_of_a_history_is_folding_it(
    told: Callable[[], Story], data: st.DataObject
) -> None:
    """Records, texts, tables, order and roots are the same, however long the history and its pages are."""
    events = told().events
    events = events[: data.draw(st.integers(0, len(events)))]
    replayed = replay(pages(events, data.draw(st.integers(1, 50))))
    folded = fold(events)
    assert type(replayed) is State
    assert replayed == folded
    assert all_said(replayed) == all_said(folded)


def test_a_history_without_its_words_is_replayed_without_them() -> None:
    """Where nothing opens the words, the state knows their commitments, as folding such events does."""
    events = whole_project().events
    bare = [decode_event(event_bytes(event), {}) for event in events]
    assert all_said(replay(pages(bare))) == all_said(fold(bare))


def test_a_state_that_was_replayed_goes_on_as_a_folded_one() -> None:
    """What comes after a replay changes a state of its own and leaves the replayed one as it was."""
    story = whole_project()
    cut = len(story.events) // 2
    replayed = replay(pages(story.events[:cut]))
    said = all_said(replayed)
    assert all_said(fold(story.events[cut:], replayed)) == all_said(story.state)
    assert all_said(replayed) == said


def test_a_clock_that_stepped_back_is_remembered_by_a_replay() -> None:
    """The latest moment stays, and the event that lies before it is named."""
    story = Story().opened()
    story.captured("Mend the fence")
    events = [*story.events[:-1], replace(story.events[-1], at="2026-11-29T00:00:00.000000Z")]
    replayed = replay(pages(events))
    assert (replayed.clock_stepped_back, replayed.at) == (len(events), events[-2].at)
    assert replayed == fold(events)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"source.captured.v1"', b'"source.captured.v9"'),
        (b'"via":"browser"', b'"via":"window"'),
        (b'"visibility":"shared"', b'"visibility":"hidden"'),
        (b'"source_id":', b'"source_ie":'),
        (b'"type":', b'"typo":'),
        (b'"owner"},"at":', b'"guest"},"at":'),
        (b'"body":', b'"body"'),
        (b'{"actor"', b'[{"actor"'),
    ],
)
def test_bytes_that_no_version_wrote_are_refused(old: bytes, new: bytes) -> None:
    """A replay that cannot go on says so in a sentence and leaves no state behind."""
    story = Story().opened()
    story.captured("Mend the fence")
    rows = [written(event) for event in story.events]
    rows[1] = (rows[1][0].replace(old, new), rows[1][1])
    with pytest.raises(HistoryError, match="are not such as this version writes"):
        replay([rows])


def test_a_field_that_no_version_wrote_is_refused_when_the_rest_is_asked_for() -> None:
    """What waits was not looked at; whoever asks for it gets no half of a body."""
    story = Story().opened()
    story.captured("Mend the fence")
    rows = [written(event) for event in story.events]
    rows[1] = (rows[1][0].replace(b'"size_bytes":', b'"more":1,"size_bytes":'), rows[1][1])
    (source,) = replay([rows]).sources.rows()
    with pytest.raises(KeyError, match="more"):
        _ = source.body.size_bytes


@pytest.mark.parametrize("event_type", sorted(BODIES))
def test_every_event_ever_written_is_skimmed_as_it_reads_strictly(event_type: str) -> None:
    """What a replay reads straight out of the bytes is the same body, in the same types, for every golden."""
    data, openings = read_golden(path_of(event_type))
    event = decode_event(data, openings)
    reader = event_reader(event_type)
    skimmed = reader.skim(data)
    assert (skimmed.seq, skimmed.id, skimmed.at) == (event.seq, event.id, event.at)
    body = reader.body(skimmed.body, data, lambda: openings)
    assert type(body) is type(event.body) is reader.body_class
    assert body == event.body
    assert all_said(body) == all_said(event.body)
    assert event_bytes(replace(event, body=body)) == event_bytes(event)


def test_a_text_that_spells_an_events_fields_does_not_lead_a_replay_astray() -> None:
    """Where fields lie is told by quotes that no text can hold."""
    story = Story().opened()
    story.captured("Mend the fence")
    ends = '},"at":"2026-11-29T00:00:00.000000Z","type":"source.captured.v1","via":"cli"}'
    events = [
        replace(event, command=ends, actor=event.actor.model_copy(update={"id": ends}))
        for event in story.events
    ]
    assert all_said(replay(pages(events))) == all_said(fold(events))


def test_what_the_reader_of_the_pages_raises_is_raised_by_the_replay() -> None:
    """A history whose proof fails after the last page has no state."""
    story = Story().opened()

    def failing() -> object:
        yield pages(story.events)[0]
        raise LedgerUnavailableError("the disk failed")

    with pytest.raises(LedgerUnavailableError, match="the disk failed"):
        replay(failing())  # type: ignore[arg-type]


def test_sealed_words_are_the_words_they_seal() -> None:
    """They compare, hash, copy and read as plain words, and are opened only when somebody asks."""
    plain = commit("Mend the fence", bytes(32))
    asked: list[str] = []

    def unseal() -> Openings:
        asked.append("asked")
        return {plain.commitment: Opening(bytes(32), "Mend the fence")}

    sealed = SealedWords(plain.commitment, unseal)
    assert (sealed == plain, plain == sealed, hash(sealed) == hash(plain), asked) == (True, True, True, [])
    assert (sealed.text, sealed.or_erased(), sealed.opening) == (plain.text, plain.text, plain.opening)
    for same in (copy.copy(sealed), copy.deepcopy(sealed), pickle.loads(pickle.dumps(sealed))):  # noqa: S301
        assert (type(same), same.text) == (Words, plain.text)
    assert SealedWords(plain.commitment, dict).text is None


def _partly_read(openings: Openings | None = None) -> tuple[Body, DeltaProposed]:
    """Return a proposal of which the longer fields wait, and the same one read strictly."""
    data, known = read_golden(path_of("delta.proposed.v1"))
    strict = decode_event(data, known if openings is None else openings).body
    assert isinstance(strict, DeltaProposed)
    unseal = partial(dict, known if openings is None else openings)
    return body_reader("delta.proposed.v1")(decode_canonical(data)["body"], data, unseal), strict


@pytest.mark.parametrize(
    "asked",
    [
        lambda body: [getattr(body, name) for name in type(body).model_fields],
        lambda body: [getattr(body, name) for name in reversed(type(body).model_fields)],
        lambda body: body.model_dump(mode="json"),
        lambda body: json.loads(body.model_dump_json()),
        lambda body: body.model_copy(update={"title": body.title}),
        copy.copy,
        copy.deepcopy,
        lambda body: pickle.loads(pickle.dumps(body)),  # noqa: S301 - our own bytes
        dict,
        vars,
        hash,
        lambda body: sorted(str(body.__repr_args__())),
        all_said,
    ],
)
def test_a_body_that_was_read_in_part_says_all_of_it(asked: Callable[[Body], object]) -> None:
    """Whichever way somebody asks first, the fields that waited are there as if they had been read at once."""
    body, strict = _partly_read()
    assert asked(body) == asked(strict)
    body, strict = _partly_read()
    assert (body == strict, strict == _partly_read()[0]) == (True, True)
    assert body != strict.model_copy(update={"operations": ()})


def test_a_body_that_was_read_in_part_waits_with_its_longer_fields() -> None:
    """What a replay needs is there; the rest is read once, at the first question, and a wrong name is no field."""
    body, strict = _partly_read()
    held = BaseModel.__dict__["__dict__"].__get__(body)
    assert set(held) == set(DeltaProposed.AT_ONCE)
    assert body.delta_id == strict.delta_id  # type: ignore[attr-defined]
    assert set(held) == set(DeltaProposed.AT_ONCE)
    with pytest.raises(AttributeError, match="nothing"):
        _ = body.nothing  # type: ignore[attr-defined]
    operations = body.operations  # type: ignore[attr-defined]
    assert operations == strict.operations
    assert set(held) == set(DeltaProposed.model_fields)
    assert body.operations is operations  # type: ignore[attr-defined]


def test_a_record_that_was_made_is_the_record_that_was_checked() -> None:
    """Making a record of known fields gives what its checks would have let pass, down to its bytes."""
    story = whole_project()
    for record in (*story.state.tables.nodes.rows(), *story.state.tables.relations.rows()):
        fields = {name: getattr(record, name) for name in type(record).model_fields}
        assert made(type(record), dict(fields)) == type(record)(**fields) == record
        assert made(type(record), dict(fields)).model_dump() == record.model_dump()
        assert record_bytes(record) == canonical_bytes(plain(record))


def test_a_record_of_another_type_has_no_quick_bytes() -> None:
    """A field that is no text, number, enum, words or tuple of these is refused, as on the long way."""

    class Odd(Recorded):
        value: object

    for value in (object(), Opening(bytes(32), "text"), 2**60):
        with pytest.raises(CanonicalError, match="no canonical bytes"):
            record_bytes(Odd(value=value))


def test_a_draft_takes_rows_in_place_and_leaves_the_table_it_came_from() -> None:
    """What was frozen before a draft stays, and what a draft has become is frozen."""
    before = Table.of([("a", 1), ("b", 2)])
    draft = before.draft()
    assert draft.put("c", 3).without("a").without("z").update([("b", 5), ("d", 6)]) is draft
    assert (draft["c"], draft.get("a"), "d" in draft, len(draft)) == (3, None, True, 3)
    after = draft.done()
    assert type(after) is Table
    assert after.items() == (("b", 5), ("c", 3), ("d", 6))
    assert before.items() == (("a", 1), ("b", 2))


def test_a_draft_of_a_state_ends_as_a_state_and_leaves_the_first_one() -> None:
    """An untouched draft ends as the same state, of the same class."""
    story = Story().opened()
    assert StateDraft.of(story.state).done() == story.state
    assert type(StateDraft.of(INITIAL).done()) is State
    assert State() == INITIAL


def test_pages_may_be_empty() -> None:
    """No page, or a page without events, is no event."""
    none: Sequence[Written] = []
    assert replay([]) == replay([none]) == INITIAL
