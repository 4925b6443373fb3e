"""Documents that can drift from the code do not: events, settings, make recipes, decisions, glossary."""

import re
from pathlib import Path
from typing import Final

from tests.lint import events_doc, settings_doc
from tests.lint.tree import ROOT

_ADR_HEADINGS: Final = ["## Context", "## Decision", "## Consequences", "## Alternatives", "## Enforced by"]
_DOCUMENTS: Final = ("*.md", "docs/**/*.md")
_LINK: Final = re.compile(r"\]\((?!https?:|#)([^)#\s]+)[^)]*\)")
_PATH: Final = re.compile(r"`((?:app|kernel|adapters|tests|e2e|docs|bench|static|templates)/[\w./-]*)`")


def test_the_events_page_is_what_the_catalogue_says() -> None:
    """docs/events.md equals the text made from kernel.events; run `make docs` after changing an event."""
    written = events_doc.PAGE.read_text("utf-8") if events_doc.PAGE.exists() else None
    assert written == events_doc.generated()


def test_the_example_environment_is_what_the_settings_say() -> None:
    """.env.example equals the text made from the settings class; run `make docs` after changing one."""
    generated = settings_doc.generated()
    assert generated in {None, settings_doc.PAGE.read_text("utf-8")}


def test_every_variable_the_product_reads_is_listed() -> None:
    """A name that code spells out stands in .env.example, so that nobody has to read code to find it."""
    assert settings_doc.named_in_code() - settings_doc.listed() == frozenset()


def test_make_help_lists_every_recipe() -> None:
    """Each phony target carries the sentence that make help prints."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert phony is not None
    assert set(phony[1].split()) == set(re.findall(r"^([a-z0-9-]+):.*## \S", makefile, re.MULTILINE))


def test_decisions_are_numbered_and_whole() -> None:
    """Records run from 0001 without a gap and have every part, what enforces them included."""
    records = sorted((ROOT / "docs" / "adr").glob("*.md"))
    assert [record.name[:4] for record in records] == [f"{n:04d}" for n in range(1, len(records) + 1)]
    for record in records:
        text = record.read_text("utf-8")
        assert text.startswith(f"# {record.name[:4]}. "), record.name
        assert re.findall(r"^## .*$", text, re.MULTILINE) == _ADR_HEADINGS, record.name
        assert re.search(r"^Status: .+ Area: .+ Date: \d{4}-\d\d-\d\d$", text, re.MULTILINE), record.name


def test_the_glossary_is_in_order() -> None:
    """Each word is explained once, in alphabetical order."""
    words = re.findall(r"^\*\*(.+?)\*\*", (ROOT / "docs" / "glossary.md").read_text("utf-8"), re.MULTILINE)
    assert words == sorted(set(words), key=str.casefold)
    assert words != []


def _documents() -> list[Path]:
    return sorted({path for pattern in _DOCUMENTS for path in ROOT.glob(pattern)})


def test_every_link_leads_somewhere() -> None:
    """A relative link in a document names a file that is there."""
    broken = [
        f"{document.relative_to(ROOT)}: {link}"
        for document in _documents()
        for link in _LINK.findall(document.read_text("utf-8"))
        if not (document.parent / link).exists()
    ]
    assert broken == []


def test_every_path_that_a_document_names_exists() -> None:
    """What stands in a document in code quotes as a path of ours is there."""
    missing = [
        f"{document.relative_to(ROOT)}: {path}"
        for document in _documents()
        for path in _PATH.findall(document.read_text("utf-8"))
        if not (ROOT / path).exists()
    ]
    assert missing == []


def test_documents_name_only_recipes_that_exist() -> None:
    """`make X` in the README or the contribution guide is a recipe of the Makefile."""
    recipes = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    quoted = re.compile(r"(?:`|^)make ([a-z0-9-]+)", re.MULTILINE)
    named = {name for document in _documents() for name in quoted.findall(document.read_text("utf-8"))}
    assert named - recipes == set()
    assert {"serve", "test"} <= named
