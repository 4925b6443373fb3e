"""The frozen map of the state."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.table import Table


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
