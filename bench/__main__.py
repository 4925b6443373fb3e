"""`python -m bench` prints one table; `python -m bench NAME ...` prints those rows alone.

Nothing here passes or fails a build: a number on a shared machine is a fact about that moment. Each row therefore
stands beside a floor that took turns with it, and the load is printed above the table.
"""

import importlib
import os
import sys
import time
from typing import Final

from bench.table import Row, printed

MODULES: Final = ("accept", "replay", "append", "sandbox", "tour", "placement", "pages", "start")
"""One module of this folder per measure, each with `rows()`."""


def main(names: list[str]) -> int:
    """Print the table of these modules, all when none is named."""
    unknown = [name for name in names if name not in MODULES]
    if unknown:
        print(f"there is no measure {', '.join(unknown)}; there are: {', '.join(MODULES)}", file=sys.stderr)
        return 2
    print(f"load before: {_load()} on {os.cpu_count()} cores")
    rows: list[Row] = []
    for name in names or MODULES:
        started = time.monotonic()
        found = importlib.import_module(f"bench.{name}").rows()
        rows.extend(row if isinstance(row, Row) else Row(*row) for row in found)
        print(f"{name}: measured in {time.monotonic() - started:.0f} s", file=sys.stderr)
    print(f"load after:  {_load()}\n")
    print(printed(rows))
    return 0


def _load() -> str:
    return " ".join(f"{value:.1f}" for value in os.getloadavg())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
