"""The folder for files that programs can make again."""

from __future__ import annotations

import os
import sys
from pathlib import Path

CODE = "code"
"""The part of the cache folder in which compiled methods lie."""


_SPARK = "spark"
"""The part of it in which archives of Spark's classes lie."""


def archive_folder() -> Path | None:
    """The folder for archives of Java's classes; ``None`` for a user without a home."""
    try:
        return cache_folder() / _SPARK
    except RuntimeError:
        return None


def cache_folder() -> Path:
    """The user's folder for files that programs can make again."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "keepstate"
