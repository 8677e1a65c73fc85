"""Assumed declarations that the job cannot have read: Flink would refuse its former query over them.

The statements that such a declaration does not reach are compared over the assumed ones all the same, and what changed
below the others is no all-clear.
"""

from __future__ import annotations

import pytest
from tests.project.scenarios import Check, edited

ORDERS = (
    "CREATE TABLE orders (shop STRING, amount BIGINT, ts TIMESTAMP(3)) WITH ('connector' = 'kafka', 'topic' = 'o');"
)
CLICKS = "CREATE TABLE clicks (page STRING, amount BIGINT, ts TIMESTAMP(3)) WITH ('connector' = 'kafka');\n"
SUMS = """\
CREATE TABLE sums (shop STRING, total DOUBLE, PRIMARY KEY (shop) NOT ENFORCED) WITH ('connector' = 'upsert-kafka');
"""
NARROW = "CREATE TABLE pages (page STRING) WITH ('connector' = 'kafka');\n"
JOB = """\
INSERT INTO sums SELECT shop, SUM(amount) FROM orders GROUP BY shop;
"""
SETS = {
    "columns of a sink": "INSERT INTO pages SELECT page, SUM(amount), 1 FROM clicks GROUP BY page;\n",
    "a time attribute": (
        "INSERT INTO pages SELECT page FROM TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '1' HOUR))\n"
        "GROUP BY window_start, window_end, page HAVING SUM(amount) > 1;\n"
    ),
    "a column": "INSERT INTO pages SELECT page FROM clicks GROUP BY page, session HAVING SUM(amount) > 1;\n",
}


def files(refused: str, first: bool) -> dict[str, str]:
    statements = (SETS[refused], JOB) if first else (JOB, SETS[refused])
    return {
        "orders.sql": ORDERS,
        "clicks.sql": CLICKS,
        "sums.sql": SUMS,
        "pages.sql": NARROW,
        "job.sql": f"EXECUTE STATEMENT SET\nBEGIN\n{''.join(statements)}END;\n",
    }


@pytest.mark.parametrize("engine", ["vvr", "flink"])
@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("refused", SETS)
class TestJobs:
    def test_another_statement_is_compared(self, check: Check, refused: str, first: bool, engine: str) -> None:
        before = files(refused, first)
        found = check(before, edited(before, "orders.sql", "amount BIGINT", "amount DOUBLE"), "--engine", engine)
        assert found.verdicts == {"job.sql": "incompatible"}
        assert {file for _, rule, file, _ in found.findings if rule != "ambiguous-declaration"} == {"orders.sql"}

    def test_a_declaration_below_the_refused_one(self, check: Check, refused: str, first: bool, engine: str) -> None:
        before = files(refused, first)
        found = check(before, edited(before, "clicks.sql", "amount BIGINT", "amount DOUBLE"), "--engine", engine)
        # On vvr it is not certain that the window is refused.
        is_judged = (refused, engine) == ("a time attribute", "vvr")
        assert found.verdicts == {"job.sql": "incompatible" if is_judged else "unknown"}
        assert is_judged or {rule for _, rule, _, _ in found.findings} == {"ambiguous-declaration"}

    def test_options_alone(self, check: Check, refused: str, first: bool, engine: str) -> None:
        before = files(refused, first)
        found = check(before, edited(before, "orders.sql", "'topic' = 'o'", "'topic' = 'p'"), "--engine", engine)
        assert found.status == 0 and {rule for _, rule, _, _ in found.findings} == {"source-data-changed"}

    def test_the_query_itself(self, check: Check, refused: str, first: bool, engine: str) -> None:
        before = files(refused, first)
        found = check(before, edited(before, "job.sql", "SUM(amount)", "MAX(amount)"), "--engine", engine)
        assert found.status == 1 and found.verdicts == {"job.sql": "incompatible"}

    def test_a_comment_alone(self, check: Check, refused: str, first: bool, engine: str) -> None:
        before = files(refused, first)
        found = check(before, edited(before, "job.sql", "BEGIN", "BEGIN -- all of it"), "--engine", engine)
        assert (found.status, found.findings) == (0, set())


WINDOWED = """\
CREATE VIEW {name} AS
SELECT window_end AS ts, shop, COUNT(*) AS n
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '{size}' MINUTE))
GROUP BY window_start, window_end, shop;
"""


def test_views_of_one_name_over_windows(check: Check) -> None:
    """Several files declare the view, and the query of a view may be any."""
    before = {
        "orders.sql": ORDERS.replace("ts TIMESTAMP(3))", "ts TIMESTAMP(3), WATERMARK FOR ts AS ts)"),
        "a/view.sql": WINDOWED.format(name="counts", size=1),
        "b/view.sql": WINDOWED.format(name="counts", size=1),
        "job.sql": "INSERT INTO s SELECT shop, SUM(n) FROM counts GROUP BY shop;\n",
    }
    assert check(before, edited(before, "a/view.sql", "COUNT(*)", "COUNT( * )")).status == 0
    changed = check(before, edited(before, "a/view.sql", "'1' MINUTE", "'5' MINUTE"))
    assert changed.verdicts == {"job.sql": "unknown"}
    assert {rule for _, rule, _, _ in changed.findings} == {"ambiguous-declaration"}
