"""Builds the Search page from what was found."""

from typing import Final
from urllib.parse import urlencode

from app.views.parts import SUGGESTED, KindMark, Link, Mark
from app.views.search import SearchHit, SearchPage
from app.views.shell import Shell
from app.views.wording import Reading, path_words
from kernel.projections.search import HITS_MAX, Found, Hit

EXTRACT_SHOWN: Final = 160
"""How many characters of a description are shown."""
_HINT: Final = "Try other or fewer words. A kind such as “task” and the end of an id count as words too."


def search_href(base: str, query: str, start: int = 0) -> str:
    """Return the address of a page of results."""
    said = {"q": query, "start": str(start) if start else ""}
    text = urlencode({name: value for name, value in said.items() if value})
    return f"{base}/search" + (f"?{text}" if text else "")


def search_page(shell: Shell, reading: Reading, query: str, found: Found) -> SearchPage:
    """Return what was found, with where each answer stands."""
    words = " ".join(query.split())
    said = ""
    if words:
        said = f"{found.total} found" if found.total else f"Nothing found for “{words}”"
    left = found.total - found.start - len(found.hits)
    more = earlier = None
    if left > 0:
        href = search_href(reading.base, query, found.start + HITS_MAX)
        more = Link(f"Show the next {min(left, HITS_MAX)} of {found.total}", href, "arrow-down")
    if found.start:
        href = search_href(reading.base, query, max(0, found.start - HITS_MAX))
        earlier = Link("Show what comes before", href, "arrow-up")
    return SearchPage(
        shell=shell,
        query=query,
        said=said,
        hits=tuple(_hit(reading, hit) for hit in found.hits),
        hint="" if found.hits else _HINT,
        earlier=earlier,
        more=more,
    )


def _hit(reading: Reading, hit: Hit) -> SearchHit:
    record, tables = hit.record, reading.state.tables
    described = "" if record.description is None else " ".join(record.description.or_erased().split())
    extract = described if len(described) <= EXTRACT_SHOWN else f"{described[:EXTRACT_SHOWN].rstrip()} …"
    path, mark = path_words(tables, hit.id), None
    if hit.suggested is not None:
        mark = SUGGESTED
        parent = tables.nodes.get(hit.suggested.parent_id)
        path = "" if parent is None else f"would stand under {parent.title.or_erased()}"
    elif hit.node is not None and hit.node.retired_in is not None:
        mark = Mark("archive", "Retired")
    return SearchHit(
        title=record.title.or_erased(),
        href=f"{reading.base}/outline?node={hit.id}",
        kind=KindMark.of(record.kind),
        path=path,
        extract=extract,
        mark=mark,
    )
