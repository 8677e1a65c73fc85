"""Inferred types are those that Flink gives, or unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from keepstate import JobVersion
from keepstate.plan.expressions import Call, Expr
from keepstate.plan.types.inference import row_types, same_row_types, type_of
from keepstate.plan.types.logical_types import LogicalType
from shared_analyses import MEMORY

HERE = Path(__file__).parent
SCHEMA = (HERE / "flink_types.sql").read_text(encoding="utf-8")


def _answers() -> list[tuple[str, str]]:
    lines = (HERE / "flink_types.txt").read_text(encoding="utf-8").splitlines()
    reported = (line.rpartition(" | ") for line in lines if line and not line.startswith("#"))
    return [(text, type_) for text, _, type_ in reported]


def _row(text: str, declarations: str = SCHEMA) -> tuple[Expr, ...]:
    """The columns of a query, or of ``SELECT text FROM t``."""
    query = text if text.startswith(("SELECT ", "WITH ")) else f"SELECT {text} FROM t"
    pipelines = MEMORY.job(JobVersion(f"{declarations}\n{query};")).pipelines
    assert len(pipelines) == 1, text
    return pipelines[0].plan.output


def _type(text: str, declarations: str = SCHEMA) -> str | None:
    found = type_of(_row(text, declarations)[0])
    return str(found) if found is not None else None


@pytest.fixture(scope="module")
def inferred() -> dict[str, str | None]:
    return {text: _type(text) for text, _ in _answers()}


def test_no_type_is_wrong(inferred: dict[str, str | None]) -> None:
    wrong = {text: (inferred[text], answer) for text, answer in _answers() if inferred[text] not in (answer, None)}
    assert not wrong


def test_nearly_every_type_is_known(inferred: dict[str, str | None]) -> None:
    answers = [text for text, answer in _answers() if " or " not in answer]
    unknown = [text for text in answers if inferred[text] is None]
    assert len(unknown) < 0.04 * len(answers), unknown


def test_what_differs_between_versions_of_flink_is_unknown(inferred: dict[str, str | None]) -> None:
    differing = [text for text, answer in _answers() if " or " in answer]
    assert len(differing) > 5
    assert {inferred[text] for text in differing} == {None}


@pytest.mark.parametrize(
    "text",
    [
        "my_function(i)",
        "SELECT undeclared FROM elsewhere",
        "i + my_function(i)",
        "CASE WHEN b THEN i ELSE my_function(i) END",
        "SELECT my_aggregate(i) FROM t",
        "NULL",
        "f + d",
        "d + f",
        "SELECT f FROM t UNION ALL SELECT d FROM t",
        "b + i",
        "ABS()",
        "ABS(s)",
        "r.missing",
        "ai.name",
        "i[1]",
        "CAST(s AS com.example.Money)",
    ],
)
def test_nothing_is_guessed(text: str) -> None:
    assert _type(text) is None


def test_a_function_of_the_user_under_the_name_of_an_aggregate_is_unknown() -> None:
    function = "CREATE TEMPORARY SYSTEM FUNCTION MAX AS 'com.example.Max';"
    assert _type("SELECT MAX(i) FROM t", SCHEMA) == "INT"
    assert _type("SELECT MAX(i) FROM t", SCHEMA + function) is None


def test_types_reach_through_views_and_computed_columns() -> None:
    declarations = """
        CREATE TABLE t (price DECIMAL(10, 2), amount INT, total AS price * amount) WITH ('connector' = 'kafka');
        CREATE VIEW v AS SELECT SUM(total) AS total, COUNT(*) AS orders FROM t;
    """
    assert _type("SELECT total FROM t", declarations) == "DECIMAL(21,2)"
    assert _type("WITH q AS (SELECT total / orders AS mean FROM v) SELECT mean FROM q", declarations) == "DECIMAL(38,6)"


def test_an_expression_deeper_than_the_stack_is_unknown() -> None:
    deep = _row("i")[0]
    for _ in range(5000):
        deep = Call("ABS", (deep,))
    assert type_of(deep) is None


def test_rows_have_the_types_of_their_columns() -> None:
    assert row_types(_row("i, i + l, my_function(i)")) == (LogicalType("INT"), LogicalType("BIGINT"), None)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("i, s", "i, s", True),
        ("i, s", "j, s2", True),
        ("i, l", "l, i", False),
        ("i", "i, s", False),
        ("UPPER(s)", "LOWER(s)", True),
        ("SUBSTRING(vc, 1, 2)", "vc", True),
        ("n", "ROUND(n, 1)", False),
        # Nothing is known of the function, but it is the same one.
        ("my_function(i)", "my_function(i)", True),
        ("my_function(i)", "my_function(j)", None),
        ("my_function(i), i", "my_function(j), j", None),
        # One difference is enough, whatever else is unknown.
        ("my_function(i), i", "my_function(j), l", False),
        ("NULL", "i", None),
    ],
)
def test_rows_are_compared_column_by_column(one: str, other: str, same: bool | None) -> None:
    assert same_row_types(_row(one), _row(other)) is same
    assert same_row_types(_row(other), _row(one)) is same
