"""Errors that end a command early, and their output."""

from __future__ import annotations

import sys
from contextlib import suppress

from keepstate_lsp.baselines.baseline import inline

DEBUG = "KEEPSTATE_TRACEBACK"
"""The variable of the environment that asks for tracebacks of internal errors."""


class CommandError(Exception):
    """The command cannot do its task: one sentence for a person, and a remedy."""

    def __init__(self, sentence: str, hint: str | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.hint = hint


class UsageError(CommandError):
    """The command line asks for something that does not exist. ``about`` is the command at fault, as it is typed."""

    def __init__(self, sentence: str, hint: str | None = None, about: str | None = None) -> None:
        super().__init__(sentence, hint)
        self.about = about


class ReaderGone(Exception):
    """The reader of standard output has closed it: there is nothing left to do, and nothing to say."""


def tell(message: str, about: str = "keepstate") -> None:
    """Write one line to standard error, with any characters."""
    line = inline(message)
    if sys.stderr is None:
        return
    encoding = sys.stderr.encoding or "ascii"
    # A terminal that was closed hears nothing any more, and that is no reason to fail otherwise.
    with suppress(OSError):
        sys.stderr.write(f"{about}: {line}\n".encode(encoding, "replace").decode(encoding))
        sys.stderr.flush()
