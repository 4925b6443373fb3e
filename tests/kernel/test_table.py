"""The frozen map of the state."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.table import Table, Undo, UndoableDraft


@given(st.lists(st.tuples(st.text(max_size=4), st.integers())))
def test_a_table_is_a_dict_in_key_order(items: list[tuple[str, int]]) -> None:
    """Whatever order the rows came in, lookup is a dict's and order is the key's."""
    expected = dict(items)
    table = Table.of(items)
    one_by_one: Table[int] = Table()
    for key, value in items:
        one_by_one = one_by_one.put(key, value)
    assert table == one_by_one
    assert len(table) == len(expected)
    assert table.items() == tuple(sorted(expected.items()))
    assert table.keys() == tuple(sorted(expected))
    assert table.rows() == tuple(expected[key] for key in sorted(expected))
    assert all(key in table and table.get(key) == table[key] == expected[key] for key in expected)


def test_a_change_leaves_the_table_as_it_was() -> None:
    """Every past state stays what it was."""
    before = Table.of([("a", 1), ("b", 2)])
    assert before.put("a", 9).items() == (("a", 9), ("b", 2))
    assert before.update([("c", 3), ("c", 4)]).items() == (("a", 1), ("b", 2), ("c", 4))
    assert before.without("a").items() == (("b", 2),)
    assert before.without("z") is before
    assert before.items() == (("a", 1), ("b", 2))


def test_an_absent_key_is_none_or_an_error() -> None:
    """`get` answers None; the brackets raise."""
    table = Table.of([("a", 1)])
    assert table.get("b") is None
    assert "b" not in table
    with pytest.raises(KeyError):
        table["b"]


def test_plain_iteration_is_refused() -> None:
    """Hash order is no order, so nothing can iterate by accident."""
    with pytest.raises(TypeError, match="a table has no order of its own"):
        list(Table.of([("a", 1)]))


def test_order_is_the_same_under_every_hash_seed() -> None:
    """Two processes with other hash seeds read the rows in the same order."""
    program = "from kernel.table import Table;print(Table.of((f'k{n % 97}', n) for n in range(500)).items())"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_what_is_newer_is_told_by_identity_in_key_order() -> None:
    """Added and replaced rows are newer, rows taken over are not, whatever their order of adding."""
    old = Table.of([("b", "old"), ("c", "kept")])
    assert old.put("b", "new").put("a", "added").newer_than(old) == ("a", "b")
    assert old.newer_than(old) == ()


_STEPS = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.one_of(st.none(), st.integers(0, 9))),
    max_size=30,
)


@given(_STEPS, _STEPS, st.booleans())
def test_a_table_on_a_ground_is_the_table_that_grew_row_by_row(
    first: list[tuple[str, int | None]],
    then: list[tuple[str, int | None]],
    at_once: bool,  # noqa: FBT001 - drawn
) -> None:
    """Rows that a loop filled in, and what changed after it, read as if each had been put by itself."""
    empty: Table[int] = Table()
    draft, expected = empty.draft(), dict[str, int]()
    for key, value in first:
        draft = draft.without(key) if value is None else draft.put(key, value)
        _step(expected, key, value)
    ground = table = draft.done()
    before = dict(expected)
    for key, value in then:
        if not at_once:
            table = table.without(key) if value is None else table.put(key, value)
        _step(expected, key, value)
    if at_once:
        table = table.changed(then)
    assert ground.items() == tuple(sorted(before.items()))
    assert table.items() == tuple(sorted(expected.items()))
    assert (table.keys(), table.rows()) == (tuple(sorted(expected)), table.these(sorted(expected)))
    assert (len(table), [key in table for key in "abcdef"]) == (
        len(expected),
        [key in expected for key in "abcdef"],
    )
    assert [table.get(key) for key in "abcdef"] == [expected.get(key) for key in "abcdef"]
    alone = Table.of(expected.items())
    assert (table == alone, hash(table) == hash(alone), repr(table)) == (True, True, repr(alone))
    assert (table == ground) == (expected == before)
    assert table.draft().done() == table


def _step(rows: dict[str, int], key: str, value: int | None) -> None:
    if value is None:
        rows.pop(key, None)
    else:
        rows[key] = value


@given(_STEPS, _STEPS)
def test_what_is_newer_is_the_same_on_one_ground_and_on_two(
    first: list[tuple[str, int | None]], then: list[tuple[str, int | None]]
) -> None:
    """A shared ground is passed over; what differs is told either way."""
    ground = Table.of([(key, value) for key, value in first if value is not None])
    one, other = ground.changed(then[::2]), ground.changed(then[1::2])
    assert one.newer_than(other) == Table.of(one.items()).newer_than(Table.of(other.items()))


@given(_STEPS, st.data())
def test_what_a_draft_wrote_down_leads_back_to_what_it_held(
    steps: list[tuple[str, int | None]], data: st.DataObject
) -> None:
    """Undoing the changes after any moment, the last one first, gives the rows of that moment."""
    log: list[Undo[int]] = []
    draft = UndoableDraft.logged(Table.of([("a", 1)]), log, 7)
    cut = data.draw(st.integers(0, len(steps)))
    rows, length = {"a": 1}, 0
    for number, (key, value) in enumerate(steps):
        if number < cut:
            _step(rows, key, value)
        draft = draft.without(key) if value is None else draft.put(key, value)
        length = len(log) if number < cut else length
    assert {number for number, _, _ in log} <= {7}
    undone = {key: old for _, key, old in reversed(log[length:])}
    assert draft.done().changed(undone.items()).items() == tuple(sorted(rows.items()))
