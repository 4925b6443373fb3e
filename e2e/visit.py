"""One person's browser: what it may do, and everything that went wrong on the way."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from shutil import which
from typing import Final, Literal

from playwright.sync_api import Browser, ConsoleMessage, Page, Playwright, Request, Response, ViewportSize

from e2e.product import Product

Theme = Literal["light", "dark"]
THEMES: Final[tuple[Theme, ...]] = ("light", "dark")
WIDTHS: Final = (320, 390, 768, 1024, 1440)
PATIENCE_MS: Final = 30_000
"""How long a page may take on a busy machine; a quiet one needs a hundredth."""
_NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
_OPTIONS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_GIVEN_UP: Final = "net::ERR_ABORTED"
"""A request that the page itself gave up, because a person went on before its answer."""


def browser_path() -> str | None:
    """Return where this machine's browser is, or None."""
    return next((path for path in map(which, _NAMES) if path is not None), None)


def launch(playwright: Playwright) -> Browser:
    """Start a browser that talks to nobody but the pages it is sent to."""
    return playwright.chromium.launch(executable_path=browser_path(), args=list(_OPTIONS))


def size(width: int, height: int = 900) -> ViewportSize:
    """Return a viewport."""
    return {"width": width, "height": height}


def _place(message: ConsoleMessage) -> str:
    where, page = message.location, message.page
    return f"{where['url']}:{where['lineNumber']}, on {'a page' if page is None else page.url}"


@dataclass
class Watch:
    """Collects whatever a page should not do: errors, failed requests, refused sources, strange hosts."""

    origin: str
    found: list[str] = field(default_factory=list)
    expected: list[int] = field(default_factory=list)
    """Statuses of refusals that a story asks for, each forgiven once."""

    def bind(self, page: Page) -> None:
        """Watch a page from now on."""
        page.on("console", self._on_console)
        page.on("pageerror", lambda error: self.found.append(f"script error: {error}"))
        page.on("requestfailed", self._on_failed)
        page.on("request", self._on_request)
        page.on("response", self._on_response)

    def _on_console(self, message: ConsoleMessage) -> None:
        # The console repeats a failed answer in other words; the answer itself is judged below.
        if message.type in {"error", "warning"} and "Failed to load resource" not in message.text:
            self.found.append(f"console {message.type}: {message.text} ({_place(message)})")

    def _on_failed(self, request: Request) -> None:
        if request.failure != _GIVEN_UP:
            self.found.append(f"request failed: {request.url}: {request.failure}")

    def _on_request(self, request: Request) -> None:
        if not request.url.startswith((self.origin, "data:")):
            self.found.append(f"request to another host: {request.url}")

    def _on_response(self, response: Response) -> None:
        if response.status < 400:
            return
        if response.status in self.expected:
            self.expected.remove(response.status)
        else:
            self.found.append(f"status {response.status}: {response.request.method} {response.url}")


@contextmanager
def visiting(
    browser: Browser,
    product: Product,
    *,
    scripts: bool = True,
    width: int = 1440,
    theme: Theme = "light",
) -> Iterator[tuple[Page, Watch]]:
    """Open a page in a context of its own; fail the story with everything that went wrong on it."""
    context = browser.new_context(
        base_url=product.origin,
        java_script_enabled=scripts,
        viewport=size(width),
        color_scheme=theme,
        reduced_motion="reduce",
        locale="en-GB",
        timezone_id="UTC",
    )
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    watch = Watch(product.origin)
    watch.bind(page)
    try:
        yield page, watch
    except Exception as error:
        error.add_note(f"at {page.url}\n{product.story()}\n" + "\n".join(watch.found))
        raise
    finally:
        context.close()
    assert watch.found == [], product.story()


def sign_in(page: Page, link: str) -> None:
    """Open a one-time link and press its one button."""
    page.goto(link)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("heading", level=1, name="World").wait_for()
