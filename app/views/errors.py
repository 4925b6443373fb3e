"""The page that says no: what happened, why, and the way out. What was typed is given back."""

from dataclasses import dataclass

from app.views.parts import Link
from app.views.shell import Shell


@dataclass(frozen=True, slots=True)
class KeptText:
    """Text of the refused form, to copy and use again."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class ErrorPage:
    """One refusal or failure as a page. Holds no secret and no internals."""

    shell: Shell
    status: int
    title: str
    text: str
    """What happened and what now, in sentences."""
    code: str
    """The stable machine name, for a report."""
    icon: str
    ways: tuple[Link, ...]
    """Ways out, the best first."""
    kept: tuple[KeptText, ...] = ()

    @classmethod
    def example(cls) -> "ErrorPage":
        """Return a page that does not exist."""
        return cls.examples()["404"]

    @classmethod
    def examples(cls) -> dict[str, "ErrorPage"]:
        """Return one page per status that people meet."""
        return {str(page.status): page for page in _examples()}


_INSIDE = Shell.example_in("Not found", "/p/birch-lane/inbox/delta_00")
_BACK = Link("Back to the Inbox", "/p/birch-lane/inbox", "arrow-left")
_HOME = Link("Go to your world", "/", "globe")
_TYPED = (KeptText("Reason", "The floor was measured yesterday; it is level."),)


def _examples() -> tuple[ErrorPage, ...]:
    return (*_refusals(), *_misfits())


def _refusals() -> tuple[ErrorPage, ...]:
    return (
        ErrorPage(
            _INSIDE,
            403,
            "You may read this project, not decide in it",
            "Accepting needs the role owner or reviewer. Ask an owner of the project.",
            "authority_violation",
            "lock-keyhole",
            (_BACK,),
            _TYPED,
        ),
        ErrorPage(
            _INSIDE,
            404,
            "There is nothing at this address",
            "It was never here, or it is something you may not see. Nothing was changed.",
            "not_found",
            "search",
            (_BACK, _HOME),
        ),
        ErrorPage(
            _INSIDE,
            409,
            "Something moved while you were reading",
            "Jonas accepted “Dust door in the hall” a minute ago. It touches Bathroom too, so look again.",
            "stale",
            "git-merge",
            (Link("Look at it again", "/p/birch-lane/inbox/delta_01", "rotate-ccw"), _BACK),
            _TYPED,
        ),
    )


def _misfits() -> tuple[ErrorPage, ...]:
    return (
        ErrorPage(
            _INSIDE,
            422,
            "The form does not fit",
            "The title is longer than 300 characters. Shorten it and send it again.",
            "invalid",
            "circle-alert",
            (_BACK,),
            _TYPED,
        ),
        ErrorPage(
            Shell.example_outside("Something went wrong here", "/"),
            500,
            "Something went wrong here",
            "This is a fault of ours, not of your request. Its number in the log is 4be190c2a7d3.",
            "internal_fault",
            "triangle-alert",
            (_HOME,),
        ),
    )
