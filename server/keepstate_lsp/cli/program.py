"""The command line as a program: finds the command, runs it, and turns all that goes wrong into one sentence."""

from __future__ import annotations

import argparse
import os
import sys
import threading
from collections.abc import Sequence
from contextlib import nullcontext, suppress

from keepstate_lsp.baselines.git.conversation import end_all_at_signals
from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.baselines.git.starts import plain_starts
from keepstate_lsp.cli.errors import DEBUG, CommandError, ReaderGone, UsageError, tell
from keepstate_lsp.cli.parser import COMMANDS, help_of, parsed
from keepstate_lsp.cli.result.exit_status import NOT_COMPARED
from keepstate_lsp.config.acceptance_file import AcceptanceFileError
from keepstate_lsp.config.file import ConfigurationError

_PLAIN = frozenset({"check", "diff", "history", "plan", "validate"})
"""The commands that are over sooner than GitPython is imported."""
_KEPT_WARM = frozenset({"replay", "run"})
"""The commands that a warm Spark session may answer."""
READER_GONE = 141
"""Exit status after the reader of standard output closed it, as of a program that SIGPIPE ended: git has the same."""


def run(arguments: Sequence[str]) -> int:
    """Run the command line ``arguments`` and answer with the exit status."""
    if threading.current_thread() is threading.main_thread():
        end_all_at_signals()
    try:
        status = _ran(arguments)
    except ReaderGone:
        return READER_GONE
    except UsageError as error:
        return _wrong_usage(error, arguments)
    except CommandError as error:
        return _failed(error.sentence, error.hint)
    except (ConfigurationError, AcceptanceFileError) as error:
        return _failed(str(error))
    except GitFailure as failure:
        return _failed(failure.sentence)
    except KeyboardInterrupt:
        return _failed("Interrupted; the result is not complete.")
    except OSError as error:
        # A disk or a folder that fails on the way to a file: which one, and why, is all that there is to say. An open
        # file that fails has no name here.
        if os.environ.get(DEBUG):
            _print_traceback()
        if error.filename is None:
            return _failed(f"A file or a pipe cannot be read or written: {error.strerror or error}.")
        return _failed(f"{os.fsdecode(error.filename)} cannot be reached: {error.strerror}.")
    except Exception as error:  # noqa: BLE001 - the last resort: one sentence instead of a traceback
        if _is_for_want_of_threads(error):
            return _failed("This machine starts no more threads for this user or container: see ulimit -u.")
        return _internal(error, arguments)
    return status


def _ran(arguments: Sequence[str]) -> int:
    """Run the command. Return its exit status."""
    if not arguments:
        # Not a success: a script whose variable with the command is empty would be green.
        with suppress(OSError):
            sys.stderr.write(help_of(()))
        return NOT_COMPARED
    try:
        with plain_starts() if arguments[0] in _PLAIN else nullcontext():
            options = parsed(arguments)
            warm = _status_of_warm_run(options, arguments) if arguments[0] in _KEPT_WARM else None
            status: int = options.run(options) if warm is None else warm
    except SystemExit as end:
        # A help or the version was written.
        return end.code if isinstance(end.code, int) else NOT_COMPARED
    return status


def _status_of_warm_run(options: argparse.Namespace, arguments: Sequence[str]) -> int | None:
    """The exit status of a command that a warm session has run; ``None`` if this process has to run it."""
    from keepstate_lsp.cli.commands.spark.client import status_of_warm_run

    return status_of_warm_run(options, arguments)


def _wrong_usage(error: UsageError, arguments: Sequence[str]) -> int:
    if error.about is not None:
        return _failed(error.sentence, error.hint, error.about)
    command = f"keepstate {next((word for word in arguments if word in COMMANDS), '')}".rstrip()
    # A suggestion is advice enough.
    hint = None if "Did you mean" in error.sentence else f"{command} --help"
    return _failed(error.sentence, error.hint or hint, command)


def _is_for_want_of_threads(error: BaseException) -> bool:
    """Return whether the system started no thread. Python has no class of errors for that: the place tells."""
    if not isinstance(error, RuntimeError):
        return False
    import traceback

    return any(frame.f_code is threading.Thread.start.__code__ for frame, _ in traceback.walk_tb(error.__traceback__))


def _internal(error: Exception, arguments: Sequence[str]) -> int:
    if os.environ.get(DEBUG):
        _print_traceback()
    return _failed(
        f"Internal error ({type(error).__name__}: {error}). This is a fault of Keepstate; please report it "
        f"with the output of {DEBUG}=1 keepstate {' '.join(arguments)}"
    )


def _print_traceback() -> None:
    # Most commands succeed.
    import traceback

    traceback.print_exc()


def _failed(sentence: str, hint: str | None = None, about: str = "keepstate") -> int:
    tell(sentence if hint is None else f"{sentence} Try: {hint}", about)
    return NOT_COMPARED
