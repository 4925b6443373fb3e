"""The scripts in a real browser: each improves a page that already works, and none loosens the policy."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect, sync_playwright

from tests.web.work_gallery import OPERATOR_TOKEN, Seen, served

MODULES = sorted((Path(__file__).resolve().parents[2] / "static" / "js").glob("*.js"))
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
LINES_MAX = 80
UNSAFE = re.compile(
    r"\beval\(|\bFunction\(|\.(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|\bimport\("
)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.name)
def test_a_module_is_small_and_makes_no_code(module: Path) -> None:
    """A module fits on a screen and never turns text into code or markup."""
    text = module.read_text()
    assert len(text.splitlines()) < LINES_MAX
    assert UNSAFE.findall(text) == []


def test_only_two_preferences_are_remembered() -> None:
    """Nothing but the theme and the keys switch is kept in the browser."""
    storing = {path.name for path in MODULES if re.search(r"Storage|cookie|indexedDB", path.read_text())}
    assert storing - {"operator.js"} == {"theme.js", "keys.js"}


def test_the_operator_module_keeps_nothing() -> None:
    """The module that reads a token has no storage, no cookie, no address and no log in its code."""
    code = re.sub(r"//.*", "", next(path for path in MODULES if path.name == "operator.js").read_text())
    assert re.findall(r"Storage|cookie|indexedDB|console|location|history|postMessage|FormData", code) == []


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for the module."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[str, Seen]]:
    """One server of examples for the module."""
    with served() as running:
        yield running


@pytest.fixture
def seen(server: tuple[str, Seen]) -> Seen:
    """What the server was sent, emptied."""
    found = server[1]
    found.acts.clear()
    found.polls.clear()
    found.thread = "running"
    return found


@pytest.fixture
def page(browser: Browser, server: tuple[str, Seen]) -> Iterator[Page]:
    """A page whose errors and policy violations fail the test."""
    context = browser.new_context(base_url=server[0], timezone_id="Europe/Berlin", locale="en-GB")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened = context.new_page()
    faults: list[str] = []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("console", lambda said: faults.append(said.text) if "Content Security" in said.text else None)
    yield opened
    context.close()
    assert faults == []


def test_a_key_presses_the_act_it_names(page: Page) -> None:
    """`a` sends the primary act's form, with its hidden fields and choices."""
    page.goto("/show/thread/choose")
    with page.expect_request(lambda request: request.method == "POST") as sent:
        page.keyboard.press("a")
    fields = sent.value.post_data or ""
    assert sent.value.url.endswith("/brief")
    assert {"profile_id=page-change", "runtime_id=scripted", "command_id=command_01"} <= set(
        fields.split("&")
    )


def test_keys_are_letters_while_somebody_types(page: Page) -> None:
    """In a text field every key is text."""
    page.goto("/show/thread/blocked")
    answer = page.get_by_label("Your answer")
    answer.press_sequentially("a cake? jk")
    expect(answer).to_have_value("a cake? jk")
    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.parametrize("chord", ["Control+a", "Alt+a", "Meta+a"])
def test_a_key_with_a_modifier_is_the_browsers(page: Page, chord: str) -> None:
    """A chord presses nothing."""
    page.goto("/show/thread/choose")
    posts: list[str] = []
    page.on("request", lambda request: posts.append(request.url) if request.method == "POST" else None)
    page.keyboard.press(chord)
    page.wait_for_timeout(100)
    assert posts == []


def test_keys_can_be_switched_off(page: Page) -> None:
    """Who switched single keys off presses none, on the next page too."""
    page.goto("/show/settings/owner")
    page.locator("[data-keys-switch]").set_checked(checked=False)
    page.goto("/show/thread/choose")
    posts: list[str] = []
    page.on("request", lambda request: posts.append(request.url) if request.method == "POST" else None)
    page.keyboard.press("a")
    page.keyboard.press("?")
    page.wait_for_timeout(100)
    assert posts == []
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_the_question_mark_lists_the_keys_of_this_page(page: Page) -> None:
    """The help names what each key does here, and Escape closes it."""
    page.goto("/show/thread/integrate")
    page.keyboard.press("?")
    help_list = page.get_by_role("dialog", name="Keys on this page")
    expect(help_list.locator("dt")).to_have_text(["/", "c", "a", "x", "?"])
    expect(help_list.locator("dd")).to_have_text(
        ["Search this project", "Capture", "Integrate", "Reject", "This list"]
    )
    page.keyboard.press("Escape")
    expect(help_list).to_have_count(0)


def test_j_and_k_walk_the_items(page: Page) -> None:
    """The list is walked by keyboard and stops at its ends."""
    page.goto("/show/list/threads")
    for key in "jjk":
        page.keyboard.press(key)
    expect(page.locator("[data-key-item]").first).to_be_focused()
    page.keyboard.press("k")
    expect(page.locator("[data-key-item]").first).to_be_focused()


def test_the_tree_has_one_tab_stop_and_arrows(page: Page) -> None:
    """The outline is one stop; arrows, Home and End move inside it."""
    page.goto("/show/outline/selected")
    items = page.locator("[data-tree-item]")
    assert items.evaluate_all("items => items.filter(item => item.tabIndex === 0).length") == 1
    items.first.focus()
    page.keyboard.press("End")
    expect(items.last).to_be_focused()
    page.keyboard.press("Home")
    expect(items.first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(items.nth(1)).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("[data-tree-item]:focus")).to_have_count(1)
    assert items.evaluate_all("items => items.filter(item => item.tabIndex === 0).length") == 1


def test_copy_takes_the_whole_id(page: Page) -> None:
    """The short form is read, the whole is copied, and it is said."""
    page.goto("/show/thread/propose")
    page.get_by_role("button", name="Copy c902 5e4b").click()
    expect(page.get_by_role("status").filter(has_text="Copied")).to_have_count(1)
    assert page.evaluate("navigator.clipboard.readText()") == "c9025e4b" * 5


def test_times_are_the_readers(page: Page) -> None:
    """The words are local, the exact UTC stays in the title."""
    page.goto("/show/thread/validated")
    time = page.locator("time[datetime='2026-11-30T10:31:00Z']").first
    expect(time).to_have_text(re.compile(r"11:31$"))
    expect(time).to_have_attribute("title", "2026-11-30 10:31:00 UTC")


def test_a_theme_is_remembered(page: Page) -> None:
    """Dark stays dark on the next page, and the system's choice removes it."""
    page.goto("/show/settings/owner")
    page.locator("[data-theme-choice=dark]").click()
    page.goto("/show/list/threads")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.goto("/show/settings/owner")
    page.locator("[data-theme-choice=system]").click()
    assert page.locator("html").get_attribute("data-theme") is None


def test_escape_closes_a_menu_and_returns_to_it(page: Page) -> None:
    """A menu never traps the keyboard."""
    page.goto("/show/list/threads")
    summary = page.locator("details[data-menu] > summary").first
    summary.click()
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(page.locator("details[data-menu][open]")).to_have_count(0)
    expect(summary).to_be_focused()


def test_a_moved_head_reads_the_thread_again(page: Page, seen: Seen) -> None:
    """The page says that it is live, and shows the new state without being asked."""
    page.goto("/show/thread/returned")
    expect(page.locator("#live")).to_have_text("Live, up to date")
    seen.thread = "validated"
    seen.head += 1
    expect(page.get_by_role("heading", name="Validated: 3 of 3 requirements passed")).to_be_visible()


def test_a_form_that_is_being_filled_in_stays(page: Page, seen: Seen) -> None:
    """A moved head never takes a page away from somebody who is choosing or typing."""
    page.goto("/show/thread/blocked")
    expect(page.locator("#live")).to_have_text("Live, up to date")
    answer = page.get_by_label("Your answer")
    answer.fill("15 %")
    seen.thread = "validated"
    seen.head += 1
    page.wait_for_timeout(800)
    expect(answer).to_have_value("15 %")


def test_a_lost_connection_is_said(page: Page) -> None:
    """Without a stream the page does not claim to be live."""
    page.route("**/events*", lambda route: route.abort())
    page.goto("/show/list/threads")
    expect(page.locator("#live")).to_have_text("Reconnecting")


def test_a_run_is_polled_while_it_is_unfinished(page: Page, seen: Seen) -> None:
    """The part asks for itself every two seconds, and the last answer ends that."""
    page.goto("/show/thread/running")
    seen.thread = "returned"
    expect(page.get_by_role("heading", name="Returned: 2 files, not checked yet")).to_be_visible(timeout=4000)
    assert seen.polls[0] == "poll=2"
    asked = len(seen.polls)
    page.wait_for_timeout(2500)
    assert len(seen.polls) == asked


def test_an_operators_token_goes_out_once_and_stays_nowhere(page: Page, seen: Seen) -> None:
    """One request carries the Bearer from the exact origin; afterwards the page has no trace of it."""
    page.goto("/show/operator/waiting")
    page.get_by_label("Operator token").fill(OPERATOR_TOKEN)
    page.get_by_role("button", name="Move it, once").click()
    expect(page.locator("[data-operator-said]")).to_have_text("Promoted: the branch is at the candidate.")
    expect(page.get_by_label("Operator token")).to_have_value("")
    act = seen.acts[0]
    assert (len(seen.acts), act["operator"], act["body"], act["authorization"]) == (
        1,
        "operator_mira",
        "{}",
        f"Bearer {OPERATOR_TOKEN}",
    )
    assert (act["idempotency-key"], act.get("cookie")) == ("command_01jdz8q3v4m5n6p7q8r9s0t1v3", None)
    kept = page.evaluate(
        "JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href])"
    )
    assert OPERATOR_TOKEN not in kept + page.content()


def test_a_wrong_token_is_refused_in_words(page: Page, seen: Seen) -> None:
    """The server's sentence is shown and nothing was done."""
    page.goto("/show/operator/waiting")
    page.get_by_label("Operator token").fill("z" * 40)
    page.get_by_role("button", name="Move it, once").click()
    said = "No operator token, or one that is unknown, expired or revoked. Nothing moved."
    expect(page.locator("[data-operator-said]")).to_have_text(said)
    assert seen.acts == []


def test_a_lost_answer_is_unknown_not_failed(page: Page) -> None:
    """When no answer comes back the page does not claim to know."""
    page.route("**/execute", lambda route: route.abort())
    page.goto("/show/operator/waiting")
    page.get_by_label("Operator token").fill(OPERATOR_TOKEN)
    page.get_by_role("button", name="Move it, once").click()
    expect(page.locator("[data-operator-said]")).to_contain_text("Whether anything moved is unknown")
    expect(page.get_by_label("Operator token")).to_have_value("")


def test_the_answer_is_said_when_the_form_was_renewed_before_it_came(page: Page) -> None:
    """The ledger moves before the answer is there, so the part with the form is read again; the answer has its place."""

    def later(route: Route) -> None:
        page.evaluate("() => document.getElementById('operator-moves').replaceChildren()")
        route.continue_()

    page.route("**/execute", later)
    page.goto("/show/operator/waiting")
    page.get_by_label("Operator token").fill(OPERATOR_TOKEN)
    page.get_by_role("button", name="Move it, once").click()
    expect(page.locator("[data-operator-said]")).to_have_text("Promoted: the branch is at the candidate.")


def test_without_a_script_the_command_is_shown(browser: Browser, server: tuple[str, Seen]) -> None:
    """No field takes a token then; the exact command stands there instead."""
    context = browser.new_context(base_url=server[0], java_script_enabled=False)
    page = context.new_page()
    page.goto("/show/operator/waiting")
    assert page.locator("input[type=password]").first.is_hidden()
    command = page.get_by_text("odeu promotion execute promotion_01jdz8q3v4m5n6p7q8r9s0t1v2")
    assert command.is_visible()
    context.close()


@pytest.mark.parametrize("width", [1440, 390, 320])
@pytest.mark.parametrize(
    "family", ["thread/validated", "thread/choose", "list/threads", "brief/ready", "operator/all"]
)
def test_no_region_leaves_the_viewport(
    browser: Browser, server: tuple[str, Seen], family: str, width: int
) -> None:
    """At every width the page scrolls one way only, with every fold open."""
    context = browser.new_context(base_url=server[0], viewport={"width": width, "height": 900})
    page = context.new_page()
    page.goto(f"/show/{family}")
    page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = !fold.dataset.menu })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
