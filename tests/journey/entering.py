"""The three ways in that last for a time: a session, a link not used yet, and an operator's token."""

from tests.journey.test_erasure import House

NAMES = ("the browser of then", "the deploys of then")
"""What session and token are called: words that stand where they are kept."""


def ways_in(house: House) -> tuple[str, str, str]:
    """Open each of them for the owner; return the secrets of session, link and operator token."""
    directory, now = house.studio.directory, house.studio.desk.clock.now()
    session = directory.begin_session("owner", now, label=NAMES[0])
    link = directory.issue_link("owner", now)
    token = directory.issue_operator_token("owner", NAMES[1], now)
    return session.secret, link.secret, token.secret


def may_enter(house: House, session: str, link: str, token: str) -> tuple[bool, bool, bool]:
    """Tell for each secret whether it would let somebody in now; none of them is spent."""
    directory, now = house.studio.directory, house.studio.desk.clock.now()
    return (
        directory.session(session, now) is not None,
        directory.link_holder(link, now) is not None,
        directory.operator(token, now) is not None,
    )
