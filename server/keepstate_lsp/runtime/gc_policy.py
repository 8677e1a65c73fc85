"""The time of garbage collections: best in a pause of typing.

Objects that a keystroke replaces are freed at once: no tree, plan or statement refers to itself. Only cycles made by
libraries and exceptions need a collection, and these are few. A full collection goes through all objects at once, which
takes milliseconds for ten thousand of them, and everything else stands still.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_THRESHOLDS = (7_000, 3, 330)
"""Ten times fewer collections of young objects than usual: those of a long script are lists of all its queries, which
each of them goes through. The next generation is collected before it is large: a keystroke waits for it, for a third of
the time. And full collections are a hundred times fewer: those in pauses suffice, except for a user who never pauses.
"""
_WORTH_IT = 7
"""So many collections of younger objects (of some 20,000 each) make a full one worth its while."""


@contextmanager
def permanent() -> Iterator[None]:
    """Exempt the objects that are made in the block from garbage collection, during the block and later.

    Imports make a few hundred thousand objects. Collections during imports took an eighth of the time from start to the
    answer to ``initialize``; later every full collection would go through these objects once more.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.set_threshold(*_THRESHOLDS)
        gc.enable()


def collect() -> None:
    """Collect all there is, unless there is hardly any.

    >>> collect()
    """
    if gc.get_count()[2] >= _WORTH_IT:
        gc.collect()
