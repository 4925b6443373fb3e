"""The visible rows of the tree: open and shut, suggestions laid over, windows, search, counts."""

from kernel.commands import ImportOutline, OutlineNode
from kernel.projections.outline import ROWS_MAX, Ask, Window, caring, row_key, survey, window
from kernel.projections.standing import Knowledge
from kernel.vocabulary import NodeKind
from tests.support.story import Story


def _rows(shown: Window) -> list[tuple[int, str, bool]]:
    rows = []
    for row in shown.rows:
        title = row.suggested.add.title if row.suggested else row.node.title  # type: ignore[union-attr]
        rows.append((row.level, title.or_erased(), row.suggested is not None))
    return rows


def _many(count: int, *, accepted: bool = True) -> Story:
    story = Story().opened()
    nodes = tuple(OutlineNode(NodeKind.IDEA, f"Idea {index}", None, None) for index in range(count))
    delta_id = story.after(ImportOutline("# many", story.state.root_id, nodes))[-1].body.delta_id  # type: ignore[attr-defined]
    if accepted:
        story.accepted(delta_id)
    return story


def _rooms() -> tuple[Story, dict[str, str]]:
    story = Story().opened()
    ids = {"bathroom": story.accepted(story.captured("Bathroom", NodeKind.IDEA))}
    ids["floor"] = story.accepted(story.captured("Check the floor", under=ids["bathroom"]))
    ids["money"] = story.accepted(story.captured("Money", NodeKind.IDEA, private=True))
    return story, ids


def test_a_small_project_is_open_with_its_suggestions_laid_over() -> None:
    """Accepted nodes come in their order, a suggestion after its siblings; sizes count accepted nodes alone."""
    story, ids = _rooms()
    story.captured("Order tiles", under=ids["bathroom"])
    shown = window(survey(story.state), Ask())
    assert _rows(shown) == [
        (1, "Birch Lane 7", False),
        (2, "Bathroom", False),
        (3, "Check the floor", False),
        (3, "Order tiles", True),
        (2, "Money", False),
    ]
    root, bathroom, *_ = shown.rows
    assert (root.inside, root.private_inside, bathroom.inside, bathroom.children) == (3, 1, 1, 2)
    assert [(row.position, row.siblings) for row in shown.rows] == [(1, 1), (1, 2), (1, 2), (2, 2), (2, 2)]


def test_suggestions_can_be_left_out() -> None:
    """Without suggestions the accepted tree stands alone."""
    story, ids = _rooms()
    story.captured("Order tiles", under=ids["bathroom"])
    shown = window(survey(story.state), Ask(has_suggestions=False))
    assert all(not is_suggested for _, _, is_suggested in _rows(shown))
    assert shown.total == 4


def test_a_row_shut_by_hand_hides_what_is_inside() -> None:
    """Closing a row leaves it there with its size."""
    story, ids = _rooms()
    shown = window(survey(story.state), Ask(shut=frozenset({row_key(ids["bathroom"])})))
    assert [title for _, title, _ in _rows(shown)] == ["Birch Lane 7", "Bathroom", "Money"]
    assert not shown.rows[1].is_expanded


def test_a_large_project_shows_its_top_and_opens_the_way_to_the_selection() -> None:
    """Rows come in windows; the selected row is in the one that is shown."""
    story = _many(200)
    target = story.state.tables.children[story.state.root_id][150]
    view = survey(story.state)
    first, chosen = window(view, Ask()), window(view, Ask(selected=target))
    assert (len(first.rows), first.start, first.total) == (ROWS_MAX, 0, 201)
    assert (chosen.start, target in {row.id for row in chosen.rows}) == (120, True)
    assert window(view, Ask(start=190)).rows[-1].position == 200


def test_a_large_import_that_only_waits_is_laid_over_in_windows_too() -> None:
    """A proposal of many nodes costs no more rows than accepted ones."""
    shown = window(survey(_many(200, accepted=False).state), Ask())
    assert (len(shown.rows), shown.total) == (ROWS_MAX, 201)
    assert shown.rows[1].suggested is not None


def test_verified_work_is_supported_and_its_evidence_too() -> None:
    """After an accepted reconciliation the task and its evidence are supported, everything else is a draft."""
    story = Story().opened()
    task, _ = story.integrated()
    view = survey(story.state)
    standings = {row.id: row.standing.knowledge for row in window(view, Ask()).rows if row.standing}
    evidence = story.state.tables.children[task][0]
    assert standings == {
        story.state.root_id: None,
        task: Knowledge.SUPPORTED,
        evidence: Knowledge.SUPPORTED,
    }
    assert caring(view) == ()
