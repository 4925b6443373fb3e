"""Every refusal leaves in one form: problem+json for programs, a page for people, by one table."""

import inspect

import pytest
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from app.web.errors_http import STATUS_OF, Problem, answer_json, answer_with, problem_of, with_facts
from kernel import errors
from tests.web.edge import Edge, failing

EXPECTED = {
    "NotFoundError": 404,
    "AuthorityError": 403,
    "InvalidError": 422,
    "ConflictError": 409,
    "StaleError": 409,
    "CommandConflictError": 409,
    "LifecycleError": 409,
    "EvidenceError": 409,
    "RefusedError": 409,
    "CanonicalError": 422,
    "HistoryError": 503,
    "UnknownEventError": 503,
    "BoundaryError": 502,
    "LedgerConflictError": 409,
    "LedgerUnavailableError": 503,
    "ConfigurationError": 503,
    "ManagerUnavailableError": 503,
    "GitRefusedError": 409,
    "SealRefusedError": 409,
    "SandboxUnavailableError": 503,
    "JournalError": 503,
    "OutcomeUnknownError": 502,
    "StudioError": 500,
}


def _error_classes() -> dict[str, type[errors.StudioError]]:
    return {
        name: found
        for name, found in inspect.getmembers(errors, inspect.isclass)
        if issubclass(found, errors.StudioError)
    }


def _made(kind: type[errors.StudioError]) -> errors.StudioError:
    if issubclass(kind, errors.LedgerConflictError):
        return kind("why", head_seq=412)
    return kind("why")


def test_every_error_of_the_house_has_its_status() -> None:
    """A new error class must be given a status here, not fall through to one."""
    found = {name: problem_of(_made(kind)).status for name, kind in _error_classes().items()}
    assert found == EXPECTED


def test_a_lost_race_names_the_head() -> None:
    """The client learns where the ledger is now, so that it can look at what moved."""
    assert dict(problem_of(errors.LedgerConflictError("Moved.", head_seq=412)).facts) == {"head": 412}


def test_no_refusal_of_the_kernel_is_a_server_fault() -> None:
    """Refusals are 4xx: asking again unchanged would not help."""
    refusals = [kind for kind in _error_classes().values() if issubclass(kind, errors.RefusedError)]
    assert {problem_of(_made(kind)).status // 100 for kind in refusals} == {4}


async def test_a_refusal_is_a_problem_document() -> None:
    """The document has type, title, status, detail and code, and the error's own sentence."""
    edge = failing(errors.StaleError("Revision 19 came first; look again.", code="delta_moved"))
    answer = await edge.send("GET", "/read")
    assert (answer.status_code, answer.headers["content-type"]) == (409, "application/problem+json")
    assert answer.json() == {
        "type": "urn:odeu:problem:delta_moved",
        "title": "Something moved",
        "status": 409,
        "detail": "Revision 19 came first; look again.",
        "code": "delta_moved",
    }


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/nowhere", 404), ("GET", "/write", 405)])
async def test_the_frameworks_refusals_look_the_same(method: str, path: str, status: int) -> None:
    """An unknown path and a wrong method are problems too."""
    answer = await Edge().send(method, path)
    assert (answer.status_code, answer.json()["status"]) == (status, status)
    assert answer.headers["content-type"] == "application/problem+json"


def _request(path: str, accept: str) -> Request:
    headers = [(b"accept", accept.encode())]
    scope = {"type": "http", "method": "GET", "path": path, "headers": headers, "query_string": b"",
             "server": ("127.0.0.1", 8765), "scheme": "http"}  # fmt: skip
    return Request(scope)


def _page(request: Request, problem: Problem) -> Response:
    del request
    return HTMLResponse(f"<h1>{problem.title}</h1>", problem.status)


@pytest.mark.parametrize(
    ("path", "accept", "media"),
    [
        ("/p/a/work", "text/html,application/xhtml+xml", "text/html; charset=utf-8"),
        ("/p/a/work", "application/json", "application/problem+json"),
        ("/p/a/work", "*/*", "application/problem+json"),
        ("/api/v1/runs", "text/html", "application/problem+json"),
    ],
)
def test_people_get_a_page_and_programs_a_document(path: str, accept: str, media: str) -> None:
    """A browser on a page path gets the page; the API never answers HTML."""
    problem = Problem(429, "rate_limited", "Too many", "Wait.", headers=(("Retry-After", "3"),))
    answer = answer_with(_page)(_request(path, accept), problem)
    assert (answer.status_code, answer.headers["content-type"], answer.headers["retry-after"]) == (
        429,
        media,
        "3",
    )


def test_facts_never_replace_the_standing_members() -> None:
    """A fact named `status` cannot make a refusal look like a success."""
    problem = with_facts(Problem(409, "stale", "Moved", "Look again."), head=412, status=200)
    assert problem.document() == {
        "head": 412,
        "type": "urn:odeu:problem:stale",
        "title": "Moved",
        "status": 409,
        "detail": "Look again.",
        "code": "stale",
    }


def test_a_document_is_the_same_for_everyone() -> None:
    """The plain answer does not look at the request."""
    problem = Problem(404, "not_found", "Not found", "Nothing here.")
    bodies = {answer_json(_request(path, "text/html"), problem).body for path in ("/", "/api/v1/x")}
    assert len(bodies) == 1


def test_the_table_names_classes_once() -> None:
    """Every listed class is one of the house."""
    assert set(STATUS_OF) <= set(_error_classes().values())
