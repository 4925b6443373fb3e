"""Characters that nobody can mean are refused by name and place; what a script is spelled with is not."""

import pytest

from kernel.commands import CaptureSource, OpenProject, RemandDelta
from kernel.errors import InvalidError
from kernel.rules.unseen import check_writing, unmeant
from kernel.values.stamp import Actor
from kernel.vocabulary import ActorKind, Role, SourceKind, Visibility

OWNER = Actor(kind=ActorKind.HUMAN, id="owner", role=Role.OWNER)
HOST = Actor(kind=ActorKind.SYSTEM, id="host", role=Role.NONE)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pay \u202ethem", "U+202E at place 5, after “pay”: a right-to-left override, which cannot be seen"),
        ("\x00", "U+0000 at place 1: a NUL, which cannot be seen"),
        ("one\ntwo \x9b", "U+009B at place 9, after “two”: a control character, which cannot be seen"),
        ("a\u2069", "U+2069 at place 2, after “a”: the end of an isolate, which cannot be seen"),
        ("half \ud800", "U+D800 at place 6, after “half”: half of a character, which cannot be seen"),
    ],
)
def test_the_first_one_is_named_with_its_place(text: str, said: str) -> None:
    """The sentence says which character, where, and what it is."""
    assert unmeant(text) == f"the character {said}"


@pytest.mark.parametrize(
    "text",
    [
        "two lines\r\n\tand a tab\f",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\u0915\u094d\u200d\u0937",
        "\U0001f469\u200d\U0001f692 \u2764\ufe0f",
        "\u200f\u05e9\u05dc\u05d5\u05dd, world\u200e!\u061c",
        "e\u0301 é ﬁ \u00ad \u200b \ufeff",
        "",
    ],
)
def test_what_a_script_is_spelled_with_is_no_matter(text: str) -> None:
    """Persian and Indic joiners, emoji sequences, direction marks, combining accents and white space are text."""
    assert unmeant(text) is None


def test_every_text_of_a_command_is_looked_at() -> None:
    """Also one within a list; the sentence calls the field what a person calls it and says the way out."""
    remand = RemandDelta("delta_1", "Too vague", ("Name it", "Pay \x07 them"), "sha256:0")
    said = (
        "the correction holds the character U+0007 at place 5, after “Pay”: a bell, which cannot be seen. Take it "
        "out, or type that part anew, and send it again"
    )
    with pytest.raises(InvalidError) as refused:
        check_writing(remand, OWNER)
    assert (refused.value.message, refused.value.reason_code) == (said, "unseen_character")
    with pytest.raises(InvalidError, match="the title holds"):
        check_writing(OpenProject("project_1", "project", "\u2066x"), OWNER)


def test_what_the_host_keeps_is_kept_as_it_came() -> None:
    """An answer from elsewhere is evidence of what came: kept exactly, and shown with such characters named."""
    check_writing(CaptureSource("\x07", SourceKind.TEXT, Visibility.SHARED, "local/1"), HOST)
