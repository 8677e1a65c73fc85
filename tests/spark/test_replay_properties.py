"""Verdicts are claims that can be tested: generated jobs, edits, rows and restarts, through the analyzer, the replay
and a stream that is lived through row by row. All three agree.
"""

from __future__ import annotations

import json
import os
import random
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate import JobVersion, analyse
from keepstate.report import Verdict
from keepstate_spark.jobs import prepared
from keepstate_spark.replay.replayed_query import replayed
from keepstate_spark.replay.restart_points import Arrivals
from keepstate_spark.replay.scenarios import Scenario
from keepstate_spark.sources.scanning import Scanner
from reference_restart import FUNCTIONS, Group, Job, Row, Signature, Spec, restored

EXAMPLES = int(os.environ.get("REPLAYS", "10"))
"""Generated restarts; a longer search is REPLAYS=500 pytest tests/spark/test_replay_properties.py."""
BEGIN = datetime(2026, 3, 1, 9)
DELAY = timedelta(seconds=5)
IGNORE_FILTER = "table.optimizer.state-compatibility.ignore-filter"
TABLE = """CREATE TABLE o (k STRING, r STRING, v INT, w BIGINT, ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
  WITH ('connector' = 'filesystem', 'path' = 'o.jsonl', 'format' = 'json');
"""
WINDOWS: tuple[tuple[Any, ...], ...] = (
    (),
    ("TUMBLE", 30),
    ("TUMBLE", 45),
    ("HOP", 10, 30),
    ("HOP", 20, 50),
    ("CUMULATE", 15, 60),
    ("SESSION", 2),
)


def sql(spec: Spec) -> str:
    names = [f"m{number}" for number in range(len(spec.metrics))]
    metrics = [
        f"{name.split()[0]}({'DISTINCT ' if ' ' in name else ''}{column}) AS {alias}"
        for (name, column), alias in zip(spec.metrics, names, strict=True)
    ]
    where = f" WHERE v > {spec.least}" if spec.least is not None else ""
    if not spec.window:
        by = ", ".join(spec.keys)
        return f"{TABLE}INSERT INTO s SELECT {', '.join([*spec.keys, *metrics])} FROM o{where} GROUP BY {by};"
    kind, *lengths = spec.window
    intervals = ", ".join(f"INTERVAL '{length}' MINUTES" for length in lengths)
    partition = f" PARTITION BY ({', '.join(spec.keys)})" if kind == "SESSION" and len(spec.keys) > 1 else ""
    if kind == "SESSION" and len(spec.keys) == 1:
        partition = f" PARTITION BY {spec.keys[0]}"
    by = ", ".join(["window_start", "window_end", *spec.keys])
    source = f"TABLE({kind}(TABLE o{partition}, DESCRIPTOR(ts), {intervals}))"
    return f"{TABLE}INSERT INTO s SELECT {', '.join([by, *metrics])} FROM {source}{where} GROUP BY {by};"


@dataclass(frozen=True)
class Example:
    baseline: Spec
    current: Spec
    rows: tuple[Row, ...]
    time: datetime
    ignore_filter: bool


def example(number: int) -> Example:
    chance = random.Random(number)
    signatures = [(name, column) for name in FUNCTIONS for column in ("v", "w")]
    metrics = tuple(chance.sample(signatures, chance.randint(1, 4)))
    by = tuple(chance.sample(["k", "r"], chance.randint(1, 2)))
    baseline = planned(Spec(chance.choice(WINDOWS), by, metrics, chance.choice([None, None, 3])))
    rows, time = [], BEGIN
    for _ in range(chance.randint(40, 90)):
        time += timedelta(milliseconds=chance.randint(1, 150_000))
        value = None if chance.random() < 0.1 else chance.randint(-5, 12)
        keys = {"k": chance.choice("ab"), "r": chance.choice("xyz")}
        rows.append({**keys, "v": value, "w": chance.randint(0, 9), "ts": time})
    middle = rows[len(rows) // 3]["ts"], rows[-len(rows) // 3]["ts"]
    restart = middle[0] + (middle[1] - middle[0]) * chance.random()
    current = planned(edited(baseline, signatures, chance))
    if any(spec.window[:1] == ("SESSION",) for spec in (baseline, current)):
        # A filter above a session leaves the session as it is, which is not what these rows are lived through with.
        baseline, current = replace(baseline, least=None), replace(current, least=None)
    return Example(baseline, current, tuple(rows), restart.replace(microsecond=0), chance.random() < 0.5)


def planned(spec: Spec) -> Spec:
    """The query, with TUMBLE for windows that overlap or grow where Flink refuses these for an aggregate."""
    refused = any(function in ("FIRST_VALUE", "LAST_VALUE") for function, _ in spec.metrics)
    return replace(spec, window=("TUMBLE", 30)) if refused and spec.window[1:] and spec.window[0] != "TUMBLE" else spec


def edited(spec: Spec, signatures: list[Signature], chance: random.Random) -> Spec:
    others = [signature for signature in signatures if signature not in spec.metrics]
    match chance.choice(["same", "add", "add", "remove", "change", "order", "window", "keys", "filter"]):
        case "add":
            place = chance.randint(0, len(spec.metrics))
            return replace(spec, metrics=(*spec.metrics[:place], chance.choice(others), *spec.metrics[place:]))
        case "remove" if len(spec.metrics) > 1:
            return replace(spec, metrics=spec.metrics[1:])
        case "change":
            return replace(spec, metrics=(chance.choice(others), *spec.metrics[1:]))
        case "order":
            return replace(spec, metrics=tuple(reversed(spec.metrics)))
        case "window":
            return replace(spec, window=chance.choice([window for window in WINDOWS if window != spec.window]))
        case "keys":
            return replace(spec, keys=("k",) if spec.keys != ("k",) else ("k", "r"))
        case "filter":
            return replace(spec, least=0)
    return spec


def lived(case: Example, reuse: bool) -> dict[Scenario, Job]:
    before = [row for row in case.rows if row["ts"] < case.time]
    after = [row for row in case.rows if row["ts"] >= case.time]
    jobs = {
        Scenario.EXPECTED: Job(case.current).run(case.rows, DELAY),
        Scenario.RESTARTED: restored(case.current, Job(case.baseline).run(before, DELAY), reuse).run(after, DELAY),
        Scenario.WITHOUT_STATE: Job(case.current).run(after, DELAY),
    }
    for job in jobs.values():
        job.close(None)
    return jobs


@pytest.mark.parametrize("number", range(EXAMPLES))
def test_analyzer_replay_and_stream_agree(number: int, session: SparkSession, tmp_path: Path) -> None:
    case = example(number)
    with (tmp_path / "o.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(json.dumps({**row, "ts": row["ts"].isoformat(" ")}) + "\n" for row in case.rows)
    current, baseline = sql(case.current), sql(case.baseline)
    config = {IGNORE_FILTER: str(case.ignore_filter).lower()}
    restart = analyse(JobVersion(current, config), JobVersion(baseline, config)).restart()
    reuse = case.current.keeps_state_of(case.baseline, case.ignore_filter)
    added = [signature for signature in case.current.metrics if signature not in case.baseline.metrics]
    assert (restart.report.verdict is not Verdict.INCOMPATIBLE) is reuse, (baseline, current)
    if reuse:
        claimed = Verdict.PARTIAL if added else Verdict.COMPATIBLE
        assert restart.report.verdict is claimed, (baseline, current)

    script = prepared(current, "job.sql", tmp_path)
    (query,) = script.queries
    scanner = Scanner(session, query.catalog, query.locations)
    found = replayed(query, restart.queries[0], session, scanner, Arrivals(query, {}), case.time)
    jobs = lived(case, reuse)
    results = {scenario: results_of(job, case.current) for scenario, job in jobs.items()}
    seen = {}
    for row in found.rows.collect():
        values = row.asDict()
        names = {key.name: values[key.column] for key in found.keys}
        span = (values["window_start"], values["window_end"]) if found.windowed else None
        group = group_of(tuple(names[key] for key in case.current.keys), span, case.current)
        seen[group] = values
        for scenario in Scenario:
            there = values[f"present_{scenario.value}"]
            assert there is (group in results[scenario]), (scenario, group, current)
            if there:
                metrics = {metric.name: values[metric.of(scenario)] for metric in found.metrics}
                values_of = tuple(metrics[f"m{index}"] for index in range(len(case.current.metrics)))
                assert values_of == results[scenario][group], (scenario, group, baseline, current)
    assert set(seen) == affected(case), (baseline, current)
    if case.current.least != case.baseline.least:
        return
    kept = [index for index, signature in enumerate(case.current.metrics) if reuse and signature not in added]
    for group in seen:
        for index in kept:
            # What the verdict says is kept is as if the current query had always been running.
            assert results[Scenario.RESTARTED][group][index] == results[Scenario.EXPECTED][group][index]


def group_of(key: tuple[Any, ...], span: Any, spec: Spec) -> Group:
    """A session without state begins later: it is known by its end."""
    if span is not None and spec.window[0] == "SESSION":
        return key, (BEGIN, span[1])
    return key, span


def results_of(job: Job, spec: Spec) -> dict[Group, tuple[Any, ...]]:
    return {group_of(key, span, spec): values for (key, span), values in job.out.items()}


def affected(case: Example) -> set[Group]:
    """The groups that were open at the restart with rows in them; without windows those with rows that got more."""
    before = [row for row in case.rows if row["ts"] < case.time]
    after = [row for row in case.rows if row["ts"] >= case.time]
    open_ = Job(case.current).run(before, DELAY)
    if not case.current.window:
        return set(open_.state) & set(Job(case.current).run(after, DELAY).state)
    if case.current.window[0] == "SESSION":
        whole = Job(case.current).run(case.rows, DELAY)
        whole.close(None)
        spans = [group for group in whole.out if group[1] is not None]
        return {
            group_of(key, span, case.current)
            for key, span in spans
            if any(key == other and now is not None and span[0] <= now[0] < span[1] for other, now in open_.state)
        }
    return set(open_.state)
