"""The variable of the nightly run: with ``KEEPSTATE_NIGHT=1`` tests are large, and start all programs."""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")

IS_NIGHT = os.environ.get("KEEPSTATE_NIGHT") == "1"


def by_night(large: T, otherwise: T) -> T:
    """The size of a test: a ``large`` one each night, and a smaller one for each change."""
    return large if IS_NIGHT else otherwise
