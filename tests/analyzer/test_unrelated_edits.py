"""A fix and a promise take back what they name, and leave unrelated edits in place."""

from __future__ import annotations

import pytest

from keepstate import ENGINES, JobVersion, check, fixes, with_revert
from keepstate.text import apply_edits

ORDERS = (
    "CREATE TABLE orders (u STRING, a DECIMAL(10, 2), ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)"
    " WITH ('connector' = 'kafka', 'topic' = 'o', 'format' = 'json');\n"
)
TWO = (
    "EXECUTE STATEMENT SET BEGIN\n"
    "INSERT INTO s SELECT u, COUNT(*) FROM orders WHERE a > 10 GROUP BY u;\n"
    "INSERT INTO t SELECT u, a * 10 FROM orders;\nEND;\n"
)
HOP = (
    "INSERT INTO s SELECT u, window_end, SUM(a) FROM TABLE(HOP(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' MINUTE,"
    " INTERVAL '6' MINUTE)) GROUP BY u, window_start, window_end;\n"
)
TUMBLE = (
    "INSERT INTO s SELECT u, TUMBLE_START(ts, INTERVAL '5' MINUTE), SUM(a) FROM orders"
    " GROUP BY u, TUMBLE(ts, INTERVAL '5' MINUTE);\n"
)
each_engine = pytest.mark.parametrize("engine", ENGINES)


@pytest.mark.parametrize(
    ("baseline", "current", "expected"),
    [
        pytest.param(
            ORDERS + TWO, ORDERS + TWO.replace("a > 10", "a > 20").replace("a * 10", "a * 30"),
            ORDERS + TWO.replace("a * 10", "a * 30"), id="a literal that went in two statements",
        ),
        pytest.param(
            ORDERS + TWO, ORDERS + TWO.replace("a > 10", "a > 20").replace("a * 10", "a * 20"),
            ORDERS + TWO.replace("a * 10", "a * 20"), id="a literal that came in two statements",
        ),
        pytest.param(
            ORDERS + HOP, ORDERS.replace("'5' SECOND", "'1' MINUTE") + HOP.replace("'1' MINUTE", "'2' MINUTE"),
            ORDERS.replace("'5' SECOND", "'1' MINUTE") + HOP, id="a literal that came here and went there",
        ),
        pytest.param(
            ORDERS + HOP.replace("SUM(a)", "SUM(a * 1)"),
            ORDERS + HOP.replace("SUM(a)", "SUM(a * 2)").replace("'1' MINUTE", "'2' MINUTE"),
            ORDERS + HOP.replace("SUM(a)", "SUM(a * 2)"), id="a literal of two edits of one statement",
        ),
        pytest.param(
            ORDERS + TUMBLE, ORDERS + TUMBLE.replace("'5'", "'7'"), ORDERS + TUMBLE, id="a window that is written twice"
        ),
    ],
)  # fmt: skip
@each_engine
def test_a_fix_leaves_other_edits(baseline: str, current: str, expected: str, engine: str) -> None:
    was, now = JobVersion(baseline), JobVersion(current)
    made = {
        apply_edits(current, fix.edits)
        for index, finding in enumerate(check(now, was, engine).findings)
        if finding.rule.startswith(("filter", "window"))
        for fix in fixes(now, was, index, engine)[:1]
    }
    assert made == {expected}


@each_engine
def test_a_promise_names_every_finding_that_it_takes_back(engine: str) -> None:
    was = JobVersion(ORDERS + HOP)
    table = ORDERS.replace("(10, 2)", "(12, 4)").replace("'5' SECOND", "'1' MINUTE")
    now = JobVersion(table + HOP.replace("'1' MINUTE", "'2' MINUTE"))
    report = with_revert(now, was, check(now, was, engine), engine)
    assert [finding.rule for finding in report.findings] == ["only-aggregate-changed", "window-slide-changed"]
    assert report.revert_to_be_compatible == (0, 1)
