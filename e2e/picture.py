"""Takes the picture of the README: the Inbox of the sandbox with one proposal open, in light and in dark.

`python -m e2e.picture` starts the product on a folder of its own, walks to that page and writes docs/picture/*.png.
"""

import tempfile
from pathlib import Path
from typing import Final

from playwright.sync_api import sync_playwright

from e2e.journey import Journey
from e2e.product import ROOT, serving
from e2e.visit import THEMES, launch, size, visiting

PICTURES: Final = ROOT / "docs" / "picture"
_SIZE: Final = size(1440, 900)
_BYTES_MAX: Final = 300_000


def main() -> None:
    """Write one picture per theme."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        sync_playwright() as playwright,
        launch(playwright) as browser,
        serving(Path(folder) / "data") as product,
        visiting(browser, product) as (page, _watch),
    ):
        journey = Journey(page, product)
        journey.sign_in()
        journey.capture()
        journey.review()
        page.get_by_text("Live, up to date").wait_for()
        page.set_viewport_size(_SIZE)
        for theme in THEMES:
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            path = PICTURES / f"inbox-{theme}.png"
            page.screenshot(path=path, caret="initial")
            assert path.stat().st_size < _BYTES_MAX, f"{path.name} is too large for a README"


if __name__ == "__main__":
    main()
