"""Names of columns, relations and fields, and the groups in which they may stand."""

from __future__ import annotations

import pytest
from marked import assert_refused, assert_taken, validity

REFUSED = [
    ("unknown-column", "SELECT «fee» FROM rides;"),
    ("unknown-column", "SELECT «ID» FROM rides;"),
    ("unknown-column", "SELECT r.«fee» FROM rides AS r;"),
    ("unknown-column", "SELECT id FROM rides WHERE «fee» > 1;"),
    ("unknown-column", "SELECT km AS way FROM rides WHERE «way» > 1;"),
    ("unknown-column", "SELECT rider, COUNT(*) AS n FROM rides GROUP BY rider HAVING «n» > 1;"),
    ("unknown-column", "SELECT x.id FROM (SELECT km FROM rides WHERE «x» > 1) AS x;"),
    ("unknown-column", "SELECT x.«id» FROM (SELECT km FROM rides) AS x;"),
    ("unknown-column", "WITH x AS (SELECT km FROM rides) SELECT «id» FROM x;"),
    ("unknown-column", "SELECT r.id FROM rides AS r JOIN bills AS b ON r.id = b.«ride»;"),
    ("unknown-column", "SELECT id FROM rides WHERE id IN (SELECT «ride» FROM bills);"),
    ("unknown-qualifier", "SELECT «rides».id FROM rides AS r;"),
    ("unknown-qualifier", "SELECT «x».id FROM rides;"),
    ("unknown-field", "SELECT «car.wheels» FROM rides;"),
    ("ambiguous-column", "SELECT «id» FROM rides AS r JOIN bills AS b ON r.id = b.id;"),
    ("duplicate-relation", "SELECT 1 FROM rides, «rides»;"),
    ("unknown-column", "SELECT b.«km» FROM rides JOIN (bills AS b JOIN riders ON amount = level) ON rides.id = b.id;"),
    ("unknown-qualifier", "SELECT «x».km FROM (rides JOIN bills AS b ON rides.id = b.id);"),
    ("alias-columns", "SELECT a FROM (SELECT id, km FROM rides) AS x («a»);"),
    ("not-grouped", "SELECT «id», COUNT(*) FROM rides GROUP BY rider;"),
    ("not-grouped", "SELECT «id», COUNT(*) FROM rides;"),
    ("not-grouped", "SELECT COUNT(*) FROM rides HAVING «km» > 1;"),
    ("not-grouped", "SELECT rider FROM rides GROUP BY rider ORDER BY «km» LIMIT 3;"),
    ("not-grouped", "SELECT «rider» FROM rides GROUP BY 1;"),
    ("not-grouped", "SELECT UPPER(«rider») FROM rides GROUP BY LOWER(rider);"),
    ("not-grouped", "SELECT «*» FROM rides GROUP BY rider;"),
    ("distinct-order", "SELECT DISTINCT rider FROM rides ORDER BY «km» LIMIT 3;"),
    ("order-by", "SELECT rider FROM rides ORDER BY «2» LIMIT 3;"),
    ("aggregate-misplaced", "SELECT id FROM rides WHERE «SUM(km)» > 1;"),
    ("aggregate-misplaced", "SELECT rider FROM rides GROUP BY rider, «SUM(km)»;"),
    ("nested-aggregate", "SELECT «SUM(COUNT(*))» FROM rides;"),
    ("over-misplaced", "SELECT id FROM rides WHERE «ROW_NUMBER() OVER (ORDER BY begun)» = 1;"),
    ("over-missing", "SELECT «ROW_NUMBER()» FROM rides;"),
    ("unknown-window", "SELECT SUM(km) OVER «w» FROM rides;"),
    ("set-operation-columns", "SELECT id FROM rides UNION ALL SELECT «id», amount FROM bills;"),
    ("set-operation-types", "SELECT «rider» FROM rides UNION ALL SELECT amount FROM bills;"),
    ("subquery-columns", "SELECT id FROM rides WHERE «id IN (SELECT id, amount FROM bills)»;"),
    ("join-condition", "SELECT r.id FROM rides AS r «JOIN» bills AS b;"),
    ("values-columns", "SELECT a FROM («VALUES (1), (1, 2)») AS x (a);"),
]
TAKEN = [
    "SELECT r.`id`, (rider), rides.km FROM rides AS rides JOIN bills AS r ON rides.id = r.id;",
    "SELECT km AS way FROM rides ORDER BY way LIMIT 3;",
    "SELECT plate, car.age, r.car.plate AS p FROM rides AS r;",
    "SELECT x.rider FROM (SELECT (rider) FROM rides) AS x;",
    "SELECT x.`EXPR$1` FROM (SELECT id, km + 1 FROM rides) AS x;",
    "SELECT upper(rider), COUNT(*) FROM rides AS r GROUP BY UPPER(r.rider);",
    "SELECT rider, SUM(km) / COUNT(*), CURRENT_TIMESTAMP FROM rides GROUP BY rider HAVING MAX(km) > 1;",
    "SELECT car.age, COUNT(*) FROM rides GROUP BY car.age;",
    "SELECT COUNT(*), 1 FROM rides GROUP BY GROUPING SETS ((rider), (id), ());",
    "SELECT id FROM rides AS r WHERE EXISTS (SELECT 1 FROM bills AS b WHERE b.id = r.id);",
    "SELECT r.km, b.amount, u.level FROM (rides r JOIN bills b ON r.id = b.id) JOIN riders u ON r.rider = u.name;",
    "SELECT rides.km, b.amount FROM rides JOIN (bills AS b JOIN riders AS u ON b.amount = u.level) ON rides.id = b.id;",
    "SELECT amount, level FROM rides JOIN (bills JOIN riders ON amount = level) USING (id);",
    "SELECT id, amount FROM rides JOIN bills USING (id);",
    "SELECT CAST(id /* a */ AS DECIMAL( 8,2 )) FROM rides GROUP BY CAST(id AS DECIMAL(8, 2));",
    "SELECT begun + INTERVAL /* ' */ '1' DAY FROM rides GROUP BY begun + INTERVAL '1'\n DAYS;",
    "SELECT TUMBLE_START(begun, INTERVAL -- one\n'1' HOUR) FROM rides GROUP BY TUMBLE(begun, INTERVAL '1' HOUR);",
    "SELECT DISTINCT (rider) FROM rides ORDER BY rider LIMIT 3;",
    "SELECT a.id FROM rides AS a, bills AS b WHERE a.id = b.id;",
    "SELECT t.stop FROM rides CROSS JOIN UNNEST(stops) AS t (stop);",
    "WITH x (a) AS (SELECT id FROM rides), y AS (SELECT a FROM x) SELECT y.a FROM y;",
]


@pytest.mark.parametrize(("rule", "marked"), REFUSED)
def test_what_flink_refuses_is_refused_at_its_token(rule: str, marked: str) -> None:
    assert_refused(rule, marked)


@pytest.mark.parametrize("text", TAKEN)
def test_near_misses_are_taken(text: str) -> None:
    assert_taken(text)


@pytest.mark.parametrize("path", ["f", "d.f", "c.d.f", "`c`.`d`.f", "rides.f"])
@pytest.mark.parametrize(
    "query",
    [
        "SELECT {}(km) FROM rides;",
        "SELECT rider, {}(SUM(km)) FROM rides GROUP BY rider;",
        "SELECT {}({}(km)) + 1 FROM rides WHERE {}(id) > 1;",
        "SELECT {}(km).x FROM rides;",
        "SELECT {}(km) FROM rides GROUP BY {}(km);",
    ],
)
def test_the_catalog_of_a_function_is_no_column(path: str, query: str) -> None:
    """A catalog may hold the function: nothing is refused, and a column that is not there still is."""
    assert not validity(query.replace("{}", path)).problems
    assert [each.rule for each in validity(query.replace("{}", path).replace("km", "fee", 1)).problems] == [
        "unknown-column"
    ]
