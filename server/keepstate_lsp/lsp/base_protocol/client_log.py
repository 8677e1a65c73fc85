"""The server's log goes to the client (``window/logMessage``), where users look for it."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable

LEVELS = {"off": logging.WARNING, "messages": logging.INFO, "verbose": logging.DEBUG}
"""The setting ``trace`` to the least level that is sent."""

_ROOT = "keepstate_lsp"


class ClientLog(logging.Handler):
    """Sends records to the client; ``send(level, text)`` is called on the event loop only.

    Records from the worker thread are handed over to the loop, since the transport is not for several threads.
    """

    def __init__(self, send: Callable[[int, str], None]) -> None:
        super().__init__()
        self._send = send
        self._loop: asyncio.AbstractEventLoop | None = None
        self.setFormatter(logging.Formatter("%(message)s"))

    def open(self) -> None:
        """Send from now on, from the running event loop."""
        self._loop = asyncio.get_running_loop()
        logger = logging.getLogger(_ROOT)
        logger.addHandler(self)
        logger.propagate = False
        self.trace("off")

    def trace(self, setting: str) -> None:
        logging.getLogger(_ROOT).setLevel(LEVELS[setting])

    def close(self) -> None:
        logging.getLogger(_ROOT).removeHandler(self)
        self._loop = None
        super().close()

    def emit(self, record: logging.LogRecord) -> None:
        loop = self._loop
        if loop is None:
            return
        text = self.format(record)
        try:
            loop.call_soon_threadsafe(self._send, record.levelno, text)
        except RuntimeError:
            # The loop is closed: the client is gone.
            sys.stderr.write(f"{text}\n")
