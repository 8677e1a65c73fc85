"""Windows, OVER, rankings, patterns, temporal joins, and sinks: what goes by time and what takes changes."""

from __future__ import annotations

import pytest
from marked import DECLARED, assert_refused, assert_taken, validity

TUMBLING = "TABLE(TUMBLE(TABLE rides, DESCRIPTOR(begun), INTERVAL '1' HOUR))"
NUMBERED = "SELECT *, {} OVER (PARTITION BY rider ORDER BY km) AS rn FROM rides"
PATTERN = (
    "SELECT * FROM rides MATCH_RECOGNIZE (PARTITION BY rider ORDER BY {order} MEASURES {measure} AS m "
    "PATTERN {pattern} DEFINE B AS B.km > 2) AS x;"
)


def pattern(order: str = "begun", measure: str = "A.km", pattern: str = "(A B)") -> str:
    return PATTERN.format(order=order, measure=measure, pattern=pattern)


REFUSED = [
    ("window-time", "SELECT * FROM TABLE(«TUMBLE(TABLE rides, DESCRIPTOR(day_of), INTERVAL '1' HOUR)»);"),
    ("unknown-column", "SELECT * FROM TABLE(TUMBLE(TABLE rides, DESCRIPTOR(«x»), INTERVAL '1' HOUR));"),
    ("window-arguments", "SELECT * FROM TABLE(«TUMBLE(TABLE rides, DESCRIPTOR(begun))»);"),
    ("window-arguments", "SELECT * FROM TABLE(«TUMBLE(TABLE rides, DESCRIPTOR(begun), 60)»);"),
    ("window-size", "SELECT * FROM TABLE(TUMBLE(TABLE rides, DESCRIPTOR(begun), «INTERVAL '1' MONTH»));"),
    (
        "window-size",
        "SELECT * FROM TABLE(TUMBLE(TABLE rides, DESCRIPTOR(begun), INTERVAL '1' HOUR, «INTERVAL '1' HOUR»));",
    ),
    (
        "window-size",
        "SELECT COUNT(*) FROM TABLE(HOP(TABLE rides, DESCRIPTOR(begun), INTERVAL '7' MINUTE, «INTERVAL '1' HOUR»)) "
        "GROUP BY window_start, window_end;",
    ),
    (
        "window-aggregate",
        "SELECT «FIRST_VALUE(km)» FROM TABLE(SESSION(TABLE rides, DESCRIPTOR(begun), INTERVAL '7' MINUTE)) "
        "GROUP BY window_start, window_end;",
    ),
    (
        "window-time",
        "SELECT * FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(«begun»), INTERVAL '1' HOUR));".replace(
            "TABLE v", "(SELECT MAX(begun) AS begun FROM rides)"
        ),
    ),
    ("group-window", "SELECT «TUMBLE(begun, INTERVAL '1' HOUR)» FROM rides;"),
    (
        "group-window",
        "SELECT «TUMBLE_START(begun, INTERVAL '60' MINUTE)» FROM rides GROUP BY TUMBLE(begun, INTERVAL '1' HOUR);",
    ),
    ("window-time", "SELECT COUNT(*) FROM rides GROUP BY TUMBLE(«day_of», INTERVAL '1' HOUR);"),
    ("over-order", "SELECT «SUM(km) OVER (PARTITION BY rider)» FROM rides;"),
    ("over-order", "SELECT SUM(km) OVER (ORDER BY «begun DESC») FROM rides;"),
    ("over-frame", "SELECT SUM(km) OVER (ORDER BY begun RANGE BETWEEN «5» PRECEDING AND CURRENT ROW) FROM rides;"),
    (
        "over-frame",
        "SELECT SUM(km) OVER (ORDER BY begun «ROWS BETWEEN CURRENT ROW AND CURRENT ROW») FROM rides;",
    ),
    ("over-function", "SELECT «LEAD(km) OVER (ORDER BY begun)» FROM rides;"),
    (
        "over-windows",
        "SELECT SUM(km) OVER (ORDER BY begun), «SUM(km) OVER (PARTITION BY rider ORDER BY begun)» FROM rides;",
    ),
    ("rank-range", f"SELECT id FROM ({NUMBERED.format('ROW_NUMBER()')}) WHERE «rn >= 2»;"),
    ("rank-range", f"SELECT id FROM ({NUMBERED.format('ROW_NUMBER()')}) WHERE «rn < 1»;"),
    ("sort", "SELECT id FROM rides ORDER BY «km»;"),
    ("sort", "SELECT id FROM rides ORDER BY «begun DESC»;"),
    ("limit", "SELECT id FROM rides «OFFSET 3»;"),
    (
        "temporal-side",
        "SELECT r.id FROM rides AS r «RIGHT JOIN» cities FOR SYSTEM_TIME AS OF r.now AS c ON r.rider = c.name;",
    ),
    ("temporal-time", "SELECT r.id FROM rides AS r JOIN cities FOR SYSTEM_TIME AS OF «r.km» AS c ON r.rider = c.name;"),
    ("temporal-key", "SELECT r.id FROM rides AS r JOIN cities FOR SYSTEM_TIME AS OF r.now AS c ON «r.rider > c.name»;"),
    ("temporal-table", "SELECT r.id FROM rides AS r JOIN «bills FOR SYSTEM_TIME AS OF r.begun AS b» ON r.id = b.id;"),
    (
        "temporal-key",
        "SELECT r.id FROM rides AS r JOIN riders FOR SYSTEM_TIME AS OF r.begun AS n ON «r.seats = n.level»;",
    ),
    ("pattern", pattern(order="«km»")),
    ("pattern", pattern(pattern="(«A | B»)")),
    ("pattern", pattern(pattern="(«A B+»)")),
    ("unknown-qualifier", pattern(measure="«Z».km")),
    ("unknown-column", pattern(measure="A.«fee»")),
    ("changing-rows", "SELECT * FROM riders «ORDER BY since»;"),
    ("sink-columns", "INSERT INTO log «SELECT rider, id FROM rides»;"),
    ("sink-columns", "INSERT INTO log (rider, n) «SELECT rider FROM rides»;"),
    ("sink-type", "INSERT INTO log SELECT rider, «rider», km FROM rides;"),
    ("unknown-column", "INSERT INTO log (rider, «x») SELECT rider, id FROM rides;"),
    ("duplicate-column", "INSERT INTO log (rider, «rider») SELECT rider, rider FROM rides;"),
    ("append-only-sink", "INSERT INTO «appended» SELECT rider, COUNT(*) FROM rides GROUP BY rider;"),
    ("upsert-key", "INSERT INTO «totals» SELECT rider, id FROM rides;"),
    ("upsert-key", "INSERT INTO «totals» SELECT rider, COUNT(*) FROM rides GROUP BY rider, id;"),
    ("on-conflict", "INSERT INTO appended SELECT rider, id FROM rides «ON CONFLICT DO NOTHING»;"),
    ("hint", "SELECT /*+ «STATE_TTLX('r' = '1d')» */ COUNT(*) FROM rides AS r GROUP BY rider;"),
    ("hint", "SELECT /*+ STATE_TTL(«'r' = 'x'») */ COUNT(*) FROM rides AS r GROUP BY rider;"),
]
TAKEN = [
    f"SELECT window_start, COUNT(*) FROM {TUMBLING} GROUP BY window_start, window_end;",
    f"SELECT * FROM {TUMBLING} ORDER BY begun;",
    "SELECT * FROM TABLE(HOP(TABLE rides, DESCRIPTOR(begun), INTERVAL '7' MINUTE, INTERVAL '1' HOUR));",
    "SELECT * FROM TABLE(TUMBLE(DATA => TABLE rides, TIMECOL => DESCRIPTOR(begun), SIZE => INTERVAL '1' HOUR));",
    "SELECT TUMBLE_END(r.begun, INTERVAL '1' HOURS) FROM rides AS r GROUP BY TUMBLE(begun, INTERVAL '1' HOUR);",
    "SELECT SUM(km) OVER w, COUNT(*) OVER w FROM rides "
    "WINDOW w AS (PARTITION BY rider ORDER BY begun ROWS BETWEEN 2 PRECEDING AND CURRENT ROW);",
    "SELECT SUM(km) OVER (ORDER BY seats) FROM rides;",
    f"SELECT id FROM ({NUMBERED.format('ROW_NUMBER()')}) WHERE rn <= 3;",
    f"SELECT id FROM ({NUMBERED.format('ROW_NUMBER()')}) WHERE rn <> 3;",
    "SELECT id FROM rides ORDER BY begun, km DESC;",
    "SELECT * FROM (SELECT id FROM rides ORDER BY km) AS x;",
    "SELECT id FROM rides ORDER BY km DESC LIMIT 3;",
    "SELECT r.begun FROM rides AS r JOIN bills AS b ON r.id = b.id "
    "AND r.begun BETWEEN b.sent AND b.sent + INTERVAL '1' HOUR ORDER BY begun;",
    "SELECT r.id FROM rides AS r LEFT JOIN cities FOR SYSTEM_TIME AS OF r.now AS c ON r.rider = c.name;",
    "SELECT r.id FROM rides AS r JOIN riders FOR SYSTEM_TIME AS OF r.begun AS n ON r.rider = n.name AND r.km > 3;",
    pattern(pattern="(A B+ C)"),
    pattern(pattern="(A B{2})"),
    "INSERT INTO log SELECT rider, seats, km FROM rides;",
    "INSERT INTO log (n, rider) SELECT id, rider FROM rides;",
    "INSERT INTO log VALUES ('a', 1, CAST(NULL AS DOUBLE));",
    "INSERT INTO totals SELECT rider, COUNT(*) FROM rides GROUP BY rider;",
    "INSERT INTO totals SELECT rider, id FROM rides ON CONFLICT DO DEDUPLICATE;",
    "SET 'table.exec.sink.require-on-conflict' = 'false'; INSERT INTO totals SELECT rider, id FROM rides;",
    f"INSERT INTO appended SELECT rider, id FROM ({NUMBERED.format('ROW_NUMBER()')}) WHERE rn = 1;",
    "INSERT INTO appended SELECT rider, COUNT(*) FROM "
    "TABLE(TUMBLE(TABLE rides, DESCRIPTOR(begun), INTERVAL '1' HOUR)) GROUP BY rider, window_start, window_end;",
    "SET 'execution.runtime-mode' = 'batch'; SELECT id FROM rides ORDER BY km;",
]


@pytest.mark.parametrize(("rule", "marked"), REFUSED)
def test_what_flink_refuses_is_refused_at_its_clause(rule: str, marked: str) -> None:
    assert_refused(rule, marked)


@pytest.mark.parametrize("text", TAKEN)
def test_near_misses_are_taken(text: str) -> None:
    assert_taken(text)


def test_on_conflict_is_asked_for_since_flink_2_3() -> None:
    statement = "INSERT INTO totals SELECT rider, id FROM rides;"
    assert validity(statement, version="2.3").problems
    assert not validity(statement, version="1.20").problems
    assert DECLARED
