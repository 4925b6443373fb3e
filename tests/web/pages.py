"""Reads the real pages as a person without scripts does: forms with their fields, links, and what is said."""

from dataclasses import dataclass
from typing import Final

import httpx2

from tests.web.gallery import Element, Reader

HTML: Final = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}


@dataclass(frozen=True, slots=True)
class Page:
    """One answer, read."""

    status: int
    path: str
    text: str
    reader: Reader

    def form(self, action_end: str) -> dict[str, str]:
        """Return what the form whose action ends like this would send as it stands; its action under `action`."""
        form = next(item for item in self._all("form") if item.attributes["action"].endswith(action_end))
        name = form.attributes.get("id", "")
        fields = {"action": form.attributes["action"]}
        for element in self.reader.elements:
            inside = element.within("form") is form or (name and element.attributes.get("form") == name)
            if inside and "name" in element.attributes:
                fields |= _field(element)
        for option in self._all("option"):
            select = option.within("select")
            if select is not None and select.within("form") is form and "selected" in option.attributes:
                fields[select.attributes["name"]] = option.attributes["value"]
        return fields

    def hrefs(self) -> set[str]:
        """Return where the page's links lead."""
        return {item.attributes["href"] for item in self._all("a")}

    def actions(self) -> set[str]:
        """Return where the page's writing forms are sent, but for signing out."""
        forms = (item for item in self._all("form") if item.attributes.get("method") == "post")
        return {item.attributes["action"] for item in forms} - {"/signout"}

    def alerts(self) -> list[str]:
        """Return the words of every refusal on the page."""
        alerts = [item for item in self.reader.elements if item.attributes.get("role") == "alert"]
        return [" ".join(part.text.strip() for part in self._under(alert)).strip() for alert in alerts]

    def _all(self, tag: str) -> list[Element]:
        return [item for item in self.reader.elements if item.tag == tag]

    def _under(self, above: Element) -> list[Element]:
        return [item for item in self.reader.elements if _is_within(item, above) and item.text.strip()]


def _is_within(element: Element, above: Element) -> bool:
    step: Element | None = element
    while step is not None:
        if step is above:
            return True
        step = step.parent
    return False


def _field(element: Element) -> dict[str, str]:
    attributes = element.attributes
    if attributes.get("type") in {"radio", "checkbox"} and "checked" not in attributes:
        return {}
    if element.tag == "textarea":
        return {attributes["name"]: element.text}
    if element.tag == "input":
        return {attributes["name"]: attributes.get("value", "")}
    return {}


def read(response: httpx2.Response) -> Page:
    """Return the page of a response, and insist that its markup is whole."""
    reader = Reader(response.text)
    assert reader.faults == []
    return Page(response.status_code, str(response.url.raw_path, "ascii"), response.text, reader)


async def visit(client: httpx2.AsyncClient, path: str) -> Page:
    """Open an address and follow where it leads."""
    return read(await client.get(path, headers=HTML, follow_redirects=True))


async def send(client: httpx2.AsyncClient, form: dict[str, str], **typed: str) -> Page:
    """Send a form with these fields changed, as a browser without scripts does, and follow where it leads."""
    fields = {name: value for name, value in form.items() if name != "action"} | typed
    return read(await client.post(form["action"], data=fields, headers=HTML, follow_redirects=True))
