"""The World page: all projects, one capture box, and the two ways to begin a project."""

from dataclasses import dataclass, replace

from app.views.capture import CaptureBox
from app.views.importing import ImportForm
from app.views.parts import Binding, Link, Mark, Moment, Option, Refusal
from app.views.shell import Shell


@dataclass(frozen=True, slots=True)
class ProjectCard:
    """A project with what waits in it."""

    title: str
    href: str
    about: str
    """Its description; empty when there is none."""
    waiting: str
    """Such as `4 wait for a yes` or `Nothing waits`."""
    work: str
    """Such as `3 in work, 2 completed, 1 verified` or `No work`."""
    revision: str
    """Such as `Revision 18,`."""
    changed: Moment
    is_waiting: bool
    """Whether the waiting count deserves weight."""
    mark: Mark | None = None
    """That it was put away, or comes from another installation; None for the ordinary."""
    act: Link | None = None
    """Put it away, or take it up again; None for a person who may not."""
    apart: str = ""
    """What tells it from another project of its title; empty when no other has it."""


@dataclass(frozen=True, slots=True)
class NewProjectForm:
    """Open an empty project by its title."""

    action: str
    binding: Binding
    title: str = ""
    """What was typed."""
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class WorldPage:
    """Either projects are there, or this is the first run with one box and a way to begin."""

    shell: Shell
    summary: str
    """One sentence under the title."""
    projects: tuple[ProjectCard, ...]
    shelf: tuple[ProjectCard, ...]
    """Projects that were put away."""
    review: Link | None
    """The primary act when something waits."""
    box: CaptureBox | None
    """None for a person who may not capture anywhere."""
    new_project: NewProjectForm | None
    """None for a person who may not open projects."""
    outline: ImportForm | None
    """None when there is no project to import into or no right to."""
    outline_projects: tuple[Option, ...] = ()
    """Where an outline may go."""
    is_outline_open: bool = False
    """Whether the form for an outline is unfolded: after a refusal it is."""
    is_first_run: bool = False
    bundle: Link | None = None
    """Where a bundle comes in; None for a person who may not."""
    closed: str = ""
    """Why there is no box, in a sentence."""
    damaged: tuple[Refusal, ...] = ()
    """Each project that cannot be shown, since its history is not what it must be."""

    @classmethod
    def example(cls) -> "WorldPage":
        """Return a world of three projects."""
        options = (
            Option("birch-lane", "Birch Lane 7", is_chosen=True),
            Option("allotment", "Allotment 2027"),
            Option("sandbox", "Sandbox"),
        )
        box = replace(
            CaptureBox.example(),
            action="/capture",
            projects=options,
            is_primary=False,
            selected=None,
            selected_id="",
        )
        return cls(
            shell=Shell.example_world("World", "/"),
            summary="Three projects. 5 things wait for a yes.",
            projects=(_EXAMPLE_CARDS[0], *_EXAMPLE_CARDS[2:]),
            shelf=_EXAMPLE_CARDS[1:2],
            review=Link("Review 4 in Birch Lane 7", "/p/birch-lane/inbox", "inbox"),
            box=box,
            new_project=NewProjectForm("/projects", box.binding),
            outline=ImportForm("/import-outline", box.binding),
            outline_projects=options,
            bundle=Link("Import a bundle", "/import", "upload"),
        )

    @classmethod
    def examples(cls) -> dict[str, "WorldPage"]:
        """Return every state of the page."""
        world = cls.example()
        assert world.box is not None
        assert world.new_project is not None
        assert world.outline is not None
        first_box = replace(
            world.box, label="What are you working on?", projects=(), is_primary=True, button="Capture"
        )
        first = replace(
            world, projects=(), shelf=(), review=None, outline=None, box=first_box, is_first_run=True
        )
        problem = Refusal(
            "Not imported: does not fit", "Line 1 stands before the first heading. Your text is kept."
        )
        typed = "Kitchen\n- Sink"
        refused = replace(world.outline, text=typed, lost_file="kitchen.md", refusal=problem)
        return {
            "world": world,
            "first run": replace(first, shell=replace(first.shell, projects=())),
            "import refused": replace(
                world,
                is_outline_open=True,
                outline=refused,
                new_project=replace(world.new_project, title=" ", refusal=_UNTITLED),
            ),
            "viewer": replace(
                world,
                shell=replace(world.shell, capture_href=""),
                box=None,
                new_project=None,
                outline=None,
                review=None,
                bundle=None,
                closed="You read these projects. Their owners and reviewers write in them.",
            ),
            "damaged": replace(world, projects=world.projects[1:], damaged=(_EXAMPLE_DAMAGE,)),
        }


_UNTITLED = Refusal("Not opened: the title is empty", "Give the project a name of 1 to 200 characters.")
_EXAMPLE_DAMAGE = Refusal(
    "The project project_01kb0000000000000000000000 cannot be shown",
    "Its stored history is not the one that was signed. `odeu verify` says where; restore it from a backup.",
)
_EXAMPLE_CARDS = (
    ProjectCard(
        "Birch Lane 7",
        "/p/birch-lane/inbox",
        "Renovating a small terraced house before spring.",
        "4 wait for a yes",
        "3 in work",
        "Revision 18,",
        Moment.example(),
        is_waiting=True,
        act=Link("Put it away", "/p/birch-lane/archive", "archive"),
    ),
    ProjectCard(
        "Allotment 2027",
        "/p/allotment/inbox",
        "What to sow, where and with whom.",
        "Nothing waits",
        "2 completed, 1 verified, 1 promoted",
        "Revision 5,",
        Moment("Sun 22 Nov", "2026-11-22T10:00:00Z"),
        is_waiting=False,
        mark=Mark("archive", "Put away", "neutral"),
        act=Link("Take it up again", "/p/allotment/restore", "rotate-ccw"),
    ),
    ProjectCard(
        "Sandbox",
        "/p/sandbox/inbox",
        "A practice project with a small real repository.",
        "1 waits for a yes",
        "No work",
        "Revision 3,",
        Moment("2 Nov", "2026-11-02T10:00:00Z"),
        is_waiting=True,
        apart="Opened 2 Nov 2026, id ends in 7C2E",
    ),
)
