"""A scripted worker: no model. It does one registered task in the folder it is given, the same way every time.

It reads its brief, looks whether the file is the one it knows, replaces it, tries what it wrote, and reports. When
the file is not the one it knows it asks instead of guessing.
"""

import importlib.util
import json
from pathlib import Path
from types import ModuleType

PROGRAM = Path(__file__).parent
TARGET = Path("paint/tins.py")
README = Path("README.md")
OLD_WORDS = "the largest size, as often as needed"
OLD_README = "Only the largest tin is bought, as often as needed. That is easy to carry and often leaves half a tin over."
NEW_README = (
    "Sizes are mixed so that the least paint is left over. When two mixes leave the same, the one with fewer tins\n"
    "is bought, and of those the one with the larger tins."
)
EXAMPLES: tuple[tuple[int, list[int], list[int]], ...] = (
    (7_040, [750, 2_500, 5_000], [5_000, 750, 750, 750]),
    (1_000, [750, 2_500], [750, 750]),
    (0, [750], []),
)


def say(record: dict[str, object]) -> None:
    """Write one line of the agreed speech."""
    print(json.dumps(record), flush=True)


def ask(question: str) -> None:
    """Report that the work cannot go on without an answer."""
    summary = "Nothing was changed."
    say({"report": {"summary": summary, "claims": [], "completed": False, "question": question}})


def load(path: Path) -> ModuleType:
    """Return the module in a file."""
    spec = importlib.util.spec_from_file_location("tins", path)
    if spec is None or spec.loader is None:
        raise ImportError(str(path))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def examples_hold() -> bool:
    """Say whether the file as written gives the answers this worker knows."""
    tins_to_buy = load(TARGET).tins_to_buy
    return all(tins_to_buy(needed, sizes) == wanted for needed, sizes, wanted in EXAMPLES)


def describe_in_readme() -> bool:
    """Replace the README's paragraph about tins when it is the known one."""
    if not README.is_file() or OLD_README not in README.read_text(encoding="utf-8"):
        return False
    README.write_text(README.read_text(encoding="utf-8").replace(OLD_README, NEW_README), encoding="utf-8")
    return True


def main() -> None:
    """Do the task once."""
    json.loads(Path("/box/in/brief.json").read_text(encoding="utf-8"))
    say({"progress": "Read the brief"})
    if not TARGET.is_file():
        ask(f"There is no {TARGET} here. Which file holds the choice of tins?")
        return
    if OLD_WORDS not in TARGET.read_text(encoding="utf-8"):
        ask(f"{TARGET} already chooses tins in another way than the one I know. What should be different?")
        return
    say({"progress": f"Read {TARGET}: it buys the largest tin only"})
    TARGET.write_text((PROGRAM / "tins_module.txt").read_text(encoding="utf-8"), encoding="utf-8")
    say({"progress": f"Rewrote {TARGET} to mix sizes"})
    described = describe_in_readme()
    held = examples_hold()
    say({"progress": f"Tried {len(EXAMPLES)} examples"})
    claims = [
        f"{TARGET} now chooses the mix of tins that leaves the least paint over.",
        f"{len(EXAMPLES)} examples of my own {'gave' if held else 'did not give'} the expected tins.",
    ]
    if described:
        claims.append("The README says how tins are chosen.")
    say({"report": {"summary": "Tin sizes are mixed.", "claims": claims, "completed": held}})


if __name__ == "__main__":
    main()
