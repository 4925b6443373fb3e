"""Export and import from pages: the same files and the same refusals as on the command line."""

import json
from pathlib import Path

import httpx2
import pytest

from app import bootstrap
from app.routes.bundles import BUNDLE_BYTES_MAX
from tests.app.house import House, open_house
from tests.web.pages import HTML, Page, read, visit


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Another installation, with a project of its own."""
    return open_house(tmp_path_factory.mktemp("other"))


async def _import(client: httpx2.AsyncClient, bundle: bytes | None, trust: bytes | None = None) -> Page:
    form = (await visit(client, "/import")).form("/import")
    fields = {name: value for name, value in form.items() if name not in {"action", "bundle", "trust"}}
    files = {"bundle": ("", b"") if bundle is None else ("a.jsonl", bundle)}
    if trust is not None:
        files["trust"] = ("trust.json", trust)
    answer = await client.post("/import", data=fields, files=files, headers=HTML, follow_redirects=True)
    return read(answer)


async def _taken(house: House) -> tuple[bytes, bytes]:
    base = f"/p/{house.project_id}/ledger"
    async with house.client() as client:
        page = await visit(client, f"{base}/export")
        assert {f"{base}/bundle", f"{base}/trust"} <= page.hrefs()
        bundle, trust = await client.get(f"{base}/bundle"), await client.get(f"{base}/trust")
    assert bundle.headers["content-disposition"].startswith("attachment;")
    return bundle.content, trust.content


def _leftovers(house: House) -> list[Path]:
    folder = house.studio.settings.data_folder
    return [*folder.glob(".export-*"), *folder.glob(".import-*")]


async def test_an_export_is_a_bundle_and_what_to_trust_it_by(house: House, tmp_path: Path) -> None:
    """Both files come as attachments, verify offline with each other, and leave nothing behind."""
    bundle, trust = await _taken(house)
    (tmp_path / "a.jsonl").write_bytes(bundle)
    (tmp_path / "trust.json").write_bytes(trust)
    verdicts = bootstrap.verify_bundle(tmp_path / "a.jsonl", tmp_path / "trust.json")
    assert (verdicts.holds, verdicts.is_trusted) == (True, True)
    assert _leftovers(house) == []


async def test_a_foreign_bundle_comes_in_to_be_read(house: House, other: House) -> None:
    """The project is there, read only, with its people marked; sent again it adds nothing."""
    bundle, trust = await _taken(other)
    async with house.client() as client:
        done = await _import(client, bundle, trust)
        again = await _import(client, bundle)
        ledger = await visit(client, f"/p/{other.project_id}/ledger")
        world = await visit(client, "/")
    assert "Every event was admitted again, and is here to be read." in done.text
    assert "Everything in it was here already." in again.text
    assert "imported:owner" in ledger.text.lower()
    assert f"/p/{other.project_id}/capture" not in done.hrefs()
    assert f"/p/{other.project_id}/inbox" in world.hrefs()


async def test_what_does_not_verify_is_refused_in_words(house: House, other: House) -> None:
    """A changed bundle, no file, another trust file: 422, the reason, nothing kept and nothing left behind."""
    bundle, _ = await _taken(other)
    lines = bundle.splitlines(keepends=True)
    shortened = b"".join((*lines[:3], *lines[4:]))
    heads = house.heads()
    wrong = json.dumps({"format": "odeu.trust.v1", "keys": [], "checkpoints": []}).encode()
    async with house.client() as client:
        changed = await _import(client, shortened)
        nothing = await _import(client, None)
        distrusted = await _import(client, bundle, wrong[:-3])
    assert [page.status for page in (changed, nothing, distrusted)] == [422, 422, 422]
    assert "The bundle does not verify" in changed.alerts()[0]
    assert "choose the bundle's file first" in nothing.alerts()[0].lower()
    assert (house.heads(), _leftovers(house)) == (heads, [])


async def test_only_owners_export_and_import(house: House) -> None:
    """A viewer gets neither page nor file, and an import sent all the same is refused."""
    base = f"/p/{house.project_id}/ledger"
    async with house.client("vera") as client:
        answers = [
            await client.get(path, headers=HTML) for path in (f"{base}/bundle", f"{base}/trust", "/import")
        ]
        sent = await client.post("/import", files={"bundle": ("a", b"{}")}, headers=HTML)
    assert [answer.status_code for answer in (*answers, sent)] == [403, 403, 403, 403]


async def test_a_bundle_beyond_the_bound_never_reaches_the_disk(house: House) -> None:
    """A declared length over the bound is refused before a byte is read, and the command line is named."""
    async with house.client() as client:
        headers = {**HTML, "Content-Length": str(BUNDLE_BYTES_MAX + 1)}
        answer = await client.post("/import", content=b"x", headers=headers)
        page = await visit(client, "/import")
    assert answer.status_code == 413
    assert ("64 MiB" in page.text, "odeu import FILE" in page.text) == (True, True)
