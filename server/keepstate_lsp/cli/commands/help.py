"""``keepstate help``: the help of the program, of a command, or of an action of it."""

from __future__ import annotations

import argparse

from keepstate_lsp.cli.parser import help_of
from keepstate_lsp.cli.result.exit_status import FINE
from keepstate_lsp.cli.terminal.output import Output


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", metavar="COMMAND", nargs="*", help="the command, such as check or deployed mark")


def run(arguments: argparse.Namespace) -> int:
    with Output() as output:
        output.write_text(help_of(arguments.words))
    return FINE
