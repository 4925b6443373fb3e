"""The page before the house: a one-time link, a password, or an account at the configured provider."""

from dataclasses import dataclass, replace

from app.views.parts import Binding, Link, Moment, Refusal
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
class PasswordEntry:
    """The form for an id and a password."""

    action: str
    person_id: str = ""
    """What was typed before."""


@dataclass(frozen=True, slots=True)
class SigninPage:
    """Every way to sign in; a refusal of the one that was tried, or an offer of the link that was opened."""

    shell: Shell
    binding: Binding
    """Empty: signing in is bound to no revision."""
    command: str
    """What to type where the server runs."""
    password: PasswordEntry
    provider: Link | None = None
    """The way to the configured provider."""
    offer: SigninOffer | None = None
    refusal: Refusal | None = None

    @classmethod
    def example(cls) -> "SigninPage":
        """Return a link that waits to be used."""
        until = Moment("today 14:30", "2026-11-30T13:30:00Z")
        offer = SigninOffer("/signin", "example-link", "Mira", "owner", until)
        shell = Shell.example_outside("Sign in", "/signin")
        return cls(shell, Binding(), "odeu signin", PasswordEntry("/signin/password"), offer=offer)

    @classmethod
    def examples(cls) -> dict[str, "SigninPage"]:
        """Return every state of the page."""
        bare = replace(cls.example(), offer=None)
        used = Refusal(
            "This link does not work any more",
            "A sign-in link works once and for a short time. This one was used or has expired; nothing is lost.",
        )
        wrong = Refusal("Not signed in", "This id and this password do not belong together.")
        return {
            "offer": cls.example(),
            "expired": replace(bare, refusal=used),
            "none": bare,
            "provider": replace(bare, provider=Link("Example login", "/signin/oidc", "key-round")),
            "wrong": replace(bare, password=PasswordEntry("/signin/password", "mira"), refusal=wrong),
        }
