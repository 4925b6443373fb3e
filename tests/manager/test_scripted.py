"""The scripted manager: prepared answers to prepared texts, strictly."""

import json
from pathlib import Path

import pytest

from adapters.manager.scripted import read_script
from kernel.errors import ConfigurationError
from tests.manager.shop import Shop, open_shop

ANSWER = {
    "kind": "Task",
    "title": "Compare three shops",
    "description": None,
    "places": [{"parent_id": "title: Shops", "score": 900, "reason": "It is about shops.", "matched": []}],
    "kind_reason": "It says what to do.",
}
SCRIPT = {
    "answers": [
        {"text": "Compare three shops", "answer": ANSWER},
        {"text": "Broken", "exact": "{no JSON"},
        {"text": "Silent", "fails": "the demonstration lets this one fail"},
        {
            "text": "Lost",
            "answer": {**ANSWER, "places": [{**ANSWER["places"][0], "parent_id": "title: Nowhere"}]},
        },
    ]
}


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """Return a project whose manager follows the script."""

    def script(data: Path) -> None:
        (data / "script.json").write_text(json.dumps(SCRIPT))
        (data / "script.json").chmod(0o600)

    return open_shop(tmp_path / "data", '[manager]\nkind = "scripted"\nscript = "script.json"\n', script)


def test_a_prepared_text_gets_its_prepared_answer(shop: Shop) -> None:
    """The proposal names who made it, and the node that the script calls by its title."""
    assert shop.studio.placements.manager.facts.mode == "scripted"
    done = shop.capture("Compare three shops")
    assert done.delta_id is not None
    delta = shop.state.deltas[done.delta_id]
    assert (delta.origin.actor.id, delta.body.fits[0].parent_id) == ("scripted/1", shop.node("Shops"))
    shop.accept(done.delta_id)


@pytest.mark.parametrize(
    ("text", "ended"),
    [
        ("Compare three shops ", ("failed", "script_without_answer")),
        ("Anything else", ("failed", "script_without_answer")),
        ("Lost", ("failed", "script_without_answer")),
        ("Silent", ("failed", "script_fails")),
        ("Broken", ("unreadable", "answer_malformed")),
    ],
)
def test_what_the_script_does_not_say_is_not_made_up(shop: Shop, text: str, ended: tuple[str, str]) -> None:
    """Another text, a node that is not there, a prepared failure and a broken answer all lead to no proposal."""
    done = shop.capture(text)
    assert (done.delta_id, done.question, shop.ended(done)) == (None, None, ended)
    assert shop.state.sources[done.source_id].body.content.text == text


@pytest.mark.parametrize(
    "script",
    [
        b"",
        b"[]",
        b'{"answers": [{"text": "x"}]}',
        b'{"answers": [{"text": "x", "fails": "a", "exact": "b"}]}',
        b'{"answers": [{"text": "x", "fails": "a"}, {"text": "x", "fails": "b"}]}',
        b'{"answers": [{"text": "x", "fails": "a", "more": 1}]}',
        b" " * (1 << 20) + b" ",
    ],
    ids=["empty", "list", "nothing", "two", "twice", "unknown", "huge"],
)
def test_a_script_that_does_not_read_is_refused(script: bytes) -> None:
    """Every entry says exactly one thing about one text."""
    with pytest.raises(ConfigurationError):
        read_script(script)


def test_a_missing_script_leaves_nobody_to_ask(tmp_path: Path) -> None:
    """The mode is still said to be `scripted`, with the problem."""
    shop = open_shop(tmp_path / "data", '[manager]\nkind = "scripted"\nscript = "absent.json"\n')
    facts = shop.studio.placements.manager.facts
    assert (facts.mode, facts.problem) == ("scripted", "there is no readable file at its script")
    assert shop.ended(shop.capture("x")) == ("failed", "manager_not_usable")
