"""How a golden file looks: the exact bytes of one event, and what opens its words."""

import json
from pathlib import Path
from typing import Any

from kernel.events.envelope import Event, event_bytes, openings_of
from kernel.values.words import Opening

FOLDER = Path(__file__).parent
"""Where golden files live, one per wire name."""


def golden_text(event: Event) -> str:
    """Return the content of an event's golden file."""
    openings = openings_of(event)
    content = {
        "bytes": event_bytes(event).decode("utf-8"),
        "openings": [
            {"commitment": name, "salt": openings[name].salt.hex(), "text": openings[name].text}
            for name in sorted(openings)
        ],
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def path_of(event_type: str) -> Path:
    """Return where the golden file of an event type lies."""
    return FOLDER / f"{event_type}.json"


def read_golden(path: Path) -> tuple[bytes, dict[str, Opening]]:
    """Return the bytes and the openings of a golden file."""
    content: dict[str, Any] = json.loads(path.read_text("utf-8"))
    openings = {
        item["commitment"]: Opening(bytes.fromhex(item["salt"]), item["text"]) for item in content["openings"]
    }
    return content["bytes"].encode("utf-8"), openings
