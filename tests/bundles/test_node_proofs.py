"""The proof of one node holds for exactly that node, revision, ledger and key; whatever is altered is found."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adapters.bundles import Trust, judge_proof, read_proof
from kernel.canonical import canonical_bytes, plain
from kernel.errors import InvalidError
from kernel.provenance.node_proof import LogLink, NodeProof, prove_node
from kernel.state import revision_key
from tests.bundles.building import Shop, told
from tests.ledger.building import sql_ledger

ABSENT = "node_0000000000000000000000000a"
Record = dict[str, Any]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """Return a ledger with two revisions after the first that tests only read."""
    story = told()
    story.accepted(story.captured("Order the tiles"))
    return Shop(tmp_path_factory.mktemp("shop"), story)


def proof_of(shop: Shop, node_id: str, number: int, *, with_words: bool = True) -> NodeProof:
    """Return the proof of a node at a revision of the shop's ledger."""
    revision = shop.story.state.revisions[revision_key(number)]
    ledger, seq = sql_ledger(shop.folder, shop.store), revision.origin.seq
    (event,) = ledger.entries(shop.story.ledger, seq - 1, 1)
    path = ledger.path(shop.story.ledger, seq)
    link = LogLink(event=event.decode(), hashes=path.hashes, checkpoint=path.checkpoint)
    return prove_node(revision, node_id, link, ledger=shop.story.ledger, with_words=with_words)


def added(shop: Shop, number: int) -> str:
    """Return the node that a revision added."""
    nodes = shop.story.state.tables.nodes
    return next(node.id for node in nodes.rows() if node.created_in == number)


def standings(proof: NodeProof, trust: Trust | None = None) -> tuple[str, str, str]:
    """Return the three verdicts about a proof."""
    found = judge_proof(proof, trust)
    return found.self_consistent.standing, found.signed_by_pinned.standing, found.extends_known.standing


@pytest.mark.parametrize("number", [0, 1, 2])
def test_every_node_of_every_revision_is_proven(shop: Shop, number: int) -> None:
    """Each node that stood in a revision is proven there, one that came later is proven absent; keys and heads agree."""
    trust = shop.trust()
    for node in shop.story.state.tables.nodes.rows():
        proof = proof_of(shop, node.id, number)
        assert (proof.record is not None) == (node.created_in <= number)
        assert standings(proof) == ("passed", "not_asked", "not_asked")
        assert standings(proof, trust) == ("passed", "passed", "passed")
    proof = proof_of(shop, ABSENT, number)
    assert (proof.record, proof.words, standings(proof, trust)) == (None, (), ("passed",) * 3)


def test_a_proof_is_read_back_from_its_file(shop: Shop, tmp_path: Path) -> None:
    """A file, canonical or written by another program, gives the same proof; what is none is refused by name."""
    proof = proof_of(shop, added(shop, 1), 2)
    path = tmp_path / "proof.json"
    path.write_bytes(canonical_bytes(plain(proof)) + b"\n")
    assert read_proof(path) == proof
    path.write_text(proof.model_dump_json(indent=2))
    assert read_proof(path) == proof
    assert [item.text for item in proof.words] == ["Paint the hall"]
    assert proof_of(shop, added(shop, 1), 2, with_words=False).words == ()
    for content in (b"", b"[]", b"{}", b'{"a":1,"a":2}', canonical_bytes({**plain(proof), "more": 1})):
        path.write_bytes(content)
        with pytest.raises(InvalidError, match="is no proof of the form"):
            read_proof(path)
    with pytest.raises(InvalidError, match="cannot be read"):
        read_proof(tmp_path / "absent.json")


def _other_node(record: Record, shop: Shop) -> None:
    record["node"] = added(shop, 2)


def _other_node_in_both(record: Record, shop: Shop) -> None:
    record["node"] = record["record"]["id"] = added(shop, 2)


def _other_title(record: Record, shop: Shop) -> None:
    record["record"]["title"] = proof_of(shop, added(shop, 2), 2).words[0].commitment


def _other_words(record: Record, _shop: Shop) -> None:
    record["words"][0]["text"] = "Paint the boat"


def _words_of_another(record: Record, shop: Shop) -> None:
    record["words"] = [plain(item) for item in proof_of(shop, added(shop, 2), 2).words]


def _other_revision(record: Record, _shop: Shop) -> None:
    record["revision"] = 1


def _event_of_another_revision(record: Record, shop: Shop) -> None:
    record["log"]["event"] = proof_of(shop, ABSENT, 1).log.event


def _links_of_another_revision(record: Record, shop: Shop) -> None:
    record["log"], record["revision"] = plain(proof_of(shop, ABSENT, 0).log), 0


def _altered_event(record: Record, _shop: Shop) -> None:
    record["log"]["event"] = record["log"]["event"].replace('"choice":0', '"choice":1')


def _event_of_another_kind(record: Record, shop: Shop) -> None:
    ledger = sql_ledger(shop.folder, shop.store)
    path = ledger.path(shop.story.ledger, 2)
    (event,) = ledger.entries(shop.story.ledger, 1, 1)
    record["log"] = {**record["log"], "event": event.decode(), "hashes": list(path.hashes)}


def _cut_way(record: Record, _shop: Shop) -> None:
    record["state"]["siblings"] = record["state"]["siblings"][:-1]


def _cut_path(record: Record, _shop: Shop) -> None:
    record["log"]["hashes"] = record["log"]["hashes"][:-1]


def _claimed_absence(record: Record, _shop: Shop) -> None:
    record["record"], record["words"] = None, []


def _absence_beside(record: Record, _shop: Shop) -> None:
    record["state"]["other"] = ["00" * 32, "00" * 32]


def _no_hex(record: Record, _shop: Shop) -> None:
    record["state"]["siblings"][0] = "zz"


def _float_in_record(record: Record, _shop: Shop) -> None:
    record["record"]["created_in"] = 1.0


def _other_ledger(record: Record, _shop: Shop) -> None:
    record["ledger"] = "project_" + "0" * 26


ALTERED = [
    _other_node,
    _other_node_in_both,
    _other_title,
    _other_words,
    _words_of_another,
    _other_revision,
    _event_of_another_revision,
    _links_of_another_revision,
    _altered_event,
    _event_of_another_kind,
    _cut_way,
    _cut_path,
    _claimed_absence,
    _absence_beside,
    _no_hex,
    _float_in_record,
    _other_ledger,
]


@pytest.mark.parametrize("alter", ALTERED, ids=lambda alter: alter.__name__.strip("_"))
def test_an_altered_proof_fails(shop: Shop, alter: Callable[[Record, Shop], None]) -> None:
    """Another node, text, revision, event or ledger, and a way that is cut, break the chain at their link."""
    record = plain(proof_of(shop, added(shop, 1), 2))
    alter(record, shop)
    assert standings(NodeProof.model_validate_json(json.dumps(record)))[0] == "failed"


def test_a_rewritten_ledger_proves_nothing_to_whoever_kept_a_key(shop: Shop, tmp_path: Path) -> None:
    """The same history under other keys holds together and is refused by the pinned key; a split view by the head."""
    other = Shop(tmp_path / "other", shop.story)
    proof = proof_of(other, added(shop, 1), 2)
    assert standings(proof) == ("passed", "not_asked", "not_asked")
    assert standings(proof, shop.trust())[:2] == ("passed", "failed")
    story = told()
    story.accepted(story.captured("Order other tiles"))
    fork = Shop(tmp_path / "fork", story, keys_of=shop)
    same, longer = proof_of(fork, ABSENT, 0), story
    assert standings(same, shop.trust()) == ("passed", "passed", "failed")
    longer.captured("One more")
    fork.write(longer)
    assert standings(proof_of(fork, ABSENT, 0), shop.trust()) == ("passed", "passed", "not_asked")
    elsewhere = Trust((), (shop.trust().checkpoints[0].replace("project_", "projekt_"),))
    assert standings(same, elsewhere)[2] == "failed"
    note = same.log.checkpoint
    for broken in ("", note.replace("\n", " "), note[:-3] + "A=\n"):
        log = same.log.model_copy(update={"checkpoint": broken})
        assert "failed" in standings(same.model_copy(update={"log": log}), shop.trust())
