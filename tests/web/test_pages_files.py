"""Files that are captured in a browser: kept as text after what was typed, or refused with what was typed kept."""

import httpx2
import pytest

from kernel.rules.limits import SOURCE_BYTES_MAX
from kernel.vocabulary import SourceKind
from tests.app.house import House
from tests.web.pages import HTML, Page, read, visit

SARIF = '{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "paintlint"}}}]}'


async def _send_file(
    client: httpx2.AsyncClient, path: str, *, file: tuple[str, bytes], text: str = ""
) -> Page:
    page = await visit(client, path)
    form = page.form("/capture")
    fields = {name: value for name, value in form.items() if name not in {"action", "file"}} | {"text": text}
    answer = await client.post(
        form["action"], data=fields, files={"file": file}, headers=HTML, follow_redirects=True
    )
    return read(answer)


def _latest(house: House) -> tuple[SourceKind, str]:
    record = house.studio.desk.state(house.project_id).sources.rows()[-1]
    return record.body.kind, record.body.content.or_erased()


@pytest.mark.parametrize("where", ["/", "/p/{}/capture"])
async def test_a_file_is_kept_after_what_was_typed(house: House, where: str) -> None:
    """From the World and from inside a project: a capture of kind file with the words, the name and the exact text."""
    async with house.client() as client:
        page = await _send_file(
            client,
            where.format(house.project_id),
            file=("paint.sarif", SARIF.encode()),
            text="What the paint linter found",
        )
    assert _latest(house) == (SourceKind.FILE, f"What the paint linter found\n\nFile: paint.sarif\n\n{SARIF}")
    assert (page.status, "Kept word for word." in page.text) == (200, True)


@pytest.mark.parametrize(
    ("file", "said"),
    [
        (("tap.png", b"\x89PNG\r\n\x1a\n"), "tap.png is not text in UTF-8"),
        (("old.txt", b"\x00\x01"), "old.txt is binary"),
        (
            ("turned.md", "Pay \u202ethem".encode()),
            "U+202E at place 5, after “Pay”: a right-to-left override",
        ),
        (("long.log", b"x" * (SOURCE_BYTES_MAX + 1)), "long.log is larger than 1,048,576 bytes"),
        (("none.md", b"\n"), "none.md is empty"),
    ],
)
async def test_a_file_that_is_no_text_is_refused_and_the_words_stay(
    house: House, file: tuple[str, bytes], said: str
) -> None:
    """422 with the reason and the file's name; what was typed is still in the box and nothing was written."""
    heads = house.heads()
    async with house.client() as client:
        page = await _send_file(
            client, f"/p/{house.project_id}/capture", file=file, text="Keep this sentence"
        )
    assert (page.status, said in page.alerts()[0]) == (422, True)
    assert ("Keep this sentence</textarea>" in page.text, f"Choose {file[0]} again" in page.text) == (
        True,
        True,
    )
    assert house.heads() == heads


async def test_what_leaves_no_ink_in_a_file_is_visible(house: House) -> None:
    """A file may hold it; every page names it instead of hiding it."""
    async with house.client() as client:
        data = "Paint the \u200bhall\u200e twice".encode()
        page = await _send_file(client, f"/p/{house.project_id}/capture", file=("a\u202e.md", data))
    assert ("Paint the ⟦U+200B⟧hall⟦U+200E⟧ twice" in page.text, "\u200b" in page.text) == (True, False)


async def test_a_body_beyond_the_bound_is_refused_before_it_is_read(house: House) -> None:
    """What cannot be a capture never reaches a parser."""
    async with house.client() as client:
        headers = {**HTML, "Content-Length": str(3 * SOURCE_BYTES_MAX)}
        answer = await client.post(f"/p/{house.project_id}/capture", content=b"x", headers=headers)
    assert answer.status_code == 413


async def test_a_file_comes_through_the_api_as_well(house: House) -> None:
    """The same words for the same file; what is no text is 422 with the machine's name for it."""
    path = f"/projects/{house.project_id}/sources"
    async with house.client() as client:
        done = await house.write(client, path, {"text": "Found", "file": {"name": "a.json", "text": "{}"}})
        refused = await house.write(client, path, {"text": " ", "file": {"name": "a", "text": "\x00"}})
    assert (done.status_code, _latest(house)) == (201, (SourceKind.FILE, "Found\n\nFile: a.json\n\n{}"))
    assert (refused.status_code, refused.json()["code"]) == (422, "file_not_text")
