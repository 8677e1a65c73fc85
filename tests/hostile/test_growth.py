"""Jobs of many parts: twice as many take about twice the work, in whatever there is more of."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from function_calls import calls_of
from keepstate import (
    JobVersion,
    check,
    draw_plans,
    file_fixes,
    fixes,
    state_hovers,
    state_outcome,
    with_revert,
)
from night import by_night
from program_starts import ran

TABLE = (
    "CREATE TABLE t (k STRING, a INT, b INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka');\n"
)
Pair = tuple[str, str]


def listed(count: int, text: str, between: str = ", ") -> str:
    return between.join(text.replace("#", str(number)) for number in range(count))


def aggregated(count: int, call: str) -> str:
    return f"{TABLE}INSERT INTO s SELECT k, {listed(count, call)} FROM t GROUP BY k;"


def queries(count: int, sink: str) -> str:
    return TABLE + listed(count, f"INSERT INTO {sink} SELECT k, SUM(a) FROM t WHERE b = # GROUP BY k;", "\n")


def united(count: int, query: str) -> str:
    tables = listed(count, "CREATE TABLE t# (k STRING, a INT) WITH ('connector' = 'kafka', 'topic' = 't#');", "\n")
    return f"{tables}\nINSERT INTO s SELECT k, SUM(a) FROM ({listed(count, query, ' UNION ALL ')}) GROUP BY k;"


def wide(count: int, types: str, query: str) -> str:
    return f"CREATE TABLE w (k STRING, {listed(count, types)}) WITH ('connector' = 'kafka');\nINSERT INTO s {query};"


def joined(count: int, first: str) -> str:
    tables = listed(count, "CREATE TABLE t# (k STRING, a INT) WITH ('connector' = 'kafka', 'topic' = 't#');", "\n")
    joins = listed(count - 1, f"LEFT JOIN t# AS u# ON {first}.k = u#.k", " ")
    return f"{tables}\nINSERT INTO s SELECT {first}.k, SUM({first}.a) FROM {first} {joins} GROUP BY {first}.k;"


def joined_views(count: int) -> str:
    views = "\n".join(
        f"CREATE VIEW v{n + 1} AS SELECT v.k, u.a FROM v{n} AS v JOIN u{n} AS u ON v.k = u.k WHERE u.a > {n};"
        for n in range(count)
    )
    first = f"{TABLE}CREATE VIEW v0 AS SELECT k, a FROM t;"
    return f"{first}\n{views}\nINSERT INTO s SELECT k, SUM(a) FROM v{count} GROUP BY k;"


def accepted(count: int) -> str:
    comment = "-- keepstate: accept all-aggregates-replaced because agreed"
    return TABLE + listed(count, f"{comment}\nINSERT INTO s# SELECT k, SUM(a) FROM t GROUP BY k;", "\n")


def edited(text: str, was: str = "SUM(", now: str = "MAX(") -> Pair:
    assert was in text
    return text, text.replace(was, now)


SHAPES: dict[str, Callable[[int], Pair]] = {
    "queries of one sink, all edited": lambda n: edited(queries(n, "s")),
    "queries of sinks of their own, all edited": lambda n: edited(queries(n, "s#")),
    "queries of sinks that all have new names": lambda n: edited(queries(n, "s#"), "INTO s", "INTO other"),
    "queries of one sink, and a further one": lambda n: (queries(n, "s"), queries(n + 1, "s")),
    "queries that all went": lambda n: (queries(n, "s#"), TABLE),
    "queries that all came": lambda n: (TABLE, queries(n, "s#")),
    "aggregates, all edited": lambda n: edited(aggregated(n, "SUM(a + #)")),
    "aggregates, one edited": lambda n: edited(aggregated(n, "SUM(a + #) AS c#"), "SUM(a + 3)", "SUM(b + 3)"),
    "aggregates that all came": lambda n: (aggregated(1, "COUNT(*)"), aggregated(n, "SUM(a + #)")),
    "inputs of UNION ALL": lambda n: edited(united(n, "SELECT * FROM t#")),
    "columns on both sides of a join": lambda n: edited(
        wide(n, "c# INT", "SELECT * FROM w JOIN w AS x ON w.k = x.k"), "c3 INT", "c3 BIGINT"
    ),
    "group keys": lambda n: edited(
        wide(n, "c# INT", f"SELECT {listed(n, 'c#')}, COUNT(*) FROM w GROUP BY {listed(n, 'c#')}"), "COUNT(", "MAX(k + "
    ),
    "settings": lambda n: edited(listed(n, "SET 'o#' = '#';", "\n") + aggregated(1, "SUM(a)")),
    "conditions": lambda n: edited(
        f"{TABLE}INSERT INTO s SELECT k, SUM(a) FROM t WHERE {listed(n, 'a <> #', ' AND ')} GROUP BY k;"
    ),
    "holes": lambda n: edited(
        f"{TABLE}INSERT INTO s SELECT k, SUM(a) FROM t WHERE {listed(n, 'b = ${x#}', ' AND ')} GROUP BY k;"
    ),
    "tables that nobody reads": lambda n: edited(united(1, "SELECT * FROM t#") + united(n, "SELECT * FROM t#")),
    "acceptances": lambda n: edited(accepted(n)),
    "joins of one table each": lambda n: edited(joined(n, "t0")),
    "views that each join the one before": lambda n: edited(joined_views(n)),
    "queries in conditions": lambda n: edited(
        f"{TABLE}INSERT INTO s SELECT k, SUM(a) FROM t WHERE "
        f"{listed(n, 'k IN (SELECT k FROM u# WHERE a > 0)', ' AND ')} GROUP BY k;"
    ),
    "columns that are each named": lambda n: edited(
        wide(n, "c# INT", f"SELECT {listed(n, 'c#')} FROM w WHERE c0 > 5"), "c0 > 5", "c0 > 7"
    ),
    "joins of a table with a time attribute": lambda n: edited(
        f"{TABLE}INSERT INTO s SELECT t.k, SUM(t.a) FROM t {listed(n, 'JOIN t AS u# ON t.k = u#.k', ' ')} GROUP BY t.k;"
    ),
    "columns of a star": lambda n: edited(wide(n, "c# INT", "SELECT * FROM w WHERE c0 > 5"), "c0 > 5", "c0 > 7"),
}
LITTLE = by_night(24, 8)
MOST = 2.0
"""Greatest growth of the work of a part with four times as many items, per item: 4 would be the square."""
NOTHING = 500
"""Calls that say nothing about growth."""


ALONE = """\
import sys
sys.path[:0] = [sys.argv[1], sys.argv[1] + "/.."]
from test_growth import grows_with_the_text
grows_with_the_text(*sys.argv[2:])
"""


def works(pair: Pair, engine: str) -> dict[str, int]:
    """Calls of functions for all that is asked of a comparison. Nothing is timed: the machine may be busy."""
    baseline, current = (JobVersion(text) for text in pair)
    report = check(current, baseline, engine)
    asked: dict[str, Callable[[], object]] = {
        "state notes": lambda: state_hovers(current, engine),
        "drawings": lambda: draw_plans(current, baseline, engine),
        "fates": lambda: state_outcome(current, baseline, 0, engine),
        "fixes": lambda: [fixes(current, baseline, index, engine) for index in range(len(report.findings[:1]))],
        "revert": lambda: with_revert(current, baseline, report, engine),
        "file fixes": lambda: file_fixes(current, baseline, engine),
    }
    found = {name: calls_of(ask) for name, ask in asked.items()}
    # Another comment, so that nothing is known of these texts.
    other = (JobVersion(f"-- {engine}\n{text}") for text in pair)
    found["check"] = calls_of(lambda: check(*reversed(tuple(other)), engine))
    return found


@pytest.mark.parametrize("shape", SHAPES)
def test_work_grows_with_the_text(shape: str) -> None:
    # What is asked of Flink's profile is asked of the comparison as well.
    alone(shape, "flink")


@pytest.mark.parametrize("shape", ["queries of one sink, all edited", "aggregates, all edited"])
def test_work_of_a_table_of_verdicts_grows_with_the_text(shape: str) -> None:
    alone(shape, "vvr")


def alone(shape: str, engine: str) -> None:
    """In a process of its own: what other tests left running is no work of this one."""
    run = ran(sys.executable, "-c", ALONE, str(Path(__file__).parent), shape, engine, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-2000:]


def grows_with_the_text(shape: str, engine: str) -> None:
    little, much = (works(SHAPES[shape](count), engine) for count in (LITTLE, 4 * LITTLE))
    grown = {name: much[name] / 4 / max(little[name], NOTHING) for name in little}
    assert max(grown.values()) <= MOST, (grown, little, much)
