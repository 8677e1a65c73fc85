"""``keepstate lsp``: the language server."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tcp", metavar="PORT", type=_port, help="listen on this loopback port instead of standard input and output"
    )
    # Editors add the option by habit; standard input and output are the default.
    parser.add_argument("--stdio", action="store_true", help=argparse.SUPPRESS)


def run(arguments: argparse.Namespace) -> int:
    from keepstate_lsp.lsp.launch import main

    return main(arguments.tcp)


def _port(text: str) -> int:
    port = int(text)
    if not 0 < port < 65536:
        raise argparse.ArgumentTypeError(f"{text} is not a port")
    return port
