"""Quotes the words one node came from: of an imported outline only the node's own line, not the whole document."""

import re
from dataclasses import replace

from app.views.parts import Link, Quote, QuotePiece
from app.views.wording import Reading, quote
from kernel.state import SourceRecord
from kernel.vocabulary import SourceKind


def node_quote(reading: Reading, source: SourceRecord, title: str, *, whole: str | None = None) -> Quote:
    """Return the words of a source as far as they are about one node; `whole` is where a long text stands in full.

    The line is found by the title as it stands in the text: a node that was reworded since quotes the whole.
    """
    said = quote(source, reading.names, whole=whole, base=reading.base)
    if source.body.kind is not SourceKind.IMPORT or source.erased is not None:
        return said
    line = line_of(source.body.content.or_erased(), title)
    if line is None:
        return said
    href = f"{reading.base}/sources/{source.body.source_id}"
    pieces = (QuotePiece(line),)
    return replace(said, pieces=pieces, source=None, whole=Link("Show the whole outline", href))


def line_of(text: str, title: str) -> str | None:
    """Return the first line of a text that holds a title, marks of emphasis left aside; None when none does."""
    wanted = _plain(title.removesuffix("…"))
    if not wanted:
        return None
    return next((line.strip() for line in text.splitlines() if wanted in _plain(line)), None)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[*_`]", "", text).casefold().split())
