"""The files that the rules look at: what Git tracks or would track, as text."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.lint.rule import Source

ROOT: Final = Path(__file__).resolve().parents[2]

_NOT_OURS: Final = frozenset({".git", ".venv", "data", "build", "node_modules", "__pycache__"})


def sources(root: Path = ROOT) -> Iterator[Source]:
    """Yield every text file of the tree in path order; a file that is not UTF-8 is not text."""
    for path in sorted(_paths(root)):
        file = root / path
        if not file.is_file() or file.is_symlink():
            continue
        try:
            text = file.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        if "\x00" not in text:
            yield Source(path, text)


def _paths(root: Path) -> set[str]:
    """Ask Git, as it knows what is ignored; an unpacked archive without Git is walked."""
    git = ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    if (root / ".git").exists():
        listing = subprocess.run(git, cwd=root, check=True, capture_output=True)
        return {path for path in listing.stdout.decode().split("\0") if path}
    files = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
    return {
        path.as_posix()
        for path in files
        if not any(part in _NOT_OURS or part.endswith("_cache") for part in path.parts)
    }
