"""Nothing in the tree names a package registry's host or a folder of one machine.

Danger: a lock file or script that names a host stops working behind another mirror, and tells strangers about
the machine it was made on; an absolute home folder works for one person.
Cure:   pin by hash and leave the host to the installer's own settings; build paths from the root or ODEU_DATA.
Skip:   lint: allow no-hosts - reason
"""

import re
from collections.abc import Iterator
from typing import Final

from tests.lint.rule import Fault, Rule, Source

_DOT: Final = r"\."
_HOSTS: Final = re.compile(
    "|".join(
        _DOT.join(parts)
        for parts in (
            ("pypi", "org"),
            ("pythonhosted", "org"),
            ("registry", "npmjs", "org"),
            ("registry", "yarnpkg", "com"),
            ("proxy", "golang", "org"),
            ("static", "crates", "io"),
        )
    )
    + r"|--(?:extra-)?index-url|https?://[^\s\"'<>]+/simple/"
)
_BEFORE: Final = r"(?:^|[\s\"'`=(:,\[])"
_MACHINE_PATH: Final = re.compile(
    _BEFORE + r"(?P<path>/(?:work|farm|root|home|Users)/[A-Za-z.])", re.MULTILINE
)


def find(source: Source) -> Iterator[Fault]:
    """Yield each line that names a registry or a folder of one machine."""
    for number, line in enumerate(source.text.splitlines(), start=1):
        if _HOSTS.search(line):
            yield Fault(number, "names a package registry; leave the host to the installer's settings")
        if _MACHINE_PATH.search(line):
            yield Fault(number, "names a folder of one machine; build the path from the root or ODEU_DATA")


RULE: Final = Rule(name="no-hosts", applies=lambda _path: True, find=find)
