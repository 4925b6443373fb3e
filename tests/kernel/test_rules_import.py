"""What the world ledger takes for an import, and what it refuses."""

import pytest

from kernel.commands import ImportProject
from kernel.errors import InvalidError, RefusedError
from kernel.values.execution import BundleFacts
from kernel.vocabulary import KeyRole
from tests.support.spec import before, refused
from tests.support.whole import whole_project, whole_world

KEY = (KeyRole.SEALER, "sealer:" + "0" * 16, "A" * 43 + "=")


@pytest.mark.parametrize(
    "change",
    [
        {"size": 0},
        {"log_root": "x" * 64},
        {"installation_id": "Here is a text"},
        {"project_id": "node_1"},
        {"project_id": whole_world().ledger},
    ],
    ids=str,
)
def test_an_import_is_named_exactly(change: dict[str, object]) -> None:
    """Sizes, roots, ids and installations have one form, and the world itself is no import."""
    moment = before(whole_world(), "project.imported.v1")
    refusal = moment.but(**change).refusal()
    assert refusal is not None
    assert refusal[0] is InvalidError


@pytest.mark.parametrize("key", [(KEY[0], "a text", KEY[2]), (KEY[0], KEY[1], "a text")])
def test_the_keys_of_an_import_are_keys(key: tuple[KeyRole, str, str]) -> None:
    """No free text stands where a key's name or bytes stand."""
    facts = BundleFacts(whole_project().ledger, "elsewhere", 3, "0" * 64, (key,))
    refusal = refused(whole_world(), ImportProject(facts))
    assert refusal is not None
    assert refusal[0] is InvalidError


@pytest.mark.parametrize(("installation", "size"), [("elsewhere", 7), ("elsewhere", 6), ("overthere", 9)])
def test_a_later_import_holds_more_of_the_same(installation: str, size: int) -> None:
    """Neither less than before nor anything from another installation takes its place."""
    known = whole_world().state.authority.imports.keys()[0]
    refusal = refused(whole_world(), ImportProject(BundleFacts(known, installation, size, "0" * 64, ())))
    assert refusal is not None
    assert refusal[0] is RefusedError
