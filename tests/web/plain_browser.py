"""A browser without scripts over the whole server in memory: it follows links, sends forms and keeps cookies.

What it sends is only what stands in the page: the hidden fields of the form, the ticked choices, what was typed.
"""

from dataclasses import dataclass, field
from typing import Final

import httpx2

from app.main import create_app
from app.services.studio import Studio
from app.web.origin import public_origin
from tests.web.gallery import Element, Reader

HEADERS: Final = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}


@dataclass
class PlainBrowser:
    """One signed-in person's browser."""

    studio: Studio
    person_id: str = "owner"
    status: int = 0
    address: str = ""
    html: str = ""
    page: Reader = field(default_factory=lambda: Reader(""))
    """The elements of the page."""
    cookies: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._app = create_app(self.studio)
        self.origin = public_origin(self.studio.settings.origin).origin

    async def send(self, method: str, path: str, fields: dict[str, str] | None = None) -> None:
        """Send one request and follow where it leads, as a browser does."""
        transport = httpx2.ASGITransport(app=self._app)
        async with httpx2.AsyncClient(
            transport=transport, base_url=self.origin, cookies=self.cookies
        ) as client:
            headers = {**HEADERS, "Origin": self.origin}
            answer = await client.request(method, path, data=fields, headers=headers, follow_redirects=True)
            self.cookies = dict(client.cookies)
        self.status, self.html, self.page = answer.status_code, answer.text, Reader(answer.text)
        self.address = answer.url.raw_path.decode()

    async def open(self, path: str) -> "PlainBrowser":
        """Open an address."""
        await self.send("GET", path)
        return self

    async def sign_in(self) -> "PlainBrowser":
        """Spend a fresh one-time link."""
        issued = self.studio.directory.issue_link(self.person_id, self.studio.clock.now())
        await self.open(f"/signin?link={issued.secret}")
        await self.press("/signin")
        return self

    @property
    def text(self) -> str:
        """Everything the page says, in one line."""
        return " ".join(" ".join(element.text for element in self.page.elements).split())

    def form(self, action: str) -> Element:
        """Return the form whose address ends so. Fails when there is none or it cannot be sent."""
        found = [
            item
            for item in self.page.elements
            if item.tag == "form" and item.attributes.get("action", "").endswith(action)
        ]
        assert found, f"no form {action} on {self.address}: {self.actions}"
        return found[0]

    @property
    def actions(self) -> list[str]:
        """The last parts of the addresses of the main column's forms whose button can be pressed."""
        forms = [
            item.within("form")
            for item in self.page.elements
            if item.tag == "button" and "disabled" not in item.attributes and item.within("main")
        ]
        actions = [form.attributes.get("action", "") for form in forms if form is not None]
        return [action.rsplit("/", 1)[-1] for action in actions if action]

    async def press(self, action: str, **typed: str) -> "PlainBrowser":
        """Send a form as it stands in the page, with what is typed here."""
        form = self.form(action)
        fields = self.fields(form)
        await self.send("POST", form.attributes["action"], {**fields, **typed})
        return self

    def fields(self, form: Element) -> dict[str, str]:
        """Return what a form would send: its own fields and those that name it, choices only when chosen."""
        form_id = form.attributes.get("id", "")
        sent = {}
        for item in self.page.elements:
            name = item.attributes.get("name")
            is_mine = item.within("form") is form or (form_id and item.attributes.get("form") == form_id)
            if item.tag not in {"input", "textarea"} or not name or not is_mine:
                continue
            is_choice = item.attributes.get("type") in {"radio", "checkbox"}
            if not is_choice or "checked" in item.attributes:
                sent[name] = item.text if item.tag == "textarea" else item.attributes.get("value", "")
        return sent
