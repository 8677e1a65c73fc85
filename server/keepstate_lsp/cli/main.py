"""The entry point of ``keepstate``: finds the command, runs it, and turns whatever goes wrong into one sentence."""

from __future__ import annotations

import argparse
import os
import sys
import threading
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from keepstate_lsp.baselines.git.conversation import GitFailure, end_all_at_signals
from keepstate_lsp.cli.errors import DEBUG, CommandError, UsageError, tell
from keepstate_lsp.cli.result.exit_status import NOT_COMPARED
from keepstate_lsp.config.acceptances import AcceptanceFileError
from keepstate_lsp.config.file import ConfigurationError
from keepstate_lsp.version import VERSION

COMMANDS = {
    "check": "compare files of the working tree with their baseline in git",
    "diff": "compare two files, or many pairs; no git needed",
    "explain": "show the page of a rule",
    "explain-error": "explain an exception that Flink threw at a restart from a savepoint",
    "rules": "list all rules with their verdicts",
    "plan": "show the plan and the state of a file as Keepstate sees them",
    "validate": "tell whether files are programs that Flink takes",
    "parse": "list the statements of a file and what cannot be read",
    "baseline": "print the baseline of a file and where it came from",
    "history": "tell what each past change of a job would have meant",
    "init": "propose a keepstate.toml for this repository, with the files of each job",
    "audit": "judge every change of every job in the history of many repositories, on Spark",
    "accept": "let findings stand: enter them in the ledger, with a reason",
    "deployed": "record and show what is deployed where, to compare with",
    "verify": "restart the changed job on a real Flink, from a savepoint of its baseline",
    "replay": "tell what a restart at a given time does to results, on Spark, over files",
    "run": "run the queries of a file on Spark, over files",
    "lsp": "run the language server",
    "config": "show the settings that hold here, and where each comes from",
    "doctor": "show what is found here: git, repository, configuration, versions",
}
"""Command and summary; each command is a module of its name in ``keepstate_lsp.cli.commands``, imported for its run."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line ``arguments`` (default: of this process) and answer with the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if threading.current_thread() is threading.main_thread():
        end_all_at_signals()
    command = next((word for word in arguments if not word.startswith("-")), "")
    try:
        parser = _parser(command)
        parsed = parser.parse_args(arguments)
        if "run" not in parsed:
            parser.error(f"name a command: {', '.join(COMMANDS)}")
        status: int = parsed.run(parsed)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else NOT_COMPARED
    except UsageError as error:
        return _failed(error.sentence, error.hint or f"keepstate {command} --help".replace("  ", " "))
    except CommandError as error:
        return _failed(error.sentence, error.hint)
    except (ConfigurationError, AcceptanceFileError) as error:
        return _failed(str(error))
    except GitFailure as failure:
        return _failed(f"git failed: {failure.message}.")
    except KeyboardInterrupt:
        return _failed("Interrupted; the result is not complete.")
    except OSError as error:
        # A disk or a folder that fails on the way to a file: which one, and why, is all that there is to say. An open
        # file that fails has no name here.
        if os.environ.get(DEBUG):
            traceback.print_exc()
        if error.filename is None:
            return _failed(f"A file or a pipe cannot be read or written: {error.strerror or error}.")
        return _failed(f"{os.fsdecode(error.filename)} cannot be reached: {error.strerror}.")
    except Exception as error:  # noqa: BLE001 - the last resort: one sentence instead of a traceback
        if _is_for_want_of_threads(error):
            return _failed("This machine starts no more threads for this user or container: see ulimit -u.")
        return _internal(error, arguments)
    return status


def _is_for_want_of_threads(error: BaseException) -> bool:
    """Return whether the system started no thread. Python has no class of errors for that: the place tells."""
    if not isinstance(error, RuntimeError):
        return False
    return any(frame.f_code is threading.Thread.start.__code__ for frame, _ in traceback.walk_tb(error.__traceback__))


def _internal(error: Exception, arguments: Sequence[str]) -> int:
    if os.environ.get(DEBUG):
        traceback.print_exc()
    return _failed(
        f"Internal error ({type(error).__name__}: {error}). This is a fault of Keepstate; please report it "
        f"with the output of {DEBUG}=1 keepstate {' '.join(arguments)}"
    )


def _parser(command: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "keepstate",
        description="Tells whether a running Flink SQL job keeps its state when its SQL changes.",
        epilog="Exit status: 0 fine, 1 findings at or above --fail-on, 2 something could not be compared.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"keepstate {VERSION}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, summary in COMMANDS.items():
        subparser = subparsers.add_parser(
            name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.", allow_abbrev=False
        )
        subparser.add_argument("--version", action="version", version=f"keepstate {VERSION}", help=argparse.SUPPRESS)
        if name == command:
            module: Any = import_module(f"keepstate_lsp.cli.commands.{name.replace('-', '_')}")
            module.add_arguments(subparser)
            subparser.set_defaults(run=module.run)
    return parser


def _failed(sentence: str, hint: str | None = None) -> int:
    tell(sentence if hint is None else f"{sentence} Try: {hint}")
    return NOT_COMPARED


if __name__ == "__main__":
    sys.exit(main())
