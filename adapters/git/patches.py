"""The difference between two commits as text: exact bytes for a digest, bounded words for a page.

Computed by `git diff-tree` from an empty scratch repository that only borrows the objects. So neither the
configuration nor the attributes of the real one can change a byte. Does not own: what may have changed.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from adapters.git.command import GitAnswer, GitBounds, run_git
from kernel.errors import GitRefusedError

_EXACT: Final = ("--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv")
_SHAPE: Final = (
    "-r",
    "-p",
    "--no-color",
    "--no-indent-heuristic",
    "--diff-algorithm=myers",
    "--unified=3",
    "--inter-hunk-context=0",
    "--src-prefix=a/",
    "--dst-prefix=b/",
)
_WALL_S: Final = 30.0


def exact_patch(git_dir: str, base: str, commit: str, max_bytes: int) -> bytes:
    """Return the binary patch from `base` to `commit`; the same objects always give the same bytes.

    Raises: GitRefusedError: `too_large`, `git_failed`.
    """
    answer = _diff(git_dir, (*_EXACT, *_SHAPE, base, commit), max_bytes)
    if answer.truncated:
        raise GitRefusedError(f"the patch is larger than {max_bytes} bytes", code="too_large")
    return answer.stdout


def shown_patch(git_dir: str, base: str, commit: str, max_bytes: int) -> str:
    """Return the patch for people: binary files only named, bytes that are no UTF-8 escaped.

    Shape:  at most `max_bytes` of patch, cut after a whole line; a last line in brackets says when it was cut.
    Raises: GitRefusedError (`git_failed`).
    """
    answer = _diff(git_dir, (*_EXACT[1:], *_SHAPE, base, commit), max_bytes)
    if not answer.truncated:
        return answer.stdout.decode("utf-8", "backslashreplace")
    whole_lines = answer.stdout[: answer.stdout.rfind(b"\n") + 1]
    text = whole_lines.decode("utf-8", "backslashreplace")
    return f"{text}[the patch goes on: only its first {len(whole_lines)} bytes are shown]\n"


def _diff(git_dir: str, arguments: tuple[str, ...], max_bytes: int) -> GitAnswer:
    with _scratch_repository() as scratch:
        answer = run_git(
            scratch,
            "diff-tree",
            *arguments,
            bounds=GitBounds(_WALL_S, max_bytes),
            object_folder=str(Path(git_dir, "objects")),
        )
    if answer.code != 0 and not answer.truncated:
        raise GitRefusedError(f"the patch could not be computed: {answer.sentence()}", code="git_failed")
    return answer


@contextmanager
def _scratch_repository() -> Iterator[str]:
    """Yield a minimal private repository without objects, attributes or settings, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="odeu-diff-") as name:
        folder = Path(name).resolve()
        for inner in ("objects", "refs"):
            (folder / inner).mkdir(0o700)
        (folder / "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")
        (folder / "config").write_text(
            "[core]\n\trepositoryformatversion = 0\n\tbare = true\n", encoding="ascii"
        )
        yield str(folder)
