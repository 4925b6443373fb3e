"""The command line: every act of the path for the owner of the machine, with `--json` for programs.

`main` is the entry point; `commands` has all of them.
"""

import gc
import sys


def main() -> None:
    """Run the command line; `--json` may stand anywhere."""
    # What is imported stays until the end: looking through it for garbage while it grows took a quarter of a start.
    gc.disable()
    from typer.exceptions import Abort, TyperException

    from app.cli.commands import app
    from app.cli.output import PRINTER, refusals

    gc.freeze()
    gc.enable()
    arguments = sys.argv[1:]
    # What follows `--` is somebody's words, `--json` too.
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options = [item for item in arguments[:end] if item != "--json"]
    PRINTER.as_json = len(options) < end
    with refusals():
        try:
            app([*options, *arguments[end:]], prog_name="odeu", standalone_mode=False)
        except Abort:
            PRINTER.refuse("aborted", "stopped before anything was done", status=130)
        except TyperException as error:
            # A missing or malformed argument; its text says which and what would fit.
            said = getattr(error, "format_message", error.__str__)()
            PRINTER.refuse("usage", f"{said} See odeu --help.", status=2)
