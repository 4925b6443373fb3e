"""An altered bundle is found, whoever altered it and however well they closed it again."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adapters.bundles import events_of, examine, judge, trust_bytes
from adapters.bundles.form import LINE_BYTES_MAX
from kernel.canonical import canonical_bytes, decode_canonical
from kernel.errors import InvalidError
from tests.bundles.building import ERASED, Shop, closed, lines_of, told

ROOT = Path(__file__).resolve().parents[2]
Records = list[dict[str, Any]]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """Return a ledger that tests only read."""
    return Shop(tmp_path_factory.mktemp("shop"), told())


@pytest.fixture(scope="module")
def bundle(shop: Shop) -> Path:
    """Return its bundle."""
    return shop.bundle()


def standings(path: Path, shop: Shop | None = None) -> tuple[str, str, str]:
    """Return the three verdicts about a bundle, to somebody who knows this shop."""
    found = judge(examine(path), None if shop is None else shop.trust())
    return found.self_consistent.standing, found.signed_by_pinned.standing, found.extends_known.standing


def test_a_bundle_is_self_consistent_and_the_same_each_time(shop: Shop, bundle: Path) -> None:
    """The same head gives the same bytes; erased words, private keys and the master key are not in it."""
    again = shop.bundle("again.jsonl")
    content = bundle.read_bytes()
    assert (content, bundle.stat().st_mode & 0o777) == (again.read_bytes(), 0o600)
    found = examine(bundle)
    assert (found.problems, found.state) == ([], shop.story.state)
    assert [item.event for item in events_of(bundle, found)] == shop.story.events
    assert found.without_texts == sum(event.type != "source.erased.v1" for event in _erased_events(shop))
    private = [path.read_bytes() for path in (shop.folder / "keys").glob("*.key")]
    secrets = [decode_canonical(item)["private_key"].encode() for item in private]
    assert not [secret for secret in (*secrets, ERASED.encode()) if secret in content]
    assert not any(ERASED in repr(item) for item in events_of(bundle, found))


def _erased_events(shop: Shop) -> list[Any]:
    source = next(event.body.source_id for event in shop.story.events if event.type == "source.erased.v1")  # type: ignore[attr-defined]
    return [
        event
        for event in shop.story.events
        if source in repr(event.body) and "delta.rejected" not in event.type
    ]


def test_the_three_verdicts(shop: Shop, bundle: Path) -> None:
    """Without trust only self-consistency is told; with it, whose history it is and what it extends."""
    assert standings(bundle) == ("passed", "not_asked", "not_asked")
    assert standings(bundle, shop) == ("passed", "passed", "passed")


def test_every_flipped_bit_is_found(bundle: Path, tmp_path: Path) -> None:
    """One bit anywhere in the file, also in its last line, is a problem."""
    content = bundle.read_bytes()
    step = max(1, len(content) // 150)
    for place in [*range(0, len(content), step), len(content) - 1]:
        altered = bytearray(content)
        altered[place] ^= 1 << place % 8
        path = tmp_path / "flipped"
        path.write_bytes(bytes(altered))
        assert standings(path)[0] == "failed", place


def _places(records: Records, kind: str) -> list[int]:
    return [place for place, record in enumerate(records) if record["record"] == kind]


def _edited(records: Records) -> None:
    place = _places(records, "event")[-1]
    records[place]["data"] = records[place]["data"].replace('"via":"browser"', '"via":"cli"')


def _deleted(records: Records) -> None:
    del records[_places(records, "event")[-1]]


def _deleted_first(records: Records) -> None:
    del records[_places(records, "event")[0]]


def _reordered(records: Records) -> None:
    last = _places(records, "event")[-2:]
    records[last[0]], records[last[1]] = records[last[1]], records[last[0]]


def _inserted(records: Records) -> None:
    place = _places(records, "event")[-1]
    event = decode_canonical(records[place]["data"].encode())
    event |= {"seq": event["seq"] + 1, "id": event["id"][:-1] + "0"}
    records.insert(place + 1, {**records[place], "data": canonical_bytes(event).decode()})


def _duplicated(records: Records) -> None:
    place = _places(records, "event")[1]
    records.insert(place, records[place])


def _duplicated_key(records: Records) -> None:
    records.insert(1, records[1])


def _duplicated_checkpoint(records: Records) -> None:
    records.append(records[-1])


def _wrong_root(records: Records) -> None:
    records[0]["root"] = "00" * 32


def _wrong_size(records: Records) -> None:
    records[0]["size"] += 1


def _wrong_revision(records: Records) -> None:
    records[0]["revision"] += 1


def _other_installation(records: Records) -> None:
    records[0]["installation"] = "there"


def _last_checkpoint_gone(records: Records) -> None:
    del records[-1]


def _checkpoint_of_other_size(records: Records) -> None:
    records[-1]["note"] = records[-2]["note"]


def _foreign_key(records: Records) -> None:
    for record in records:
        if record["record"] == "key":
            record["public_key"] = "A" * 43 + "="


def _texts_swapped(records: Records) -> None:
    first, second = [record for record in records if record["record"] == "event" and record["blob"]][:2]
    for name in ("blob", "key_id", "texts"):
        first[name], second[name] = second[name], first[name]


def _texts_without_key(records: Records) -> None:
    del records[_places(records, "data_key")[0]]


def _another_data_key(records: Records) -> None:
    records[_places(records, "data_key")[0]]["key"] = "A" * 43 + "="


def _unknown_field(records: Records) -> None:
    records[0]["note"] = "hello"


def _unknown_record(records: Records) -> None:
    records.insert(1, {"record": "comment"})


ALTERATIONS = [
    _edited,
    _deleted,
    _deleted_first,
    _reordered,
    _inserted,
    _duplicated,
    _duplicated_key,
    _duplicated_checkpoint,
    _wrong_root,
    _wrong_size,
    _wrong_revision,
    _other_installation,
    _last_checkpoint_gone,
    _checkpoint_of_other_size,
    _foreign_key,
    _texts_swapped,
    _texts_without_key,
    _another_data_key,
    _unknown_field,
    _unknown_record,
]


@pytest.mark.parametrize("alter", ALTERATIONS, ids=lambda alter: alter.__name__.strip("_"))
def test_an_altered_bundle_that_was_closed_again_is_found(
    bundle: Path, tmp_path: Path, alter: Callable[[Records], None]
) -> None:
    """A fitting hash at the end hides nothing: the history does not hold together any more."""
    records = lines_of(bundle)
    alter(records)
    assert records != lines_of(bundle)
    assert standings(closed(tmp_path / "altered", records))[0] == "failed"


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"{}\n", b"[]\n", b'{"record":"end","sha256":"sha256:0"}\n', b"\xff\n", b"nothing"],
)
def test_what_is_no_bundle_is_refused(tmp_path: Path, content: bytes) -> None:
    """A file of another form is one problem, never an error."""
    path = tmp_path / "file"
    path.write_bytes(content)
    assert standings(path)[0] == "failed"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x89PNG\r\n\x1a\n", "byte 1 does not fit UTF-8"),
        (b'{"record":"\xed\xa0\x80"}\n', "byte 12 does not fit UTF-8"),
        (b'{"record":"\\ud800"}\n', "a text in them holds half of a character"),
        (b'{"record":NaN}\n', "what stands at line 1, column 11 is none"),
    ],
)
def test_what_is_no_text_is_said_in_words(tmp_path: Path, content: bytes, said: str) -> None:
    """The sentence says where it stops being what a bundle is made of, and where bundles come from."""
    path = tmp_path / "file"
    path.write_bytes(content)
    assert examine(path).problems == [
        f"line 1 is not canonical JSON: these bytes are not JSON: {said}; a bundle is what `odeu export` wrote"
    ]


def test_a_path_without_a_file_says_nothing_about_a_bundle(tmp_path: Path) -> None:
    """A mistyped path is a wrong call, never a finding: nobody is to read it as tampering."""
    for path in (tmp_path / "absent", tmp_path):
        with pytest.raises(InvalidError, match="cannot be read"):
            examine(path)


def test_trailing_data_and_overlong_lines_are_refused(bundle: Path, tmp_path: Path) -> None:
    """Nothing stands after the end, and no line is read without bound."""
    path = tmp_path / "file"
    for more in (b"\n", b" ", bundle.read_bytes()):
        path.write_bytes(bundle.read_bytes() + more)
        assert examine(path).problems == ["there is something after the end"]
    with path.open("wb") as file:
        file.truncate(LINE_BYTES_MAX + 10)
    assert examine(path).problems == [f"line 1 is longer than {LINE_BYTES_MAX} bytes"]


def test_a_bundle_rewritten_under_new_keys_is_found_with_trust_alone(shop: Shop, tmp_path: Path) -> None:
    """Another installation's keys over the same events make a self-consistent bundle; a pinned key tells."""
    forged = Shop(tmp_path, told())
    path = forged.bundle()
    assert standings(path) == ("passed", "not_asked", "not_asked")
    assert standings(path, shop) == ("passed", "failed", "passed")


def test_another_history_under_the_same_keys_is_found_by_a_known_checkpoint(tmp_path: Path) -> None:
    """Keys alone do not prove that nothing was taken back; a checkpoint from before does."""
    first = Shop(tmp_path / "one", told("Ask Mira"))
    other = Shop(tmp_path / "two", told("Ask Jonas"), keys_of=first)
    assert standings(other.bundle()) == ("passed", "not_asked", "not_asked")
    assert standings(other.bundle("again"), first) == ("passed", "passed", "failed")


def test_an_older_bundle_is_self_consistent_and_behind(tmp_path: Path) -> None:
    """Whoever knows a later head notices that events are missing at the end; a later bundle extends it."""
    shop = Shop(tmp_path, told())
    older, known = shop.bundle("older.jsonl"), shop.trust()
    shop.write(told("Ask Mira"))
    newer = shop.bundle("newer.jsonl")
    assert standings(older, shop) == ("passed", "passed", "failed")
    assert judge(examine(newer), known).extends_known.standing == "passed"


def test_the_verifier_stands_alone(shop: Shop, bundle: Path, tmp_path: Path) -> None:
    """With nothing but the kernel and its own folder it runs, and its exit code says how far the answer goes."""
    (tmp_path / "adapters").mkdir()
    (tmp_path / "adapters" / "__init__.py").touch()
    (tmp_path / "adapters" / "bundles").symlink_to(ROOT / "adapters" / "bundles")
    (tmp_path / "kernel").symlink_to(ROOT / "kernel")
    trust = tmp_path / "trust.json"
    trust.write_bytes(trust_bytes(shop.trust()))
    broken = tmp_path / "broken"
    broken.write_bytes(bundle.read_bytes()[:-1])

    def code(*arguments: str | Path) -> int:
        call = [sys.executable, "-m", "adapters.bundles", *map(str, arguments)]
        return subprocess.run(call, cwd=tmp_path, env={}, check=False, capture_output=True).returncode

    assert (code(bundle), code(bundle, "--trust", trust), code(broken)) == (4, 0, 3)
    assert (code(broken, "--trust", trust), code(bundle, "--trust", bundle), code()) == (3, 2, 2)
    assert code(tmp_path / "absent") == 2
