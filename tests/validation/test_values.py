"""Types of operands and arguments, casts, literals."""

from __future__ import annotations

import pytest
from marked import assert_refused, assert_taken

REFUSED = [
    ("operand-type", "SELECT «rider + 1» FROM rides;"),
    ("operand-type", "SELECT «begun + 1» FROM rides;"),
    ("operand-type", "SELECT «km % 2» FROM rides;"),
    ("operand-type", "SELECT «seats + INTERVAL '1' DAY» FROM rides;"),
    ("operand-type", "SELECT «rider || seats» FROM rides;"),
    ("operand-type", "SELECT «seats LIKE 'a'» FROM rides;"),
    ("operand-type", "SELECT id FROM rides WHERE «seats AND paid»;"),
    ("operand-type", "SELECT id FROM rides WHERE «rider = seats»;"),
    ("operand-type", "SELECT id FROM rides WHERE «paid = 1»;"),
    ("operand-type", "SELECT id FROM rides WHERE «begun > day_of»;"),
    ("operand-type", "SELECT id FROM rides WHERE «seats BETWEEN DATE '2020-01-01' AND 3»;"),
    ("condition-type", "SELECT id FROM rides WHERE «seats»;"),
    ("condition-type", "SELECT «CASE WHEN seats THEN 1 ELSE 2 END» FROM rides;"),
    ("condition-type", "SELECT SUM(km) FILTER (WHERE «seats») FROM rides;"),
    ("mixed-types", "SELECT «CASE WHEN paid THEN rider ELSE 1 END» FROM rides;"),
    ("mixed-types", "SELECT «ARRAY[1, 'a']» FROM rides;"),
    ("argument-type", "SELECT «COALESCE(rider, 1)» FROM rides;"),
    ("argument-type", "SELECT «UPPER(seats)» FROM rides;"),
    ("argument-type", "SELECT «SUM(rider)» FROM rides;"),
    ("argument-type", "SELECT «YEAR(rider)» FROM rides;"),
    ("argument-type", "SELECT «DATE_FORMAT(day_of, 'yyyy')» FROM rides;"),
    ("argument-type", "SELECT «FLOOR(seats TO DAY)» FROM rides;"),
    ("argument-type", "SELECT «TIMESTAMPDIFF(DAY, begun, '2020-01-01')» FROM rides;"),
    ("argument-type", "SELECT «tags[1]» FROM rides;"),
    ("argument-count", "SELECT «UPPER(rider, rider)» FROM rides;"),
    ("argument-count", "SELECT «COUNT()» FROM rides;"),
    ("argument-count", "SELECT «LPAD(rider, 1)» FROM rides;"),
    ("unknown-column", "SELECT SUM(«*») FROM rides;"),
    ("distinct", "SELECT UPPER(«DISTINCT rider») FROM rides;"),
    ("bare-null", "SELECT «NULL» FROM rides;"),
    ("bare-null", "SELECT 1 + «NULL» FROM rides;"),
    ("cast", "SELECT «CAST(stops AS INT)» FROM rides;"),
    ("cast", "SELECT «CAST(begun AS BIGINT)» FROM rides;"),
    ("unknown-type", "SELECT CAST(rider AS «TEXT») FROM rides;"),
    ("type-number", "SELECT CAST(rider AS «DECIMAL(2, 5)») FROM rides;"),
    ("interval-value", "SELECT begun + «INTERVAL '100' MINUTE» FROM rides;"),
    # A finer unit behind TO is the interval's, and FLOOR gets none.
    ("interval-value", "SELECT FLOOR(begun + «INTERVAL '1' DAY TO HOUR») FROM rides;"),
    ("interval-value", "SELECT CEIL(begun + «INTERVAL '1' YEAR TO MONTH») FROM rides;"),
    ("argument-type", "SELECT «CEILING(begun)» FROM rides;"),
    ("interval-value", "SELECT begun + «INTERVAL '1.5' MINUTE» FROM rides;"),
    ("interval-value", "SELECT begun + «INTERVAL 'x' SECOND» FROM rides;"),
    ("interval-value", "SELECT begun + «INTERVAL '90' MINUTE TO SECOND» FROM rides;"),
    ("interval-value", "SELECT begun + «INTERVAL '100' SECOND(4)» FROM rides;"),
    ("time-unit", "SELECT EXTRACT(«DAYS» FROM begun) FROM rides;"),
    ("time-unit", "SELECT TIMESTAMPADD(«SECS», 1, begun) FROM rides;"),
    ("array-index", "SELECT «stops[0]» FROM rides;"),
    ("string", "SELECT 'a' «'b'» FROM rides;"),
    ("unnest", "SELECT t.x FROM rides CROSS JOIN «UNNEST(rider) AS t (x)»;"),
]
TAKEN = [
    "SELECT km + seats, km / fare, seats % 2, seats * INTERVAL '1' DAY, -km FROM rides;",
    "SELECT begun - INTERVAL '5' MINUTE, begun + INTERVAL '100' SECOND(3) FROM rides;",
    "SELECT begun + INTERVAL '1 10:00' DAY TO MINUTE FROM rides;",
    "SELECT FLOOR(begun + INTERVAL '1' HOUR TO HOUR), CEIL(begun - INTERVAL '30' MINUTE TO WEEK) FROM rides;",
    "SELECT FLOOR(begun + INTERVAL '1' MONTH TO DAY), FLOOR(begun + INTERVAL '1 02' DAY TO HOUR TO DAY) FROM rides;",
    "SELECT CEILING(begun TO DAY), CEILING(km) FROM rides;",
    "SELECT id FROM rides WHERE begun > '2020-01-01 00:00:00' AND day_of = '2020-01-01' AND paid = 'true';",
    "SELECT id FROM rides WHERE seats IN (1, 2) AND seats > rider AND km BETWEEN 1 AND 2;",
    "SELECT CASE WHEN paid THEN seats ELSE km END, COALESCE(km, NULL), NULLIF(seats, 1) FROM rides;",
    "SELECT CAST(NULL AS INT), CAST(rider AS DOUBLE), TRY_CAST(rider AS INT), CAST(fare AS STRING) FROM rides;",
    "SELECT JSON_VALUE(rider, '$.a' RETURNING INT) + 1, PI, PI(), (begun - begun) DAY FROM rides;",
    "SELECT stops[1], tags['a'], car.plate, CARDINALITY(stops), TRIM(rider), LAST_VALUE(rider) OVER (ORDER BY begun) "
    "FROM rides;",
    "SELECT SUBSTRING(rider FROM 1 FOR 2), CONCAT(rider, 'a', rider), ROUND(fare), COUNT(DISTINCT id) OVER w "
    "FROM rides WINDOW w AS (ORDER BY begun);",
    "SELECT CAST(rider AS VARCHAR(0)), CAST(rider AS DECIMAL(40, 2)), CAST(rider AS TIMESTAMP(12)) FROM rides;",
]


@pytest.mark.parametrize(("rule", "marked"), REFUSED)
def test_what_flink_refuses_is_refused_at_its_token(rule: str, marked: str) -> None:
    assert_refused(rule, marked)


@pytest.mark.parametrize("text", TAKEN)
def test_near_misses_are_taken(text: str) -> None:
    assert_taken(text)
