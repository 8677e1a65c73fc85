"""``keepstate replay`` as a process beside the server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from keepstate_lsp.analysis.replays.replay_request import ReplayRequest
from keepstate_lsp.analysis.replays.replay_results import ReplayResult
from keepstate_lsp.analysis.runs.command_process import CommandProcess

KIND = "replay"
_REPORT = "report"


class ReplayProcess(CommandProcess[ReplayResult]):
    """One replay. Its report stays."""

    kind = KIND
    stays = _REPORT

    def __init__(self, request: ReplayRequest, folder: Path) -> None:
        super().__init__(request.run, folder)
        self._replay = request

    def _arguments(self) -> Sequence[str]:
        request = self._replay
        return (
            *("replay", str(request.run.path)),
            *(f"--output={self.folder / _REPORT}", "--format=json", "--local-only"),
            f"--restart-at={request.restart_at}",
            *(f"--data={table}={path}" for table, path in request.data.items()),
            *(f"--arrival={table}={column}" for table, column in request.arrival.items()),
        )

    def _result(self, lines: Sequence[str]) -> ReplayResult:
        report = self.folder / _REPORT
        summary = json.loads((report / "summary.json").read_text("utf-8"))
        return ReplayResult.of(summary, self._replay.run.identity, tuple(lines), report)
