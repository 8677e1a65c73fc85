"""Tables of thousands of columns, as people generate them, cost their length and not its square."""

from __future__ import annotations

from time import process_time
from typing import Any

import pytest

from keepstate.plan.declarations import definitions
from keepstate.plan.job import Job
from keepstate.syntax.script import parse_script


def planning_time(columns: int) -> float:
    """The least of three, so that other work on the machine counts little."""
    definitions = ",\n".join(f"c_{columns}_{number} DECIMAL(10, 2)" for number in range(columns))
    script = parse_script(f"CREATE TABLE wide ({definitions}) WITH ('connector' = 'kafka'); SELECT COUNT(*) FROM wide")

    def once() -> float:
        script.memo.forget_results()
        began = process_time()
        Job.of(script, {})
        return process_time() - began

    return min(once() for _ in range(3))


def test_planning_is_linear_in_the_number_of_columns() -> None:
    few, many = planning_time(500), planning_time(5000)
    # Ten times the columns: ten times the work, and not a hundred times.
    assert many < 40 * few


def test_a_declaration_is_read_once_for_all_that_is_asked_about_it(monkeypatch: pytest.MonkeyPatch) -> None:
    defined: list[object] = []
    plain = definitions._define_table

    def noted(*arguments: Any) -> object:
        defined.append(arguments)
        return plain(*arguments)

    monkeypatch.setattr(definitions, "_define_table", noted)
    table = "CREATE TABLE t (a INT, b INT) WITH ('connector' = 'kafka', 'properties.x' = 'y');"
    job = Job.of(parse_script(f"{table} SELECT COUNT(*) FROM t; SELECT a FROM t"), {})
    assert [each.plan.sources for each in job.pipelines] == [("t",), ("t",)]
    assert len(defined) == 1
