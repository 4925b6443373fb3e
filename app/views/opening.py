"""What a request opens on a page of meaning: which item, which act, and what was typed before a refusal."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.views.parts import Binding, Refusal


@dataclass(frozen=True, slots=True)
class Opened:
    """One item that is open, and how."""

    id: str
    command_id: str
    """Names the command that the page's form would send."""
    act: str = ""
    """`edit`, `move`, `reject` or `change` when that form is open."""
    choice: int = 0
    """Which choice of a proposal is shown: 0 as proposed, n the n-th alternative."""
    is_asking: bool = False
    """Whether somebody who fills in a form of it asks what became of it meanwhile."""
    query: str = ""
    """What a place is being looked for by."""
    has_whole_words: bool = False
    """Whether a long quotation is shown whole."""
    typed: Mapping[str, str] = field(default_factory=dict)
    """The fields of a refused form; empty at first."""
    refusal: Refusal | None = None

    def binding(self, revision: int | None = None, seen: str = "") -> Binding:
        """Return what the form's yes is bound to: the revision the person first saw, after a refusal too.

        An act on meaning that was refused because something moved gets the new revision and what is shown now.
        """
        return Binding("" if revision is None else str(revision), seen, self.command_id)

    def text(self, name: str, otherwise: str) -> str:
        """Return what was typed into a field, or what stands there at first."""
        return self.typed.get(name, otherwise)
