"""Tiers of the tests, and which tests a worker takes together. All of it is said here.

`make test` runs the first tier: what a change can break, in a few minutes on two cores, with no download but packages.
`make test-all` also runs what bears the marker `full`. `pytest PATH` runs whatever lies there, of both.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

FULL: dict[str, str] = {}
"""Folders, modules and tests of the second tier, below tests/, each with the reason."""
FIRST: frozenset[str] = frozenset()
"""Modules and tests in them that are of the first tier all the same."""
TOGETHER: dict[str, str] = {}
"""Modules and tests that one worker of pytest-xdist takes one after the other, each with the name of the group."""


def is_full(test: str) -> bool:
    """Tell the tier of a test by its id below tests/, as ``cli/test_gate.py::test_x[a]``: the longest name decides."""
    full, first = _longest(FULL, test), _longest(FIRST, test)
    return len(full) > len(first)


def group_of(test: str) -> str | None:
    """The group that a test belongs to, if any."""
    name = _longest(TOGETHER, test)
    return TOGETHER[name] if name else None


def _longest(names: Iterable[str], test: str) -> str:
    return max((name for name in names if _holds(name, test)), key=len, default="")


def _holds(name: str, test: str) -> bool:
    if "::" in name:
        return test == name or test.startswith((f"{name}[", f"{name}::"))
    return PurePosixPath(test.partition("::")[0]).is_relative_to(name)
