"""Who may act, and for how long a secret lets them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.ledger import Directory, Store
from adapters.ledger.people import LINK_LIFETIME_S, SESSION_IDLE_S, SESSION_LIFETIME_S, later
from adapters.system import SystemEntropy
from kernel.errors import AuthorityError, ConflictError, InvalidError, NotFoundError
from kernel.values.people import Issued, Membership, OperatorToken, Person, Session
from kernel.vocabulary import Role
from tests.ledger.building import NOW, open_store, prepare

OWNER = Person("owner", "Ada", NOW)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Return an open, empty database."""
    prepare(tmp_path)
    store = open_store(tmp_path)
    yield store
    store.close()


@pytest.fixture
def directory(store: Store) -> Directory:
    """Return a directory that knows one person."""
    directory = Directory(store, SystemEntropy())
    assert directory.add_person("owner", "Ada", NOW) == OWNER
    return directory


def _at(seconds: int) -> str:
    return later(NOW, seconds)


def _signed_in(directory: Directory) -> Issued:
    return directory.sign_in(directory.issue_link("owner", NOW).secret, NOW, label="a browser")


def test_people_are_known_by_id(directory: Directory) -> None:
    """An id is taken once; everyone is listed."""
    viewer = directory.add_person("bob", "Bob", NOW)
    assert directory.people() == (viewer, OWNER)
    assert directory.person("owner") == OWNER
    assert directory.person("nobody") is None
    with pytest.raises(ConflictError, match="there is already a person owner"):
        directory.add_person("owner", "Eve", NOW)
    assert directory.person("owner") == OWNER


def test_a_role_in_a_ledger_goes_before_the_one_everywhere(directory: Directory) -> None:
    """One role per person and ledger; without one, the role that holds everywhere counts."""
    assert directory.role_of("owner", "p1") is None
    directory.grant("owner", Role.OWNER, ledger_id=None)
    directory.grant("owner", Role.VIEWER, ledger_id="p1")
    directory.grant("owner", Role.REVIEWER, ledger_id="p1")
    assert directory.memberships("owner") == (
        Membership("owner", Role.OWNER, None),
        Membership("owner", Role.REVIEWER, "p1"),
    )
    assert (directory.role_of("owner", "p1"), directory.role_of("owner", "p2")) == (Role.REVIEWER, Role.OWNER)
    directory.withdraw("owner", ledger_id=None)
    assert directory.memberships() == (Membership("owner", Role.REVIEWER, "p1"),)
    assert directory.role_of("owner", "p2") is None


def test_roles_that_cannot_be_given(directory: Directory) -> None:
    """An unknown person has no role, and a person never has the role of programs."""
    with pytest.raises(NotFoundError, match="there is no person nobody"):
        directory.grant("nobody", Role.VIEWER, ledger_id=None)
    with pytest.raises(InvalidError, match="no person has the role of programs"):
        directory.grant("owner", Role.NONE, ledger_id=None)


def test_a_link_opens_one_session(directory: Directory) -> None:
    """A link works once; the session it opened is found by its secret alone."""
    link = directory.issue_link("owner", NOW)
    issued = directory.sign_in(link.secret, _at(60), label="a browser")
    expected = Session(
        id=issued.id,
        person_id="owner",
        label="a browser",
        created_at=_at(60),
        expires_at=_at(60 + SESSION_LIFETIME_S),
        last_used_at=_at(60),
        revoked_at=None,
    )
    assert directory.session(issued.secret, _at(61)) == expected
    assert directory.session(link.secret, _at(61)) is None
    assert directory.sessions("owner", _at(61)) == (expected,)
    with pytest.raises(AuthorityError, match="this link was used or is too old"):
        directory.sign_in(link.secret, _at(62), label="")


def test_a_link_that_does_not_work_says_nothing_more(directory: Directory) -> None:
    """Too old, revoked, unknown, or a token of another kind: the same sentence."""
    old = directory.issue_link("owner", NOW)
    revoked = directory.issue_link("owner", NOW)
    directory.revoke_token(revoked.id, NOW)
    operator = directory.issue_operator_token("owner", "laptop", NOW)
    for secret, now in (
        (old.secret, _at(LINK_LIFETIME_S)),
        (revoked.secret, NOW),
        (operator.secret, NOW),
        ("odeu_signin_unknown", NOW),
        ("\ud800", NOW),
    ):
        with pytest.raises(AuthorityError, match="this link was used or is too old"):
            directory.sign_in(secret, now, label="")
    assert directory.sign_in(old.secret, _at(LINK_LIFETIME_S - 1), label="").person_id == "owner"


def test_a_link_can_be_looked_at_without_spending_it(directory: Directory) -> None:
    """Looking tells whom it would sign in and until when; a spent, old or unknown link tells nothing."""
    link = directory.issue_link("owner", NOW)
    assert directory.link_holder(link.secret, NOW) == ("owner", _at(LINK_LIFETIME_S))
    assert directory.link_holder(link.secret, _at(LINK_LIFETIME_S)) is None
    assert directory.link_holder("odeu_signin_made-up", NOW) is None
    directory.sign_in(link.secret, NOW, label="a browser")
    assert directory.link_holder(link.secret, NOW) is None


def test_a_link_is_for_somebody(directory: Directory) -> None:
    """There is no link for a person that is not there."""
    with pytest.raises(NotFoundError, match="there is no person nobody"):
        directory.issue_link("nobody", NOW)


def test_a_session_ends_by_time_and_by_hand(directory: Directory) -> None:
    """After its end, or once ended by its person, a session is nobody's; others cannot end it."""
    issued = _signed_in(directory)
    for used in range(SESSION_IDLE_S - 1, SESSION_LIFETIME_S, SESSION_IDLE_S - 1):
        assert directory.session(issued.secret, _at(used)) is not None
    assert directory.session(issued.secret, _at(SESSION_LIFETIME_S - 1)) is not None
    assert directory.session(issued.secret, _at(SESSION_LIFETIME_S)) is None
    directory.end_sessions("owner", NOW)
    issued = _signed_in(directory)
    with pytest.raises(NotFoundError):
        directory.end_session(issued.id, NOW, person_id="eve")
    directory.end_session(issued.id, _at(5), person_id="owner")
    assert directory.session(issued.secret, _at(6)) is None
    assert directory.sessions("owner", _at(6)) == ()
    with pytest.raises(NotFoundError):
        directory.end_session(issued.id, _at(7), person_id="owner")


def test_a_session_that_nobody_uses_ends(directory: Directory) -> None:
    """Three days after its last use a session is over, long before its end."""
    issued = _signed_in(directory)
    assert directory.session(issued.secret, _at(SESSION_IDLE_S)) is None
    assert directory.sessions("owner", _at(SESSION_IDLE_S)) == ()


def test_all_other_sessions_end_at_once(directory: Directory) -> None:
    """All sessions of one person but the present one end; those of others go on. Unused links stop too."""
    directory.add_person("bob", "Bob", NOW)
    mine, other, foreign = (directory.begin_session(who, NOW, label="x") for who in ("owner", "owner", "bob"))
    link = directory.issue_link("owner", NOW)
    assert directory.end_sessions("owner", NOW, but=mine.id) == 1
    assert [directory.session(item.secret, NOW) is None for item in (mine, other, foreign)] == [
        False,
        True,
        False,
    ]
    assert directory.end_sessions("owner", NOW) == 1
    directory.end_links("owner", NOW)
    assert directory.link_holder(link.secret, NOW) is None
    with pytest.raises(NotFoundError, match="there is no person nobody"):
        directory.begin_session("nobody", NOW, label="x")


def test_a_rotated_session_has_a_new_secret(directory: Directory) -> None:
    """The old secret stops at once; the session, its end included, stays."""
    issued = _signed_in(directory)
    fresh = directory.rotate(issued.secret, _at(10))
    assert (fresh.id, fresh.expires_at) == (issued.id, issued.expires_at)
    assert directory.session(issued.secret, _at(11)) is None
    assert directory.session(fresh.secret, _at(11)) is not None
    with pytest.raises(AuthorityError, match="this session has ended"):
        directory.rotate(issued.secret, _at(12))


def test_the_use_of_a_session_is_noted_now_and_then(directory: Directory) -> None:
    """A page view writes nothing; after five minutes the use is noted."""
    issued = _signed_in(directory)
    for now, noted in ((200, 0), (301, 301), (400, 301)):
        assert directory.session(issued.secret, _at(now)) is not None
        assert [session.last_used_at for session in directory.sessions("owner", _at(now))] == [_at(noted)]


def test_an_operator_token_works_until_it_ends(directory: Directory) -> None:
    """A token names its person and notes its use; it stops by time and by revocation."""
    issued = directory.issue_operator_token("owner", "laptop", NOW, lifetime_s=100)
    token = OperatorToken(
        id=issued.id,
        person_id="owner",
        name="laptop",
        created_at=NOW,
        expires_at=_at(100),
        last_used_at=_at(50),
        revoked_at=None,
    )
    assert directory.operator(issued.secret, _at(50)) == token
    assert directory.operator_tokens("owner") == (token,)
    assert directory.operator(issued.secret, _at(100)) is None
    directory.revoke_token(issued.id, _at(60))
    directory.revoke_token(issued.id, _at(70))
    assert directory.operator(issued.secret, _at(80)) is None
    assert [token.revoked_at for token in directory.operator_tokens()] == [_at(60)]


def test_other_secrets_are_no_operator(directory: Directory) -> None:
    """Neither a session nor a link executes a promotion."""
    session, link = _signed_in(directory), directory.issue_link("owner", NOW)
    for secret in (session.secret, link.secret, "", "odeu_operator_unknown"):
        assert directory.operator(secret, NOW) is None
    assert directory.operator_tokens() == ()
    with pytest.raises(NotFoundError):
        directory.revoke_token("operator_unknown", NOW)
    with pytest.raises(InvalidError):
        directory.issue_operator_token("owner", "never", NOW, lifetime_s=0)


def test_no_secret_is_stored(directory: Directory, tmp_path: Path) -> None:
    """Only hashes lie in the files, and a secret does not show in a printed value."""
    issued = [
        _signed_in(directory),
        directory.issue_link("owner", NOW),
        directory.issue_operator_token("owner", "laptop", NOW),
    ]
    content = b"".join(path.read_bytes() for path in tmp_path.glob("odeu.db*"))
    for one in issued:
        assert one.secret.encode() not in content
        assert one.secret not in repr(one)
        assert one.id.encode() in content
    assert len({one.secret for one in issued}) == 3


def test_moments_are_spelled_as_in_the_ledger() -> None:
    """Adding seconds keeps the one spelling, over midnight and a leap day too."""
    assert later("2028-02-28T23:59:59.000001Z", 2) == "2028-02-29T00:00:01.000001Z"
