"""When the garbage collector works: best while nobody types.

What a keystroke replaces is gone at once: no tree, plan or statement refers to itself. Only what libraries and
exceptions leave in circles has to be looked for, and that is little. A full collection goes through all objects at
once, which takes milliseconds for ten thousand of them, and everything else stands still.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_THRESHOLDS = (700, 10, 1000)
"""A hundred times fewer full collections than usual: those while nobody types do, but for someone who never rests."""
_WORTH_IT = 20
"""So many collections of younger objects (of some 7,000 each) make a full one worth its while."""


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
    if gc.get_count()[2] >= _WORTH_IT:
        gc.collect()
