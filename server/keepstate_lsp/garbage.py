"""When the garbage collector works: best while nobody types.

Trees refer to themselves in circles, so what a keystroke replaces has to be looked for. A full collection goes through
all objects at once, which takes milliseconds for ten thousand of them, and everything else stands still.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_THRESHOLDS = (700, 10, 3)
"""Full collections come three times as often as usual: several short pauses instead of one that can be felt. The rule
that they wait for a quarter of the objects to be new holds all the same.
"""


@contextmanager
def permanent() -> Iterator[None]:
    """What is made within lives as long as the process: nothing is collected meanwhile, or looked at again later.

    Imports make a few hundred thousand objects. Looking through these again and again took an eighth of the time from
    start to the answer to ``initialize``; later every full collection would go through them once more.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.set_threshold(*_THRESHOLDS)
        gc.enable()


def collect() -> None:
    """Collect all there is, unless there is hardly any."""
    if gc.get_count()[2]:
        gc.collect()
