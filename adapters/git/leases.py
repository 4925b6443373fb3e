"""Run folders: written from raw blobs, handed to one uid, taken back before they are read, removed safely.

Layout under the worktree root, which belongs to this process:

    leased/<run>/work     0700, parent and folder owned by the run's uid: only that uid and root reach it
    sealing/<run>/work    0700 parent `sealing` owned by this process: no other uid reaches it, whatever its mode

The run's own `<run>` folder goes along when it is taken back, in one rename. Both operations may be repeated after
a crash. **The caller proves that no process of the run is left before `absorb` and before `release`**; nothing here
looks for processes. Does not own: the uid pool, or what the folder's content is worth (`walking`).
"""

import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pygit2
from pygit2.enums import ObjectType

from adapters.git.objects import EXECUTABLE, TREE_BYTES_MAX, TreeFile, list_files, read_object
from adapters.git.removal import remove_folder
from kernel.errors import GitRefusedError
from kernel.values.execution import Lease, RepositoryPlace

FOLDER_NAME: Final = "work"

_RUN_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}", re.ASCII)
_OPEN_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class RunFolders:
    """The run folders of one installation, under one root."""

    def __init__(self, root: str) -> None:
        self._root = Path(root)

    def leased(self, run_id: str) -> Path:
        """Return the folder a run works in."""
        return self._root / "leased" / _checked(run_id) / FOLDER_NAME

    def absorbed(self, run_id: str) -> Path:
        """Return where that folder is once it was taken back."""
        return self._root / "sealing" / _checked(run_id) / FOLDER_NAME

    def create(self, place: RepositoryPlace, files: "BaseFiles", *, run_id: str, uid: int | None) -> Path:
        """Write the base files into a new run folder and hand it to `uid` last; return the folder.

        Raises: GitRefusedError: `workspace_busy` when the run has a folder, `invalid_configuration` when the
                root is unsafe or the uid cannot be given it, `git_failed` when the disk refuses.
        """
        owner = _owner(uid)
        folder = self.leased(run_id)
        _refuse_overlap(self._root, Path(place.path))
        try:
            self._prepare(owner)
            if any(os.path.lexists(taken.parent) for taken in (folder, self.absorbed(run_id))):
                message = f"the run {run_id!r} already has a folder; release it first"
                raise GitRefusedError(message, code="workspace_busy")
            folder.parent.mkdir(0o700)
            try:
                files.write(folder, owner)
            except BaseException:
                remove_folder(folder.parent)
                raise
        except OSError as err:
            message = f"the folder of run {run_id!r} could not be written: {err.strerror}"
            raise GitRefusedError(message, code="git_failed") from err
        return folder

    def absorb(self, lease: Lease) -> Path:
        """Move a run's folder where no other uid reaches it and return its new place; repeating is harmless.

        Raises: GitRefusedError: `invalid_configuration` for a lease that is not ours, `unsupported_file` when
                the folder is no folder any more, `git_failed`.
        """
        self._require_own(lease)
        source, target = self.leased(lease.run_id).parent, self.absorbed(lease.run_id)
        try:
            self._prepare(None)
            if os.path.lexists(source) and not os.path.lexists(target.parent):
                _take_over(source)
                source.rename(target.parent)
            facts = target.lstat()
        except OSError as err:
            message = f"the folder of run {lease.run_id!r} could not be taken back: {err.strerror}"
            raise GitRefusedError(message, code="git_failed") from err
        if not stat.S_ISDIR(facts.st_mode):
            message = f"the folder of run {lease.run_id!r} was replaced by something else"
            raise GitRefusedError(message, code="unsupported_file")
        return target

    def release(self, lease: Lease) -> None:
        """Remove everything of a run, wherever it is by now, following no link; repeating is harmless.

        Raises: GitRefusedError: `invalid_configuration` for a lease that is not ours, `git_failed`.
        """
        self._require_own(lease)
        try:
            for folder in (self.leased(lease.run_id), self.absorbed(lease.run_id)):
                if os.path.lexists(folder.parent):
                    _take_over(folder.parent)
                    remove_folder(folder.parent)
        except OSError as err:
            message = f"the folder of run {lease.run_id!r} could not be removed: {err.strerror}"
            raise GitRefusedError(message, code="git_failed") from err

    def _require_own(self, lease: Lease) -> None:
        if Path(lease.folder) not in {self.leased(lease.run_id), self.absorbed(lease.run_id)}:
            message = f"the lease of run {lease.run_id!r} names a folder outside {str(self._root)!r}"
            raise GitRefusedError(message, code="invalid_configuration")

    def _prepare(self, owner: int | None) -> None:
        """Make the root and its two rooms. Another uid may search the way to its own run, and list nothing."""
        if not self._root.is_absolute() or self._root.resolve() != self._root:
            message = f"the worktree root {str(self._root)!r} is not an absolute path without symbolic links"
            raise GitRefusedError(message, code="invalid_configuration")
        self._root.mkdir(0o700, parents=True, exist_ok=True)
        for path, shared in (
            (self._root, True),
            (self._root / "leased", True),
            (self._root / "sealing", False),
        ):
            path.mkdir(0o700, exist_ok=True)
            facts = path.lstat()
            if not stat.S_ISDIR(facts.st_mode) or facts.st_uid != os.geteuid():
                message = f"the folder {str(path)!r} is not ours: it belongs to user {facts.st_uid}"
                raise GitRefusedError(message, code="invalid_configuration")
            # A run of another uid may be in flight, so a way once opened stays open.
            opened = shared and (owner is not None or bool(facts.st_mode & stat.S_IXOTH))
            path.chmod(0o711 if opened else 0o700)
        if owner is not None and (closed := first_unsearchable(self._root)) is not None:
            message = f"user {owner} cannot reach the worktree root: {str(closed)!r} is closed to others"
            raise GitRefusedError(message, code="invalid_configuration")


class BaseFiles:
    """The files of a base tree, ready to be written out exactly as stored."""

    def __init__(self, repository: pygit2.Repository, tree: str) -> None:
        self._repository = repository
        self._files: tuple[TreeFile, ...] = list_files(repository, tree)

    def write(self, folder: Path, owner: int | None) -> None:
        """Write into a new folder that nobody else can reach yet; then give it, and last its parent, to `owner`."""
        folder.mkdir(0o700)
        folders = _folders_of(file.path for file in self._files)
        for name in folders:
            # The umask has a say in mkdir, none in chmod.
            (folder / name).mkdir()
            (folder / name).chmod(0o755)
        for file in self._files:
            content = read_object(self._repository, file.blob, ObjectType.BLOB, TREE_BYTES_MAX)
            with (folder / file.path).open("xb") as stream:
                stream.write(content)
                os.fchmod(stream.fileno(), 0o755 if file.mode == EXECUTABLE else 0o644)
        if owner is not None:
            inside = (folder / name for name in (*folders, *(file.path for file in self._files)))
            for path in (*inside, folder, folder.parent):
                os.chown(path, owner, owner, follow_symlinks=False)


def _folders_of(paths: Iterable[str]) -> tuple[str, ...]:
    """Return every folder the paths need, outer ones first."""
    folders: set[str] = set()
    for path in paths:
        parts = path.split("/")
        folders.update("/".join(parts[:count]) for count in range(1, len(parts)))
    return tuple(sorted(folders))


def first_unsearchable(path: Path) -> Path | None:
    """Return the outermost folder on the way to `path` that other users may not search, or None.

    A part that does not exist yet counts as open.
    """
    for folder in (*reversed(path.parents), path):
        try:
            if not folder.stat().st_mode & stat.S_IXOTH:
                return folder
        except FileNotFoundError:
            return None
    return None


def choose_worktree_root(data_folder: str, installation_id: str, *, drops_uid: bool) -> str:
    """Return the default worktree root: `runs` in the data folder, or a place that a run's own uid can reach.

    The data folder exists by then. Whoever takes the other name first gains nothing: a root that is not ours is
    refused when it is used.
    """
    root = Path(data_folder).resolve() / "runs"
    if drops_uid and first_unsearchable(root) is not None:
        return f"/var/tmp/odeu-{_checked(installation_id)}"  # noqa: S108 - `_prepare` refuses one that is not ours
    return str(root)


def _owner(uid: int | None) -> int | None:
    """Return whom a folder must be given to: None when that is this process already."""
    if uid is None or uid == os.geteuid():
        return None
    if os.geteuid() != 0:
        message = f"only root can give a run folder to user {uid}; run without a uid of its own"
        raise GitRefusedError(message, code="invalid_configuration")
    return uid


def _take_over(parent: Path) -> None:
    """Make the folder of a run ours and private before anything in it is looked at."""
    descriptor = os.open(parent, _OPEN_FOLDER)
    try:
        if os.geteuid() == 0:
            os.fchown(descriptor, 0, 0)
        os.fchmod(descriptor, 0o700)
    finally:
        os.close(descriptor)


def _refuse_overlap(root: Path, repository: Path) -> None:
    if root.is_relative_to(repository) or repository.is_relative_to(root):
        message = "the worktree root and the repository lie inside each other; keep them apart"
        raise GitRefusedError(message, code="invalid_configuration")


def _checked(run_id: str) -> str:
    if _RUN_ID.fullmatch(run_id) is None:
        raise GitRefusedError(f"{run_id[:100]!r} is not an id", code="invalid_configuration")
    return run_id
