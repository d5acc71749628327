"""Python's search for cycles of dead objects, held off while thousands of values are made."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Look for no cycles: facts have none, and looking takes a seventh of the time to load them.

    Afterwards what was made counts as old, or the next search would go through all of it at once.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.freeze()
            gc.unfreeze()
            gc.enable()
