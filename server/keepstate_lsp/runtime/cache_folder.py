"""The folder for files that programs can make again."""

from __future__ import annotations

import os
import sys
from pathlib import Path

CODE = "code"
"""The part of the cache folder in which compiled methods lie."""


def cache_folder() -> Path:
    """The user's folder for files that programs can make again.

    >>> cache_folder().name
    'keepstate'
    """
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "keepstate"
