"""Run every rule over the tree, print what it finds, and fail when it finds anything."""

import sys

from tests.lint.rules import tree_findings


def main() -> int:
    """Print one line per finding; return 1 when there is one."""
    found = tree_findings()
    for finding in found:
        print(finding)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
