"""UNION, INTERSECT and EXCEPT in other spellings than those of the rule pages."""

from __future__ import annotations

import pytest

from keepstate.report import Verdict
from pairs import assert_silent, clauses, compare

INTERSECTION = "SELECT a, b FROM t INTERSECT SELECT a, b FROM u"
TOTALS = "SELECT a, COUNT(*) AS n FROM ({}) {} GROUP BY a"


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (INTERSECTION, "(SELECT a, b FROM t) INTERSECT DISTINCT (SELECT x.a, x.b FROM u AS x)"),
        (INTERSECTION, "WITH p AS (SELECT a, b FROM t) SELECT * FROM p INTERSECT SELECT a, b FROM u"),
        (f"SELECT a FROM ({INTERSECTION}) WHERE b > 3", f"SELECT a FROM ({INTERSECTION}) WHERE 3 < b"),
        (
            f"SELECT a FROM ({INTERSECTION}) WHERE b > 3",
            "SELECT a FROM (SELECT a, b FROM t WHERE b > 3 INTERSECT SELECT a, b FROM u WHERE b > 3)",
        ),
        (
            "SELECT a, b FROM t UNION SELECT a, b FROM u",
            "SELECT DISTINCT a, b FROM (SELECT a, b FROM u UNION ALL SELECT a, b FROM t)",
        ),
        (
            "SELECT a FROM t UNION SELECT a FROM u UNION SELECT d FROM t",
            "SELECT a FROM t UNION (SELECT a FROM u UNION ALL SELECT d FROM t)",
        ),
        (
            TOTALS.format("SELECT a FROM t UNION ALL SELECT a FROM u UNION ALL SELECT d FROM t", ""),
            "CREATE VIEW v AS SELECT a FROM u UNION ALL SELECT d FROM t; "
            + TOTALS.format("SELECT a FROM v UNION ALL SELECT a FROM t", ""),
        ),
        (
            TOTALS.format("SELECT a, b FROM t WHERE b > 3 UNION ALL SELECT a, b FROM u WHERE b > 3", ""),
            TOTALS.format("SELECT a, b FROM t UNION ALL SELECT a, b FROM u", "WHERE b > 3"),
        ),
    ],
)
def test_another_spelling_is_silent(was: str, now: str) -> None:
    assert_silent(was, now)


@pytest.mark.parametrize(
    ("was", "now", "found"),
    [
        (INTERSECTION, INTERSECTION.replace("INTERSECT", "EXCEPT"), ["EXCEPT"]),
        (INTERSECTION, INTERSECTION.replace("INTERSECT", "INTERSECT ALL"), ["INTERSECT ALL"]),
        (INTERSECTION, "SELECT a, b FROM u INTERSECT SELECT a, b FROM t", ["INTERSECT"]),
        (INTERSECTION, INTERSECTION.replace("a, b", "a, d"), ["d", "d"]),
        (INTERSECTION, INTERSECTION.replace("a, b FROM u", "a, b + 1 FROM u"), ["b + 1"]),
        (INTERSECTION, INTERSECTION.replace("FROM u", "FROM u WHERE d > 1"), ["d > 1"]),
        (INTERSECTION, f"SELECT * FROM ({INTERSECTION}) WHERE b > 1", ["b > 1"]),
        ("SELECT a FROM t UNION ALL SELECT a FROM u", "SELECT a FROM t UNION SELECT a FROM u", ["UNION"]),
        ("SELECT a FROM t UNION SELECT a FROM u", "SELECT a, c FROM t UNION SELECT a, c FROM u", ["c"]),
        (
            TOTALS.format("SELECT a, b FROM t UNION ALL SELECT a, b FROM u", ""),
            TOTALS.format("SELECT a, b FROM t UNION ALL SELECT a, b FROM u", "WHERE b > 1"),
            ["b > 1"],
        ),
        (
            "CREATE VIEW v AS SELECT a FROM t; SELECT a, COUNT(*) FROM v GROUP BY a",
            "CREATE VIEW v AS SELECT a FROM t UNION ALL SELECT a FROM u; SELECT a, COUNT(*) FROM v GROUP BY a",
            ["SELECT a FROM u"],
        ),
    ],
)
def test_the_clause_is_the_smallest_to_point_at(was: str, now: str, found: list[str]) -> None:
    report = compare(was, now)
    assert (report.verdict, clauses(report)) == (Verdict.INCOMPATIBLE, found)
