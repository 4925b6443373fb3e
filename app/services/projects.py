"""Projects: open one, list those a person may see, import an outline into one."""

from dataclasses import dataclass
from typing import Final

from app.ports import OutlineReader
from app.services.access import Access
from app.services.desk import Caller, Desk
from app.services.people import People
from kernel.commands import ArchiveProject, ImportOutline, OpenProject, OutlineNode, RestoreProject
from kernel.errors import ConflictError, NotFoundError
from kernel.events.delta import DeltaProposed
from kernel.events.source import SourceCaptured
from kernel.rules.unseen import require_meant
from kernel.state import State
from kernel.values.placement import OutlineItem
from kernel.vocabulary import NodeKind, Role

TAGS_NAMED_MAX: Final = 5
"""How many beginnings in brackets that name no kind are told one by one."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import left: the kept text and the one proposal with all its nodes."""

    project_id: str
    source_id: str
    delta_id: str
    nodes: int
    notes: tuple[str, ...] = ()
    """What its reader should know beside the nodes."""


@dataclass(frozen=True, slots=True)
class Projects:
    """Opens and lists projects."""

    desk: Desk
    access: Access
    read_outline: OutlineReader
    people: People

    def open(self, caller: Caller, title: str, description: str | None = None) -> str:
        """Begin a project and return its id; its ledger is created with its first event, and its opener owns it.

        Raises: AuthorityError unless the caller may author in the installation; InvalidError for the title.
        """
        recorded = self._opened_before(caller)
        if recorded is not None:
            self.people.opened(caller, recorded)
            return recorded
        project_id = self.desk.stamp(caller.again()).id("project")
        command = OpenProject(project_id, "project", title, description)
        self.desk.act(project_id, caller, command, material={"title": title, "description": description})
        self.people.opened(caller, project_id)
        return project_id

    def _opened_before(self, caller: Caller) -> str | None:
        """Return the project this very command opened already, or None.

        A retried command names no ledger yet, so every project's first event is asked for its command.
        """
        if caller.command_id is None:
            return None
        for ledger_id in self.desk.ledger.ledgers():
            first = self.desk.ledger.read(ledger_id, 0, 1)
            if first and first[0].event.command == caller.command_id and first[0].event.actor == caller.actor:
                return ledger_id
        return None

    def archive(self, ledger_id: str, caller: Caller, reason: str | None = None) -> None:
        """Put a project away: it takes nothing new and stays readable.

        Raises: AuthorityError unless the caller owns it; LifecycleError while a run or a promotion is under way.
        """
        material = {"archive": ledger_id, "reason": reason}
        self.desk.act(ledger_id, caller, ArchiveProject(reason), material=material)

    def restore(self, ledger_id: str, caller: Caller, reason: str | None = None) -> None:
        """Take an archived project up again.

        Raises: AuthorityError unless the caller owns it; LifecycleError when it is not archived.
        """
        material = {"restore": ledger_id, "reason": reason}
        self.desk.act(ledger_id, caller, RestoreProject(reason), material=material)

    def seen_by(self, person_id: str) -> tuple[State, ...]:
        """Return the projects this person has a role in, as far as they see them, the latest change first.

        One whose history is not what it must be is left out: see `unreadable`.
        """
        found = (self.desk.readable(ledger_id, role) for ledger_id, role in self._roles(person_id).items())
        states = [state for state in found if state is not None]
        return tuple(sorted(states, key=lambda state: (state.at, state.ledger), reverse=True))

    def unreadable(self, person_id: str) -> tuple[str, ...]:
        """Return the ids of this person's projects whose history is not what it must be, sorted."""
        roles = self._roles(person_id).items()
        return tuple(ledger_id for ledger_id, role in roles if self.desk.readable(ledger_id, role) is None)

    def ids_seen_by(self, person_id: str) -> tuple[str, ...]:
        """Return the ids of the projects this person has a role in, sorted; no history is read for it."""
        return tuple(self._roles(person_id))

    def _roles(self, person_id: str) -> dict[str, Role]:
        found = {
            ledger_id: self.access.directory.role_of(person_id, ledger_id)
            for ledger_id in self.desk.ledger.ledgers()
            if ledger_id != self.access.world_id
        }
        return {ledger_id: role for ledger_id, role in found.items() if role is not None}

    def find(self, person_id: str, wanted: str) -> str:
        """Return the id of the project called `wanted`: its id, or its exact title when only one has it.

        Raises: NotFoundError; ConflictError, code `title_shared`, with the ids of all that have it.
        """
        states = self.seen_by(person_id)
        for state in states:
            if state.ledger == wanted:
                return state.ledger
        named = [state.ledger for state in states if state.title and state.title.text == wanted]
        if len(named) == 1:
            return named[0]
        if not named:
            message = f"there is no project {wanted!r}"
            raise NotFoundError(message)
        message = (
            f"{len(named)} projects are called {wanted!r}; name one by its id: {' or '.join(sorted(named))}"
        )
        raise ConflictError(message, code="title_shared")

    def import_outline(
        self, ledger_id: str, caller: Caller, text: str, under_id: str | None = None
    ) -> Imported:
        """Propose all headings and list items of a Markdown outline as one reviewable change.

        Raises: InvalidError with the line that cannot be read; NotFoundError when the place does not exist.
        """
        require_meant(text, "outline")
        items = self.read_outline(text)
        nodes, notes = outline_nodes(items), outline_notes(items)
        under = under_id or self.desk.state(ledger_id).root_id
        command = ImportOutline(text, under, nodes, notes)
        done = self.desk.act(ledger_id, caller, command, material={"text": text, "under": under})
        source = next(event.body for event in done.events if isinstance(event.body, SourceCaptured))
        delta = next(event.body for event in done.events if isinstance(event.body, DeltaProposed))
        return Imported(ledger_id, source.source_id, delta.delta_id, len(nodes), notes)


def outline_notes(items: tuple[OutlineItem, ...]) -> tuple[str, ...]:
    """Return what the reader of an import should know beside its nodes, one sentence each."""
    notes = []
    ticked = sum(item.is_ticked for item in items)
    if ticked:
        counted = "1 ticked item comes" if ticked == 1 else f"{ticked} ticked items come"
        notes.append(f"{counted} in as planned: an import completes nothing")
    lines: dict[str, list[int]] = {}
    for item in items:
        if item.unknown_tag is not None:
            lines.setdefault(item.unknown_tag, []).append(item.line)
    for tag, found in tuple(lines.items())[:TAGS_NAMED_MAX]:
        where = f"line {found[0]}" + (f" and {len(found) - 1} more" if len(found) > 1 else "")
        notes.append(
            f"“{tag}” on {where} names no kind: it stays in the title, and an item without a kind is an idea"
        )
    if len(lines) > TAGS_NAMED_MAX:
        notes.append(f"{len(lines) - TAGS_NAMED_MAX} more beginnings in brackets name no kind either")
    return tuple(notes)


def outline_nodes(items: tuple[OutlineItem, ...]) -> tuple[OutlineNode, ...]:
    """Return the nodes of an outline with their parents by index; an item without a kind is an Idea."""
    line: list[int] = []
    nodes = []
    for index, item in enumerate(items):
        del line[item.depth :]
        nodes.append(
            OutlineNode(
                kind=item.kind or NodeKind.IDEA,
                title=item.title,
                description=item.description,
                parent=line[-1] if line else None,
                artifact_path=item.artifact_path,
                profile_id=item.profile_id,
            )
        )
        line.append(index)
    return tuple(nodes)
