"""Refusals that depend on the version of Flink: what 1.20 keeps of a time attribute and 2.3 does not."""

from __future__ import annotations

import pytest
from marked import validity

from keepstate.validation import Answer

WINDOW = (
    "SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(begun), INTERVAL '1' HOUR)) "
    "GROUP BY window_start, window_end"
)
LATEST = "MAX(begun) OVER (PARTITION BY id ORDER BY begun) AS begun"


@pytest.mark.parametrize(("version", "refused"), [("1.20", False), ("2.3", True)])
def test_an_aggregate_over_rows_gave_a_time_attribute(version: str, refused: bool) -> None:
    found = validity(f"CREATE VIEW v AS SELECT id, {LATEST} FROM rides; {WINDOW};", version=version)
    assert [problem.rule for problem in found.problems] == (["window-time"] if refused else [])


@pytest.mark.parametrize("version", ["1.20", "2.3"])
def test_a_regular_join_gives_none_in_any_version(version: str) -> None:
    view = "CREATE VIEW v AS SELECT r.begun FROM rides AS r JOIN bills AS b ON r.id = b.id"
    found = validity(f"{view}; {WINDOW};", version=version)
    assert [problem.rule for problem in found.problems] == ["window-time"]


@pytest.mark.parametrize("version", ["1.20", "2.3"])
@pytest.mark.parametrize(("aggregate", "refused_in"), [("STDDEV_POP", "1.20"), ("SUM", "1.20 2.3"), ("AVG", "")])
def test_overlapping_windows_take_distinct_values_off(version: str, aggregate: str, refused_in: str) -> None:
    window = WINDOW.replace("COUNT(*)", f"{aggregate}(DISTINCT km)").replace("TUMBLE(TABLE v", "HOP(TABLE rides")
    found = validity(window.replace("'1' HOUR))", "'1' HOUR, INTERVAL '2' HOUR))") + ";", version=version)
    assert [problem.rule for problem in found.problems] == ["window-aggregate"] * (version in refused_in.split())


@pytest.mark.parametrize(
    "call",
    [
        "PERCENTILE(km, 0.5)",
        "ELT(seats, rider)",
        "REGEXP_COUNT(rider, 'a')",
        "BTRIM(rider)",
        "UNHEX(rider)",
    ],
)
def test_functions_of_flink_2_are_not_taken_for_those_of_1(call: str) -> None:
    program = f"SELECT {call} FROM rides;"
    assert validity(program, version="2.3").answer is Answer.VALID
    former = validity(program, version="1.20")
    assert [(obstacle.rule, obstacle.depends) for obstacle in former.undecided] == [("unknown-function", "function")]
    declared = f"CREATE FUNCTION {call.partition('(')[0]} AS 'c.F'; {program}"
    assert [obstacle.rule for obstacle in validity(declared, version="1.20").undecided] == ["function"]


@pytest.mark.parametrize(
    ("arguments", "refused"), [("seats, 3", False), ("seats", True), ("rider, 'yyyy', 'UTC'", True)]
)
def test_flink_1_makes_an_instant_of_two_arguments(arguments: str, refused: bool) -> None:
    program = f"SELECT TO_TIMESTAMP_LTZ({arguments}) FROM rides;"
    assert validity(program, version="2.3").answer is Answer.VALID
    assert [each.rule for each in validity(program, version="1.20").problems] == ["argument-count"] * refused


@pytest.mark.parametrize("mode", ["streaming", "batch"])
@pytest.mark.parametrize("version", ["1.20", "2.3"])
@pytest.mark.parametrize("function", ["ROW_NUMBER()", "RANK()", "CUME_DIST()", "LAG(km)"])
def test_rankings_take_no_frame_in_any_version(function: str, version: str, mode: str) -> None:
    window = "OVER (PARTITION BY rider ORDER BY begun ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
    found = validity(
        f"SET 'execution.runtime-mode' = '{mode}'; SELECT {function} {window} FROM rides;", version=version
    )
    assert [problem.rule for problem in found.problems][:1] == ["over-frame"]


FIRST = (
    "SELECT id, km FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY rider ORDER BY {}) AS rn FROM rides) WHERE rn = 1"
)
SINK = "CREATE TABLE added (id BIGINT, km DOUBLE) WITH ('connector' = 'kafka', 'topic' = 'x', 'format' = 'json');"


@pytest.mark.parametrize("version", ["1.20", "2.3"])
@pytest.mark.parametrize("order", ["km", "km, id", "km DESC, id", "begun", "begun DESC, id"])
def test_first_rows_stay_from_flink_2_1_on(order: str, version: str) -> None:
    found = validity(f"{SINK} INSERT INTO added {FIRST.format(order)};", version=version)
    assert [problem.rule for problem in found.problems] == ["append-only-sink"] * (version == "1.20")


@pytest.mark.parametrize("version", ["1.20", "2.3"])
@pytest.mark.parametrize("order", ["km DESC", "begun DESC"])
def test_last_rows_change_in_any_version(order: str, version: str) -> None:
    found = validity(f"{SINK} INSERT INTO added {FIRST.format(order)};", version=version)
    assert [problem.rule for problem in found.problems] == ["append-only-sink"]


@pytest.mark.parametrize("version", ["1.20", "2.3"])
@pytest.mark.parametrize(("bound", "rule"), [("2", []), ("seats", ["rank-range"])])
def test_a_column_is_no_bound_of_a_top_n_of_windows(bound: str, rule: list[str], version: str) -> None:
    rows = "TABLE(TUMBLE(TABLE rides, DESCRIPTOR(begun), INTERVAL '1' HOUR))"
    number = "ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY km) AS rn"
    found = validity(f"SELECT id FROM (SELECT *, {number} FROM {rows}) WHERE rn <= {bound};", version=version)
    assert [problem.rule for problem in found.problems] == rule
