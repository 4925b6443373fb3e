"""Registries equal the catalogue: one rule and one evolver per event, one decision per command."""

from typing import get_args

import pytest

from kernel.commands import Command
from kernel.decide import _ROUTES
from kernel.errors import RefusedError, UnknownEventError
from kernel.events import BODIES, AnyBody
from kernel.events.body import Body
from kernel.reducer import evolve
from kernel.reducer.registry import EVOLVERS, evolves
from kernel.rules.authority import AUTHORITY, WORLD_ONLY
from kernel.rules.registry import RULES, admits
from tests.support.spec import next_event
from tests.support.story import Story
from tests.support.whole import whole_project, whole_world


class DreamDreamt(Body):
    """An event of no catalogue."""

    TYPE = "dream.dreamt.v1"


def test_every_event_has_one_rule_one_evolver_and_one_row_of_authority() -> None:
    """No event of the catalogue is forgotten anywhere, and nothing else is admitted or remembered."""
    catalogue = set(get_args(AnyBody))
    assert (set(RULES), set(EVOLVERS), set(BODIES.values())) == (catalogue, catalogue, catalogue)
    assert set(AUTHORITY) == set(BODIES)
    assert set(BODIES) > WORLD_ONLY


def test_every_command_has_one_decision_of_its_own() -> None:
    """Each command is routed, and no two share a function."""
    assert set(_ROUTES) == set(get_args(Command))
    assert len(set(_ROUTES.values())) == len(_ROUTES)


def test_a_decision_is_named_as_its_command() -> None:
    """`AcceptDelta` is decided by `accept_delta`: a reader finds it without a map."""
    for command, decision in _ROUTES.items():
        words = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in command.__name__)
        assert decision.__name__ == words.removeprefix("_")


def test_a_rule_and_an_evolver_are_named_as_their_event() -> None:
    """`source.captured.v1` is admitted and remembered by functions called `source_captured`."""
    for registry in (RULES, EVOLVERS):
        for body, function in registry.items():
            assert function.__name__ == "_".join(body.TYPE.split(".")[:2])


def test_a_wire_name_is_an_area_a_participle_and_a_version() -> None:
    """Wire names are spelled alike, and each stands for one body."""
    assert all(len(name.split(".")) == 3 and name.split(".")[2][1:].isdigit() for name in BODIES)
    assert [body.TYPE for body in get_args(AnyBody)] == list(BODIES)


def test_a_second_rule_or_evolver_for_an_event_is_refused_at_import() -> None:
    """Two owners of one fact would be a silent choice between them."""
    body = next(iter(RULES))
    with pytest.raises(AssertionError, match="has two rules"):
        admits(body)(RULES[body])
    with pytest.raises(AssertionError, match="has two evolvers"):
        evolves(body)(EVOLVERS[body])


def test_an_event_outside_the_catalogue_is_neither_admitted_nor_remembered() -> None:
    """What nobody listed, nobody may author; and what this version cannot remember it does not skip."""
    moment = next_event(Story().opened(), DreamDreamt())
    assert moment.refusal() is not None
    with pytest.raises(UnknownEventError, match=r"dream\.dreamt\.v1 cannot be remembered"):
        evolve(moment.state, moment.event)


def test_the_told_ledgers_hold_every_event() -> None:
    """The tables of refusals stand on ledgers that miss no event type."""
    told = {event.type for story in (whole_world(), whole_project()) for event in story.events}
    assert told == set(BODIES)
    assert issubclass(UnknownEventError, Exception)
    assert not issubclass(UnknownEventError, RefusedError)
