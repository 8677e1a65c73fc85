"""Rows of equal sort keys, with the rows of Flink 2.3.0 in ``flink/ties.jsonl``, in both modes, with one task.

On streams the order of such rows is that in which they came. In batch mode Flink sorts all rows of a task, and keeps no
order of equal ones: for one file, the sort of one task decides. Ties that no result shows need no order.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import prepared
from keepstate_spark.lowering.windows.sort_of_a_task import places_after_sort
from keepstate_spark.running import LoweredQuery, lowered_query
from test_flink_queries import comparable

FLINK = Path(__file__).parent / "flink"
TABLES = (FLINK / "ties.sql").read_text("utf-8")
ANSWERS = [json.loads(line) for line in (FLINK / "ties.jsonl").read_text("utf-8").splitlines()]
LAST = "SELECT id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {} ORDER BY {}) AS rn FROM {}) WHERE rn = 1"
PAIRS = "(SELECT a.* FROM laps AS a JOIN (SELECT DISTINCT car AS c FROM laps) AS b ON a.car = b.c)"
PATTERN = "PATTERN (A) DEFINE A AS v > 1"
HOP = "TABLE(HOP(TABLE laps, DESCRIPTOR(ts), INTERVAL '2' MINUTE, INTERVAL '4' MINUTE))"


def running(sql: str, session: SparkSession, mode: str = "batch", folder: Path = FLINK) -> LoweredQuery:
    settings = {"execution.runtime-mode": mode, "table.local-time-zone": "UTC"}
    script = prepared(f"{TABLES}{sql};", "ties.sql", folder, parameters=settings)
    return lowered_query(script, script.queries[0], session)


@pytest.mark.parametrize("answer", ANSWERS, ids=[f"{answer['mode']} {answer['sql']}" for answer in ANSWERS])
def test_rows_are_those_of_flink(answer: dict[str, Any], session: SparkSession) -> None:
    query = running(answer["sql"], session, answer["mode"])
    assert comparable(list(query.values())) == comparable(answer["rows"])
    assert list(query.names) == answer["columns"]


@pytest.mark.parametrize(
    "sql",
    [
        LAST.format("car", "ts DESC", HOP),
        LAST.format("team, car", "v", "(SELECT team, id, car, v FROM laps)"),
        LAST.format("window_end, window_start, car", "v", f"(SELECT window_end, window_start, car, v, id FROM {HOP})"),
        LAST.format(
            "car", "v", "(SELECT a.* FROM laps AS a JOIN (SELECT DISTINCT car AS c FROM laps) AS b ON a.car = b.c)"
        ),
        LAST.format("car", "v", "(SELECT id, car, v FROM laps UNION ALL SELECT id + 100, car, v FROM laps)"),
        LAST.format("car", "CAST(v AS DOUBLE)", "laps"),
        "SELECT id, LAST_VALUE(id) OVER (PARTITION BY team, car ORDER BY v) AS l FROM laps",
        f"SELECT * FROM laps MATCH_RECOGNIZE (PARTITION BY car ORDER BY ts MEASURES A.id AS f {PATTERN})",
        "SELECT id, LAG(id) OVER (PARTITION BY car ORDER BY v) AS a, NTILE(2) OVER (ORDER BY v) AS b FROM laps",
    ],
)
def test_an_order_that_is_not_known_is_refused_before_the_query_runs(sql: str, session: SparkSession) -> None:
    with pytest.raises(PipelineError, match="Several rows have equal sort keys"):
        running(sql, session)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT car, LISTAGG(l) AS l FROM (SELECT car, v, LISTAGG(DISTINCT team) AS l FROM laps "
        "GROUP BY car, v) GROUP BY car",
        "SELECT car, FIRST_VALUE(id) AS l, COUNT(DISTINCT v) AS d, COUNT(DISTINCT team) AS e FROM laps GROUP BY car",
        "SELECT car, LISTAGG(DISTINCT team) AS l, LISTAGG(DISTINCT CAST(v AS STRING)) AS d FROM laps GROUP BY car",
        "SELECT car, LISTAGG(DISTINCT team) AS l, STDDEV_POP(v) AS d FROM laps GROUP BY car",
        "SELECT car, LISTAGG(DISTINCT team) FILTER (WHERE v > 1) AS l FROM laps GROUP BY car",
        "SELECT team, LAST_VALUE(id) AS l FROM laps GROUP BY GROUPING SETS ((team), (car))",
        "SELECT b.car, LAST_VALUE(a.id) AS l FROM laps AS a JOIN twins AS b ON a.id = b.id GROUP BY b.car",
        f"SELECT car, LAST_VALUE(id) AS l FROM {HOP} GROUP BY window_start, window_end, car",
        "SELECT LAST_VALUE(id) AS l FROM laps GROUP BY CAST(v AS DOUBLE)",
    ],
)
def test_groups_whose_order_is_not_known_are_refused_before_the_query_runs(sql: str, session: SparkSession) -> None:
    with pytest.raises(PipelineError, match="goes by the order of rows"):
        running(sql, session)


@pytest.mark.parametrize("function", ["ARRAY_AGG", "COLLECT"])
def test_lists_that_flink_does_not_plan_beside_distinct_are_refused(function: str, session: SparkSession) -> None:
    """Flink takes the MIN of such a list, which has none."""
    with pytest.raises(PipelineError, match=f"Flink plans no {function} beside DISTINCT"):
        running(f"SELECT {function}(id) AS l, COUNT(DISTINCT car) AS d FROM laps", session)


def test_rows_of_several_files_have_no_order(session: SparkSession, tmp_path: Path) -> None:
    lines = (FLINK / "laps.json").read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "twins.json").write_text((FLINK / "twins.json").read_text("utf-8"), "utf-8")
    (tmp_path / "laps.json").mkdir()
    for name, part in (("one.json", lines[:40]), ("two.json", lines[40:])):
        (tmp_path / "laps.json" / name).write_text("".join(part), "utf-8")
    with pytest.raises(PipelineError, match="Several rows have equal sort keys"):
        running(LAST.format("car", "v", "laps"), session, folder=tmp_path)
    assert running(LAST.format("car", "v, id", "laps"), session, folder=tmp_path).names
    with pytest.raises(PipelineError, match="goes by the order of rows"):
        running("SELECT car, LISTAGG(team) AS l FROM laps GROUP BY car", session, folder=tmp_path)


@pytest.mark.parametrize("size", [0, 1, 12, 13, 14, 100, 1000])
@pytest.mark.parametrize("ranks", [1, 2, 7, 1000])
def test_the_sort_puts_rows_by_their_ranks(size: int, ranks: int) -> None:
    rows = [number * 7919 % 1009 % ranks for number in range(size)]
    places = places_after_sort(rows)
    assert places is not None
    assert sorted(places) == list(range(size))
    in_place = sorted(range(size), key=places.__getitem__)
    assert [rows[row] for row in in_place] == sorted(rows)
    assert size >= 13 or in_place == sorted(range(size), key=rows.__getitem__)


def test_rows_that_need_a_heap_have_no_place() -> None:
    rows = _killer(4000)
    assert places_after_sort(rows) is None


def _killer(size: int) -> list[int]:
    """Ranks for which each part has two rows fewer than the part before it: pivots are the largest ranks but one."""
    order = list(range(size))
    ranks = [0] * size
    for largest in range(size, 12, -2):
        # The last row of a part is its largest, and the middle one the next: this becomes the pivot.
        ranks[order[largest - 1]] = largest
        ranks[order[largest // 2]] = largest - 1
        order[largest // 2] = order[largest - 2]
    return ranks
