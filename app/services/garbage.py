"""Replays make no garbage: a long one is read without searching for any."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collecting_no_garbage() -> Iterator[None]:
    """Replay without the search for cyclic garbage, and leave what was replayed out of every later search.

    A state is made of frozen records that form no cycles, and lives as long as the process. Searching through
    all of it again and again costs more than reading it.
    """
    searched = gc.isenabled()
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        if searched:
            gc.enable()
