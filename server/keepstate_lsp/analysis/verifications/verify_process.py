"""``keepstate verify`` as a process beside the server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from keepstate_lsp.analysis.runs.command_process import CommandProcess
from keepstate_lsp.analysis.verifications.verify_request import VerifyRequest
from keepstate_lsp.analysis.verifications.verify_results import VerificationResult

KIND = "rehearsal"
_DOCUMENT = "verification.json"


class VerifyProcess(CommandProcess[VerificationResult]):
    """One rehearsal. Nothing of it stays on disk."""

    kind = KIND

    def __init__(self, request: VerifyRequest, folder: Path) -> None:
        super().__init__(request.run, folder)
        self._verify = request

    def _arguments(self) -> Sequence[str]:
        request = self._verify
        return (
            *("verify", str(request.run.path)),
            *(f"--output={self.folder / _DOCUMENT}", "--format=json"),
            *(() if request.flink is None else (f"--flink={request.flink}",)),
            *(("--generate",) if request.generates else ()),
        )

    def _result(self, lines: Sequence[str]) -> VerificationResult:
        document = json.loads((self.folder / _DOCUMENT).read_text("utf-8"))
        return VerificationResult.of(document, self._verify.run.identity)
