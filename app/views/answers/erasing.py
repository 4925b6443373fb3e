"""What a person is told after erasing: what is gone, what stays, and where else the words may lie."""

from typing import Final

from app.views.answers.records import EraseAnswer, LeftCommitAnswer, NodeRef
from kernel.projections.leftovers import Leftovers

ELSEWHERE: Final = (
    "Exports made before hold the words with their keys: delete those files",
    "Backups made with the master key hold the words: delete those files; other backups can no longer be read",
    "The digest of each exact request to a manager stays, so that somebody who guesses all of it can confirm it",
)
"""What no erasure reaches."""
_UNFOLDED: Final = "Unreadable remains lie in the database's log: a file's until the next start, a server's until it is recycled"


def erase_answer(
    project_id: str, source_ids: tuple[str, ...], left: Leftovers, *, closed: tuple[str, ...], is_folded: bool
) -> EraseAnswer:
    """Return an erasure as both edges answer it."""
    return EraseAnswer(
        project_id=project_id,
        source_ids=source_ids,
        closed_deltas=closed,
        accepted=tuple(NodeRef(node_id=node.id, title=node.title.or_erased()) for node in left.nodes),
        brief_ids=left.brief_ids,
        commits=tuple(
            LeftCommitAnswer(commit=item.commit, target_ref=item.target_ref) for item in left.commits
        ),
        remains=ELSEWHERE if is_folded else (_UNFOLDED, *ELSEWHERE),
    )


def erase_lines(answer: EraseAnswer) -> tuple[str, ...]:
    """Return the same for a person at a terminal."""
    return (
        *(f"Erased {source_id}" for source_id in answer.source_ids),
        *(f"Closed {delta_id}: it has no words any more" for delta_id in answer.closed_deltas),
        *(f"Stays, since it was accepted: {node.title}  {node.node_id}" for node in answer.accepted),
        *(f"Stays, in a brief: {brief_id}" for brief_id in answer.brief_ids),
        *(
            f"Stays, in a commit: {item.commit}{f' for {item.target_ref}' if item.target_ref else ''}"
            for item in answer.commits
        ),
        *answer.remains,
    )
