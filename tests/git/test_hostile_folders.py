"""Whatever a run puts into its folder, sealing reads only plain files inside it and says what it refused."""

import os
import socket
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from kernel.values.execution import Lease
from tests.git.building import RUN, Bench


def _src(lease: Lease) -> Path:
    return Path(lease.folder, "src")


def _symlink(folder: Path) -> None:
    folder.joinpath("out").symlink_to("/etc/passwd")


def _folder_symlink(folder: Path) -> None:
    folder.joinpath("out").symlink_to("/etc", target_is_directory=True)


def _fifo(folder: Path) -> None:
    os.mkfifo(folder / "out")


def _socket(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        here = os.open(folder, os.O_RDONLY)
        try:
            listener.bind(f"/proc/self/fd/{here}/out")
        finally:
            os.close(here)


def _hard_link(folder: Path) -> None:
    """Link a file from outside; the kernel may forbid an ordinary user to link a file that is not theirs."""
    outside = folder.parents[3] / "private"
    outside.write_bytes(b"not the run's\n")
    os.link(outside, folder / "out")


def _inner_hard_link(folder: Path) -> None:
    os.link(folder / "tool.py", folder / "out")


def _sparse(folder: Path) -> None:
    with (folder / "out").open("wb") as stream:
        stream.truncate(48 * 1024 * 1024)


@pytest.mark.parametrize(
    "make", [_symlink, _folder_symlink, _fifo, _socket, _hard_link, _inner_hard_link, _sparse]
)
def test_anything_but_a_plain_file_with_one_name_is_refused(
    bench: Bench, make: Callable[[Path], None]
) -> None:
    """Links, pipes, sockets, shared files and holes are refused without being opened or followed."""
    lease = bench.lease()
    make(_src(lease))
    code, sentence = bench.refusal(lease, bench.order())
    assert (code, "'src/out'" in sentence) == ("unsupported_file", True)


def test_a_link_to_the_password_file_is_refused(bench: Bench) -> None:
    """A hard link to a file of the system is refused; where the kernel forbids the link, nothing is to be refused."""
    lease = bench.lease()
    file = _src(lease) / "out"
    try:
        os.link("/etc/passwd", file)
    except OSError:
        # Another file system, or protected_hardlinks: the same refusal is shown with a file that has two names.
        os.link(_src(lease) / "tool.py", file)
    assert bench.refusal(lease, bench.order())[0] == "unsupported_file"


def test_a_giant_with_nothing_in_it_is_refused_before_it_is_read(bench: Bench) -> None:
    """A terabyte of holes costs its maker nothing, so its stated size is refused."""
    lease = bench.lease()
    with (_src(lease) / "giant").open("wb") as stream:
        stream.truncate(1024**4)
    assert bench.refusal(lease, bench.order())[0] == "too_large"


@pytest.mark.parametrize("bits", [stat.S_ISUID, stat.S_ISGID, stat.S_ISVTX])
def test_special_mode_bits_are_refused(bench: Bench, bits: int) -> None:
    """A set-id or sticky file has a mode that no tree can say."""
    lease = bench.lease()
    (_src(lease) / "tool.py").chmod(0o755 | bits)
    assert bench.refusal(lease, bench.order())[0] == "unsupported_mode"


@pytest.mark.parametrize("path", ["src/tool.py", "src"])
def test_what_may_not_be_read_is_refused_or_read_as_it_is(bench: Bench, path: str) -> None:
    """For an ordinary user a closed file or folder refuses the seal; root reads the same bytes: no change."""
    lease = bench.lease()
    Path(lease.folder, path).chmod(0)
    expected = "no_changes" if os.geteuid() == 0 else "unsupported_mode"
    assert bench.refusal(lease, bench.order())[0] == expected


@pytest.mark.parametrize(
    "name",
    [
        b".git",
        b".GIT",
        b".Git ",
        b".git.",
        b".git...",
        b"git~1",
        b"GIT~2",
        b".git::$INDEX_ALLOCATION",
        ".g\u200cit".encode(),
        ".git\ufeff".encode(),
        "\uff0e\uff47\uff49\uff54".encode(),
        b"back\\slash",
        b"new\nline",
        b"bell\x07",
        "flip\u202egnp".encode(),
        b"not-utf8-\xff",
    ],
)
def test_a_name_that_means_something_else_elsewhere_is_refused(bench: Bench, name: bytes) -> None:
    """Every spelling of `.git`, and every invisible, control or undecodable character, also as a folder."""
    lease = bench.git.absorb(bench.lease())
    path = _src(lease) / os.fsdecode(name)
    path.write_bytes(b"x")
    codes = [bench.refusal(lease, bench.order())[0]]
    path.unlink()
    path.mkdir()
    codes.append(bench.refusal(lease, bench.order())[0])
    assert codes == ["unsafe_path", "unsafe_path"]


@pytest.mark.parametrize(
    ("one", "other"),
    [("Tool.py", "tool.py"), ("stra\u00dfe", "STRASSE"), ("caf\u00e9", "cafe\u0301"), ("Dir/a", "dir/b")],
)
def test_names_that_differ_only_in_case_or_form_are_refused(bench: Bench, one: str, other: str) -> None:
    """Two names that a Mac or a Windows disk takes for one never travel together."""
    lease = bench.lease()
    for name in (one, other):
        (_src(lease) / name).parent.mkdir(exist_ok=True)
        (_src(lease) / name).write_bytes(name.encode())
    assert bench.refusal(lease, bench.order())[0] == "unsafe_path"


@pytest.mark.parametrize("parts", [["d"] * 32, ["n" * 200] * 6])
def test_a_deep_or_long_path_is_refused(bench: Bench, parts: list[str]) -> None:
    """More than 32 segments or 1,024 bytes is refused, also for a folder without files."""
    lease = bench.lease()
    _src(lease).joinpath(*parts).mkdir(parents=True)
    assert bench.refusal(lease, bench.order())[0] == "unsafe_path"


def test_thousands_of_folders_deep_is_refused_and_still_removed(bench: Bench) -> None:
    """A tree deeper than any recursion or descriptor limit neither seals nor survives its release."""
    lease = bench.lease()
    depth = 2_500
    program = f"import os\nfor _ in range({depth}):\n    os.mkdir('d')\n    os.chdir('d')\n"
    subprocess.run(["python3", "-c", program], cwd=_src(lease), check=True)
    assert bench.refusal(lease, bench.order())[0] == "unsafe_path"
    bench.git.release(lease)
    assert not os.path.lexists(bench.root / "runs" / "sealing" / RUN)


def test_a_run_folder_replaced_by_a_link_is_refused(bench: Bench) -> None:
    """A link in the place of the folder itself is not followed."""
    lease = bench.lease()
    Path(lease.folder).rename(bench.root / "elsewhere")
    Path(lease.folder).symlink_to(bench.root / "elsewhere", target_is_directory=True)
    assert bench.refusal(lease, bench.order())[0] == "unsupported_file"
