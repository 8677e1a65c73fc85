"""Failures of git: it is missing, it stalls, or it ends with an error."""

from __future__ import annotations


class GitFailure(Exception):
    """git ended with an error. ``message`` is its message, ``status`` its exit status, ``output`` its output before."""

    def __init__(self, message: str, status: int = 1, output: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.output = output

    @property
    def sentence(self) -> str:
        """The failure as the end of a command: ``git failed: index file corrupt``, for example."""
        return f"git failed: {self.message}."


class GitMissing(GitFailure):
    """There is no git, or it cannot be started."""

    @property
    def sentence(self) -> str:
        """The message, which has the remedy."""
        return f"{self.message}."


class GitStrange(GitFailure):
    """The program answered as git never does. The message is a sentence."""


class GitStalled(GitFailure):
    """git did not answer in time."""


class DamagedObject(GitFailure):
    """An object of the repository is missing, or does not have its hash. The message is a sentence."""


class Ambiguous(GitFailure):
    """A name stands for several commits. The message is a sentence."""
