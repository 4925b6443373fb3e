"""Each rule finds what it forbids, leaves what it allows, and can be skipped only with a reason that is used."""

from typing import Final

import pytest

from tests.lint import (
    commit_at_the_edge,
    csp_templates,
    forbidden_names,
    no_hosts,
    no_mocks,
    pure_kernel,
    sizes,
)
from tests.lint.rule import Finding, Rule, Source, findings, unreasoned_skips

_PAGE: Final = "templates/x.html"
_REGISTRY: Final = "https://" + "py" + "pi.org/project/x"
_HOME: Final = "/ho" + "me/ada/x"
_ROOT_FOLDER: Final = "/ro" + "ot/x"


def _lines(rule: Rule, path: str, text: str) -> list[int]:
    return [finding.line for finding in findings(rule, Source(path, text))]


def _function(lines: int, *, head: str = "") -> str:
    return f"{head}def f() -> None:\n" + "    pass\n" * (lines - 1)


INVALID: Final = (
    (csp_templates.RULE, _PAGE, "<p>\n<script>go()</script></p>", [2, 2]),
    (csp_templates.RULE, _PAGE, "<script src='/s.js'>go()</script>", [1]),
    (csp_templates.RULE, _PAGE, "<style>p{}</style>", [1]),
    (csp_templates.RULE, _PAGE, "\n<p {% if page.on %}style='width:1px'{% endif %}>", [2]),
    (csp_templates.RULE, _PAGE, "<p onclick='go()'>", [1]),
    (csp_templates.RULE, _PAGE, "<p hx-on::after-swap='go()'>", [1]),
    (csp_templates.RULE, _PAGE, "<p data-hx-on-click='go()'>", [1]),
    (csp_templates.RULE, _PAGE, "<a href=' JavaScript:go()'>x</a>", [1]),
    (csp_templates.RULE, _PAGE, "<p hx-vals='js:{a: 1}'>", [1]),
    (csp_templates.RULE, _PAGE, "<p hx-trigger='click[ctrlKey]'>", [1]),
    (csp_templates.RULE, _PAGE, "<iframe srcdoc='x'>", [1]),
    (csp_templates.RULE, _PAGE, "{#\n#}\n{{ page.text | safe }}", [3]),
    (csp_templates.RULE, _PAGE, "{% autoescape false %}", [1]),
    (forbidden_names.RULE, "app/utils.py", "", [1]),
    (forbidden_names.RULE, "kernel/common/x.py", "", [1]),
    (forbidden_names.RULE, "app/x.py", "\nclass RunManager: ...", [2]),
    (forbidden_names.RULE, "app/x.py", "class GitHelper: ...", [1]),
    (forbidden_names.RULE, "app/x.py", "class AbstractThing: ...", [1]),
    (no_hosts.RULE, "README.md", f"see\n{_REGISTRY}", [2]),
    (no_hosts.RULE, "Makefile", "pip install --index" + "-url x", [1]),
    (no_hosts.RULE, "app/x.py", f'ROOT = "{_HOME}"', [1]),
    (no_hosts.RULE, "app/x.py", f"cd {_ROOT_FOLDER}", [1]),
    (no_mocks.RULE, "tests/x.py", "from unittest.mock import Mock", [1]),
    (no_mocks.RULE, "tests/x.py", "from unittest import mock", [1]),
    (no_mocks.RULE, "tests/x.py", "import unittest.mock", [1]),
    (no_mocks.RULE, "e2e/x.py", "\nmonkeypatch.setattr(a, 'b', 1)", [2]),
    (sizes.RULE, "app/x.py", _function(41), [1]),
    (sizes.RULE, "app/x.py", "x = 1\n" * 501, [1]),
    (sizes.RULE, "static/css/x.css", "p {}\n" * 501, [1]),
    (sizes.RULE, _PAGE, "<p>\n" * 201, [1]),
    (sizes.RULE, "app/routes/x.py", _function(22, head="@router.get('/')\n"), [2]),
    (commit_at_the_edge.RULE, "app/x.py", "\nconnection.commit()", [2]),
    (commit_at_the_edge.RULE, "adapters/git/x.py", "cursor.execute(' commit')", [1]),
    (commit_at_the_edge.RULE, "app/x.py", "def (", [1]),
    (pure_kernel.RULE, "kernel/x.py", "order = hash('a')\ntext = open('x')", [1, 2]),
)
"""Rule, path, text, and the lines that must be found."""

VALID: Final = (
    (csp_templates.RULE, _PAGE, "<script src='/s.js' type='module'></script>"),
    (csp_templates.RULE, _PAGE, "<p class='{{ page.style }}' data-on='x'>{{ page.onclick }}</p>"),
    (
        csp_templates.RULE,
        _PAGE,
        "<a href='{{ page.href }}' hx-get='{{ page.href }}' hx-trigger='every 2s'>x</a>",
    ),
    (csp_templates.RULE, "docs/x.html", "<style>p{}</style>"),
    (forbidden_names.RULE, "adapters/manager/local.py", "class LocalManager: ..."),
    (forbidden_names.RULE, "app/ports/placing.py", "class Manager: ..."),
    (forbidden_names.RULE, "app/x.py", "class Helpful: ..."),
    (no_hosts.RULE, "app/x.py", "page = f'/p/{project}/work/{thread}'"),
    (no_hosts.RULE, "app/x.py", "see https://www.apache.org/licenses/"),
    (no_mocks.RULE, "tests/x.py", "monkeypatch.setenv('A', 'b')"),
    (no_mocks.RULE, "app/x.py", "monkeypatch.setattr(a, 'b', 1)"),
    (sizes.RULE, "app/x.py", _function(40)),
    (sizes.RULE, "app/x.py", "x = 1\n" * 500),
    (sizes.RULE, "app/routes/x.py", _function(21, head="@router.get('/')\n")),
    (sizes.RULE, "static/vendor/x.js", "x\n" * 900),
    (commit_at_the_edge.RULE, "adapters/ledger/x.py", "connection.commit()"),
    (commit_at_the_edge.RULE, "app/x.py", "words.commit(text, salt)"),
    (pure_kernel.RULE, "kernel/x.py", "new = stamp.id('node')\nid = 1"),
    (pure_kernel.RULE, "kernel/x.py", "class A:\n    def __hash__(self):\n        return hash(self.x)"),
    (pure_kernel.RULE, "adapters/x.py", "text = open('x')"),
)
"""Rule, path, and a text in which nothing may be found."""


@pytest.mark.parametrize(("rule", "path", "text", "lines"), INVALID)
def test_a_rule_finds_what_it_forbids(rule: Rule, path: str, text: str, lines: list[int]) -> None:
    """Every forbidden sample is found, on its line."""
    assert _lines(rule, path, text) == lines


@pytest.mark.parametrize(("rule", "path", "text"), VALID)
def test_a_rule_leaves_what_it_allows(rule: Rule, path: str, text: str) -> None:
    """A sample that only looks like a fault is left alone."""
    assert _lines(rule, path, text) == []


def test_a_skip_with_a_reason_allows_its_line_and_no_other() -> None:
    """A skip names the rule and the reason, and holds for the line it stands on."""
    text = "a.commit()  # lint: allow commit-at-the-edge - a cursor of a file\nb.commit()\n"
    assert _lines(commit_at_the_edge.RULE, "app/x.py", text) == [2]


def test_a_skip_that_allows_nothing_is_a_finding() -> None:
    """A skip whose cause is gone is reported, so that none outlives it."""
    text = "x = 1  # lint: allow commit-at-the-edge - no longer so\n"
    found = list(findings(commit_at_the_edge.RULE, Source("app/x.py", text)))
    expected = Finding("app/x.py", 1, "commit-at-the-edge", "this skip allows nothing; remove it")
    assert found == [expected]


def test_a_skip_without_a_reason_is_a_finding() -> None:
    """A skip that does not say why is reported and allows nothing."""
    text = "a.commit()  # lint: allow commit-at-the-edge\n"
    assert _lines(commit_at_the_edge.RULE, "app/x.py", text) == [1]
    assert [finding.line for finding in unreasoned_skips(Source("app/x.py", text))] == [1]
    assert list(unreasoned_skips(Source("app/x.py", "# lint: allow sizes - one table\n"))) == []
