"""What is kept of pure functions: never another value's result, never more than so many, nothing after forgetting."""

from kernel.projections.kept import Kept, Newest, forget_all


def test_a_result_is_kept_for_the_very_values_it_was_made_from() -> None:
    """The same objects get the same result; equal ones that are others get one of their own."""
    kept, made = Kept[list[str]](3), []

    def make() -> list[str]:
        made.append(len(made))
        return [f"made {len(made)}"]

    one, other = ["a"], ["a"]
    assert kept.of((one, other), make) is kept.of((one, other), make)
    assert kept.of((other, one), make) == ["made 2"]
    assert made == [0, 1]


def test_what_was_asked_for_longest_ago_is_forgotten_first() -> None:
    """Of three values and room for two, the one asked for again stays."""
    kept, values = Kept[int](2), [[number] for number in range(3)]
    for value in (values[0], values[1], values[0], values[2]):
        kept.of((value,), lambda value=value: value[0])  # type: ignore[misc]
    assert kept.latest() == (2, 0)


def test_everything_can_be_forgotten_at_once() -> None:
    """After words are erased, no result holds a value that still says them."""
    first, second = Kept[str](2), Kept[str](2)
    first.of((object(),), lambda: "words")
    second.of((object(),), lambda: "words")
    forget_all()
    assert (first.latest(), second.latest()) == ((), ())


def test_the_newest_of_a_name_is_made_from_the_one_before() -> None:
    """Each name has one result; of three names and room for two the one asked longest ago begins anew."""
    newest = Newest[int](2)

    def more(old: int | None) -> int:
        return 1 if old is None else old + 1

    asked = [newest.of((name,), more) for name in ("a", "a", "b", "a", "c", "b", "a")]
    assert asked == [1, 2, 1, 3, 1, 1, 1]
    forget_all()
    assert newest.of(("a",), more) == 1
