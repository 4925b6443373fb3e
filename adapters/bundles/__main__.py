"""`python -m adapters.bundles FILE [--trust FILE]`: verify a bundle with nothing but the kernel and this folder.

Exit codes: 0 when everything asked for passed, 3 when something is wrong, 4 when the bundle is self-consistent and
nothing else was asked, 2 for a wrong call.
"""

import argparse
import sys
from pathlib import Path

from adapters.bundles.examining import examine
from adapters.bundles.trust import judge, read_trust
from kernel.errors import StudioError


def main() -> int:
    """Verify, print the three verdicts, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m adapters.bundles", description="Verify a bundle offline."
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--trust", type=Path, default=None)
    asked = parser.parse_args()
    try:
        trust = None if asked.trust is None else read_trust(asked.trust)
        verdicts = judge(examine(asked.file), trust)
    except StudioError as error:
        # The path is whatever the caller typed, so it reaches the terminal as escapes where it is not plain.
        sys.stderr.write(ascii(error.message)[1:-1] + "\n")
        return 2
    for name in ("self_consistent", "signed_by_pinned", "extends_known"):
        verdict = getattr(verdicts, name)
        # Nothing of the file reaches a terminal raw.
        sys.stdout.write(f"{verdict.standing:<10} {name}: {ascii(verdict.detail)[1:-1]}\n")
    if not verdicts.holds:
        return 3
    return 0 if verdicts.is_trusted else 4


if __name__ == "__main__":
    raise SystemExit(main())
