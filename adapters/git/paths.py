"""Which paths may stand in a sealed tree, and which of them a run may change.

Pure rules over strings: no file system, no Git. The same rules hold for the base tree a run gets and for what it
leaves, so a name that one file system would read as another name never travels.
"""

import unicodedata
from collections.abc import Iterable
from typing import Final

PATH_BYTES_MAX: Final = 1024
DEPTH_MAX: Final = 32

_SHOWN_MAX: Final = 120

_UNSAFE_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Control, format (invisible, bidirectional, HFS-ignorable), surrogate, and line separator code points."""

_CONTROL_NAMES: Final = frozenset(
    {
        "agents.md",
        "agents.override.md",
        "claude.md",
        "claude.local.md",
        "gemini.md",
        ".claude",
        ".codex",
        ".opencode",
        "opencode.json",
        ".cursor",
        ".cursorrules",
        ".mcp.json",
        ".vscode",
        ".devcontainer",
        ".envrc",
        ".github",
        ".gitlab",
        ".gitlab-ci.yml",
        ".gitea",
        ".forgejo",
        ".circleci",
        ".buildkite",
        ".woodpecker",
        ".woodpecker.yml",
        ".drone.yml",
        ".travis.yml",
        ".husky",
        ".pre-commit-config.yaml",
        "jenkinsfile",
        "appveyor.yml",
        "azure-pipelines.yml",
        "bitbucket-pipelines.yml",
        ".gitattributes",
        ".gitmodules",
    }
)
"""Names that steer agents, build servers or Git itself, compared without case, at any depth."""


def path_problem(path: str) -> str | None:
    """Return why `path` may not stand in a sealed tree, as a sentence, or None when it may.

    Relative, `/` between segments, at most 1,024 UTF-8 bytes and 32 segments; no control, invisible or
    bidirectional characters, no backslash, no empty, `.` or `..` segment, nothing any file system reads as `.git`.
    """
    try:
        encoded = path.encode("utf-8")
    except UnicodeEncodeError:
        return f"the path {shown(path)} is not UTF-8"
    if len(encoded) > PATH_BYTES_MAX:
        return f"the path {shown(path)} is longer than {PATH_BYTES_MAX} bytes"
    if any(unicodedata.category(letter) in _UNSAFE_CATEGORIES for letter in path):
        return f"the path {shown(path)} holds a control or invisible character"
    if "\\" in path:
        return f"the path {shown(path)} holds a backslash"
    segments = path.split("/")
    if len(segments) > DEPTH_MAX:
        return f"the path {shown(path)} is deeper than {DEPTH_MAX} segments"
    for segment in segments:
        if segment in {"", ".", ".."}:
            return f"the path {shown(path)} has an empty, '.' or '..' segment"
        if _reads_as_git_folder(segment):
            return f"the path {shown(path)} has a segment that a file system may read as '.git'"
    return None


def _reads_as_git_folder(segment: str) -> bool:
    """Say whether NTFS (streams, trailing dots and spaces, short names) or HFS+ (case) takes it for `.git`."""
    name = fold(segment.split(":", 1)[0]).rstrip(" .")
    head, mark, number = name.partition("~")
    return name == ".git" or (mark == "~" and head in {"git", ".git"} and number.isdecimal())


def fold(path: str) -> str:
    """Return the key under which two paths collide on a file system that ignores case and Unicode form."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", path).casefold())


def colliding_paths(paths: Iterable[str]) -> tuple[str, str] | None:
    """Return two paths, or folders of them, that some file systems cannot tell apart; None when there are none."""
    seen: dict[str, str] = {}
    for path in paths:
        segments = path.split("/")
        for count in range(1, len(segments) + 1):
            prefix = "/".join(segments[:count])
            other = seen.setdefault(fold(prefix), prefix)
            if other != prefix:
                return other, prefix
    return None


def is_allowed(path: str, allowed_paths: Iterable[str]) -> bool:
    """Say whether a run may change `path`: named exactly, or under a named folder ending in `/`."""
    return any(path == rule or (rule.endswith("/") and path.startswith(rule)) for rule in allowed_paths)


def is_control_file(path: str) -> bool:
    """Say whether `path` steers agents, build servers or Git; such a path needs to be allowed by its exact name."""
    return any(fold(segment) in _CONTROL_NAMES for segment in path.split("/"))


def allowed_paths_problem(allowed_paths: Iterable[str]) -> str | None:
    """Return why an envelope of changes is malformed, as a sentence, or None when it is sound."""
    rules = tuple(allowed_paths)
    if not rules:
        return "the order allows no path at all"
    for rule in rules:
        problem = path_problem(rule.removesuffix("/"))
        if problem is not None:
            return f"the order allows an unsafe path: {problem}"
    return None


def shown(path: str) -> str:
    """Return `path` fit for a sentence: quoted, escaped, at most 120 characters."""
    text = ascii(path)
    return text if len(text) <= _SHOWN_MAX else text[: _SHOWN_MAX - 4] + "...'"
