"""Leaving with a project and bringing one in: what a bundle is, before anybody has one."""

from dataclasses import dataclass, replace

from app.views.parts import Binding, Fact, IdCopy, Link, Refusal
from app.views.shell import Shell


@dataclass(frozen=True, slots=True)
class ExportPage:
    """What an export holds, and the two files to take."""

    shell: Shell
    facts: tuple[Fact, ...]
    bundle: Link
    trust: Link
    back: Link
    command: str
    """How the same is done on the command line."""

    @classmethod
    def example(cls) -> "ExportPage":
        """Return the export of the example project."""
        base = "/p/birch-lane/ledger"
        return cls(
            shell=Shell.example_in("Ledger", f"{base}/export"),
            facts=(
                Fact("Events", "412"),
                Fact("Revision", "18"),
                Fact("Tree root", "", IdCopy("9f2c 71ab", "9f2c71ab" * 8)),
            ),
            bundle=Link("Download the bundle", f"{base}/bundle", "download"),
            trust=Link("Download the trust file", f"{base}/trust", "key-round"),
            back=Link("Back to the Ledger", base, "arrow-left"),
            command="odeu export --project project_01jdz8q3v4m5n6p7q8r9s0t1v3 FILE --trust FILE",
        )

    @classmethod
    def examples(cls) -> dict[str, "ExportPage"]:
        """Return every state of the page."""
        return {"export": cls.example()}


@dataclass(frozen=True, slots=True)
class ImportPage:
    """Bring a bundle in: to read a foreign project, or to bring back what was lost."""

    shell: Shell
    action: str
    binding: Binding
    most: str
    """The largest bundle that is taken here, in words."""
    command: str
    """How a larger one is taken on the command line."""
    back: Link
    refusal: Refusal | None = None

    @classmethod
    def example(cls) -> "ImportPage":
        """Return the page as it is first opened."""
        return cls(
            shell=Shell.example_world("World", "/import"),
            action="/import",
            binding=Binding(command_id=Binding.example().command_id),
            most="64 MiB",
            command="odeu import FILE --trust FILE",
            back=Link("Back to your world", "/", "arrow-left"),
        )

    @classmethod
    def examples(cls) -> dict[str, "ImportPage"]:
        """Return every state of the page."""
        page = cls.example()
        refusal = Refusal(
            "Not imported: does not fit",
            "The bundle does not verify: event 17 does not have the hash of its leaf. Nothing was taken in.",
        )
        return {"import": page, "import refused": replace(page, refusal=refusal)}
