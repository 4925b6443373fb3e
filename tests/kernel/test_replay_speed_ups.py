"""What makes replay fast changes nothing: the quick ways say exactly what the slow ways say."""

import gc

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.canonical import canonical_bytes, decode_canonical, part_bytes
from kernel.commands import AcceptDelta
from kernel.decide import propose
from kernel.errors import CanonicalError
from kernel.events.delta import DeltaAccepted
from kernel.reducer import fold
from kernel.reducer.operations import Acceptance, apply, foresee, state_root
from kernel.trie import EMPTY_TRIE_ROOT, Trie
from kernel.vocabulary import NodeKind
from tests.support.story import Story

_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**64), 2**64),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(),
    st.sampled_from(["1.5", '":1.5', "[1", ",2e5", "at 09:00.5"]),
)
_JSON = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=20,
)


_IDS = st.integers(0, 90)


def _digest(number: int) -> str:
    return f"sha256:{number:064x}"


def _accepted_by_walking(data: bytes) -> bool:
    try:
        return canonical_bytes(orjson.loads(data)) == data
    except CanonicalError:
        return False


@given(_JSON)
def test_bytes_are_taken_exactly_when_walking_the_value_would_take_them(value: object) -> None:
    """The look at the bytes alone never lets a float, a foreign key or another spelling through."""
    try:
        data = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return
    try:
        taken = canonical_bytes(decode_canonical(data)) == data
    except CanonicalError:
        taken = False
    assert taken == _accepted_by_walking(data)


@pytest.mark.parametrize(
    "data",
    [
        b'{"a":1.5}',
        b'{"a":-1e5}',
        b'{"a":[1,2.5]}',
        b'{"a":[0.5]}',
        b'{"a":[[],-0.5]}',
        '{"ä":1}'.encode(),
        b'{"\\u00e4":1}',
        b'{"a":9007199254740993}',
        b'{"a":' + b"[" * 64 + b"]" * 64 + b"}",
    ],
)
def test_what_has_no_canonical_bytes_is_refused_by_the_quick_way_too(data: bytes) -> None:
    """Floats, keys beyond ASCII, large integers and deep nesting are refused, wherever they stand."""
    with pytest.raises(CanonicalError):
        decode_canonical(data)


def test_a_part_of_a_decoded_value_has_the_bytes_it_had_inside() -> None:
    """An event's body is validated from exactly the bytes that the log's leaf covers."""
    value = decode_canonical('{"a":{"b":[1,"ü"],"c":null},"d":true}'.encode())
    assert part_bytes(value["a"]) == '{"b":[1,"ü"],"c":null}'.encode()


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 9)), max_size=60), st.integers(0, 60))
def test_hashing_all_at_once_gives_the_root_of_hashing_one_by_one(
    puts: list[tuple[int, int]], asked_at: int
) -> None:
    """The root depends on the records alone, whenever it is asked for and however often an id is put."""
    eager, waiting = Trie(), Trie()
    for number, (record, digest) in enumerate(puts):
        eager = eager.put("node", f"n{record}", _digest(digest))
        eager.root()
        waiting = waiting.put("node", f"n{record}", lambda digest=digest: _digest(digest))  # type: ignore[misc]
        if number == asked_at:
            waiting.root()
    assert waiting.root() == eager.root()


@given(
    st.dictionaries(st.integers(0, 60), st.integers(0, 9), max_size=60),
    st.dictionaries(_IDS, st.integers(0, 9)),
)
def test_a_trie_that_is_told_at_once_is_the_trie_that_was_put_together(
    records: dict[int, int], later: dict[int, int]
) -> None:
    """Whoever tells all records when they are needed has the same root, and the same trie to go on from."""
    told = Trie.of(
        lambda: [("node", f"n{name}", bytes.fromhex(f"{value:064x}")) for name, value in records.items()]
    )
    put = Trie()
    for name, value in records.items():
        put = put.put("node", f"n{name}", _digest(value))
    more, more_put = told, put
    for name, value in later.items():
        more, more_put = (trie.put("node", f"n{name}", _digest(value)) for trie in (more, more_put))
    assert more.root() == more_put.root()
    assert told.root() == put.root()


def test_a_trie_that_was_never_asked_stays_as_it_was() -> None:
    """Hashing a later trie does not touch the ones it came from."""
    first = Trie().put("node", "a", _digest(1))
    second = first.put("node", "a", _digest(2))
    second.root()
    assert first.root() == Trie().put("node", "a", _digest(1)).root()
    assert Trie().root() == EMPTY_TRIE_ROOT


def test_a_long_chain_of_waiting_records_is_hashed_and_let_go() -> None:
    """No recursion follows the chain, neither for the root nor when it is freed."""
    trie = Trie()
    for number in range(60_000):
        trie = trie.put("node", str(number % 50), _digest(number))
    kept = trie
    assert trie.root() == kept.root()
    del trie, kept
    gc.collect()


def test_a_malformed_digest_is_refused_at_once_and_a_computed_one_when_it_is_needed() -> None:
    """A trie never holds what is no digest."""
    with pytest.raises(CanonicalError):
        Trie().put("node", "a", "sha256:no")
    with pytest.raises(CanonicalError):
        Trie().put("node", "a", lambda: "sha256:no").root()


def test_deciding_checking_and_remembering_an_acceptance_share_one_result() -> None:
    """The tables after an accept are the very ones that deciding computed, already hashed."""
    story = Story().opened()
    delta_id = story.captured("Mend the fence", NodeKind.TASK)
    before = story.state
    command = AcceptDelta(delta_id, 0, before.revision, story.seen(delta_id))
    events, after = propose(before, command, story.stamp(), ledger=story.ledger)
    body = events[-1].body
    assert isinstance(body, DeltaAccepted)
    acceptance = Acceptance(body.revision, events[-1].actor.id)
    assert apply(before.tables, body.operations, acceptance) is after.tables
    assert state_root(after.tables) == body.state_root


def test_what_was_foreseen_is_not_taken_for_another_acceptance() -> None:
    """Other operations, another revision or another approver are computed anew."""
    story = Story().opened()
    first, second = (
        story.captured("Mend the fence", NodeKind.TASK),
        story.captured("Oil the gate", NodeKind.TASK),
    )
    tables = story.state.tables
    operations = story.state.deltas[first].body.operations
    others = story.state.deltas[second].body.operations
    foreseen = foresee(tables, operations, Acceptance(1, "owner"))
    assert apply(tables, operations, Acceptance(1, "owner")) is foreseen
    assert state_root(apply(tables, operations, Acceptance(1, "rae"))) != state_root(foreseen)
    assert state_root(apply(tables, operations, Acceptance(2, "owner"))) != state_root(foreseen)
    assert state_root(apply(tables, others, Acceptance(1, "owner"))) != state_root(foreseen)
    assert tables == story.state.tables


def test_folding_from_nothing_gives_the_state_that_accepting_gave() -> None:
    """A replay, which foresees nothing, ends in the same state with the same root."""
    story = Story().opened()
    for text in ("Mend the fence", "Oil the gate", "Paint the shed"):
        story.accepted(story.captured(text, NodeKind.TASK))
    replayed = fold(story.events)
    assert replayed == story.state
    assert state_root(replayed.tables) == replayed.state_root
