"""People on the command line: roles per project, passwords from standard input, accounts, sessions."""

from tests.cli.conftest import Odeu

WORDS = "correct horse battery staple"


def test_a_person_has_a_role_in_one_project(odeu: Odeu) -> None:
    """Added with a role in one project, given more and less, and gone with one command."""
    assert (
        odeu("person", "add", "mira", "--project", "Paint planner", "--role", "viewer", "--json").status == 0
    )
    assert (
        odeu("person", "grant", "mira", "--project", "Paint planner", "--role", "owner", "--json").status == 0
    )
    assert odeu("person", "grant", "mira", "--role", "viewer", "--json").record["project_id"] is None
    (mira, _owner) = odeu("person", "list", "--json").record["people"]
    assert (mira["role"], [item["role"] for item in mira["projects"]]) == ("viewer", ["owner"])
    ended = odeu("person", "revoke", "mira", "--project", "Paint planner")
    assert "acts there as viewer, the role they have everywhere" in ended.out
    assert odeu("person", "revoke", "mira", "--json").record == {
        "person_id": "mira",
        "project_ids": [None],
        "role": None,
        "sessions_ended": 0,
    }
    assert odeu("person", "list").out.splitlines()[0] == "mira  no role"


def test_who_stays_and_who_is_not_there(odeu: Odeu) -> None:
    """The owner of the command line stays; somebody without a role is not revoked twice."""
    for name, code in (("owner", "owner_stays"), ("mira", "not_found")):
        said = odeu("person", "revoke", name, "--json")
        assert (said.status, said.record["error"]["code"]) == (1, code)


def test_a_password_comes_from_standard_input(odeu: Odeu) -> None:
    """It is no argument and is not repeated; too short a one is refused; it can be removed."""
    done = odeu("person", "password", "owner", "--json", given=f"{WORDS}\n")
    assert done.record == {"person_id": "owner", "password": True, "sessions_ended": 0}
    assert WORDS not in done.out + done.err
    short = odeu("person", "password", "owner", "--json", given="short\n")
    assert (short.status, short.record["error"]["code"]) == (1, "invalid")
    assert odeu("person", "password", "owner", "--remove", "--json").record["password"] is False
    assert odeu("person", "password", "owner", "--remove", "--json").status == 1
    assert odeu("person", "password", WORDS, "extra", "--json").record["error"]["code"] == "usage"


def test_a_password_that_is_no_text_is_refused(odeu: Odeu) -> None:
    """Bytes that are no UTF-8 are a refusal with its sentence, not a crash."""
    said = odeu("person", "password", "owner", given="p\udce4ssword of mine\n")
    assert (said.status, said.out) == (1, "")
    assert said.err == "Not done (invalid): the password is no text in UTF-8; nothing was changed\n"


def test_roles_are_named_when_a_word_is_none(odeu: Odeu) -> None:
    """One plain sentence says which three there are; `-p` names the project, as everywhere."""
    for said in (
        odeu("person", "grant", "owner", "--role", "god"),
        odeu("person", "add", "mira", "--role", "operator"),
    ):
        assert (said.status, said.out) == (1, "")
        assert "there are three roles for a person, owner, reviewer or viewer; " in said.err
    added = odeu("person", "add", "mira", "-p", "Paint planner", "--role", "viewer", "--json").record
    assert (added["role"], added["project_id"] is None) == ("viewer", False)


def test_an_account_is_linked_and_unlinked(odeu: Odeu) -> None:
    """By issuer and subject, once; somebody unknown has none."""
    account = ("--issuer", "https://login.example", "--subject", "7")
    assert odeu("person", "link", "owner", *account).out == "The account 7 signs owner in from now on.\n"
    twice = odeu("person", "link", "owner", *account, "--json")
    assert twice.record["error"]["code"] == "conflict"
    assert odeu("person", "unlink", "owner", *account).out == "The account 7 signs nobody in any more.\n"
    for act, name in (("unlink", "owner"), ("link", "nobody")):
        assert odeu("person", act, name, *account, "--json").record["error"]["code"] == "not_found"


def test_sessions_are_listed_and_ended(odeu: Odeu) -> None:
    """Nobody is signed in yet; an unknown session is not found."""
    assert odeu("person", "sessions", "owner", "--json").record == {"sessions": []}
    assert odeu("person", "sessions", "owner", "--end", "all", "--json").record == {"sessions": []}
    gone = odeu("person", "sessions", "owner", "--end", "session_x", "--json")
    assert gone.record["error"]["code"] == "not_found"
    unknown = odeu("person", "sessions", "nobody", "--json")
    assert (unknown.status, unknown.record["error"]["message"]) == (1, "there is no person nobody")
