"""How ids look and how a revision gets its id."""

import pytest

from kernel.errors import InvalidError
from kernel.ids import ULID_KINDS, is_id, parse_id, revision_id
from kernel.values.stamp import Actor, Stamp
from kernel.vocabulary import ActorKind, Role, Via

STAMP = Stamp(
    at="2026-11-30T15:00:00.000000Z",
    actor=Actor(kind=ActorKind.HUMAN, id="owner", role=Role.OWNER),
    via=Via.CLI,
    command_id="command_x",
    entropy=b"\x07" * 32,
)


@pytest.mark.parametrize("kind", sorted(ULID_KINDS))
def test_fresh_ids_are_ids_of_their_kind(kind: str) -> None:
    """What the stamp makes is what the parser takes, and no other kind takes it."""
    fresh = STAMP.id(kind)
    assert parse_id(fresh, kind) == fresh
    assert [other for other in sorted(ULID_KINDS | {"revision"}) if is_id(fresh, other)] == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "node_",
        "node_01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "node_81arz3ndektsv4rrffq69g5fav",
        "node_01arz3ndektsv4rrffq69g5fau",
        "node_01arz3ndektsv4rrffq69g5favv",
        "node_01arz3ndektsv4rrffq69g5fav\n",
        "delta_01arz3ndektsv4rrffq69g5fav",
        "node_\uff101arz3ndektsv4rrffq69g5fav",
        None,
        7,
    ],
)
def test_other_forms_are_refused(text: object) -> None:
    """Case, length, alphabet, range and kind are all part of the form."""
    assert not is_id(text, "node")
    with pytest.raises(InvalidError, match="is not a node id; expected node_ and 26 lower-case characters"):
        parse_id(text, "node")


def test_unknown_kinds_are_refused() -> None:
    """The list of kinds is closed."""
    with pytest.raises(InvalidError, match="there are no ids of kind 'thing'"):
        is_id("thing_x", "thing")


def test_a_revision_id_follows_from_what_it_names() -> None:
    """Ledger, number and root decide the id; each of them changes it."""
    root = "sha256:" + "ab" * 32
    first = revision_id("project_a", 1, root)
    assert first == "revision_mzgb2mzp6exvaokjlrhobqjcwu"
    assert is_id(first, "revision")
    others = {
        revision_id("project_b", 1, root),
        revision_id("project_a", 2, root),
        revision_id("project_a", 1, "sha256:" + "cd" * 32),
    }
    assert len(others | {first}) == 4
