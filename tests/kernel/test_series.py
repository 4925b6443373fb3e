"""The series of the state: a list of texts whose past versions share what they have in common."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.table import Series

_TEXTS = st.lists(st.sampled_from([f"n{number}" for number in range(200)]), max_size=200, unique=True)


@given(_TEXTS)
def test_adding_one_by_one_is_the_same_as_all_at_once(texts: list[str]) -> None:
    """A series is what was added, in the order of adding."""
    series = Series()
    for text in texts:
        series = series.added(text)
    assert (series, list(series), len(series)) == (Series.of(texts), texts, len(texts))


@given(_TEXTS, st.integers(-250, 250))
def test_a_place_and_a_slice_read_as_in_a_list(texts: list[str], place: int) -> None:
    """Negative places count from the end; a place outside is refused."""
    series = Series.of(texts)
    assert series[place:] == tuple(texts[place:])
    assert tuple(reversed(series)) == tuple(reversed(texts))
    if -len(texts) <= place < len(texts):
        assert series[place] == texts[place]
    else:
        with pytest.raises(IndexError, match="no text"):
            _ = series[place]


@given(_TEXTS, st.sampled_from(["n0", "n64", "n199", "absent"]))
def test_taking_one_out_leaves_the_others_in_order(texts: list[str], gone: str) -> None:
    """What is left equals a series that never held it."""
    series = Series.of(texts)
    assert series.without(gone) == Series.of([text for text in texts if text != gone])
    assert list(series) == texts


def test_a_long_series_shares_its_full_parts_with_the_one_before() -> None:
    """Adding one to ten thousand copies no more than the last part."""
    before = Series.of(str(number) for number in range(10_000))
    after = before.added("one more")
    assert after._full is before._full


@given(_TEXTS, _TEXTS, st.integers(0, 250))
def test_what_one_series_has_beyond_another_is_told_in_order(
    texts: list[str], others: list[str], kept: int
) -> None:
    """What both begin with is passed over, whether they share its parts or not."""
    begun = Series.of(dict.fromkeys(texts))
    series, old = begun, Series.of([*list(begun)[:kept], *(item for item in others if item not in texts)])
    for number in range(70):
        series = series.added(f"later {number}")
    assert series.beyond(old) == tuple(item for item in series if item not in set(old))
    assert old.beyond(series) == tuple(item for item in old if item not in set(series))
    assert series.beyond(begun) == tuple(f"later {number}" for number in range(70))
