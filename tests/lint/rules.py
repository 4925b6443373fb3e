"""Every rule, in the order they are reported."""

from typing import Final

from tests.lint import (
    commit_at_the_edge,
    csp_templates,
    forbidden_names,
    no_hosts,
    no_mocks,
    pure_kernel,
    sizes,
)
from tests.lint.rule import Finding, Rule, findings, unreasoned_skips
from tests.lint.tree import sources

RULES: Final[tuple[Rule, ...]] = (
    csp_templates.RULE,
    forbidden_names.RULE,
    no_hosts.RULE,
    no_mocks.RULE,
    sizes.RULE,
    commit_at_the_edge.RULE,
    pure_kernel.RULE,
)

_OWN_FOLDER: Final = "tests/lint/"
"""The rules and their samples say what they forbid; skip codes in their prose are not skips."""


def tree_findings(rules: tuple[Rule, ...] = RULES) -> tuple[Finding, ...]:
    """Return everything the rules find in the tree, by path."""
    found: list[Finding] = []
    for source in sources():
        if source.path.startswith(_OWN_FOLDER):
            continue
        for rule in rules:
            found.extend(findings(rule, source))
        found.extend(unreasoned_skips(source))
    return tuple(found)
