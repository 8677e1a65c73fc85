"""Time limits for git in one repository."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from keepstate_lsp.baselines.git.conversation import Child
from keepstate_lsp.baselines.git.failures import GitFailure, GitStalled

VARIABLE = "KEEPSTATE_GIT_SECONDS"
"""The variable of the environment that sets the bound, for an editor and for commands."""
EDITOR_SECONDS = 10.0
COMMAND_SECONDS = 120.0
"""For a command, behind which there is no person who types: a build machine may be slow."""


class Patience:
    """A bound to each answer, and a pause after one that did not come: what hangs once is not waited for again by each
    of a thousand files.
    """

    def __init__(self, seconds: float, pause: float) -> None:
        self.seconds = seconds
        self._pause = pause
        self._resumes = -math.inf
        self._stalled = ""

    @staticmethod
    def of_command() -> Patience:
        """The limit for one run of a command: a repository that did not answer is not asked again.

        Raises:
            GitFailure: the environment sets no bound that could be kept.
        """
        return Patience(bound(COMMAND_SECONDS), math.inf)

    @staticmethod
    def of_editor() -> Patience:
        """For a server that lives for days: git is asked again after a pause.

        Raises:
            GitFailure: as for a command.
        """
        seconds = bound(EDITOR_SECONDS)
        return Patience(seconds, seconds)

    def begin(self) -> None:
        """Raises ``GitStalled`` during a pause."""
        if time.monotonic() < self._resumes:
            raise GitStalled(self._stalled)

    @contextmanager
    def bounded(self, child: Child) -> Iterator[None]:
        """A block that waits for a process, no longer than the bound.

        Raises:
            GitStalled: it did not answer in time.
        """
        try:
            with child.awaited(self.seconds):
                yield
        except GitStalled as stalled:
            self._stalled, self._resumes = stalled.message, time.monotonic() + self._pause
            raise


def bound(usual: float) -> float:
    """Seconds that an answer of git may take: from the environment, else ``usual``.

    >>> bound(30.0)
    30.0

    Raises:
        GitFailure: the environment says something else than a number of seconds.
    """
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return usual
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise GitFailure(f"{VARIABLE} has to be a number of seconds above 0, not {text!r}")
    return seconds
