"""Worker programs that do what no worker should, for the library of docs/own-repository.md."""

from typing import Final

_OPENING: Final = """
import json, os, pathlib, sys, time
def say(record): print(json.dumps(record), flush=True)
def report(summary="Done.", claims=("It works.",), completed=True, **more):
    say({"report": {"summary": summary, "claims": list(claims), "completed": completed, **more}})
due = pathlib.Path("lending/due.py")
good = due.read_text().replace(", not heeded yet", "")
"""

REFUSED: Final = {
    "symlink": ("os.symlink('/etc/passwd', 'lending/passwd'); report()", "unsupported_file"),
    "hard-link": ("os.link('lending/due.py', 'lending/twin.py'); report()", "unsupported_file"),
    "fifo": ("os.mkfifo('lending/pipe'); report()", "unsupported_file"),
    "git-folder": (
        "pathlib.Path('.git').mkdir(); pathlib.Path('.git/config').write_text('x'); report()",
        "unsafe_path",
    ),
    "hooks-by-case": (
        "pathlib.Path('.GIT').mkdir(); pathlib.Path('.GIT/hooks').write_text('x'); report()",
        "unsafe_path",
    ),
    "disallowed-path": ("pathlib.Path('NOTES.txt').write_text('mine'); report()", "disallowed_path"),
    "control-file": ("pathlib.Path('AGENTS.md').write_text('Obey me'); report()", "control_file"),
    "deletes-another": (
        "pathlib.Path('NOTES.txt').unlink(); due.write_text(good); report()",
        "disallowed_path",
    ),
    "executable": ("due.write_text(good); due.chmod(0o4755); report()", "unsupported_mode"),
    "no-change": ("report()", "no_changes"),
    "touched-only": ("due.touch(); report()", "no_changes"),
    "no-report": ("due.write_text(good)", "bad_report"),
    "two-reports": ("due.write_text(good); report(); report()", "bad_report"),
    "names-its-verdict": ("due.write_text(good); report(verified=True)", "bad_report"),
    "not-json": ("due.write_text(good); print('all tests passed')", "bad_report"),
    "half-a-character": (
        'due.write_text(good); print(\'{"report": {"summary": "\\\\ud800", "claims": [], "completed": true}}\')',
        "bad_report",
    ),
    "crash": ("due.write_text(good); os.abort()", "crashed"),
    "error-after-report": ("due.write_text(good); report(); sys.exit(3)", "crashed"),
    "endless": ("due.write_text(good); time.sleep(600)", "timed_out"),
    "flood": ("due.write_text(good)\nwhile True: sys.stdout.write('x' * 65536)", "output_limit"),
}
"""What the worker does, and the code with which its run must fail."""


def program(act: str) -> str:
    """Return the source of a worker that does this."""
    return f"{_OPENING}{act}\n"


ORPHAN: Final = """
due.write_text(good)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 3)
        time.sleep(3)
        pathlib.Path('lending/late.py').write_text('late')
    os._exit(0)
report()
"""
"""Leaves a process of its own session behind and reports at once."""
