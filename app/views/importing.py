"""Importing a Markdown outline: the form, a part of two pages, and the page of a project that is nothing but it."""

from dataclasses import dataclass, replace
from typing import Final

from app.views.parts import Binding, KindMark, Link, NodeLink, Refusal
from app.views.shell import Shell
from kernel.vocabulary import NodeKind

OUTLINE_FILES: Final = ".md,.markdown,.txt,text/markdown,text/plain"
"""Which files the field offers first."""


@dataclass(frozen=True, slots=True)
class ImportForm:
    """Read headings and nested lists into one reviewable proposal."""

    action: str
    binding: Binding
    text: str = ""
    """What was pasted."""
    lost_file: str = ""
    """The file that was chosen before a refusal and has to be chosen again; empty at first."""
    file_types: str = OUTLINE_FILES
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class ImportOutlinePage:
    """Import an outline into one project, under one of its nodes."""

    shell: Shell
    outline: ImportForm
    back: Link
    under: NodeLink | None = None
    """The node it goes under; None for the project itself."""
    under_id: str = ""

    @classmethod
    def example(cls) -> "ImportOutlinePage":
        """Return the page as it is opened from the bathroom."""
        bathroom = NodeLink("Bathroom", "/p/birch-lane/outline?node=bathroom", KindMark.of(NodeKind.IDEA))
        return cls(
            shell=Shell.example_in("Worldstate", "/p/birch-lane/import-outline?node=bathroom"),
            outline=ImportForm(
                "/p/birch-lane/import-outline",
                Binding(command_id=Binding.example().command_id),
            ),
            under=bathroom,
            under_id="bathroom",
            back=Link("Back to the Outline", "/p/birch-lane/outline?node=bathroom", "arrow-left"),
        )

    @classmethod
    def examples(cls) -> dict[str, "ImportOutlinePage"]:
        """Return every state of the page."""
        page = cls.example()
        refusal = Refusal(
            "Not imported: does not fit",
            "Line 1 stands before the first heading or list item; begin it with “# ” or “- ”.",
        )
        refused = replace(page.outline, text="Tiles\n- Grout", lost_file="tiles.md", refusal=refusal)
        return {
            "under a node": page,
            "refused": replace(page, outline=refused),
            "the project": replace(page, under=None, under_id=""),
        }
