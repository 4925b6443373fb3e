"""The page before the house: a one-time link is offered, used once, or has expired."""

from dataclasses import dataclass

from app.views.parts import Binding, Moment, Refusal
from app.views.shell import Shell


@dataclass(frozen=True, slots=True)
class SigninOffer:
    """A valid one-time link. Opening it changes nothing; the button uses it up."""

    action: str
    link: str
    """The secret of the link, sent back by the form."""
    name: str
    """Whom the link signs in."""
    role: str
    until: Moment
    """When it stops working."""


@dataclass(frozen=True, slots=True)
class SigninPage:
    """Either an offer, or a refusal, or neither: then the page says how to get a link."""

    shell: Shell
    binding: Binding
    """Empty: signing in is bound to no revision."""
    command: str
    """What to type where the server runs."""
    offer: SigninOffer | None = None
    refusal: Refusal | None = None

    @classmethod
    def example(cls) -> "SigninPage":
        """Return a link that waits to be used."""
        until = Moment("today 14:30", "2026-11-30T13:30:00Z")
        offer = SigninOffer("/signin", "example-link", "Mira", "owner", until)
        return cls(Shell.example_outside("Sign in", "/signin"), Binding(), "odeu signin", offer)

    @classmethod
    def examples(cls) -> dict[str, "SigninPage"]:
        """Return every state of the page."""
        bare = Shell.example_outside("Sign in", "/signin")
        used = Refusal(
            "This link does not work any more",
            "A sign-in link works once and for a short time. This one was used or has expired; nothing is lost.",
        )
        return {
            "offer": cls.example(),
            "expired": cls(bare, Binding(), "odeu signin", None, used),
            "none": cls(bare, Binding(), "odeu signin"),
        }
