"""Passwords, accounts and flows in the database, on both engines, and after a failed or a hostile use."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.ledger import Database, Directory, Flows, PasswordsAndIdentities, migrate
from adapters.ledger.engines import open_store
from adapters.ledger.flows import FLOW_LIFETIME_S
from adapters.ledger.people import later
from adapters.ledger.schema import signin_flows
from adapters.system import SystemEntropy
from kernel.errors import ConflictError, NotFoundError
from kernel.values.people import Identity, LinkedIdentity, PasswordFacts
from tests.ledger.building import NOW

WORDS = "correct horse battery staple"
ACCOUNT = Identity("https://login.example", "7")


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """Return an open database that knows `mira` and `jonas`."""
    url = f"sqlite:///{tmp_path}/odeu.db"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres_server").fresh_database()
    migrate(url)
    store = open_store(url)
    for person in ("mira", "jonas"):
        Directory(store, SystemEntropy()).add_person(person, person.capitalize(), NOW)
    yield store
    store.close()


def test_a_later_password_takes_the_place_of_an_earlier_one(store: Database) -> None:
    """The earlier one's credential comes back, so that its end can be recorded; a dropped one is nobody's."""
    ways = PasswordsAndIdentities(store)
    assert ways.password("mira") is None
    assert ways.set_password("mira", WORDS, NOW, credential_id="password_1") is None
    assert ways.set_password("mira", WORDS + "!", later(NOW, 1), credential_id="password_2") == "password_1"
    assert ways.password("mira") == PasswordFacts("mira", "password_2", later(NOW, 1))
    assert [ways.is_right("mira", text) for text in (WORDS, WORDS + "!", "", "\ud800")] == [
        False,
        True,
        False,
        False,
    ]
    assert (ways.drop_password("mira"), ways.drop_password("mira")) == ("password_2", None)
    assert not ways.is_right("mira", WORDS + "!")
    with pytest.raises(NotFoundError):
        ways.set_password("nobody", WORDS, NOW, credential_id="password_3")


def test_an_account_is_linked_to_one_person(store: Database) -> None:
    """Issuer and subject together name it; a second link is a conflict until the first is gone."""
    ways = PasswordsAndIdentities(store)
    mine = LinkedIdentity(ACCOUNT, "mira", "identity_1", NOW)
    ways.link(mine)
    ways.link(LinkedIdentity(Identity("https://other.example", "7"), "jonas", "identity_2", NOW))
    with pytest.raises(ConflictError):
        ways.link(LinkedIdentity(ACCOUNT, "jonas", "identity_3", NOW))
    assert (ways.linked(ACCOUNT), ways.identities("mira")) == (mine, (mine,))
    assert (ways.unlink(ACCOUNT), ways.unlink(ACCOUNT), ways.linked(ACCOUNT)) == (mine, None, None)
    with pytest.raises(NotFoundError):
        ways.link(LinkedIdentity(ACCOUNT, "nobody", "identity_4", NOW))


def test_a_flow_is_spent_once_and_in_time(store: Database) -> None:
    """An unknown, used or old flow is none; what the provider said is taken once, and only after spending."""
    flows = Flows(store, SystemEntropy())
    secret, old = flows.begin(NOW), flows.begin(NOW)
    flows.keep(secret, ACCOUNT)
    assert flows.kept(secret, NOW) is None
    assert [flows.spend(item, NOW) for item in (secret, secret, "made up")] == [True, False, False]
    assert not flows.spend(old, later(NOW, FLOW_LIFETIME_S))
    flows.keep(secret, ACCOUNT)
    assert flows.kept(secret, later(NOW, FLOW_LIFETIME_S)) is None
    assert (flows.kept(secret, NOW), flows.take(secret, NOW), flows.take(secret, NOW)) == (
        ACCOUNT,
        ACCOUNT,
        None,
    )


def test_flows_that_are_over_are_forgotten(store: Database) -> None:
    """The next one that begins clears the table; no secret ever stood in it."""
    flows = Flows(store, SystemEntropy())
    secret = flows.begin(NOW)
    flows.begin(later(NOW, FLOW_LIFETIME_S))
    with store.reading() as connection:
        rows = connection.execute(signin_flows.select()).all()
    assert len(rows) == 1
    assert secret.encode() not in repr(rows).encode()
