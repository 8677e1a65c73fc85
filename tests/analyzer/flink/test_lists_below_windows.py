"""Select lists below rankings and windows: their order and their unread columns. As Flink 2.3.0 planned them."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.report import Verdict

TABLES = """\
CREATE TABLE o (id BIGINT, u STRING, k STRING, amt BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka');
CREATE TABLE c (oid BIGINT, city STRING, more STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka');
CREATE TABLE v (u STRING, city STRING, more STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts,
  PRIMARY KEY (u) NOT ENFORCED) WITH ('connector' = 'upsert-kafka');
"""
TOP = "SELECT u, s FROM (SELECT u, s, ROW_NUMBER() OVER (PARTITION BY u ORDER BY s DESC) AS n FROM ({})) WHERE n <= 2"
LAST = "SELECT u, s FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY u ORDER BY ts DESC) AS n FROM ({})) WHERE n = 1"
COUNTED = "SELECT u, COUNT(s) OVER (PARTITION BY u ORDER BY ts) FROM ({})"
LIMITED = "SELECT u, s FROM (SELECT * FROM ({}) ORDER BY s DESC LIMIT 5)"
GROUPED = "SELECT u, MAX(s) FROM ({}) GROUP BY u"
SUM = "SUM(amt) OVER (PARTITION BY u ORDER BY ts) AS s"
MAX = "MAX(amt) OVER (PARTITION BY u ORDER BY ts) AS s"

FIRST_IN_WINDOW = """\
SELECT u, id FROM (
  SELECT u, id, window_start, window_end,
    ROW_NUMBER() OVER (PARTITION BY window_start, window_end, u ORDER BY {}) AS n
  FROM TABLE(TUMBLE(TABLE l, DESCRIPTOR(ts), INTERVAL '1' HOUR)))
WHERE {}"""
COMPUTED_IN_WINDOW = FIRST_IN_WINDOW.format("ts DESC", "n = 1").replace(
    "SELECT u, id, w", "SELECT UPPER(u) AS p, u, id, w"
)
IN_WINDOWS = (
    "SELECT u, COUNT(*) FROM TABLE(TUMBLE(TABLE l, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY u, window_start"
)
VIEWS = {
    "interval join": "SELECT o.u, o.id, c.city, {} o.ts FROM o JOIN c ON o.id = c.oid AND c.ts BETWEEN o.ts AND o.ts "
    "+ INTERVAL '1' MINUTE",
    "temporal join": "SELECT o.u, o.id, c.city, {} o.ts FROM o JOIN v FOR SYSTEM_TIME AS OF o.ts AS c ON o.u = c.u",
}


def verdict(was: str, now: str, engine: str = "flink") -> Verdict:
    return check(JobVersion(f"{TABLES}{now};"), JobVersion(f"{TABLES}{was};"), engine).verdict


@pytest.mark.parametrize("upper", [TOP, LAST, COUNTED])
@pytest.mark.parametrize("call", [SUM, MAX])
def test_rows_above_an_over_window_have_the_order_of_its_list(upper: str, call: str) -> None:
    lists = (f"SELECT u, k, {call}, ts FROM o", f"SELECT k, {call}, u, ts FROM o")
    was, now = map(upper.format, lists)
    assert verdict(was, now) is Verdict.INCOMPATIBLE
    assert verdict(was, now, "vvr") is Verdict.COMPATIBLE
    assert verdict(was, upper.format(lists[0].replace("SELECT u", "SELECT u AS u"))) is Verdict.COMPATIBLE


@pytest.mark.parametrize(("call", "expected"), [(SUM, Verdict.INCOMPATIBLE), (MAX, Verdict.COMPATIBLE)])
def test_a_limit_stands_on_the_list_of_a_call_that_is_taken_apart(call: str, expected: Verdict) -> None:
    """SUM is computed of two calls. The list of others goes behind the limit."""
    was, now = (LIMITED.format(f"SELECT {each}, ts FROM o") for each in (f"u, k, {call}", f"k, {call}, u"))
    assert verdict(was, now) is expected


@pytest.mark.parametrize("call", [SUM, MAX])
def test_above_an_aggregation_the_order_of_the_list_does_not_count(call: str) -> None:
    was, now = (GROUPED.format(each) for each in (f"SELECT u, {call} FROM o", f"SELECT {call}, u FROM o"))
    assert verdict(was, now) is Verdict.COMPATIBLE


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize(
    ("upper", "expected"),
    [
        (FIRST_IN_WINDOW.format("ts DESC", "n = 1"), Verdict.INCOMPATIBLE),
        (FIRST_IN_WINDOW.format("id", "n <= 3"), Verdict.INCOMPATIBLE),
        (COMPUTED_IN_WINDOW, Verdict.COMPATIBLE),
        (IN_WINDOWS, Verdict.COMPATIBLE),
    ],
)
def test_a_ranking_of_windows_keeps_the_list_of_their_view(view: str, upper: str, expected: Verdict) -> None:
    was, now = (f"CREATE VIEW l AS {view.format(more)};\n{upper}" for more in ("c.more,", ""))
    assert verdict(was, now) is expected
    assert verdict(was, now, "vvr") is Verdict.COMPATIBLE
