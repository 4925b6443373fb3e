"""Every page in every example state of its view, looked at by axe and by a ruler."""

import pytest
from playwright.sync_api import Browser

from e2e.gallery import served
from e2e.scan import Findings, look
from e2e.visit import PATIENCE_MS, size
from tests.web.gallery import EXAMPLES

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def test_every_example_is_accessible_and_holds_its_layout(browser: Browser) -> None:
    """At 390 and 1440 pixels in light and dark: no finding of axe, nothing outside the window, no text cut off."""
    findings = Findings()
    context = browser.new_context(viewport=size(1440), reduced_motion="reduce", locale="en-GB")
    context.set_default_timeout(PATIENCE_MS)
    with served() as origin:
        page = context.new_page()
        for number, example in enumerate(EXAMPLES):
            page.goto(f"{origin}/show/{number}")
            look(page, str(example), findings, (390, 1440))
    context.close()
    assert findings.places == {}, findings.report()
