"""Plans that were called exact and were not, each with its neighbour that is."""

from __future__ import annotations

from datetime import timezone

import pytest

import keepstate
from cutover_changes import TABLES, grouped, total, tumble
from keepstate import JobVersion
from keepstate.cutover.cutover_options import CutoverOptions
from keepstate.cutover.cutover_plan import NEW, Approach, CutoverPlan
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
    plan = keepstate.analyse(*versions, "flink").cutover(CutoverOptions(NOW, timezone.utc))
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
    plan: CutoverPlan = keepstate.analyse(now, was, "flink").cutover(CutoverOptions(NOW, timezone.utc))
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


def of_totals(query: str, head: str = TABLES, **request: object) -> CutoverPlan:
    """The plan for another metric over one table: ``{}`` stands for it."""
    sink = "CREATE TABLE sums (a STRING, b STRING, n DECIMAL(38, 2)) WITH ('connector' = 'jdbc', 'table-name' = 's');\n"
    keyed = sink.replace(") WITH", ", PRIMARY KEY (a, b) NOT ENFORCED) WITH")
    texts = (f"{head}{keyed}INSERT INTO sums {query.format(metric)};" for metric in ("SUM(qty)", "MAX(qty)"))
    return planned(*texts, **request)  # type: ignore[arg-type]


def test_fields_of_two_rows_are_two_keys() -> None:
    head = TABLES.replace("qty INT,", "qty INT, home ROW<city STRING>, job ROW<city STRING>,", 1)
    plan = of_totals("SELECT home.city, orders.job.city, {} FROM orders GROUP BY home.city, orders.job.city", head)
    assert plan.approach is Approach.BOOTSTRAP
    assert "SELECT k_city, k2, " in plan.script(NEW)


def test_a_literal_of_several_lines_is_the_same_in_each_script() -> None:
    plan = of_totals("SELECT shop, 'x', {} FROM orders WHERE shop <> 'a\nb' GROUP BY shop")
    assert plan.approach is Approach.BOOTSTRAP
    for script in plan.scripts:
        assert "shop <> 'a\nb'" in script.text


@pytest.mark.parametrize("name", ["pairs_state_orders", "PAIRS_STATE_REFUNDS", "pairs_state", "other"])
def test_the_tables_of_states_take_no_name_that_is_there(name: str) -> None:
    head = (
        f"{TABLES}CREATE TABLE pairs (shop STRING, amount DECIMAL(10, 2)) WITH ('connector' = 'blackhole');\n"
        f"CREATE TABLE {name} (a INT) WITH ('connector' = 'blackhole');\n"
    )
    query = "INSERT INTO pairs SELECT o.shop, r.amount FROM orders AS o JOIN refunds AS r ON o.id = r.id{};"
    plan = planned(head + query.format(""), head + query.format(" AND o.shop = r.shop"))
    assert plan.approach is Approach.BOOTSTRAP
    states = [state.state.lower() for state in plan.states]
    assert len(set(states)) == 2 and name.lower() not in states
    assert {script.name for script in plan.scripts} == {NEW, "bootstrap-1.sql", "bootstrap-2.sql"}


@pytest.mark.parametrize(
    ("hours", "exact"),
    # The state is that of 08:00, the plan is made at 08:44, and a minute more is read.
    [(1, True), (0.5, False)],
)
def test_a_retention_shorter_than_the_way_back_to_the_state_loses_rows(hours: float, exact: bool) -> None:
    plan = of_totals("SELECT shop, 'x', {} FROM orders GROUP BY shop", retention={"orders": int(hours * 3_600_000)})
    assert plan.approach is Approach.BOOTSTRAP
    assert plan.is_exact is exact


@pytest.mark.parametrize(("type_", "exact"), [("DOUBLE", False), ("DECIMAL(10, 2)", True)])
def test_sums_whose_last_digits_differ_are_not_exact(type_: str, exact: bool) -> None:
    head = TABLES.replace("amount DECIMAL(10, 2), qty INT", f"amount {type_}, qty INT", 1)
    plan = of_totals("SELECT shop, 'x', SUM(amount) + {} FROM orders GROUP BY shop", head)
    assert plan.approach is Approach.BOOTSTRAP
    assert plan.is_exact is exact


@pytest.mark.parametrize(("connector", "exact"), [("jdbc", False), ("kafka", True)])
def test_a_table_that_is_read_once_beside_a_stream_is_not_exact(connector: str, exact: bool) -> None:
    head = (
        f"{TABLES}CREATE TABLE shops (shop STRING, town STRING) WITH ('connector' = '{connector}', 'topic' = 'x', "
        "'scan.startup.mode' = 'earliest-offset');\n"
        "CREATE TABLE pairs (a STRING, b STRING) WITH ('connector' = 'blackhole');\n"
    )
    query = "INSERT INTO pairs SELECT o.shop, s.town FROM orders AS o JOIN shops AS s ON o.shop = s.shop{};"
    plan = planned(head + query.format(""), head + query.format(" AND o.qty > 1"))
    assert plan.is_exact is exact


@pytest.mark.parametrize("watermark", ["ts - INTERVAL '10' SECOND", "COALESCE(ts, ts)"])
def test_each_source_with_a_watermark_asks_for_rows_in_time(watermark: str) -> None:
    head = TABLES.replace("WATERMARK FOR ts AS ts - INTERVAL '10' SECOND", f"WATERMARK FOR ts AS {watermark}", 1)
    query = (
        "INSERT INTO results SELECT o.shop, o.ts, {} FROM orders AS o JOIN refunds AS r ON o.id = r.id "
        "AND o.ts BETWEEN r.ts - INTERVAL '1' HOUR AND r.ts;"
    )
    plan = planned(head + query.format("o.amount"), head + query.format("r.amount"))
    assert {each.table for each in plan.assumptions if each.check == "lateness"} == {"orders", "refunds"}


def test_a_query_without_state_names_what_its_start_leaves_out() -> None:
    head = f"{TABLES}CREATE TABLE passed (a STRING, n INT, ts TIMESTAMP(3)) WITH ('connector' = 'kafka');\n"
    passed = "passed SELECT shop, 1, ts FROM refunds"
    texts = (head + of_set(f"totals {total(metric)}", passed) for metric in ("MAX(amount)", "SUM(amount)"))
    now, was = (JobVersion(text) for text in texts)
    plan = keepstate.analyse(now, was, "flink").cutover(CutoverOptions(NOW, timezone.utc))
    assert plan.approach is Approach.BOOTSTRAP
    checks = {(each.check, each.table) for each in plan.assumptions}
    assert {("no-null-time", "orders"), ("no-null-time", "refunds"), ("none-after-stop", "")} <= checks
