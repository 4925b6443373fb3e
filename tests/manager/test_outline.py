"""Reading a Markdown outline: what becomes an item, what is its text, and what is refused with its line."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.manager.outline import MAX_DEPTH, MAX_ITEMS, parse_outline
from kernel.errors import InvalidError
from kernel.rules.limits import DESCRIPTION_BYTES_MAX
from kernel.values.placement import OutlineItem
from kernel.vocabulary import NodeKind


def _item(
    depth: int, title: str, line: int, *, kind: NodeKind | None = None, description: str | None = None
) -> OutlineItem:
    return OutlineItem(depth=depth, kind=kind, title=title, description=description, line=line)


def test_headings_and_lists_nest_and_skipped_levels_close_up() -> None:
    """Depth follows headings, then list nesting, and never grows by more than one."""
    text = "# House\n\n### Kitchen\n\n- Hob\n    1. Fan\n\n## Roof\n* Tiles\n"
    assert parse_outline(text) == (
        _item(0, "House", 1),
        _item(1, "Kitchen", 3),
        _item(2, "Hob", 5),
        _item(3, "Fan", 6),
        _item(1, "Roof", 8),
        _item(2, "Tiles", 9),
    )


@pytest.mark.parametrize(
    ("tag", "kind"),
    [
        ("[Goal]", NodeKind.GOAL),
        ("[constraint]", NodeKind.CONSTRAINT),
        ("[DECISION]", NodeKind.DECISION),
        ("[Task]", NodeKind.TASK),
        ("[Artifact]", NodeKind.ARTIFACT),
        ("[Idea]", NodeKind.IDEA),
        ("[OpenQuestion]", NodeKind.OPEN_QUESTION),
        ("[open question]", NodeKind.OPEN_QUESTION),
        ("[Evidence]", NodeKind.EVIDENCE),
        ("[ ]", NodeKind.TASK),
        ("[x]", NodeKind.TASK),
        ("[ ] [Goal]", NodeKind.GOAL),
        ("Decision:", NodeKind.DECISION),
        ("task :", NodeKind.TASK),
        ("**Goal:**", NodeKind.GOAL),
        ("**Open question**:", NodeKind.OPEN_QUESTION),
        ("__EVIDENCE:__", NodeKind.EVIDENCE),
        ("*Constraint*:", NodeKind.CONSTRAINT),
        ("[ ] Decision:", NodeKind.DECISION),
    ],
)
def test_a_tag_or_a_checkbox_names_the_kind(tag: str, kind: NodeKind) -> None:
    """Tags are read in any case; a checkbox is a Task unless a tag says otherwise."""
    (item,) = parse_outline(f"- {tag} Warm house")
    assert (item.depth, item.kind, item.title, item.description) == (0, kind, "Warm house", None)


def test_a_byte_order_mark_and_bullets_without_a_word_are_no_items() -> None:
    """What an editor of another system puts first, and a bullet left empty, carry nothing and stop nothing."""
    assert parse_outline("\ufeff# A\n-\n- b\n-   \n") == (_item(0, "A", 1), _item(1, "b", 3))


def test_a_tick_is_noted_and_an_unknown_tag_stays_in_the_title() -> None:
    """A ticked box is a Task that says it was ticked; brackets that name no kind are words like others."""
    ticked, weird = parse_outline("- [X] Measure the wall\n- [Weird] w\n")
    assert (ticked.kind, ticked.title, ticked.is_ticked) == (NodeKind.TASK, "Measure the wall", True)
    assert (weird.kind, weird.title, weird.is_ticked) == (None, "[Weird] w", False)
    assert (ticked.unknown_tag, weird.unknown_tag) == (None, "[Weird]")


@pytest.mark.parametrize(
    ("line", "kind", "title"),
    [
        ("Kitchen: new tiles", None, "Kitchen: new tiles"),
        ("Project: Alpha", None, "Project: Alpha"),
        ("Decision:", None, "Decision:"),
        ("Decision:white", None, "Decision:white"),
        ("**Decision** paint it white", None, "Decision paint it white"),
        ("[Task] Decision: paint it white", NodeKind.TASK, "Decision: paint it white"),
        ("**Decision: paint it white**", None, "Decision: paint it white"),
    ],
)
def test_a_word_before_a_colon_is_a_kind_only_when_it_names_one(
    line: str, kind: NodeKind | None, title: str
) -> None:
    """Other words, a word with nothing behind its colon and one behind a tag belong to the title."""
    assert parse_outline(f"- {line}") == (_item(0, title, 1, kind=kind),)


def test_a_tag_may_name_a_path_or_a_profile() -> None:
    """`[Artifact: path]` carries the path and `[Task: profile]` the profile."""
    artifact, task = parse_outline(
        "- [Artifact: docs/floor plan.md] Plan\n- [task: replay-1] Compare quotes\n"
    )
    assert (artifact.title, artifact.artifact_path, artifact.profile_id) == (
        "Plan",
        "docs/floor plan.md",
        None,
    )
    assert (task.title, task.artifact_path, task.profile_id) == ("Compare quotes", None, "replay-1")


@pytest.mark.parametrize(
    ("text", "title", "description"),
    [
        ("- Kitchen - on the ground floor", "Kitchen", "on the ground floor"),
        ("- Kitchen \u2013 on the ground floor", "Kitchen", "on the ground floor"),
        ("- Kitchen \u2014 open - and bright", "Kitchen", "open - and bright"),
        ("- Air-to-water pump", "Air-to-water pump", None),
        ("- Kitchen\n  on the ground floor", "Kitchen", "on the ground floor"),
        (
            "- Kitchen\n\n  On the ground floor.\n\n  To the garden.",
            "Kitchen",
            "On the ground floor.\n\nTo the garden.",
        ),
        ("# Kitchen\n\n    On the ground floor.", "Kitchen", "On the ground floor."),
        ("- **Kitchen** with `hob`", "Kitchen with hob", None),
        ("- See [the plan](plan.pdf)", "See the plan (plan.pdf)", None),
        ("- Price [gross] in <b>euro</b>", "Price [gross] in <b>euro</b>", None),
        ("- Kitchen\n  > what she said", "Kitchen", "> what she said"),
    ],
)
def test_title_and_description(text: str, title: str, description: str | None) -> None:
    """A dash, a line below or a paragraph below begins the description; emphasis marks go, all words stay."""
    assert parse_outline(text) == (_item(0, title, 1, description=description),)


def test_a_wrapped_line_continues_the_title() -> None:
    """A first line as long as an editor wraps is joined with the next."""
    text = "- Replace the whole floor of the kitchen and of the dining room\n  before the cabinets come"
    joined = "Replace the whole floor of the kitchen and of the dining room before the cabinets come"
    assert parse_outline(text) == (_item(0, joined, 1),)


def test_code_blocks_and_rules_carry_no_items() -> None:
    """What stands in a fence or is a horizontal rule is left out, even when it looks like an outline."""
    assert parse_outline("# House\n```\n- not an item\n```\n---\n- Roof") == (
        _item(0, "House", 1),
        _item(1, "Roof", 6),
    )


def test_a_long_title_is_cut_at_a_word_and_stands_in_full_below() -> None:
    """300 characters are a title; the rest is not lost."""
    long = "word " * 80
    (item,) = parse_outline(f"- {long}")
    assert len(item.title) <= 300
    assert item.title.endswith("word\u2026")
    assert item.description == long.strip()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "The outline is empty."),
        (" \n\t\n", "The outline is empty."),
        ("---\n", "The outline holds no heading and no list item, so there is nothing to import."),
        (
            "\nJust text.\n# A",
            "Line 2 of the outline stands before the first heading or list item; begin it with `# ` or `- `.",
        ),
        ("# A\n#\n", "Line 2 of the outline has no title."),
        ("- a\n- - b", "Line 2 of the outline has no title of its own before what is nested in it."),
        ("- a\n- [goal]", "Line 2 of the outline has a tag but no title."),
        (
            "- [Goal: x] a",
            "Line 1 of the outline gives Goal a value; only Artifact takes a path and Task a profile.",
        ),
        ("- [Artifact:] a", "Line 1 of the outline has nothing after the colon of its Artifact tag."),
        ("- [AgentRun] a", "Line 1 of the outline asks for AgentRun, which an outline cannot make."),
        (
            "- a\n\x00",
            "Line 2 of the outline holds a character that is not text; save the file as UTF-8 and try again.",
        ),
        (
            "- a\r\n- \ud800",
            "Line 2 of the outline holds a character that is not text; save the file as UTF-8 and try again.",
        ),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(text: str, sentence: str) -> None:
    """No item and no word is dropped in silence: the refusal names the line and the reason."""
    with pytest.raises(InvalidError) as refused:
        parse_outline(text)
    assert refused.value.message == sentence


def test_the_bounds_are_held() -> None:
    """5,000 items, 32 levels, 1 MiB and the kernel's description are in; one more of each is refused."""
    assert len(parse_outline("- a\n" * MAX_ITEMS)) == MAX_ITEMS
    with pytest.raises(InvalidError, match="Line 5001 of the outline is item 5,001"):
        parse_outline("- a\n" * (MAX_ITEMS + 1))
    nested = "".join(f"{'  ' * depth}- a\n" for depth in range(MAX_DEPTH))
    assert max(item.depth for item in parse_outline(nested)) == MAX_DEPTH - 1
    with pytest.raises(InvalidError, match="Line 33 of the outline lies deeper than 32 levels"):
        parse_outline(nested + "  " * MAX_DEPTH + "- a\n")
    with pytest.raises(InvalidError, match="at most 1,048,576"):
        parse_outline("- " + "a" * (1024 * 1024))
    with pytest.raises(InvalidError, match="Line 1 of the outline has a description of more than"):
        parse_outline("- a\n\n  " + "b" * (DESCRIPTION_BYTES_MAX + 1))


_LINES = st.lists(
    st.one_of(
        st.text(max_size=30),
        st.tuples(
            st.sampled_from(["", "  ", "    ", "\t", "> "]),
            st.sampled_from(
                [
                    "- ",
                    "* ",
                    "1. ",
                    "# ",
                    "## ",
                    "- - ",
                    "- [ ] ",
                    "- [Goal] ",
                    "- [Task: p] ",
                    "```",
                    "---",
                    "[a]: ",
                ]
            ),
            st.text(max_size=12),
        ).map("".join),
    ),
    max_size=12,
)


@settings(max_examples=300, deadline=None)
@given(lines=_LINES)
def test_any_text_is_read_or_refused(lines: list[str]) -> None:
    """Whatever the text, the answer is a lawful list of items or a refusal in words."""
    try:
        items = parse_outline("\n".join(lines))
    except InvalidError as error:
        refusal = error.message
        items = ()
    else:
        refusal = ""
    assert bool(items) != refusal.endswith(".")
    depths = [item.depth for item in items]
    assert depths[:1] in ([], [0])
    assert all(after <= before + 1 for before, after in pairwise(depths))
    assert all(item.title.strip() and len(item.title) <= 300 for item in items)
    assert [item.line for item in items] == sorted(item.line for item in items)
