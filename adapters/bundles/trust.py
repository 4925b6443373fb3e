"""What a reader knows already: pinned keys and known checkpoints, and three verdicts over a bundle.

A bundle made anew under other keys is as self-consistent as the true one. Only what somebody kept from before
tells them apart.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from adapters.bundles.examining import Examination, spelled
from adapters.bundles.notes import signers, stated, unbased
from kernel.canonical import canonical_bytes, parse_foreign
from kernel.errors import CanonicalError, InvalidError, StudioError
from kernel.merkle import LogHead

FORMAT: Final = "odeu.trust.v1"
_BYTES_MAX: Final = 1024 * 1024

Standing = Literal["passed", "failed", "not_asked"]


@dataclass(frozen=True, slots=True)
class Trust:
    """Raw public checkpoint keys, and checkpoint notes, that the reader holds for true."""

    keys: tuple[bytes, ...]
    checkpoints: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """One answer about a bundle, with a sentence."""

    standing: Standing
    detail: str


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The three answers about a bundle."""

    self_consistent: Verdict
    signed_by_pinned: Verdict
    extends_known: Verdict

    @property
    def holds(self) -> bool:
        """Tell whether nothing that was asked failed."""
        return "failed" not in {item.standing for item in self._all()}

    @property
    def is_trusted(self) -> bool:
        """Tell whether anything beyond self-consistency was asked."""
        return any(item.standing != "not_asked" for item in self._all()[1:])

    def _all(self) -> tuple[Verdict, Verdict, Verdict]:
        return self.self_consistent, self.signed_by_pinned, self.extends_known


def read_trust(path: Path) -> Trust:
    """Return what a trust file says.

    Raises: InvalidError when it cannot be read or pins nothing.
    """
    try:
        record = parse_foreign(path.read_bytes(), max_bytes=_BYTES_MAX)
        if set(record) != {"format", "keys", "checkpoints"} or record["format"] != FORMAT:
            raise ValueError(FORMAT)
        notes = tuple(str(note) for note in record["checkpoints"])
        keys = tuple(unbased(str(key)) for key in record["keys"])
        for note in notes:
            stated(note)
        if not keys and not notes:
            raise ValueError(FORMAT)
    except (OSError, CanonicalError, StudioError, ValueError, TypeError) as error:
        message = f"{path} is no trust file of the form {FORMAT}: {error}"
        raise InvalidError(message, code="trust_invalid") from error
    return Trust(keys, notes)


def trust_bytes(trust: Trust) -> bytes:
    """Return the content of a trust file."""
    record = {
        "format": FORMAT,
        "keys": [spelled(key) for key in trust.keys],
        "checkpoints": list(trust.checkpoints),
    }
    return canonical_bytes(record) + b"\n"


def judge(found: Examination, trust: Trust | None) -> Verdicts:
    """Return the three verdicts; without trust the last two were not asked."""
    if found.problems:
        consistent = Verdict("failed", "; ".join(found.problems))
    else:
        consistent = Verdict("passed", f"{found.edge.size} events, root {found.edge.root().hex()[:16]}")
    asked = trust or Trust((), ())
    return Verdicts(consistent, _signed(found, asked), _extends(found, asked))


def _signed(found: Examination, trust: Trust) -> Verdict:
    if not trust.keys:
        return Verdict("not_asked", "no key is pinned")
    note = found.notes.get(found.edge.size)
    try:
        if note is not None and stated(note)[1] == _head(found) and signers(note, trust.keys):
            return Verdict("passed", "a pinned key signed the head of this bundle")
    except StudioError as error:
        return Verdict("failed", error.message)
    return Verdict("failed", "no pinned key signed the head of this bundle")


def _head(found: Examination) -> LogHead:
    return LogHead(found.edge.size, found.edge.root())


def _extends(found: Examination, trust: Trust) -> Verdict:
    if not trust.checkpoints:
        return Verdict("not_asked", "no checkpoint is known")
    origin = None if found.head is None else found.head.origin
    known = [said for name, said in (stated(note) for note in trust.checkpoints) if name == origin]
    if not known:
        return Verdict("failed", "no known checkpoint is of this ledger")
    for said in known:
        if said.size > found.edge.size:
            return Verdict("failed", f"{said.size} events are known, the bundle has {found.edge.size}")
        if said.size and found.root_at(said.size) != said.root:
            return Verdict("failed", f"the first {said.size} events are not the known ones")
    return Verdict("passed", f"it extends the known {max(said.size for said in known)} events")
