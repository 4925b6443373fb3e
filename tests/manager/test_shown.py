"""Who is asked is said on the pages and on the command line as it is, before and after a capture."""

from pathlib import Path

import pytest

from kernel.vocabulary import Via
from tests.app.house import house_over
from tests.cli.conftest import call
from tests.manager.shop import Shop, open_shop, outside
from tests.support.model_server import chosen, model_server, offered, wrapped

TEXT = "Compare three shops for varnish"


async def _pages(shop: Shop, *paths: str) -> str:
    house = house_over(shop.studio, shop.project_id)
    async with house.client() as client:
        answers = [await client.get(path) for path in paths]
    assert [answer.status_code for answer in answers] == [200] * len(paths)
    return "\n".join(answer.text for answer in answers)


async def test_a_model_outside_is_named_with_its_host_wherever_words_go_to_it(tmp_path: Path) -> None:
    """The capture box, Settings, doctor, the proposal and the command line name model and host, and what was sent."""
    with model_server() as server:
        host = server.url.removeprefix("http://").removesuffix("/v1")
        server.reply = lambda asked: wrapped(asked, chosen(offered(asked)[0]))
        shop = open_shop(tmp_path / "data", outside(server.url, "chat"))
        done = shop.capture(TEXT)
        base = f"/p/{shop.project_id}"
        shown = await _pages(shop, f"{base}/capture", "/settings", f"{base}/inbox/{done.delta_id}")
        assert f"the text goes to the model wood-1 at {host}, outside this program" in shown
        assert "With it, that model is not asked either: nothing is sent." in shown
        assert f"The model wood-1 at {host}, by chat." in shown
        assert f"Placement by the manager openai/wood-1 at {host}, which was shown 5 shared entries" in shown
        data = tmp_path / "data"
        assert f"openai/wood-1 at {host}, spoken to by chat" in call(data, "doctor").out
        said = call(data, "capture", "--project", "Boat shop", "Hours of the shops")
        assert f"Sent to {host} with 5 shared entries; withheld: 0 private and 1 further shared." in said.out


def test_the_command_line_names_a_project_that_fits_better(tmp_path: Path) -> None:
    """Words said into the wrong project are placed there, and the better one is named with its id."""
    shop = open_shop(tmp_path / "data", "")
    other = shop.studio.projects.open(
        shop.studio.access.caller(shop.studio.world_id, "owner", Via.CLI), "Allotment"
    )
    said = call(tmp_path / "data", "capture", "--project", "Allotment", TEXT)
    assert "“Boat shop” fits these words better (" in said.out
    assert f"Capture them there with --project {shop.project_id}" in said.out
    fitting = call(tmp_path / "data", "capture", "--project", "Boat shop", TEXT)
    assert "fits these words better" not in fitting.out
    assert other not in fitting.out


@pytest.mark.parametrize(
    ("manager", "box", "settings"),
    [
        (
            "",
            "the built-in manager on this machine (rules, no model)",
            "Answers on this machine, by rules and without a model",
        ),
        (
            '[manager]\nkind = "scripted"\nscript = "none.json"\n',
            "nobody: the manager that is configured cannot be asked, as Settings says",
            "It cannot be asked, and nobody else is: there is no readable file at its script",
        ),
    ],
    ids=["local", "broken"],
)
async def test_a_manager_on_this_machine_and_a_broken_one_are_said_as_they_are(
    tmp_path: Path, manager: str, box: str, settings: str
) -> None:
    """Nothing is promised that does not happen."""
    shop = open_shop(tmp_path / "data", manager)
    shown = await _pages(shop, f"/p/{shop.project_id}/capture", "/settings")
    assert (box in shown, settings in shown) == (True, True)
    assert "nothing is sent" not in shown
