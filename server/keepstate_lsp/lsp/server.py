"""Construction and start of the language server."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

from keepstate_lsp.analyzer import Analyzer, KeepstateAnalyzer
from keepstate_lsp.baselines.git.conversation import end_all
from keepstate_lsp.lsp import handlers
from keepstate_lsp.lsp.language_server import KeepstateServer
from keepstate_lsp.lsp.session import POLL_SECONDS


def language_server(
    analyzer: Analyzer, cache: Path | None = None, poll_seconds: float = POLL_SECONDS
) -> KeepstateServer:
    """A server with all its handlers; ``cache`` is the folder for files that it shows."""
    server = KeepstateServer(analyzer, cache, poll_seconds)
    handlers.register(server)
    return server


def main(tcp_port: int | None = None) -> int:
    """Serve one client on standard input and output, or on a loopback port; the exit status that LSP asks for."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(name)s: %(message)s")
    # pygls logs the errors that its error hook gets as well; the hook reports them to the client.
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    if tcp_port is not None:
        # Says on stderr when it listens.
        logging.getLogger(KeepstateServer.__module__).setLevel(logging.INFO)
    return serve(language_server(KeepstateAnalyzer()), tcp_port)


def serve(server: KeepstateServer, tcp_port: int | None = None) -> int:
    """Let a server serve its one client; the exit status of the process, which ends then."""
    try:
        if tcp_port is None:
            server.start_io()
        else:
            server.start_tcp("127.0.0.1", tcp_port)
    finally:
        end_all(for_good=True)
        server.clean_up()
    return server.exit_status
