"""What was copied from others is what SOURCES.md says it is."""

import hashlib
import re

from tests.web.gallery import ROOT

VENDOR = ROOT / "static" / "vendor"


def test_every_vendored_script_is_the_recorded_one() -> None:
    """Each script has one row with its digest, and each row has its script and licence."""
    rows = re.findall(
        r"^\| `([^`]+)` .*\(`([^`]+)`\) \| `([0-9a-f]{64})` \|$",
        (VENDOR / "SOURCES.md").read_text(),
        re.MULTILINE,
    )
    recorded = {(name, digest) for name, _, digest in rows}
    there = {(path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in VENDOR.glob("*.js")}
    assert recorded == there
    assert [licence for _, licence, _ in rows if not (VENDOR / licence).is_file()] == []
