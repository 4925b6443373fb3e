"""The kernel's size limits, stated once. Sizes in UTF-8 bytes unless the name says otherwise."""

from typing import Final

TITLE_CHARS_MAX: Final = 300
DESCRIPTION_BYTES_MAX: Final = 64 * 1024
SOURCE_BYTES_MAX: Final = 1024 * 1024
REASON_BYTES_MAX: Final = 8 * 1024
EXCHANGE_BYTES_MAX: Final = 4 * 1024 * 1024
OPERATIONS_MAX: Final = 12_000
ALTERNATIVES_MAX: Final = 3
CORRECTIONS_MAX: Final = 16
"""How many corrections a remand may require."""
PARTS_MIN: Final = 2
PARTS_MAX: Final = 8
"""Into how many proposals one placement may be split."""
DEPTH_MAX: Final = 64
"""How deep a node may lie under the root."""
PROGRESS_LINES_MAX: Final = 64
PROGRESS_BYTES_MAX: Final = 2 * 1024
CLAIMS_MAX: Final = 64
OBSERVATIONS_MAX: Final = 64
START_WINDOW_S_MAX: Final = 600
"""How long an authorised run may wait for a worker, in seconds."""
RESERVATION_S_MAX: Final = 3600
"""How long an authorised promotion reserves the head, in seconds."""
BRIEF_NODES_MAX: Final = 60
"""How many nodes a brief shares at most."""
