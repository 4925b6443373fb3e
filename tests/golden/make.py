"""`python -m tests.golden.make` writes a golden file for each event version that has none; it overwrites nothing."""

import sys

from kernel.events import BODIES
from tests.golden.files import golden_text, path_of
from tests.support.spec import before
from tests.support.whole import whole_project, whole_world


def main() -> int:
    """Write what is missing and say so; return 0."""
    for event_type in sorted(BODIES):
        path = path_of(event_type)
        if path.exists():
            continue
        world = any(event.type == event_type for event in whole_world().events[1:])
        # The last of its type: by then a reconciliation has been proposed, not only a placement.
        event = before(whole_world() if world else whole_project(), event_type, -1).event
        with path.open("x", encoding="utf-8") as file:
            file.write(golden_text(event))
        sys.stdout.write(f"{path.name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
