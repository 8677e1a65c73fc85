"""Requests of an editor to restart a job on a real Flink."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from keepstate import install_words
from keepstate_lsp.analysis.document_analysis import Analysis
from keepstate_lsp.analysis.runs.run_request import (
    RunRefused,
    RunRequest,
    are_missing,
    refusal,
    run_request,
    text_option,
)

# Java is found as for Spark.
_NEEDED = ("keepstate_lsp.cli", "keepstate_flink", "keepstate_spark", "py4j")
_HOW = (
    "A real Flink is reached through packages that are not installed beside this server: "
    f"{install_words('flink')}, and let your editor start that Keepstate."
)


@dataclass(frozen=True)
class VerifyRequest:
    """A rehearsal that can be begun."""

    run: RunRequest
    flink: str | None
    """The version of Flink; ``None`` for that of the job, else the newest."""
    generates: bool
    """It runs on made rows, too."""


def request_of(analysis: Analysis, options: Mapping[str, Any]) -> VerifyRequest:
    """The rehearsal that ``options`` (``flink``, ``generate``) ask for.

    >>> job = analysis("SELECT b, MAX(a) FROM t GROUP BY b", "SELECT b, SUM(a) FROM t GROUP BY b")
    >>> request = request_of(job, {"flink": "2.2", "generate": True})
    >>> request.run.path.name, request.flink, request.generates
    ('job.sql', '2.2', True)

    Raises:
        RunRefused: it cannot be begun.
    """
    if are_missing(_NEEDED):
        raise RunRefused(_HOW)
    # A statement that the engine refuses is no obstacle: the real Flink will say so as well, or not.
    reason = refusal(analysis, "restarted")
    if reason is not None:
        raise RunRefused(reason)
    generates = options.get("generate")
    if generates is not None and not isinstance(generates, bool):
        raise RunRefused("generate must be true or false.")
    return VerifyRequest(run_request(analysis), text_option(options, "flink"), bool(generates))
