"""The API's own description: bounds on all that comes in, and a fuzzer that finds no other answer than it says."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import schemathesis
from hypothesis import given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, status_code_conformance

from app.main import application
from app.web.origin import SESSION_COOKIE
from tests.app.house import API, House, open_house
from tests.app.writes import prepare

CHECKS: Final = [not_a_server_error, status_code_conformance, content_type_conformance]
"""FastAPI itself holds every answer to its model; schemathesis cannot read the `prefixItems` of a pair."""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> House:
    """Return a house with something of every kind in it."""
    house = open_house(Path(tmp_path_factory.mktemp("house")))
    prepare(house)
    return house


def _incoming(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (where, schema) of every parameter and every request body."""
    for path, item in document["paths"].items():
        for method, operation in item.items():
            for parameter in operation.get("parameters", ()):
                yield f"{method} {path} {parameter['name']}", parameter["schema"]
            body = operation.get("requestBody")
            if body is not None:
                yield f"{method} {path} body", body["content"]["application/json"]["schema"]


def _unbounded(document: dict[str, Any], where: str, schema: dict[str, Any]) -> Iterator[str]:
    """Yield each place that takes text, a list or a number of any size, or fields of any name."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        schema = document["components"]["schemas"][name]
    for option in schema.get("anyOf", ()):
        yield from _unbounded(document, where, option)
    kind = schema.get("type")
    if kind == "string" and "maxLength" not in schema and "enum" not in schema and "const" not in schema:
        yield f"{where}: text without maxLength"
    if kind == "array":
        if "maxItems" not in schema:
            yield f"{where}: a list without maxItems"
        yield from _unbounded(document, where, schema["items"])
    if kind == "integer" and not {"minimum", "maximum"} <= set(schema):
        yield f"{where}: a number without bounds"
    if kind == "object":
        if schema.get("additionalProperties") is not False:
            yield f"{where}: takes unknown fields"
        for name, inner in schema.get("properties", {}).items():
            yield from _unbounded(document, f"{where}.{name}", inner)


def test_all_that_comes_in_has_bounds(house: House) -> None:
    """Every text, list and number that a request may carry is bounded, and no body takes unknown fields."""
    document = application(house.studio).openapi()
    incoming = list(_incoming(document))
    assert len(incoming) > 40
    assert [found for where, schema in incoming for found in _unbounded(document, where, schema)] == []


def test_every_write_documents_its_key_and_its_refusals(house: House) -> None:
    """A write says that it takes an Idempotency-Key and which problem documents it may answer with."""
    for path, item in application(house.studio).openapi()["paths"].items():
        for method, operation in item.items():
            statuses = set(operation["responses"])
            assert {"400", "401", "403", "404", "409", "413", "422", "429", "503"} <= statuses, path
            if method == "post":
                keys = [one for one in operation["parameters"] if one["name"] == "Idempotency-Key"]
                assert [one["required"] for one in keys] == [True], path


def _headers(house: House) -> dict[str, str]:
    cookie = f"{SESSION_COOKIE}={house.session()}"
    return {"Host": "127.0.0.1:8765", "Cookie": cookie, "Sec-Fetch-Site": "same-origin"}


def _known(house: House) -> dict[str, str]:
    """Return real ids for the parameters of an address, so that a fuzzer comes further than `not found`."""
    state = house.studio.desk.state(house.project_id)
    return {
        "project_id": house.project_id,
        "ledger_id": house.project_id,
        "delta_id": house.ids["accept"],
        "source_id": house.ids["asked"],
        "closure_id": house.ids["closure"],
        "brief_id": house.ids["brief"],
        "run_id": house.ids["queued"],
        "candidate_id": state.candidates.keys()[0],
        "exchange_id": state.exchanges.keys()[-1],
    }


@pytest.mark.slow
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_a_fuzzer_finds_no_fault(house: House, mode: GenerationMode) -> None:
    """Made-up requests, lawful and unlawful, get no 5xx and no answer that the description does not hold."""
    headers, known, sent = _headers(house), _known(house), 0
    schema = schemathesis.openapi.from_asgi(f"{API}/openapi.json", house.app, headers=headers)
    for found in schema.exclude(path=f"{API}/events").get_all_operations():
        operation = found.ok()
        is_bare = operation.method == "get" and not operation.path_parameters and not operation.query
        if mode is GenerationMode.NEGATIVE and is_bare:
            continue

        @given(operation.as_strategy(generation_mode=mode))
        @settings(max_examples=4, deadline=None, derandomize=True, database=None)
        def send(case: schemathesis.Case) -> None:
            nonlocal sent
            sent += 1
            if mode is GenerationMode.POSITIVE:
                for name in set(case.path_parameters) & set(known):
                    case.path_parameters[name] = known[name]
            case.validate_response(case.call(headers=headers), checks=CHECKS)

        send()
    assert sent > 80
