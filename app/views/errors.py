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
        inside = Shell.example_in("Not found", "/p/birch-lane/inbox/delta_00")
        back = Link("Back to the Inbox", "/p/birch-lane/inbox", "arrow-left")
        home = Link("Go to your world", "/", "globe")
        typed = (KeptText("Reason", "The floor was measured yesterday; it is level."),)
        return {
            "403": cls(
                inside,
                403,
                "You may read this project, not decide in it",
                "Accepting needs the role owner or reviewer. Ask an owner of the project.",
                "authority_violation",
                "lock-keyhole",
                (back,),
                typed,
            ),
            "404": cls(
                inside,
                404,
                "There is nothing at this address",
                "It was never here, or it is something you may not see. Nothing was changed.",
                "not_found",
                "search",
                (back, home),
            ),
            "409": cls(
                inside,
                409,
                "Something moved while you were reading",
                "Jonas accepted “Dust door in the hall” a minute ago. It touches Bathroom too, so look again.",
                "stale",
                "git-merge",
                (Link("Look at it again", "/p/birch-lane/inbox/delta_01", "rotate-ccw"), back),
                typed,
            ),
            "422": cls(
                inside,
                422,
                "The form does not fit",
                "The title is longer than 300 characters. Shorten it and send it again.",
                "invalid",
                "circle-alert",
                (back,),
                typed,
            ),
            "500": cls(
                Shell.example_outside("Something went wrong here", "/"),
                500,
                "Something went wrong here",
                "This is a fault of ours, not of your request. Its number in the log is 4be190c2a7d3.",
                "internal_fault",
                "triangle-alert",
                (home,),
            ),
        }
