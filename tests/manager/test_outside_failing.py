"""An endpoint that is slow, broken, elsewhere or hostile: one try, a code, a sentence, and the words are kept."""

import json
import ssl
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from app.bootstrap import open_studio
from tests.manager.shop import Shop, open_shop, outside
from tests.support.model_server import (
    ModelServer,
    Reply,
    chosen,
    completion,
    model_server,
    responses,
    wrapped,
)

TEXT = "Compare three shops for varnish"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """Serve a model until the end of the test."""
    with model_server() as here:
        yield here


def _error(message: str) -> bytes:
    return json.dumps({"error": {"message": message, "type": "x"}}).encode()


@pytest.mark.parametrize(
    ("reply", "code", "words"),
    [
        (Reply(_error("No such key \u202e\n"), 401), "manager_refused_key", "refused the key (401): No such key"),
        (Reply(_error("Slow down"), 429), "manager_rate_limited", "takes no more requests now (429): Slow down"),
        (Reply(b"<h1>oops</h1>", 500), "manager_failed", "the manager failed (500)"),
        (Reply(_error("no json_schema"), 400), "manager_rejected_request", "(400): no json_schema"),
        (Reply(b"", 204), "manager_rejected_request", "(204)"),
        (Reply(b"", 307, (("Location", "http://127.0.0.1:9/v1/responses"),)), "manager_redirected", "307"),
        (Reply(b"x" * (1 << 20) + b"x"), "manager_answer_too_large", "longer than 1,048,576 bytes"),
        (Reply(b"{}", headers=(("Content-Encoding", "gzip"),)), "manager_answer_encoded", "compressed"),
        (Reply(b"{" + b" " * 4000, breaks_off=True), "manager_broke_off", "broke before its answer"),
        (Reply(b"x" * 4000, pause_s=0.2, piece=1), "manager_timed_out", "within 1 seconds"),
        (Reply(b"x", pause_s=20), "manager_timed_out", "within 1 seconds"),
    ],
    ids=[
        "401", "429", "500", "400", "204", "redirect", "huge", "encoded", "broken-off", "slow-drip", "silent",
    ],
)  # fmt: skip
def test_a_call_that_fails_is_tried_once_and_says_why(
    server: ModelServer, tmp_path: Path, reply: Reply, code: str, words: str
) -> None:
    """One request goes out, the exchange fails with a code and a sentence, and the words can be asked about again."""
    server.reply = lambda _asked: reply
    shop = open_shop(tmp_path / "data", outside(server.url, deadline_s=1))
    started = time.monotonic()
    done = shop.capture(TEXT)
    assert time.monotonic() - started < 10
    assert (shop.ended(done), shop.exact(done), len(server.asked)) == (("failed", code), None, 1)
    assert done.failure is not None
    assert words in done.failure
    assert done.failure.isprintable()
    assert shop.state.sources[done.source_id].body.content.text == TEXT
    server.reply = lambda asked: wrapped(asked, chosen(None))
    assert shop.studio.placements.retry(shop.project_id, shop.owner, done.source_id).question is not None


@pytest.mark.parametrize(
    ("dialect", "reply", "code"),
    [
        ("responses", responses("{", "incomplete", incomplete_details={"reason": "max_output_tokens"}), "answer_cut_off"),
        ("responses", responses("{", "incomplete", incomplete_details={"reason": "content_filter"}), "answer_filtered"),
        ("responses", responses("{}", "failed"), "answer_malformed"),
        ("responses", Reply(b'{"status": "completed", "output": []}'), "answer_malformed"),
        (
            "responses",
            Reply(
                b'{"status": "completed", "output": [{"type": "message", "content":'
                b' [{"type": "refusal", "refusal": "I will not"}]}]}'
            ),
            "answer_refused",
        ),
        ("chat", completion("{", "length"), "answer_cut_off"),
        ("chat", completion("{", "content_filter"), "answer_filtered"),
        ("chat", completion(None, "stop", "I will not"), "answer_refused"),
        ("chat", completion("{}", "tool_calls"), "answer_malformed"),
        ("chat", Reply(b'{"choices": []}'), "answer_malformed"),
        ("chat", Reply(b"\xff\xfe not text"), "answer_not_text"),
        ("chat", Reply(b"null"), "answer_malformed"),
    ],
)  # fmt: skip
def test_an_answer_that_is_none_is_kept_and_said_as_what_it_is(
    server: ModelServer, tmp_path: Path, dialect: str, reply: Reply, code: str
) -> None:
    """Refused, cut off, filtered or shapeless: the exact answer stays and nothing is proposed from it."""
    server.reply = lambda _asked: reply
    shop = open_shop(tmp_path / "data", outside(server.url, dialect))
    done = shop.capture(TEXT)
    assert (done.delta_id, done.question, shop.ended(done)) == (None, None, ("unreadable", code))
    assert shop.exact(done) is not None


def test_nobody_listening_is_said_so(tmp_path: Path) -> None:
    """A refused connection is a failure with a code; nobody else is asked."""
    with model_server() as gone:
        url = gone.url
    shop = open_shop(tmp_path / "data", outside(url))
    done = shop.capture(TEXT)
    assert (done.delta_id, shop.ended(done)) == (None, ("failed", "manager_unreachable"))


def _certificate(folder: Path) -> ssl.SSLContext:
    """Make a certificate for 127.0.0.1 that no public authority signed; it lies in `folder` as ca.pem."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "ca.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "tls.pem").write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "tls.pem")
    return context


def test_a_certificate_that_nobody_vouches_for_gets_nothing(tmp_path: Path) -> None:
    """Without its authority the call is refused before a byte of the text leaves; with `ca_file` it is made."""
    with model_server(_certificate(tmp_path)) as server:
        server.reply = lambda asked: wrapped(asked, chosen(None))
        refused = open_shop(tmp_path / "one", outside(server.url))
        done = refused.capture(TEXT)
        assert (refused.ended(done), server.asked) == (("failed", "manager_tls_refused"), [])
        trusting = open_shop(tmp_path / "two", outside(server.url, ca_file=str(tmp_path / "ca.pem")))
        assert trusting.capture(TEXT).question is not None


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"base_url": "http://models.example/v1"}, "only over https"),
        ({"base_url": "http://127.0.0.1.models.example/v1"}, "only over https"),
        ({"base_url": "https://user:pass@models.example/v1"}, "without user"),
        ({"base_url": "https://models.example/v1?key=1"}, "without user, query"),
        ({"base_url": "ftp://models.example"}, "begins with https://"),
        ({"base_url": "https://models.example:99999/v1"}, "cannot be read"),
        ({"base_url": ""}, "a scheme, a host and a path"),
        ({"model": ""}, "no model is named"),
        ({"key_file": "absent.key"}, "no readable file at its key_file"),
        ({"key_file": "open.key"}, "can be read by others"),
        ({"key_file": "two.key"}, "holds something that no key holds"),
        ({"ca_file": "absent.pem"}, "no file at its ca_file"),
    ],
)
def test_a_manager_that_cannot_be_used_is_named_and_nobody_stands_in(
    tmp_path: Path, more: dict[str, str], problem: str
) -> None:
    """Words are kept, no other manager answers, and the problem stands in the one list of problems."""

    def files(data: Path) -> None:
        (data / "open.key").write_text("sk-1")
        (data / "open.key").chmod(0o644)
        (data / "two.key").write_text("sk-1 sk-2")
        (data / "two.key").chmod(0o600)

    shop = open_shop(tmp_path / "data", outside("https://models.example/v1", **more), files)
    facts = shop.studio.placements.manager.facts
    assert (facts.mode, problem in facts.problem) == ("openai", True), facts.problem
    assert [item for item in shop.studio.registry.problems if item.startswith("manager: ")]
    assert "pass" not in repr(facts)
    done = shop.capture(TEXT)
    assert (done.delta_id, done.question, shop.ended(done)) == (None, None, ("failed", "manager_not_usable"))
    assert problem in (done.failure or "")


@pytest.mark.parametrize(
    "text", ["[manager\n", '[manager]\nkind = "oracle"\n', '[manager]\nkind = "openai"\nkey = "sk-1"\n']
)
def test_a_section_that_cannot_be_read_names_no_manager(tmp_path: Path, text: str) -> None:
    """Then nobody knows which one is meant, and nobody is asked; another broken section changes nothing."""
    shop = open_shop(tmp_path / "data", text)
    done = shop.capture(TEXT)
    assert (shop.studio.placements.manager.facts.mode, shop.ended(done)) == (
        "unknown",
        ("failed", "manager_not_usable"),
    )
    other = open_shop(tmp_path / "other", "[profiles.x]\nversion = 0\n")
    assert other.studio.placements.manager.facts.mode == "local"
    assert other.capture(TEXT).delta_id is not None


def test_a_configuration_that_others_may_write_names_no_endpoint(tmp_path: Path, server: ModelServer) -> None:
    """Whoever may write the file could send everybody's words anywhere; so they go nowhere."""
    shop = open_shop(tmp_path / "data", outside(server.url))
    (tmp_path / "data" / "odeu.toml").chmod(0o666)
    reopened = Shop(open_studio(shop.studio.settings), shop.project_id)
    done = reopened.capture(TEXT)
    assert (reopened.ended(done), server.asked) == (("failed", "manager_not_usable"), [])
