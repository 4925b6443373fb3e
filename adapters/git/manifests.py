"""The digests of a candidate: what they are taken over, once, for sealing and verifying alike."""

from typing import Final

from kernel.canonical import canonical_bytes, digest, plain
from kernel.values.work import ManifestEntry

MANIFEST_BYTES_MAX: Final = 256 * 1024
PATCH_BYTES_MAX: Final = 4 * 1024 * 1024
CHANGED_PATHS_MAX: Final = 256


def manifest_bytes(entries: tuple[ManifestEntry, ...]) -> bytes:
    """Return the canonical bytes of a manifest: the list of its entries as they stand."""
    return canonical_bytes([plain(entry) for entry in entries])


def manifest_digest(entries: tuple[ManifestEntry, ...]) -> str:
    """Return `sha256:<hex>` of a manifest."""
    return digest("odeu.manifest.v1", manifest_bytes(entries))


def patch_digest(patch: bytes) -> str:
    """Return `sha256:<hex>` of the exact bytes of a patch."""
    return digest("odeu.patch.v1", patch)
