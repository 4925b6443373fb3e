"""Builds the offer to take words to another project that fits them more clearly: for one reader, in no ledger."""

from typing import Final

from app.views.inbox.parts import Elsewhere
from app.views.parts import Binding

_WORDS_SHOWN: Final = 4


def pointing(title: str, words: tuple[str, ...]) -> str:
    """Return in a sentence that a project fits words better, and which of them point to it."""
    quoted = [f"“{word}”" for word in words[:_WORDS_SHOWN]]
    named = quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
    point = "points" if len(quoted) == 1 else "point"
    return f"“{title}” fits these words better: {named} {point} to it."


def elsewhere(
    title: str, words: tuple[str, ...], *, item: str, project_id: str, bound: Binding, is_proposal: bool
) -> Elsewhere:
    """Return the offer beside an item of the Inbox; a suggestion is rejected here when its words go there."""
    rest = (
        "The suggestion here is rejected; its words stay kept." if is_proposal else "The question here stays."
    )
    verb = "Move" if is_proposal else "Capture"
    return Elsewhere(
        text=pointing(title, words),
        says=f"Captures the words there, to be placed and reviewed there. {rest}",
        action=f"{item}/elsewhere",
        binding=bound,
        project_id=project_id,
        button=f"{verb} it to “{title}”" if is_proposal else f"{verb} it in “{title}”",
    )
