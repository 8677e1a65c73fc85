"""Replays that were not run: real SQL, with figures made up."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

import keepstate
from jobs import JOB, PARTIAL
from keepstate_lsp.cli.commands.replay.replay_document import Replay
from keepstate_spark.jobs import prepared
from keepstate_spark.replay.replay_figures import (
    CurvePoint,
    KeyFigures,
    MetricFigures,
    PerScenario,
    RecoveryPoint,
    ReplayFigures,
    WrongResult,
)
from keepstate_spark.replay.replaying import QueryReplay
from keepstate_spark.replay.restart_points import RowsAtRestart

RESTART = datetime(2026, 3, 2, 12, 20)
ROWS = RowsAtRestart(
    5000, 4000, RESTART - timedelta(hours=6), RESTART + timedelta(hours=5), RESTART - timedelta(seconds=5)
)


def both(restarted: float | None, without_state: float | None) -> PerScenario:
    return {"restarted": restarted, "without_state": without_state}


def metric(name: str = "largest", wrong: tuple[int, int] = (40, 60), results: int = 80) -> MetricFigures:
    """Half of all that is expected is gone where it is wrong."""
    sizes = [0.5 * number / max(1, results) for number in wrong]
    return MetricFigures(
        metric=name,
        fate="starts empty",
        results=results,
        wrong=both(*wrong),
        missing=both(0, wrong[1] // 2),
        extra=both(0, 0),
        mean_relative=both(*sizes),
        largest_relative=both(*(1.0 if number else 0.0 for number in wrong)),
        expected=1000.0,
        error=both(*(1000 * size for size in sizes)),
    )


def figures(
    metrics: Sequence[MetricFigures] = (metric(),),
    *,
    points: int = 8,
    step: timedelta = timedelta(minutes=5),
    key: str = "region = north",
    value: str | None = "12",
) -> ReplayFigures:
    """Figures of results that come out ``points`` times, the first one a ``step`` after the restart."""
    results = max((one.results for one in metrics), default=0)
    wrong = {world: max((one.wrong[world] for one in metrics), default=0) for world in both(0, 0)}
    times = [RESTART + number * step for number in range(1, points + 1)]
    return ReplayFigures(
        results=results,
        keys=min(results, 5),
        wrong=wrong,
        wrong_keys={world: min(number, 5) for world, number in wrong.items()},
        heals_at={world: times[-1] if number and times else None for world, number in wrong.items()},
        metrics=tuple(metrics),
        curve=tuple(point for one in metrics for point in _curve(one, times)),
        worst={world: (_worst(metrics[0].metric, key, value),) * 12 if wrong[world] else () for world in wrong},
        healing=tuple(
            RecoveryPoint(at, results // points or 1, {world: number // points for world, number in wrong.items()})
            for at in times
        ),
        worst_keys={
            world: tuple(KeyFigures(key, 16, both(8, 12), both(0.3, 0.6)) for _ in range(5)) if wrong[world] else ()
            for world in wrong
        },
    )


def _curve(one: MetricFigures, times: Sequence[datetime]) -> Sequence[CurvePoint]:
    return [
        CurvePoint(
            one.metric,
            at,
            one.results // len(times) or 1,
            {world: one.wrong[world] // len(times) for world in one.wrong},
            one.expected and one.expected / len(times),
            {world: error and error / len(times) * (1 - place / len(times)) for world, error in one.error.items()},
        )
        for place, at in enumerate(times)
    ]


def _worst(name: str, key: str, value: str | None) -> WrongResult:
    start = RESTART - timedelta(minutes=20)
    return WrongResult(
        key, start, start + timedelta(hours=1), name, value, None, None, both_text("differs", "missing"), both(1.0, 1.0)
    )


def both_text(restarted: str, without_state: str) -> PerScenario:
    return {"restarted": restarted, "without_state": without_state}


def replay(
    *found: ReplayFigures | str,
    current: str = PARTIAL,
    baseline: str = JOB,
    file: str = "orders.sql",
    heals: bool = True,
    windowed: bool = True,
    time_to_live: str = "",
    refused: bool = False,
    command: str = "keepstate replay orders.sql",
) -> Replay:
    """A replay of the queries of ``current``, each with its figures, or with the reason why there are none."""
    script = prepared(current, file, Path(), {"orders": "s3a://rows/orders.jsonl"}, {})
    restart = keepstate.analyse(keepstate.JobVersion(current), keepstate.JobVersion(baseline)).restart()
    spans = {script.job.statement_of(query.pipeline).span: query for query in script.queries}
    queries = []
    for one, figure in zip(restart.queries, found, strict=True):
        query = spans[one.span]
        if isinstance(figure, str):
            queries.append(QueryReplay(query, one, skipped=figure, refused=refused))
        else:
            queries.append(QueryReplay(query, one, ROWS, figure, heals, time_to_live, windowed=windowed))
    return Replay(file, "HEAD", f"{RESTART:%Y-%m-%d %H:%M}", {}, restart.report, queries, command)
