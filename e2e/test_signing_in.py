"""Ways to sign in, in a real browser without scripts: a password, an account at a provider, and a role that is taken."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from e2e.product import Product, serving
from e2e.visit import PATIENCE_MS, sign_in, size
from tests.support.provider import CLIENT, Provider, served_provider

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

WORDS = "correct horse battery staple"


@pytest.fixture
def provider() -> Iterator[Provider]:
    """Return a provider on another site: `localhost`, where the product is `127.0.0.1`."""
    with served_provider("localhost") as provider:
        yield provider


@pytest.fixture
def product(tmp_path: Path, provider: Provider) -> Iterator[Product]:
    """Return a server whose settings name the provider."""
    settings = {
        "ODEU_OIDC_ISSUER": provider.issuer,
        "ODEU_OIDC_CLIENT_ID": CLIENT[0],
        "ODEU_OIDC_CLIENT_SECRET": CLIENT[1],
        "ODEU_OIDC_LABEL": "Example login",
    }
    with serving(tmp_path / "data", more=settings) as product:
        provider.client_port = product.port
        yield product


@pytest.fixture
def page(browser: Browser, product: Product) -> Iterator[Page]:
    """Return a page of a browser without scripts, which may also visit the provider."""
    context = browser.new_context(base_url=product.origin, java_script_enabled=False, viewport=size(390))
    context.set_default_timeout(PATIENCE_MS)
    yield context.new_page()
    context.close()


def test_a_person_comes_to_every_way_by_themselves(page: Page, product: Product) -> None:
    """By link, then a password of one's own, then an account that is linked after a question; then each opens."""
    sign_in(page, product.sign_in_link())
    page.goto("/settings")
    page.get_by_label("New password, 12 characters or more").fill(WORDS)
    page.get_by_label("The same again").fill(WORDS)
    page.get_by_role("button", name="Set the password").click()
    expect(page.get_by_text("The password is set. Every other session has ended.")).to_be_visible()
    page.get_by_role("link", name="Link an account of Example login").click()
    expect(page.get_by_role("heading", name="Is this account yours?")).to_be_visible()
    page.get_by_role("button", name="Link it to me").click()
    expect(page.get_by_text("The account is linked")).to_be_visible()
    page.get_by_role("button", name="Sign out").first.click()
    page.get_by_label("Your id here, such as mira").fill("owner")
    page.get_by_label("Password", exact=True).fill(WORDS)
    page.get_by_role("button", name="Sign in with the password").click()
    expect(page.get_by_text("Signed in.")).to_be_visible()
    page.context.clear_cookies()
    page.goto("/signin")
    page.get_by_role("link", name="Continue with Example login").click()
    expect(page.get_by_text("Signed in.")).to_be_visible()
    assert page.url == f"{product.origin}/"
    cookies = {item["name"]: item for item in page.context.cookies(product.origin)}
    assert "odeu_signin" not in cookies
    assert (cookies["odeu_session"]["httpOnly"], cookies["odeu_session"]["sameSite"]) == (True, "Lax")


def test_an_owner_gives_a_role_and_takes_it(browser: Browser, page: Page, product: Product) -> None:
    """Given by the form of Settings, it opens the project for the other person; ended, it closes it and their session."""
    product.odeu("person", "add", "mira", "--role", "viewer")
    product.odeu("person", "grant", "mira", "--project", "Paint planner", "--role", "viewer")
    other = browser.new_context(base_url=product.origin, java_script_enabled=False)
    hers = other.new_page()
    sign_in(hers, product.sign_in_link("mira"))
    sign_in(page, product.sign_in_link())
    page.goto("/settings")
    page.get_by_role("button", name="End this role of Mira: Viewer everywhere").click()
    expect(page.get_by_text("The role has ended.")).to_be_visible()
    hers.goto("/")
    expect(hers.get_by_role("main").get_by_role("link", name="Paint planner", exact=True)).to_be_visible()
    page.get_by_role("button", name="End this role of Mira: Viewer in Paint planner").click()
    hers.goto("/")
    expect(hers.get_by_role("heading", name="Sign in", exact=True)).to_be_visible()
    other.close()
