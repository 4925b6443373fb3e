"""Which revisions a reader asks for: by act, by person, and by time, page by page."""

from kernel.commands import AcceptDelta, ImportOutline, OutlineNode, ProposeCorrection
from kernel.projections.sieve import LOOKED_MAX, Sieve, act_of, sifted
from kernel.projections.timeline import ENTRIES_MAX, timeline
from kernel.state import revision_key
from kernel.vocabulary import NodeKind
from tests.support.story import Story


def _numbers(story: Story, sieve: Sieve, before: int | None = None) -> list[int]:
    told = timeline(story.state, before=before, sieve=sieve)
    return [entry.revision.number for entry in told.entries]


def _told() -> Story:
    """Return a project that was opened, got a node, a change to it, and an outline."""
    story = Story().opened()
    room = story.accepted(story.captured("Bathroom", NodeKind.IDEA))
    for command in (
        ProposeCorrection(room, "Better", title="Upper bathroom"),
        ImportOutline("- One", story.state.root_id, (OutlineNode(NodeKind.IDEA, "One", None, None),)),
    ):
        delta_id = next(
            event.body.delta_id
            for event in story.after(command)
            if event.type == "delta.proposed.v1" and hasattr(event.body, "delta_id")
        )
        story.after(AcceptDelta(delta_id, 0, story.state.revision, story.seen(delta_id)))
    return story


def test_each_sort_of_act_finds_its_revisions() -> None:
    """The opening, a placement, a change and an import are told apart; an act nobody did finds nothing."""
    story = _told()
    acts = [act_of(story.state, story.state.revisions[revision_key(number)]) for number in range(4)]
    assert acts == ["opened", "placement", "correction", "import"]
    assert [_numbers(story, Sieve(act=act)) for act in acts] == [[0], [1], [2], [3]]
    assert _numbers(story, Sieve(act="compensation")) == []


def test_a_person_and_a_stretch_of_time_narrow_it_together() -> None:
    """The first moment counts, the last does not; another person accepted nothing."""
    story = _told()
    at = [story.state.revisions[revision_key(number)].origin.at for number in range(4)]
    who = story.state.revisions[revision_key(1)].origin.actor.id
    assert _numbers(story, Sieve(person_id=who, since=at[1], until=at[3])) == [2, 1]
    assert _numbers(story, Sieve(person_id="nobody")) == []
    assert _numbers(story, Sieve(until=at[0])) == []
    assert _numbers(story, Sieve()) == [3, 2, 1, 0]


def test_pages_of_what_passes_follow_each_other() -> None:
    """The cursor leads on without a gap, and ends."""
    story = Story().opened()
    for index in range(ENTRIES_MAX + 2):
        story.accepted(story.captured(f"Idea {index}", NodeKind.IDEA))
    first = timeline(story.state, sieve=Sieve(act="placement"))
    second = timeline(story.state, before=first.before, sieve=Sieve(act="placement"))
    numbers = [entry.revision.number for page in (first, second) for entry in page.entries]
    assert (numbers, second.before) == (list(range(ENTRIES_MAX + 2, 0, -1)), None)


def test_a_long_search_ends_at_its_bound_and_says_where_to_go_on() -> None:
    """A sieve that lets nothing through looks at a bounded stretch of revisions."""
    story = Story().opened()
    numbers = (0,) * (LOOKED_MAX + 1)
    assert sifted(story.state, numbers, Sieve(act="import"), most=1) == ((), 0)
    assert sifted(story.state, numbers[1:], Sieve(act="import"), most=1) == ((), None)
