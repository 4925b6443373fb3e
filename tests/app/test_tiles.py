"""The log as tiles over HTTP, read by a verifier of the test's own that shares no code with the product.

Source: c2sp.org/tlog-tiles and RFC 9162, section 2.1.
"""

import base64
import hashlib
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import pytest

from kernel.merkle import LogHead, verify_consistency, verify_inclusion
from tests.app.house import API, House, open_house


def leaf(data: bytes) -> bytes:
    """Return the hash of an entry."""
    return hashlib.sha256(b"\0" + data).digest()


def above(left: bytes, right: bytes) -> bytes:
    """Return the hash over two hashes."""
    return hashlib.sha256(b"\1" + left + right).digest()


def spelled(index: int) -> str:
    """Return a tile's index as path elements of three digits."""
    digits = f"{index:03d}"
    digits = "0" * (-len(digits) % 3) + digits
    parts = [digits[at : at + 3] for at in range(0, len(digits), 3)]
    return "/".join([*("x" + part for part in parts[:-1]), parts[-1]])


@dataclass
class Monitor:
    """Follows one log by its checkpoint and tiles alone."""

    client: httpx2.AsyncClient
    prefix: str
    size: int = 0
    root: bytes = b""
    hashes: dict[tuple[int, int], bytes] = field(default_factory=dict)
    """(level, index) -> hash, for every level of tiles."""

    async def get(self, path: str) -> bytes:
        """Return what the log serves at a path."""
        answer = await self.client.get(f"{self.prefix}/{path}")
        assert answer.status_code == 200, answer.text
        kind = "text/plain; charset=utf-8" if path == "checkpoint" else "application/octet-stream"
        assert answer.headers["content-type"] == kind
        return bytes(answer.content)

    async def read(self) -> None:
        """Take the checkpoint and every tile it stands for."""
        lines = (await self.get("checkpoint")).decode().split("\n")
        self.size, self.root = int(lines[1]), base64.b64decode(lines[2])
        level, count = 0, self.size
        while count:
            for index in range(0, count, 256):
                width = min(256, count - index)
                partial = "" if width == 256 else f".p/{width}"
                data = await self.get(f"tile/{level}/{spelled(index // 256)}{partial}")
                assert len(data) == 32 * width
                for at in range(width):
                    self.hashes[level, index + at] = data[32 * at : 32 * at + 32]
            level, count = level + 1, count // 256

    def node(self, start: int, end: int) -> bytes:
        """Return the tree hash over leaves, from the highest tile that holds it."""
        count = end - start
        for level in range(7, -1, -1):
            unit = 256**level
            if count == unit and start % unit == 0 and (level, start // unit) in self.hashes:
                return self.hashes[level, start // unit]
        half = 1
        while half * 2 < count:
            half *= 2
        return above(self.node(start, start + half), self.node(start + half, end))

    def inclusion(self, index: int, start: int, end: int) -> list[bytes]:
        """Return the path of a leaf, rebuilt from tiles."""
        if end - start == 1:
            return []
        half = 1
        while half * 2 < end - start:
            half *= 2
        if index < start + half:
            return [*self.inclusion(index, start, start + half), self.node(start + half, end)]
        return [*self.inclusion(index, start + half, end), self.node(start, start + half)]

    def consistency(self, first: int, start: int, end: int, *, known: bool = True) -> list[bytes]:
        """Return the proof that the log began with its first leaves, rebuilt from tiles."""
        if first == end:
            return [] if known else [self.node(start, end)]
        half = 1
        while half * 2 < end - start:
            half *= 2
        if first <= start + half:
            return [*self.consistency(first, start, start + half, known=known), self.node(start + half, end)]
        return [*self.consistency(first, start + half, end, known=False), self.node(start, start + half)]

    async def entries(self, name: str, length: int) -> list[bytes]:
        """Return every event, from the bundles of this name."""
        found = []
        for index in range(0, self.size, 256):
            width = min(256, self.size - index)
            data = await self.get(
                f"tile/{name}/{spelled(index // 256)}" + ("" if width == 256 else f".p/{width}")
            )
            while data:
                size = int.from_bytes(data[:length], "big")
                found.append(data[length : length + size])
                data = data[length + size :]
        return found


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Return a house whose project has more events than one tile holds."""
    house = open_house(Path(tmp_path_factory.mktemp("house")))
    number = 0
    while house.heads()[house.project_id] <= 256:
        house.studio.placements.capture(house.project_id, house.me, f"Ask Jonas about the colour {number}")
        number += 1
    return house


def monitor(house: House, client: httpx2.AsyncClient) -> Monitor:
    """Return a monitor of the house's project."""
    return Monitor(client, f"{API}/projects/{house.project_id}/ledger")


async def test_a_log_is_read_whole_through_its_tiles(house: House) -> None:
    """Leaves, entries and both kinds of proofs rebuilt from tiles fit the signed root, before and after it grows."""
    async with house.client() as client:
        seen = monitor(house, client)
        await seen.read()
        assert (seen.node(0, seen.size), (1, 0) in seen.hashes) == (seen.root, True)
        assert [leaf(data) for data in await seen.entries("entries", 2)] == [
            seen.hashes[0, at] for at in range(seen.size)
        ]
        assert await seen.entries("events", 4) == await seen.entries("entries", 2)
        for index in (0, 1, 255, 256, seen.size - 1):
            path = seen.inclusion(index, 0, seen.size)
            assert verify_inclusion(seen.hashes[0, index], index, seen.size, path, root=seen.root)
        house.studio.placements.capture(house.project_id, house.me, "One more")
        later = monitor(house, client)
        await later.read()
        proof = later.consistency(seen.size, 0, later.size)
        assert verify_consistency(LogHead(seen.size, seen.root), LogHead(later.size, later.root), proof)
        asked = {"first": seen.size, "second": later.size}
        answer = (await client.get(f"{later.prefix}/proof/consistency", params=asked)).json()
        assert [bytes.fromhex(step) for step in answer["hashes"]] == proof


@pytest.mark.parametrize(
    "path",
    [
        "tile/0/999",
        "tile/0/001",
        "tile/1/000",
        "tile/1/000.p/2",
        "tile/63/000",
        "tile/entries/007.p/1",
        "tile/0/x000/000",
    ],
)
async def test_what_the_log_does_not_have_is_not_served(house: House, path: str) -> None:
    """Tiles beyond the head, wider than the log, empty ones and other spellings of a place do not exist."""
    async with house.client() as client:
        assert (await client.get(f"{API}/projects/{house.project_id}/ledger/{path}")).status_code == 404


@pytest.mark.parametrize(
    "path", ["tile/64/000", "tile/00/000", "tile/leaves/000", "tile/0/0", "tile/0/000.p/0", "tile/0/000.p/01"]
)
async def test_what_is_no_place_is_refused(house: House, path: str) -> None:
    """A level, an index or a width that the specification does not spell is refused."""
    async with house.client() as client:
        assert (await client.get(f"{API}/projects/{house.project_id}/ledger/{path}")).status_code == 422
        full = f"{API}/projects/{house.project_id}/ledger/tile/0/000.p/256"
        assert (await client.get(full)).status_code == 404


async def test_an_event_too_long_for_its_length_is_named(tmp_path: Path) -> None:
    """A bundle with an event beyond 65,535 bytes is refused with the way out, which serves it."""
    house = open_house(tmp_path)
    outline = "# Long\n" + "\n".join(f"- step {number} of many" for number in range(400))
    done = house.studio.projects.import_outline(house.project_id, house.me, outline)
    house.accepted(done.delta_id)
    async with house.client() as client:
        seen = monitor(house, client)
        await seen.read()
        answer = await client.get(f"{seen.prefix}/tile/entries/000.p/{seen.size}")
        assert (answer.status_code, answer.json()["code"]) == (422, "entry_too_long")
        assert [leaf(data) for data in await seen.entries("events", 4)] == [
            seen.hashes[0, at] for at in range(seen.size)
        ]


async def test_tiles_are_for_owners(house: House) -> None:
    """How a log grew tells of private captures too: a viewer and a stranger get neither note nor tile."""
    for person, status in (("vera", 403), ("olaf", 404), (None, 401)):
        async with house.client(person) as client:
            for path in ("checkpoint", "tile/0/000", "tile/entries/000"):
                url = f"{API}/projects/{house.project_id}/ledger/{path}"
                assert (await client.get(url)).status_code == status
