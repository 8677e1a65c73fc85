"""The commands that run beside the server."""

from __future__ import annotations

from typing import Any

from keepstate_lsp.analysis.runs.command_process import CommandProcess


class RunningCommands:
    """The commands that run: of a document one of each kind at most."""

    def __init__(self) -> None:
        self._running: dict[tuple[str, str], CommandProcess[Any]] = {}

    def __bool__(self) -> bool:
        return bool(self._running)

    def begin(self, uri: str, process: CommandProcess[Any]) -> bool:
        """Note the process of a document, unless one of its kind runs already; whether none did."""
        return self._running.setdefault((process.kind, uri), process) is process

    def end(self, uri: str, process: CommandProcess[Any]) -> None:
        """Forget a process that has ended."""
        self._running.pop((process.kind, uri), None)

    def cancel(self, kind: str, uri: str) -> bool:
        """End the process of a document; whether there is one."""
        process = self._running.get((kind, uri))
        if process is not None:
            process.cancel()
        return process is not None
