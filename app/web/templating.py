"""Renders frozen page views to HTML: strict, escaped, and with every free text made visible.

A template receives exactly one variable, `page`. Macros of `templates/macros` are there by their file name
(`marks.icon("inbox")`). Everything a template prints goes through `app.web.display`; only the value of a form
control is printed as typed, with the filter `typed`, because it is sent back. Owns no page and no decision.
"""

from functools import lru_cache
from pathlib import Path
from typing import Final

import jinja2
from markupsafe import Markup

from app.web.display import display

TEMPLATES: Final = Path(__file__).resolve().parent.parent.parent / "templates"
_MACROS: Final = ("marks", "forms", "panels", "acts", "tree")
"""Macro files by name; a macro file imports the others it uses by itself."""


_SIGNS: Final = ("icon", "chip", "lane", "kind")
"""Macros of `marks` that print few different things very often: each is printed once."""
_SIGNS_KEPT: Final = 1024


class Typed(str):
    """Text for the value of a form control: escaped, but never rewritten, because it comes back."""

    __slots__ = ()


def _shown(value: object) -> object:
    """Prepare one printed value. Raises TypeError for None and truth values: a template decides nothing."""
    if type(value) is str:  # by far the most, and neither of the next two
        return display(value)
    if isinstance(value, (Markup, Typed, jinja2.Undefined)):
        return value
    if value is None or isinstance(value, bool):
        raise TypeError(f"A template printed {value!r}; the view must give a ready string.")
    return display(value) if isinstance(value, str) else value


@lru_cache(maxsize=1)
def environment() -> jinja2.Environment:
    """Return the one environment; templates are read from disk once."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["typed"] = Typed
    for name in _MACROS:
        made.globals[name] = made.get_template(f"macros/{name}.html").module
    for sign in _SIGNS:
        marks = made.globals["marks"]
        setattr(marks, sign, lru_cache(maxsize=_SIGNS_KEPT)(getattr(marks, sign)))
    return made


def render_page(template: str, page: object) -> str:
    """Return the whole page, such as `render_page("inbox/page.html", InboxPage.example())`."""
    return environment().get_template(template).render(page=page)


def render_block(template: str, block: str, page: object) -> str:
    """Return one block of a page as a fragment: exactly one element whose id is the block's name, dashed.

    Raises:
        KeyError: the template has no such block of its own.
    """
    loaded = environment().get_template(template)
    context = loaded.new_context({"page": page})
    return "".join(loaded.blocks[block](context)).strip()
