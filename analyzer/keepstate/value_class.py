"""Classes of values, of which an analysis makes very many.

``@dataclass(frozen=True)`` keeps a value from being changed twice: mypy does, and so does each value while a program
runs. The latter makes a value by one call for each of its fields, and took a seventh of a check of new texts. So
classes of values are frozen for mypy, and while a program runs in Python's development mode (``python -X dev``) alone.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

__all__ = ["value_class"]

if TYPE_CHECKING:
    from dataclasses import dataclass as value_class
else:
    from dataclasses import dataclass

    def value_class(*, frozen, eq=True, **options):
        """Make a dataclass of a class, as ``@dataclass(frozen=True)`` does.

        >>> @value_class(frozen=True)
        ... class Price:
        ...     amount: int
        >>> Price(5) == Price(5), len({Price(5), Price(5)})
        (True, 1)
        """
        assert frozen

        def made(kind):
            # What a class or its base says about its hash stays, as it does for a frozen dataclass.
            hashed = eq and vars(kind).get("__hash__") is None
            return dataclass(eq=eq, frozen=False, unsafe_hash=hashed, **options)(kind)

        return dataclass(eq=eq, frozen=True, **options) if sys.flags.dev_mode else made
