""".env.example, made from the settings class: `python -m tests.lint.settings_doc --write`.

Every setting stands there commented out with its default, so that copying the file changes nothing. Names that the
product reads from the environment without being settings, such as a token for one command, are listed last.
"""

import importlib
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Final, cast

from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings

from tests.lint.tree import ROOT, sources

PAGE: Final = ROOT / ".env.example"

_HEAD: Final = """\
# Every setting, with its default. Made from app/config/settings.py by `make docs`; a test holds the two together.
# Settings are read from the environment. Secrets belong there or in a file of mode 0600, never in this one.
"""

_NOT_SETTINGS: Final = {
    "ODEU_OIDC_CLIENT_SECRET": "The secret that the sign-in provider knows this server by, read when the server starts.",
    "ODEU_OPERATOR_TOKEN": "The operator's token, read by `odeu promotion execute` alone (or give it on standard input).",
    "ODEU_MANAGER_KEY": "The key of the endpoint that `[manager]` in odeu.toml names; goes before its `key_file`.",
}

_NAME: Final = re.compile(r"\bODEU_[A-Z0-9]+(?:_[A-Z0-9]+)*\b")
_LINE: Final = re.compile(r"^#? ?(ODEU_[A-Z0-9_]+)=", re.MULTILINE)


def generated() -> str | None:
    """Return the file as the settings class tells it, or None while there is no such class."""
    settings = _settings_class()
    if settings is None:
        return None
    blocks = [_HEAD]
    prefix = settings.model_config.get("env_prefix", "")
    for key, field in settings.model_fields.items():
        name = str(field.validation_alias or f"{prefix}{key}").upper()
        blocks.append("\n".join(_block(name, field.description or "", _default(field))))
    blocks.extend("\n".join(_block(name, meaning, "")) for name, meaning in _NOT_SETTINGS.items())
    return "\n\n".join(block.rstrip("\n") for block in blocks) + "\n"


def listed() -> frozenset[str]:
    """Return the names that stand in .env.example."""
    return frozenset(_LINE.findall(PAGE.read_text("utf-8")))


def named_in_code() -> frozenset[str]:
    """Return every ODEU_ name that the product's own code spells out."""
    rooms = ("app/", "adapters/", "kernel/")
    texts = (
        source.text for source in sources() if source.path.startswith(rooms) and source.path.endswith(".py")
    )
    return frozenset(name for text in texts for name in _NAME.findall(text))


def _settings_class() -> type[BaseSettings] | None:
    try:
        module = importlib.import_module("app.config.settings")
    except ModuleNotFoundError as error:
        if error.name in {"app.config", "app.config.settings"}:
            return None
        raise
    return cast("type[BaseSettings]", module.Settings)


def _block(name: str, meaning: str, default: str) -> Iterator[str]:
    yield from textwrap.wrap(
        " ".join(meaning.split()), width=108, initial_indent="# ", subsequent_indent="# "
    )
    yield f"# {name}={default}"


def _default(field: FieldInfo) -> str:
    if field.is_required() or field.default_factory is not None or field.default is None:
        return ""
    if isinstance(field.default, Path):
        return field.default.as_posix() if field.default.is_absolute() else f"./{field.default.as_posix()}"
    if isinstance(field.default, bool):
        return "true" if field.default else "false"
    return str(getattr(field.default, "value", field.default))


def main(arguments: list[str]) -> int:
    """Write or print the file; return 1 when there are no settings to write from."""
    text = generated()
    if text is None:
        print("there is no settings class yet", file=sys.stderr)
        return 1
    if "--write" in arguments:
        PAGE.write_text(text, "utf-8")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
