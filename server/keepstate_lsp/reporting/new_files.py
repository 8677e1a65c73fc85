"""The paths of the files that a fix makes beside the one that it edits."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from keepstate.reporting.new_names import name_beside


def free_path_beside(path: Path, suffix: str) -> Path:
    """A path in the same folder where no file lies yet.

    >>> free_path_beside(Path("/no-such-folder/a.sql"), "_sold").name
    'a_sold.sql'
    """
    for number in count(1):
        candidate = path.with_name(name_beside(path.name, suffix if number == 1 else f"{suffix}_{number}"))
        if not candidate.exists():
            return candidate
    raise AssertionError("numbers do not end")
