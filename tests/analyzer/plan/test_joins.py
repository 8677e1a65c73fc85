"""Joins are those that Flink plans, with the rows that it gives them; and conditions are where it puts them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from keepstate.plan.expressions import Expr, is_proctime
from keepstate.plan.job import Job
from keepstate.plan.operators import Calc, IntervalJoin, Join, LookupJoin, Operator
from keepstate.plan.spelling import qualified
from keepstate.state.logical import logical_state
from keepstate.state.state_text import key_words
from keepstate.syntax.script import parse_script

HERE = Path(__file__).parent
SCHEMA = (HERE / "flink_joins.sql").read_text(encoding="utf-8")


def _answers() -> Iterator[tuple[str, str]]:
    lines = (HERE / "flink_joins.txt").read_text(encoding="utf-8").splitlines()
    reported = [line for line in lines if line and not line.startswith("#")]
    return zip(reported[::2], (line.strip() for line in reported[1::2]), strict=True)


def _joins(query: str) -> list[Join]:
    plan = Job.of(parse_script(f"{SCHEMA}\n{query};"), {}).pipelines[-1].plan
    return [operator for operator in plan.operators if isinstance(operator, Join)]


def _reported(join: Join) -> str:
    name = f"{type(join).__name__} {join.kind}"
    if isinstance(join, LookupJoin):
        return name
    row = (*join.left_row, *(join.right_row if join.kind not in ("semi", "anti") else ()))
    bounds = f" {join.lower.value}..{join.upper.value}" if isinstance(join, IntervalJoin) else ""
    return f"{name} ({', '.join(map(_column, row))}){bounds}"


def _column(expr: Expr) -> str:
    if any(is_proctime(node) for node in expr.walk()):
        return "pt"
    return str(expr) if re.fullmatch(r"\w+", str(expr)) else "?"


@pytest.mark.parametrize(("query", "planned"), list(_answers()))
def test_joins_and_their_rows_are_those_of_flink(query: str, planned: str) -> None:
    assert " > ".join(map(_reported, _joins(query))) == planned


def _filters(operator: Operator) -> str:
    return " AND ".join(qualified(condition) for condition in operator.conditions) if isinstance(operator, Calc) else ""


@pytest.mark.parametrize(
    ("clauses", "left", "right", "on"),
    [
        ("JOIN b ON a.id = b.id AND a.x = 1 AND b.x = 2", "a.x = 1", "b.x = 2", "a.id = b.id"),
        ("JOIN b ON a.id = b.id WHERE a.x = 1 AND b.x = a.y", "a.x = 1", "", "a.id = b.id AND a.y = b.x"),
        ("LEFT JOIN b ON a.id = b.id AND a.x = 1 AND b.x = 2", "", "b.x = 2", "a.id = b.id AND a.x = 1"),
        ("LEFT JOIN b ON a.id = b.id WHERE a.x = 1", "a.x = 1", "", "a.id = b.id"),
        ("RIGHT JOIN b ON a.id = b.id AND a.x = 1 AND b.x = 2", "a.x = 1", "", "a.id = b.id AND b.x = 2"),
        ("FULL JOIN b ON a.id = b.id AND a.x = 1", "", "", "a.id = b.id AND a.x = 1"),
        ("JOIN b ON a.id = b.id WHERE a.id < 9", "a.id < 9", "b.id < 9", "a.id = b.id"),
        ("LEFT JOIN b ON a.id = b.id WHERE a.id < 9", "a.id < 9", "b.id < 9", "a.id = b.id"),
        ("LEFT JOIN b ON a.id = b.id AND b.id < 9", "", "b.id < 9", "a.id = b.id"),
        (
            "JOIN (SELECT * FROM b WHERE x = 2) AS b ON a.id = b.id WHERE b.y = 3",
            "",
            "b.x = 2 AND b.y = 3",
            "a.id = b.id",
        ),
    ],
)
def test_conditions_go_to_the_input_that_they_are_about(clauses: str, left: str, right: str, on: str) -> None:
    (join,) = _joins(f"SELECT a.y, b.y FROM a {clauses}")
    assert (_filters(join.left), _filters(join.right)) == (left, right)
    assert " AND ".join(qualified(condition) for condition in join.conditions) == on


def test_the_inputs_of_a_self_join_are_distinguished() -> None:
    (join,) = _joins("SELECT l.x, r.y FROM a AS l JOIN a AS r ON l.id = r.k AND r.x = 1 AND l.y = 2")
    assert (_filters(join.left), _filters(join.right)) == ("a.y = 2", "a.x = 1")
    assert [str(column) for column in join.left_row] == ["id", "x"]
    assert [str(column) for column in join.right_row] == ["k", "y"]
    assert not set(join.left_row) & set(join.right_row)


@pytest.mark.parametrize(
    ("query", "keys", "until"),
    [
        (
            "SELECT a.x FROM a JOIN b ON a.id = b.id AND a.x < b.x",
            ["a.id = b.id"],
            "its time to live (table.exec.state.ttl) has passed, or never",
        ),
        (
            "SELECT a.x FROM a JOIN b ON b.ts BETWEEN a.ts AND a.ts + INTERVAL '4' HOUR",
            ["nothing: one partition"],
            "the watermark is 4 hours past the time of a left row, 0 seconds past that of a right row",
        ),
        (
            "SELECT a.x FROM a JOIN b ON a.id = b.id AND a.pt BETWEEN b.pt - INTERVAL '1' MINUTE AND b.pt",
            ["a.id = b.id"],
            "the processing time is 1 minute past the time of a left row, 0 seconds past that of a right row",
        ),
    ],
)
def test_what_a_join_keeps_by_what_and_until_when(query: str, keys: list[str], until: str) -> None:
    kept = logical_state(_joins(query)[0])
    assert kept is not None
    assert list(key_words(kept, qualified)) == keys
    assert kept.until == until


def test_a_lookup_join_keeps_nothing() -> None:
    (join,) = _joins("SELECT a.x, d.y FROM a JOIN d FOR SYSTEM_TIME AS OF a.pt ON a.id = d.id")
    assert logical_state(join) is None
