"""The tree keeps to our own rules, to its top level, and to the import contracts."""

import ast
import subprocess
import sys
from typing import Final

import pytest

from tests.lint.rule import Rule
from tests.lint.rules import RULES, tree_findings
from tests.lint.tree import ROOT, sources

TOP_LEVEL: Final = frozenset(
    {
        ".ci",
        ".env.example",
        ".gitignore",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "LICENSE",
        "Makefile",
        "README.md",
        "SECURITY.md",
        "adapters",
        "app",
        "bench",
        "docs",
        "e2e",
        "kernel",
        "migrations",
        "pyproject.toml",
        "requirements",
        "static",
        "templates",
        "tests",
    }
)
"""The fixed top level; a new name needs a decision record in docs/adr and a line here."""


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_the_tree_keeps_the_rule(rule: Rule) -> None:
    """No file of the tree breaks this rule, or skips it without need."""
    assert [str(finding) for finding in tree_findings((rule,))] == []


def test_the_top_level_is_fixed() -> None:
    """Nothing new stands at the top of the tree."""
    assert {source.path.split("/")[0] for source in sources()} - TOP_LEVEL == set()


def test_every_import_contract_holds() -> None:
    """The layers of pyproject.toml are the layers of the code."""
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command as run; run()",
        "--no-logo",
    ]
    report = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert report.returncode == 0, report.stdout + report.stderr


def test_product_code_leaves_nothing_for_later() -> None:
    """What is not built is absent: no marker, and nothing raised in the place of work."""
    marks = ("TO" + "DO", "FIX" + "ME", "XX" + "X", "NotImplemented" + "Error")
    rooms = ("app/", "kernel/", "adapters/", "templates/", "static/js/", "static/css/")
    ours = [source for source in sources() if source.path.startswith(rooms)]
    assert [(source.path, mark) for source in ours for mark in marks if mark in source.text] == []


def test_every_test_says_its_behaviour() -> None:
    """Each test function has a docstring of at least one sentence."""
    silent = []
    for source in sources():
        if not (source.path.startswith(("tests/", "e2e/")) and source.path.endswith(".py")):
            continue
        for node in ast.walk(ast.parse(source.text)):
            is_test = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith(
                "test_"
            )
            if is_test and not (ast.get_docstring(node) or "").rstrip().endswith((".", "?", "!")):
                silent.append(f"{source.path}:{node.lineno} {node.name}")
    assert silent == []
