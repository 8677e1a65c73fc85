"""The variables of the nightly run, and of the share of a day.

With ``KEEPSTATE_NIGHT=1`` tests are large, start all programs, and all of them run. Otherwise long modules of the
second tier run a share of their tests (tiers.py), which goes on with the day of the last commit: the same commit always
runs the same tests, and the commits of eight days run all. ``KEEPSTATE_DAY`` names another day.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

IS_NIGHT = os.environ.get("KEEPSTATE_NIGHT") == "1"
_DAY = "KEEPSTATE_DAY"
_SECONDS = 86_400


def by_night(large: T, otherwise: T) -> T:
    """The size of a test: a ``large`` one each night, and a smaller one for each change."""
    return large if IS_NIGHT else otherwise


def day_of_the_share() -> int:
    """The day, counted from 1970, whose share runs: that of the last commit, or 0 without git.

    All workers get the one of the process that started them.
    """
    if _DAY not in os.environ:
        os.environ[_DAY] = str(_day_of_the_commit())
    return int(os.environ[_DAY])


def _day_of_the_commit() -> int:
    git = shutil.which("git")
    if git is None:
        return 0
    command = [git, "log", "-1", "--format=%ct"]
    done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    # A source without a repository has no commit.
    return int(done.stdout.strip() or 0) // _SECONDS
