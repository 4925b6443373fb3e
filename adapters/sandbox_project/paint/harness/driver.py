"""Ask a paint planner one question and print its answer as one JSON line; runs inside the sandbox, judges nothing.

What the candidate prints itself goes nowhere. A refusal (`ValueError`) is an answer; anything else it raises is a
crash.
"""

import importlib
import json
import os
import sys

CALLS = {
    "tins_to_buy": "paint.tins",
    "paint_needed_ml": "paint.coverage",
    "wall_area_cm2": "paint.walls",
}


def main() -> None:
    """Read the question, ask, answer."""
    question = json.loads(sys.stdin.readline())
    outward = os.dup(1)
    nowhere = os.open("/dev/null", os.O_WRONLY)
    os.dup2(nowhere, 1)
    sys.path.insert(0, "/box/in/candidate")
    function = getattr(importlib.import_module(CALLS[question["call"]]), question["call"])
    try:
        answer = {"answer": function(*question["with"])}
    except ValueError:
        answer = {"refused": True}
    with os.fdopen(outward, "w") as out:
        out.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
