"""Plans that were called exact and were not, each with its neighbour that is."""

from __future__ import annotations

from datetime import timezone

import pytest

import keepstate
from cutover_changes import TABLES, grouped, total, tumble
from keepstate import JobVersion
from keepstate.cutover.plans import NEW, Approach, CutoverPlan
from keepstate.cutover.request import Request
from planned_cutovers import NOW, planned, windows

CDC = "CREATE TABLE orders (shop STRING, amount INT, PRIMARY KEY (shop) NOT ENFORCED) WITH ('connector' = {});\n"
SINK = (
    "CREATE TABLE s (a STRING, n BIGINT, PRIMARY KEY (a) NOT ENFORCED) "
    "WITH ('connector' = 'jdbc', 'table-name' = 's');\n"
)


def of_set(*inserts: str) -> str:
    return "EXECUTE STATEMENT SET BEGIN\n" + "".join(f"INSERT INTO {each};\n" for each in inserts) + "END;"


@pytest.mark.parametrize(
    ("was", "now", "exact"),
    [
        # The state is kept; groups whose rows have come are not written again.
        (total("SUM(amount)"), total("SUM(amount)") + " HAVING SUM(amount) > 100", False),
        (total("SUM(amount)") + " HAVING SUM(amount) > 100", total("SUM(amount)") + " HAVING SUM(amount) > 50", False),
        (total("SUM(amount)"), total("SUM(amount) * 2"), False),
        # The same meaning.
        (total("SUM(amount)"), total("sum(amount)"), True),
        # A window is written once.
        (grouped(tumble(10)), grouped(tumble(10)) + " HAVING SUM(amount) > 100", True),
    ],
)
def test_a_kept_state_shows_former_results(was: str, now: str, exact: bool) -> None:
    plan = planned(*windows(was, now, "results" if "TUMBLE" in was else "totals"))
    assert plan.approach is Approach.RESTART
    assert plan.is_exact is exact
    assert any(
        "written again only when a row changes it" in flaw for each in plan.pipelines for flaw in each.flaws
    ) is (not exact)


@pytest.mark.parametrize(
    ("query", "checks"),
    [
        ("SELECT shop, LAST_VALUE(amount) FROM orders GROUP BY shop", set()),
        (
            "SELECT shop, qty FROM (SELECT shop, qty, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY qty) AS place "
            "FROM (SELECT shop, SUM(qty) AS qty FROM orders GROUP BY shop)) WHERE place = 1",
            {"ties"},
        ),
        (
            "SELECT a.shop, LAST_VALUE(a.amount) FROM orders AS a JOIN refunds AS b ON a.id = b.id "
            "AND a.ts BETWEEN b.ts - INTERVAL '1' HOUR AND b.ts GROUP BY a.shop",
            {"lateness"},
        ),
    ],
)
def test_a_replay_names_what_the_order_of_rows_decides(query: str, checks: set[str]) -> None:
    was = query.replace("FROM orders", "FROM (SELECT * FROM orders WHERE qty > 1)", 1)
    plan = planned(*windows(was, query, "totals"))
    assert plan.approach is Approach.REPLAY
    assert {each.check for each in plan.assumptions} & {"ties", "lateness"} == checks


@pytest.mark.parametrize(
    ("options", "note", "text"),
    [
        ("'mysql-cdc', 'server-id' = '5400'", "another server-id", ""),
        ("'mysql-cdc'", "another server-id", ""),
        ("'postgres-cdc', 'slot.name' = 'flink'", "", "'slot.name' = 'flink_next'"),
        ("'kafka', 'topic' = 'orders', 'format' = 'debezium-json'", "", "'topic' = 'orders'"),
    ],
)
def test_two_readers_share_no_name_that_the_database_admits_once(options: str, note: str, text: str) -> None:
    query = "INSERT INTO s SELECT shop, {}(amount) FROM orders GROUP BY shop;"
    head = CDC.format(options) + SINK
    plan = planned(head + query.format("SUM"), head + query.format("MAX"))
    assert plan.approach is Approach.REPLAY
    assert any("another server-id" in each for each in plan.notes) is bool(note)
    assert text in "".join(script.text for script in plan.scripts)


@pytest.mark.parametrize("added", [True, False])
def test_a_query_that_is_new_has_results_from_the_boundary_on(added: bool) -> None:
    head = f"{TABLES}CREATE TABLE hourly (a STRING, t TIMESTAMP(3), n INT) WITH ('connector' = 'kafka');\n"
    hourly = f"hourly {grouped(tumble(60), 'SUM(qty)')}"
    was = (f"results {grouped(tumble(10))}", *(() if added else (hourly,)))
    now = (f"results {grouped(tumble(30))}", hourly)
    versions = (JobVersion(head + of_set(*each)) for each in (now, was))
    plan = keepstate.analyse(*versions, "flink").cutover(Request(NOW, timezone.utc))
    assert plan.approach is Approach.BOUNDARY
    assert any("INSERT INTO hourly is new: its results begin at" in note for note in plan.notes) is added


@pytest.mark.parametrize(("key", "exact"), [("shop", False), ("", True)])
def test_two_queries_on_the_keys_of_one_sink_have_no_order(key: str, exact: bool) -> None:
    constraint = f", PRIMARY KEY ({key}) NOT ENFORCED" if key else ""
    head = f"{TABLES}CREATE TABLE pairs (shop STRING, n DECIMAL(38, 2){constraint}) WITH ('connector' = 'jdbc');\n"
    one = "pairs SELECT shop, {}(amount) FROM orders GROUP BY shop"
    other = "pairs SELECT shop, MIN(qty) FROM orders GROUP BY shop"
    if exact:
        # Without a key, a sink takes new rows only: its results are those of windows.
        one, other = (
            f"pairs SELECT shop, {metric} FROM TABLE({tumble(10)}) GROUP BY shop, window_start, window_end"
            for metric in ("{}(amount)", "MIN(qty)")
        )
    texts = (head + of_set(one.format(metric), other) for metric in ("SUM", "MAX"))
    now, was = (JobVersion(text) for text in reversed(list(texts)))
    plan: CutoverPlan = keepstate.analyse(now, was, "flink").cutover(Request(NOW, timezone.utc))
    rivals = [flaw for each in plan.pipelines for flaw in each.flaws if "Several queries write" in flaw]
    assert bool(rivals) is not exact


def test_fields_of_rows_keep_their_names() -> None:
    head = TABLES.replace("qty INT,", "qty INT, place ROW<city STRING, `zip code` STRING>,", 1)
    query = (
        "SELECT shop, place.city FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY ts{}) AS n FROM orders) "
        "WHERE n = 1"
    )
    sink = (
        "CREATE TABLE places (shop STRING, city STRING, PRIMARY KEY (shop) NOT ENFORCED) WITH ('connector' = 'jdbc');\n"
    )
    texts = (f"{head}{sink}INSERT INTO places {query.format(order)};" for order in ("", " DESC"))
    plan = planned(*texts)
    assert plan.approach is Approach.BOOTSTRAP
    assert "place ROW < city STRING , `zip code` STRING >" in plan.script(NEW)
