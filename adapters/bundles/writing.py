"""Writing a bundle: the same head and the same keys give the same bytes."""

import base64
import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from adapters.bundles.form import FORMAT, BundleHead, BundleKey
from kernel.canonical import canonical_bytes
from kernel.errors import InvalidError
from kernel.events.stored import ExportedEvent


def write_bundle(
    path: Path,
    head: BundleHead,
    keys: Iterable[BundleKey],
    *,
    events: Iterable[ExportedEvent],
    checkpoints: Iterable[tuple[int, str]],
) -> str:
    """Write a bundle to a new file, whole or not at all, readable by this user alone; return its SHA-256 line.

    Raises: InvalidError when the file exists or cannot be written.
    """
    total = hashlib.sha256()

    def lines() -> Iterator[bytes]:
        for record in _body(head, keys, events, checkpoints):
            line = canonical_bytes(record) + b"\n"
            total.update(line)
            yield line
        yield canonical_bytes({"record": "end", "sha256": f"sha256:{total.hexdigest()}"}) + b"\n"

    write_atomically(path, lines())
    return f"sha256:{total.hexdigest()}"


def _body(
    head: BundleHead,
    keys: Iterable[BundleKey],
    events: Iterable[ExportedEvent],
    checkpoints: Iterable[tuple[int, str]],
) -> Iterator[dict[str, object]]:
    yield {
        "record": "header",
        "format": FORMAT,
        "installation": head.installation_id,
        "ledger": head.ledger_id,
        "size": head.size,
        "root": head.root,
        "revision": head.revision,
    }
    for key in sorted(keys, key=lambda item: item.key_id):
        yield {
            "record": "key",
            "key_id": key.key_id,
            "role": key.role,
            "public_key": key.public_key,
            "created_at": key.created_at,
            "revoked_at": key.revoked_at,
        }
    yield from _events(events)
    for size, note in checkpoints:
        yield {"record": "checkpoint", "size": size, "note": note}


def _events(events: Iterable[ExportedEvent]) -> Iterator[dict[str, object]]:
    written: set[str] = set()
    for event in events:
        texts = event.texts
        if texts is not None and texts.key_id not in written:
            written.add(texts.key_id)
            yield {"record": "data_key", "id": texts.key_id, "key": _based(texts.key)}
        yield {
            "record": "event",
            "data": event.data.decode("utf-8"),
            "blob": None if texts is None else texts.digest,
            "key_id": None if texts is None else texts.key_id,
            "texts": None if texts is None else _based(texts.ciphertext),
        }


def _based(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def write_atomically(path: Path, parts: Iterable[bytes]) -> None:
    """Write a new file of mode 0600 that has all its bytes, durably, before it has its name.

    Raises: InvalidError when the name is taken or the disk refuses.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.writelines(parts)
                file.flush()
                os.fsync(descriptor)
            path.hardlink_to(draft)
        finally:
            draft.unlink()
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except FileExistsError as error:
        message = f"there is already a file {path}; name another one"
        raise InvalidError(message, code="file_exists") from error
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror}"
        raise InvalidError(message, code="file_unwritable") from error
