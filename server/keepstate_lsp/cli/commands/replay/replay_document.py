"""A replay as JSON, for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from keepstate.report import Report
from keepstate_lsp.version import VERSION
from keepstate_spark.replay.replaying import QueryReplay

DOCUMENT_VERSION = 1


@dataclass(frozen=True)
class Replay:
    """The result of a replay of one file. ``restart_at`` is as the user wrote it, ``arrivals`` columns by tables."""

    file: str
    baseline: str
    restart_at: str
    arrivals: Mapping[str, str]
    report: Report
    queries: Sequence[QueryReplay]
    command: str = ""
    """The command line, to run the replay again."""


def replay_document(replay: Replay) -> dict[str, Any]:
    """The document of ``--format json`` and of ``summary.json``."""
    return {
        "version": DOCUMENT_VERSION,
        "tool": {"name": "keepstate", "version": VERSION},
        "file": replay.file,
        "baseline": replay.baseline,
        "restart_at": replay.restart_at,
        "arrivals": dict(replay.arrivals),
        "engine": replay.report.engine,
        "verdict": replay.report.verdict.value,
        "effect": replay.report.effect.value,
        "queries": [_query(query) for query in replay.queries],
    }


def _query(replay: QueryReplay) -> dict[str, Any]:
    restart, summary = replay.restart, replay.rows_at_restart
    return {
        "number": replay.query.number,
        "name": replay.query.name,
        "zone": replay.query.zone,
        "verdict": restart.verdict.value,
        "effect": restart.effect.value,
        "state": restart.use.value,
        "lost_with_job": restart.with_job,
        "findings": [{"rule": finding.rule, "message": finding.message} for finding in restart.findings],
        "skipped": replay.skipped or None,
        "rows": None if summary is None else plain(asdict(summary)),
        "claim": None if replay.claim is None else plain(asdict(replay.claim)),
        "witness": None if replay.witness is None else plain(asdict(replay.witness)),
        "heals": replay.recovers,
        "time_to_live": replay.time_to_live or None,
        "figures": None if replay.figures is None else plain(asdict(replay.figures)),
    }


def plain(value: Any) -> Any:
    """``value`` as JSON has it."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    if isinstance(value, datetime):
        return value.isoformat(" ")
    return value.value if isinstance(value, Enum) else value
