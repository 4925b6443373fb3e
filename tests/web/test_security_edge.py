"""What the edge refuses before anything is read, and what every answer carries."""

import pytest

from app.web.origin import PublicOrigin, public_origin
from app.web.security import CONTENT_SECURITY_POLICY
from kernel.errors import ConfigurationError
from tests.web.edge import EXECUTE, OPERATOR_HEADERS, ORIGIN, TOKEN, Edge

SESSION = {"Cookie": "odeu_session=abc"}
SAME = {"Sec-Fetch-Site": "same-origin"}
BEARER = {"Authorization": "Bearer " + "a" * 40}
SECURITY = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}


def test_the_policy_is_the_one_of_the_design() -> None:
    """The content policy names every source and nothing unsafe."""
    assert CONTENT_SECURITY_POLICY == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("GET", "/read", {}),
        ("GET", "/missing", {}),
        ("POST", "/write", {}),
        ("POST", "/write", {**SESSION, **SAME}),
        ("GET", "/read", {"Host": "elsewhere.example"}),
        ("POST", EXECUTE, {}),
    ],
)
async def test_every_answer_carries_the_security_headers(
    method: str, path: str, headers: dict[str, str]
) -> None:
    """Answers, refusals and unknown paths alike carry them, and no handler weakens one."""
    answer = await Edge().send(method, path, headers=headers)
    assert {name: answer.headers.get_list(name) for name in SECURITY} == {
        name: [value] for name, value in SECURITY.items()
    }


async def test_only_static_files_may_be_kept() -> None:
    """A static file keeps the caching its handler chose; nothing else does."""
    answer = await Edge().send("GET", "/static/a.css")
    assert answer.headers["cache-control"] == "public"


async def test_an_unforeseen_failure_is_an_incident_without_its_reason() -> None:
    """The client learns a number; the words of the failure stay in the log."""
    edge = Edge(raises=RuntimeError("password hunter2"))
    answer = await edge.send("GET", "/read")
    body = answer.json()
    assert (answer.status_code, body["code"], answer.headers["content-type"]) == (
        500,
        "internal_fault",
        "application/problem+json",
    )
    assert len(body["incident"]) == 12
    assert "hunter2" not in answer.text
    assert answer.headers["content-security-policy"] == CONTENT_SECURITY_POLICY


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost:8765", "[::1]:8765"])
async def test_the_loopback_names_are_answered(host: str) -> None:
    """A loopback server answers to its three exact names with its port."""
    assert (await Edge().send("GET", "/read", headers={"Host": host})).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.0.0.1:80",
        "localhost",
        "evil.example:8765",
        "127.0.0.1:8765.evil.example",
        "LOCALHOST:8765",
        "",
    ],
)
async def test_another_host_is_refused_before_anything_else(host: str) -> None:
    """DNS rebinding arrives under another name and reaches nothing."""
    edge = Edge()
    answer = await edge.send("GET", "/read", headers={"Host": host})
    assert (answer.status_code, answer.json()["code"], edge.reached) == (400, "wrong_host", [])


async def test_two_host_headers_are_refused() -> None:
    """A second Host header would let a proxy and us disagree."""
    edge = Edge()
    headers = [("Host", "127.0.0.1:8765"), ("Host", "evil.example")]
    answer = await edge.send("GET", "/read", headers=headers)
    assert (answer.status_code, edge.reached) == (400, [])


LAWFUL_WRITES = [
    {**SESSION, **SAME},
    {**SESSION, **SAME, "Origin": "null"},
    {**SESSION, "Origin": ORIGIN.origin},
    {**SAME},
    {**BEARER},
    {**BEARER, "Sec-Fetch-Site": "none"},
    {**BEARER, **SAME, "Origin": ORIGIN.origin},
]
UNLAWFUL_WRITES = [
    {},
    {**SESSION},
    {**SESSION, "Sec-Fetch-Site": "cross-site"},
    {**SESSION, "Sec-Fetch-Site": "same-site"},
    {**SESSION, "Sec-Fetch-Site": "none"},
    {**SESSION, "Sec-Fetch-Site": "cross-site", "Origin": ORIGIN.origin},
    {**SESSION, "Origin": "null"},
    {**SESSION, "Origin": "http://localhost:8765"},
    {**SESSION, "Origin": "http://evil.example"},
    {**SESSION, **BEARER},
    {**BEARER, "Sec-Fetch-Site": "cross-site"},
    {**BEARER, "Origin": "http://evil.example"},
    {"Authorization": "Bearer short"},
    {"Authorization": "Basic " + "a" * 40},
]


@pytest.mark.parametrize("headers", LAWFUL_WRITES)
async def test_a_write_from_our_own_pages_or_a_program_passes(headers: dict[str, str]) -> None:
    """Same-origin pages and programs with a Bearer may write."""
    edge = Edge()
    answer = await edge.send("POST", "/write", headers=headers, content=b"x")
    assert (answer.status_code, edge.reached) == (200, ["POST /write 1"])


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
@pytest.mark.parametrize("headers", UNLAWFUL_WRITES)
async def test_a_write_from_elsewhere_is_refused(headers: dict[str, str], method: str) -> None:
    """A write that another site may have caused reaches nothing."""
    edge = Edge()
    answer = await edge.send(method, "/write", headers=headers)
    assert (answer.status_code, answer.json()["code"], edge.reached) == (403, "cross_site", [])


async def test_a_repeated_header_does_not_pass() -> None:
    """Two values of one header never count as the lawful one."""
    edge = Edge()
    headers = [*SESSION.items(), ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "cross-site")]
    assert (await edge.send("POST", "/write", headers=headers)).status_code == 403
    assert edge.reached == []


async def test_an_operator_acts_from_the_exact_page() -> None:
    """Origin, Fetch Metadata and a known Bearer together let an operator's act in, with the operator's id."""
    edge = Edge()
    answer = await edge.send("POST", EXECUTE, headers=OPERATOR_HEADERS, content=b"{}")
    assert (answer.status_code, answer.json()) == (200, {"operator": "operator_mira"})


def _without(name: str, **changed: str) -> dict[str, str]:
    return {key: value for key, value in {**OPERATOR_HEADERS, **changed}.items() if key != name}


@pytest.mark.parametrize(
    ("headers", "code", "looked_up"),
    [
        (_without("Origin"), "operator_edge", []),
        (_without("Sec-Fetch-Site"), "operator_edge", []),
        (_without("", Origin="http://localhost:8765"), "operator_edge", []),
        (_without("", Origin="null"), "operator_edge", []),
        ({**OPERATOR_HEADERS, "Sec-Fetch-Site": "same-site"}, "operator_edge", []),
        ({**OPERATOR_HEADERS, "Sec-Fetch-Site": "none"}, "operator_edge", []),
        (_without("Authorization"), "operator_token", []),
        (_without("", Authorization=f"Basic {TOKEN}"), "operator_token", []),
        (_without("", Authorization="Bearer short"), "operator_token", []),
        (_without("", Authorization="Bearer " + "z" * 40), "operator_token", ["z" * 40]),
        ({**_without("Authorization"), **SESSION}, "operator_token", []),
    ],
)
async def test_an_operators_act_is_refused_before_its_body(
    headers: dict[str, str], code: str, looked_up: list[str]
) -> None:
    """A missing or wrong origin, Fetch Metadata or Bearer is refused; a session alone is no authority."""
    edge = Edge()
    answer = await edge.send("POST", EXECUTE, headers=headers, content=b"x" * 100_000)
    assert (answer.json()["code"], edge.looked_up, edge.reached) == (code, looked_up, [])
    assert answer.status_code == (401 if code == "operator_token" else 403)


async def test_the_body_of_a_refused_act_is_never_asked_for() -> None:
    """The guard answers from the head alone: it does not receive a byte of the body."""
    edge = Edge()
    asked: list[str] = []
    sent: list[int] = []

    async def receive() -> dict[str, object]:
        """Fail: nobody may ask for this body."""
        asked.append("receive")
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, object]) -> None:
        """Keep what was answered."""
        if message["type"] == "http.response.start":
            sent.append(int(str(message["status"])))

    scope = {
        "type": "http", "method": "POST", "path": EXECUTE, "raw_path": EXECUTE.encode(), "query_string": b"",
        "headers": [(b"host", b"127.0.0.1:8765"), (b"authorization", b"Bearer " + b"z" * 40)], "scheme": "http",
        "server": ("127.0.0.1", 8765), "root_path": "", "http_version": "1.1",
    }  # fmt: skip
    await edge.app()(scope, receive, send)  # type: ignore[arg-type]
    assert (asked, sent) == ([], [403])


async def test_tokens_cannot_be_tried_in_a_row() -> None:
    """After a few attempts from one address no further token is looked up, not even the right one."""
    edge = Edge()
    wrong = {**OPERATOR_HEADERS, "Authorization": "Bearer " + "z" * 40}
    async with edge.client() as client:
        tried = [(await client.post(EXECUTE, headers=wrong)).status_code for _ in range(8)]
        last = await client.post(EXECUTE, headers=OPERATOR_HEADERS)
    assert tried == [401] * 6 + [429] * 2
    assert (last.status_code, last.headers["retry-after"], len(edge.looked_up)) == (429, "20", 6)


async def test_a_token_in_the_address_is_refused() -> None:
    """An operator's act takes no query at all, so no token can end in an address or a log."""
    edge = Edge()
    answer = await edge.send("POST", f"{EXECUTE}?token={TOKEN}", headers=OPERATOR_HEADERS)
    assert (answer.status_code, answer.json()["code"], edge.reached) == (400, "query_refused", [])
    assert TOKEN not in answer.text


async def test_no_refusal_logs_a_secret(caplog: pytest.LogCaptureFixture) -> None:
    """A refusal is logged with its code and path, and with no value of a header."""
    headers = {**OPERATOR_HEADERS, "Authorization": "Bearer " + "z" * 40}
    await Edge().send("POST", EXECUTE, headers=headers)
    assert [record.getMessage() for record in caplog.records] == [f"refused operator_token: POST {EXECUTE}"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://studio.example", PublicOrigin("https://studio.example", frozenset({"studio.example"}))),
        ("https://studio.example:8443", PublicOrigin("https://studio.example:8443", frozenset({"studio.example:8443"}))),
        (
            "http://localhost",
            PublicOrigin("http://localhost", frozenset({"127.0.0.1", "localhost", "[::1]"})),
        ),
        ("http://[::1]:9000", PublicOrigin("http://[::1]:9000", frozenset({"127.0.0.1:9000", "localhost:9000", "[::1]:9000"}))),
    ],
)  # fmt: skip
def test_a_public_origin_is_https_or_exact_loopback(text: str, expected: PublicOrigin) -> None:
    """The origin people open and the hosts that lead there follow from one setting."""
    assert public_origin(text) == expected


@pytest.mark.parametrize(
    "text",
    ["", "studio.example", "http://studio.example", "https://studio.example/", "https://Studio.example", "https://u:p@studio.example",
     "https://studio.example:443", "https://studio.example?x=1", "http://127.0.0.2:8765", "http://0.0.0.0:8765", "ftp://localhost",
     "https://studio.example:99999"],
)  # fmt: skip
def test_another_public_origin_is_refused_at_start(text: str) -> None:
    """A plain-http name, a path, a user or a default port would make the exact comparison a lie."""
    with pytest.raises(ConfigurationError, match="public origin"):
        public_origin(text)
