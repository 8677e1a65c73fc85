"""``keepstate cutover`` as a process beside the server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from keepstate_lsp.analysis.cutovers.cutover_request import CutoverRequest
from keepstate_lsp.analysis.runs.command_process import CommandProcess, RunFailed
from keepstate_lsp.files.plan_folders import DOCUMENT, PAGE
from keepstate_lsp.reporting.cutover_folder import FolderRefused, write_plan

KIND = "planning"
_NOT_NEEDED = "restart"


@dataclass(frozen=True)
class CutoverResult:
    """A plan in one sentence. ``page`` is ``None`` where the job keeps its state: then nothing is written."""

    sentence: str
    approach: str
    is_exact: bool
    page: Path | None


class CutoverProcess(CommandProcess[CutoverResult]):
    """One plan. The command writes into a folder of the server: the folder beside the job gets a whole plan or none."""

    kind = KIND

    def __init__(self, request: CutoverRequest, folder: Path) -> None:
        super().__init__(request.run, folder)
        self._cutover = request

    def _arguments(self) -> Sequence[str]:
        request = self._cutover
        # Both paths are relative: the command works in a folder of the server, and its page shows them as they are.
        return (
            *("cutover", request.file, f"--output={request.output}", "--format=json"),
            *(() if request.at is None else (f"--at={request.at}",)),
            *(() if request.platform is None else (f"--platform={request.platform}",)),
        )

    def _result(self, lines: Sequence[str]) -> CutoverResult:
        output = self.folder / self._cutover.output
        document = json.loads((output / DOCUMENT).read_text("utf-8"))
        sentence, approach, is_exact = document["sentence"], document["approach"], document["exact"]
        if approach == _NOT_NEEDED:
            return CutoverResult(sentence, approach, is_exact, None)
        folder = self._cutover.folder
        try:
            write_plan(folder, {file.name: file.read_bytes() for file in sorted(output.iterdir())})
        except FolderRefused as refused:
            raise RunFailed(refused.sentence) from refused
        return CutoverResult(f"{sentence} The plan is in {self._cutover.output}.", approach, is_exact, folder / PAGE)
