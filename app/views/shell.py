"""The frame of every page: where I am, who I am, what waits, and the live connection."""

from dataclasses import dataclass

from app.views.parts import Link, Moment


@dataclass(frozen=True, slots=True)
class ProjectLink:
    """A project in the switcher."""

    title: str
    href: str
    waiting: str
    """Such as `7 waiting`; empty when nothing waits."""
    is_current: bool = False
    apart: str = ""
    """What tells it from another project of its title; empty when no other has it."""


@dataclass(frozen=True, slots=True)
class Room:
    """A room of the rail. Rooms of later stages are absent, never greyed."""

    name: str
    href: str
    icon: str
    count: int = 0
    """How many things wait there; 0 is not shown."""
    is_current: bool = False


@dataclass(frozen=True, slots=True)
class Person:
    """Who is signed in."""

    name: str
    role: str
    """Such as `owner`."""
    signout_action: str
    """Where the sign-out form is sent."""

    @property
    def initial(self) -> str:
        """The first letter of the name, for the avatar."""
        return self.name[:1].upper()


@dataclass(frozen=True, slots=True)
class Live:
    """The live connection: `event: head` on this stream says that something moved."""

    stream: str
    """The address of the event stream, with the sequence this page has seen."""


@dataclass(frozen=True, slots=True)
class Head:
    """The newest revision, at the foot of the rail."""

    revision: int
    when: Moment


@dataclass(frozen=True, slots=True)
class Toast:
    """What the last act did, said once."""

    text: str
    link: Link | None = None


@dataclass(frozen=True, slots=True)
class Shell:
    """Everything the frame shows, the same type for every page."""

    title: str
    """The page in words, for the window title."""
    here: str
    """This page's own address: live regions read it again."""
    form_token: str
    """Goes into every form; empty on a page without a session."""
    person: Person | None = None
    """None before sign-in: then there is no rail, no search and no capture."""
    project: ProjectLink | None = None
    """The project this page is in; None in the world's rooms."""
    place: str = "World"
    """What the switcher says outside a project, such as `Operator`."""
    projects: tuple[ProjectLink, ...] = ()
    """Where the switcher leads."""
    rooms: tuple[Room, ...] = ()
    """The project's rooms."""
    world_rooms: tuple[Room, ...] = ()
    """The rooms that belong to no project."""
    search_action: str = ""
    """Where the search form is sent with `q`; empty when there is nothing to search."""
    search_text: str = ""
    """What is being searched for now."""
    capture_href: str = ""
    """Where the capture box is; empty when this person may not capture here."""
    live: Live | None = None
    head: Head | None = None
    toast: Toast | None = None

    @classmethod
    def example(cls) -> "Shell":
        """Return the frame inside the example project, standing in the Inbox."""
        return cls.example_in("Inbox", "/p/birch-lane/inbox")

    @classmethod
    def example_in(cls, room: str, here: str) -> "Shell":
        """Return the frame inside the example project, standing in the given room."""
        rooms = (
            Room("Inbox", "/p/birch-lane/inbox", "inbox", 4, room == "Inbox"),
            Room("Worldstate", "/p/birch-lane/outline", "list-tree", 0, room == "Worldstate"),
            Room("Work", "/p/birch-lane/work", "hammer", 3, room == "Work"),
            Room("Ledger", "/p/birch-lane/ledger", "scroll-text", 0, room == "Ledger"),
        )
        return cls(
            title=room,
            here=here,
            form_token=EXAMPLE_FORM_TOKEN,
            person=Person("Mira", "owner", "/signout"),
            project=EXAMPLE_PROJECT,
            projects=EXAMPLE_PROJECTS,
            rooms=rooms,
            world_rooms=_world_rooms(room),
            search_action="/p/birch-lane/search",
            capture_href="/p/birch-lane/capture",
            live=Live("/p/birch-lane/events?after=412"),
            head=Head(18, Moment.example()),
        )

    @classmethod
    def example_world(cls, room: str, here: str) -> "Shell":
        """Return the frame outside any project: World, Operator or Settings."""
        world = Room("World", "/", "globe", 0, room == "World")
        return cls(
            title=room,
            here=here,
            form_token=EXAMPLE_FORM_TOKEN,
            person=Person("Mira", "owner", "/signout"),
            place=room,
            projects=EXAMPLE_PROJECTS,
            world_rooms=(world, *_world_rooms(room)),
            capture_href="/#capture-text",
            live=Live("/events?after=96"),
        )

    @classmethod
    def example_outside(cls, title: str, here: str) -> "Shell":
        """Return the bare frame before sign-in."""
        return cls(title=title, here=here, form_token=EXAMPLE_FORM_TOKEN)


def _world_rooms(room: str) -> tuple[Room, ...]:
    return (
        Room("Operator", "/operator", "key-round", 1, room == "Operator"),
        Room("Settings", "/settings", "settings", 0, room == "Settings"),
    )


EXAMPLE_PROJECT = ProjectLink("Birch Lane 7", "/p/birch-lane/inbox", "4 waiting", is_current=True)
EXAMPLE_PROJECTS = (
    EXAMPLE_PROJECT,
    ProjectLink("Allotment 2027", "/p/allotment/inbox", ""),
    ProjectLink("Sandbox", "/p/sandbox/inbox", "1 waiting", apart="opened 2 Nov 2026, id ends in 7C2E"),
)
EXAMPLE_FORM_TOKEN = "example-form-token"  # noqa: S105 - not a secret
