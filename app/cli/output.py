"""What the command line prints: one JSON object with `--json`, plain lines without; refusals exit non-zero."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NoReturn

from pydantic import BaseModel

from app.web.display import display
from kernel.errors import ConfigurationError, StudioError

EXIT_REFUSED: Final = 1
EXIT_FOUND_WRONG: Final = 3
"""A verification ran to its end and found something wrong."""


class Printer:
    """Prints answers in one of two ways, fixed for the whole call."""

    def __init__(self) -> None:
        self.as_json = False

    def answer(self, answer: BaseModel | dict[str, object], *lines: str) -> None:
        """Print the answer as one JSON object, or the lines for a person."""
        if self.as_json:
            record = answer.model_dump(mode="json") if isinstance(answer, BaseModel) else answer
            sys.stdout.write(json.dumps(record, ensure_ascii=False) + "\n")
        else:
            for line in lines:
                sys.stdout.write(display(line) + "\n")
        sys.stdout.flush()

    def aside(self, line: str) -> None:
        """Tell a person something that is no result, on standard error, so that a shell can take the result alone."""
        if not self.as_json:
            sys.stderr.write(display(line) + "\n")

    def refuse(self, code: str, message: str, *, status: int = EXIT_REFUSED) -> NoReturn:
        """Print the refusal and end the program.

        Raises: SystemExit with `status`.
        """
        if self.as_json:
            sys.stdout.write(
                json.dumps({"error": {"code": code, "message": message}}, ensure_ascii=False) + "\n"
            )
            sys.stdout.flush()
        else:
            sys.stderr.write(f"Not done ({code}): {display(message)}\n")
        raise SystemExit(status)


PRINTER: Final = Printer()
"""The one printer of this process."""


@contextmanager
def refusals() -> Iterator[None]:
    """Turn every error of the product into a refusal with its code and sentence."""
    try:
        yield
    except StudioError as error:
        PRINTER.refuse(error.reason_code, error.message)
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        message = f"{what}; ODEU_DATA must name a folder that is your own, or one that you may create, on a disk with room"
        PRINTER.refuse(ConfigurationError.code, message)


def guarded(action: Callable[[], None]) -> None:
    """Run an action under `refusals`."""
    with refusals():
        action()
