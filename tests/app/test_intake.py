"""Files that become words, and files that do not."""

import pytest

from app.services.intake import file_name, file_words
from kernel.errors import InvalidError
from kernel.rules.limits import SOURCE_BYTES_MAX

JUNIT = '<testsuite name="walls"><testcase name="a"/></testsuite>'


def test_a_text_file_is_kept_as_it_stands_after_its_name() -> None:
    """What was typed comes first, then the name, then the exact text; a byte order mark is no text."""
    words = file_words("reports/junit.xml", b"\xef\xbb\xbf" + JUNIT.encode())
    assert (words.name, words.text) == ("junit.xml", JUNIT)
    assert words.after("  The run of today ") == f"The run of today\n\nFile: junit.xml\n\n{JUNIT}"
    assert words.after("") == f"File: junit.xml\n\n{JUNIT}"


@pytest.mark.parametrize(
    ("data", "said", "code"),
    [
        (b"\x89PNG\r\n\x1a\n\x00", "not text in UTF-8: byte 1", "file_not_text"),
        (b"caf\xe9", "not text in UTF-8: byte 4", "file_not_text"),
        (b"MZ\x00\x03", "binary: character 3 is the control character U\\+0000", "file_not_text"),
        (
            b"\x02red",
            r"the character U\+0002 at place 1: a control character, which cannot be seen",
            "file_not_text",
        ),
        (
            b"a\n- \x1b[31mred",
            r"U\+001B at place 5, after “-”: an escape, as terminals write it",
            "file_not_text",
        ),
        ("left \u202e right".encode(), r"U\+202E at place 6, after “left”: a right-to-left", "file_not_text"),
        (b" \r\n\t", "is empty", "file_empty"),
        (b"x" * (SOURCE_BYTES_MAX + 1), "larger than 1,048,576 bytes", "file_too_large"),
    ],
)
def test_what_is_no_text_is_refused_with_the_place(data: bytes, said: str, code: str) -> None:
    """Binary, another encoding, emptiness and size are named with the first place that does not fit."""
    with pytest.raises(InvalidError, match=said) as refused:
        file_words("note.txt", data)
    assert refused.value.reason_code == code


def test_a_name_is_one_printable_line() -> None:
    """Folders, line ends and direction controls are no part of a name, and a long one is cut."""
    assert file_name("C:\\notes\\a\nb\u202e.md") == "ab.md"
    assert (len(file_name("x" * 500)), file_name("/")) == (200, "without a name")


def test_what_a_script_is_spelled_with_stays() -> None:
    """Words are kept exactly: a mark that turns nothing around, a joiner, a form feed; pages name what has no ink."""
    for text in (
        "\u200f\u05e9\u05dc\u05d5\u05dd\u200e!",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "a\u00adb\u200bc",
        "one\ftwo\tthree",
    ):
        assert file_words("a.md", text.encode()).text == text
