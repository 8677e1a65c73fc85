"""``keepstate completion``: the completions of this command line as a script for a shell."""

from __future__ import annotations

import argparse

from keepstate_lsp.cli.commands.completion.completed_values import complete_values
from keepstate_lsp.cli.parser import COMMANDS, parser_with
from keepstate_lsp.cli.result.exit_status import FINE
from keepstate_lsp.cli.terminal.output import Output

SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help="bash, zsh or fish")


def run(arguments: argparse.Namespace) -> int:
    with Output() as output:
        output.write_text(completion_script(arguments.shell))
    return FINE


def completion_script(shell: str) -> str:
    """The script, made from the parser of all commands as they are now."""
    # Imported here: no other command needs it.
    import shtab

    parser = parser_with(*COMMANDS)
    complete_values(parser)
    return f"{shtab.complete(parser, shell).rstrip()}\n"
