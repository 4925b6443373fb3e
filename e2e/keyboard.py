"""Going through a page as a person without a mouse does."""

from typing import Final

from playwright.sync_api import Locator, Page

STEPS_MAX: Final = 60


def tab_to(page: Page, goal: Locator) -> None:
    """Press Tab until the goal has the focus; fail when it never does."""
    goal.wait_for()
    for _ in range(STEPS_MAX):
        if goal.evaluate("(element) => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    message = f"{STEPS_MAX} times Tab did not lead to {goal}"
    raise AssertionError(message)
