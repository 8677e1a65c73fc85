"""Figures of differences that are few enough to be looked at one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from keepstate_spark.replay.replay_figures import (
    KEYS,
    POINTS,
    WORST,
    CurvePoint,
    KeyFigures,
    MetricFigures,
    PerScenario,
    RecoveryPoint,
    ReplayFigures,
    WrongResult,
    curve_step,
    wrong_result,
)
from keepstate_spark.replay.result_differences import AFTERWARDS
from keepstate_spark.replay.scenarios import Scenario

Difference = Mapping[str, Any]
"""A row of the table of differences."""


def figures_of(rows: Sequence[Difference]) -> ReplayFigures:
    """The figures of the differences of one query."""
    results = [_Result.of(group) for _, group in _groups(rows, "key", "window_start", "window_end", "at")]
    metrics = tuple(_metric(name, fate, group) for (name, fate), group in sorted(_groups(rows, "metric", "fate")))
    # Rows of results may be equal; metrics count each of them.
    most = max((metric.results for metric in metrics), default=0)

    def each(of: Callable[[Scenario], Any]) -> PerScenario:
        return {scenario.value: of(scenario) for scenario in AFTERWARDS}

    def wrong(scenario: Scenario) -> int:
        counts = [sum(result.wrong[scenario.value] for result in results)]
        counts += [metric.wrong[scenario.value] for metric in metrics]
        return max(counts)

    moment = _moment(rows)
    return ReplayFigures(
        results=max(len(results), most),
        keys=len({row["key"] for row in rows}),
        wrong=each(wrong),
        wrong_keys=each(lambda scenario: len({row["key"] for row in rows if _is_wrong(row, scenario)})),
        heals_at=each(
            lambda scenario: max(
                (row["at"] for row in rows if _is_wrong(row, scenario) and row["at"] is not None), default=None
            )
        ),
        metrics=metrics,
        curve=tuple(_curve(rows, moment)),
        worst=each(lambda scenario: tuple(_worst(rows, scenario))),
        healing=tuple(_recovery(results, moment)),
        worst_keys=each(lambda scenario: tuple(_worst_keys(results, scenario))),
    )


def _is_wrong(row: Difference, scenario: Scenario) -> bool:
    return bool(row[f"{scenario.value}_change"] != "same")


def _groups(rows: Iterable[Difference], *names: str) -> Iterable[tuple[tuple[Any, ...], list[Difference]]]:
    groups: dict[tuple[Any, ...], list[Difference]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return groups.items()


@dataclass(frozen=True)
class _Result:
    """All metrics of one result. ``relative`` is the sum of their relative errors."""

    key: str
    at: datetime | None
    values: int
    wrong: Mapping[str, bool]
    relative: Mapping[str, float]

    @classmethod
    def of(cls, rows: Sequence[Difference]) -> _Result:
        return cls(
            rows[0]["key"],
            rows[0]["at"],
            len(rows),
            {scenario.value: any(_is_wrong(row, scenario) for row in rows) for scenario in AFTERWARDS},
            {scenario.value: sum(_relative(row, scenario) for row in rows) for scenario in AFTERWARDS},
        )


def _relative(row: Difference, scenario: Scenario) -> float:
    if not _is_wrong(row, scenario):
        return 0.0
    value = row[f"{scenario.value}_relative"]
    return 1.0 if value is None else float(value)


def _numbers(rows: Iterable[Difference], name: str) -> list[float]:
    return [row[name] for row in rows if row[name] is not None]


def _total(numbers: Sequence[float]) -> float | None:
    return sum(numbers) if numbers else None


def _metric(name: str, fate: str, rows: Sequence[Difference]) -> MetricFigures:
    def each(of: Callable[[str], Any]) -> PerScenario:
        return {scenario.value: of(scenario.value) for scenario in AFTERWARDS}

    def changed(kind: str) -> PerScenario:
        return each(lambda scenario: sum(row[f"{scenario}_change"] == kind for row in rows))

    relative = {scenario.value: _numbers(rows, f"{scenario.value}_relative") for scenario in AFTERWARDS}
    return MetricFigures(
        name,
        fate,
        len(rows),
        wrong=each(lambda scenario: sum(row[f"{scenario}_change"] != "same" for row in rows)),
        missing=changed("missing"),
        extra=changed("extra"),
        mean_relative=each(
            lambda scenario: sum(relative[scenario]) / len(relative[scenario]) if relative[scenario] else None
        ),
        largest_relative=each(lambda scenario: max(relative[scenario], default=None)),
        expected=_total([abs(number) for number in _numbers(rows, "expected_number")]),
        error=each(lambda scenario: _total(_numbers(rows, f"{scenario}_error"))),
    )


def _moment(rows: Sequence[Difference]) -> Callable[[datetime], datetime]:
    """Return the time at which a result comes out; for many times, the beginning of an interval of equal length."""
    times = {row["at"] for row in rows} - {None}
    if len(times) <= POINTS:
        return lambda at: at
    first = min(times)
    step = timedelta(seconds=curve_step(first, max(times)))
    return lambda at: first + (at - first) // step * step


def _curve(rows: Sequence[Difference], moment: Callable[[datetime], datetime]) -> list[CurvePoint]:
    timed = [{**row, "at": moment(row["at"])} for row in rows if row["at"] is not None]
    return [
        CurvePoint(
            metric,
            at,
            len(group),
            {scenario.value: sum(_is_wrong(row, scenario) for row in group) for scenario in AFTERWARDS},
            _total([abs(number) for number in _numbers(group, "expected_number")]),
            {scenario.value: _total(_numbers(group, f"{scenario.value}_error")) for scenario in AFTERWARDS},
        )
        for (metric, at), group in sorted(_groups(timed, "metric", "at"))
    ]


def _recovery(results: Iterable[_Result], moment: Callable[[datetime], datetime]) -> list[RecoveryPoint]:
    times: dict[datetime, list[_Result]] = {}
    for result in results:
        if result.at is not None:
            times.setdefault(moment(result.at), []).append(result)
    return [
        RecoveryPoint(
            at, len(group), {scenario.value: sum(one.wrong[scenario.value] for one in group) for scenario in AFTERWARDS}
        )
        for at, group in sorted(times.items())
    ]


def _worst_keys(results: Iterable[_Result], scenario: Scenario) -> list[KeyFigures]:
    keys: dict[str, list[_Result]] = {}
    for result in results:
        keys.setdefault(result.key, []).append(result)
    figures_of_keys = [
        KeyFigures(
            key,
            len(parts),
            {other.value: sum(part.wrong[other.value] for part in parts) for other in AFTERWARDS},
            {
                other.value: sum(part.relative[other.value] for part in parts) / sum(part.values for part in parts)
                for other in AFTERWARDS
            },
        )
        for key, parts in keys.items()
    ]
    wrong = [figures for figures in figures_of_keys if figures.wrong[scenario.value]]
    wrong.sort(key=lambda figures: (-figures.relative[scenario.value], -figures.wrong[scenario.value], figures.key))
    return wrong[:KEYS]


def _worst(rows: Iterable[Difference], scenario: Scenario) -> list[WrongResult]:
    name = scenario.value

    def damage(row: Difference) -> tuple[Any, ...]:
        relative, error = row[f"{name}_relative"], row[f"{name}_error"]
        end = row["window_end"]
        return (
            -(1.0 if relative is None else relative),
            -(error or 0.0),
            row["key"],
            end is not None,
            end or datetime.min,
            row["metric"],
        )

    wrong = sorted((row for row in rows if _is_wrong(row, scenario)), key=damage)
    return [wrong_result(row) for row in wrong[:WORST]]
