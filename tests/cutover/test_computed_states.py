"""States that are computed from former rows: what each keeps, how the query goes on, and what is refused."""

from __future__ import annotations

from datetime import datetime, timezone
from zoneinfo import ZoneInfo

import pytest

import keepstate
from cutover_changes import TABLES, grouped, session, total, tumble
from keepstate import JobVersion
from keepstate.cutover.cutover_options import CutoverOptions
from keepstate.cutover.cutover_plan import BOOTSTRAP, NEW, Approach, CutoverPlan, NotPlannable, Share
from keepstate.cutover.times import millis, sql_time
from keepstate.job_version import job_of
from keepstate.plan.operators import Deduplicate, Rank

NOW = millis(datetime(2026, 3, 2, 8, 44))
SEEN = "CREATE TABLE seen (a STRING, n DECIMAL(38, 2)) WITH ('connector' = 'print');\n"
RANKED = (
    "SELECT k, amount FROM (SELECT shop AS k, amount, ROW_NUMBER() OVER (PARTITION BY {} ORDER BY {}) AS n FROM {}) "
    "WHERE n {}"
)
SHOPS = "CREATE TABLE shops (shop STRING, n INT) WITH ({});\n"


def planned(
    was: str, now: str, head: str = SEEN, sink: str = "seen", version: str | None = None, **request: object
) -> CutoverPlan:
    """The plan for two queries, made at 08:44."""
    texts = (f"{TABLES}{head}INSERT INTO {sink} {query};" for query in (was, now))
    before, after = (JobVersion(text, engine_version=version) for text in texts)
    analysis = keepstate.analyse(after, before, "flink")
    return analysis.cutover(CutoverOptions(NOW, **{"zone": timezone.utc, **request}))  # type: ignore[arg-type]


def ranked(partition: str = "shop", order: str = "ts DESC", source: str = "orders", condition: str = "= 1") -> str:
    return RANKED.format(partition, order, source, condition)


def test_the_last_row_goes_on_as_a_deduplication() -> None:
    plan = planned(ranked(), ranked("UPPER(shop)"))
    assert plan.approach is Approach.BOOTSTRAP
    # A union keeps the time of its rows only if both inputs have one: else this is a Top-N, which takes others of rows
    # with one time.
    (pipeline,) = job_of(JobVersion(plan.script(NEW))).pipelines
    assert isinstance(pipeline.plan.root, Deduplicate)
    # No row of the state is late, in whichever order its files are read.
    assert "WATERMARK FOR ts AS ts - INTERVAL '99' YEAR" in plan.script(NEW)
    checks = {each.check for each in plan.assumptions}
    assert checks == {"history", "no-null-time", "ties", "record-time", "retention", "zone"}


@pytest.mark.parametrize(("condition", "kept"), [("<= 3", 3), ("< 3", 2), ("= 2", 2), ("BETWEEN 2 AND 4", 4)])
def test_a_top_n_keeps_as_many_rows_as_the_new_query_ranks(condition: str, kept: int) -> None:
    plan = planned(ranked(condition="<= 9"), ranked(order="amount DESC, id", condition=condition))
    assert f"WHERE state_rank <= {kept}" in plan.script(BOOTSTRAP)
    (pipeline,) = job_of(JobVersion(plan.script(NEW))).pipelines
    assert any(isinstance(each, Rank) for each in pipeline.plan.operators)


def test_each_row_is_on_one_side_of_the_boundary() -> None:
    now = ranked(source="orders AS o WHERE o.qty > 2 OR o.qty IS NULL")
    plan = planned(ranked(), now, at=millis(datetime(2026, 3, 2, 7)))
    assert "WHERE (o.qty > 2 OR o.qty IS NULL) AND o.ts < TIMESTAMP '2026-03-02 07:00:00'" in plan.script(BOOTSTRAP)
    assert "FROM orders WHERE ts >= TIMESTAMP '2026-03-02 07:00:00'\n) AS o WHERE o.qty > 2" in plan.script(NEW)
    # Only columns that the query reads are kept.
    assert plan.script(NEW).count("SELECT shop, amount, qty, ts FROM") == 2


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        (ranked(order="PROCTIME()"), "processing time"),
        (ranked(order="ts"), "waits for the watermark and stays"),
        (ranked(order="amount, id"), "waits for the watermark and stays"),
        (ranked(condition="<= CHAR_LENGTH(k)"), "no constant"),
        (ranked(source="(SELECT * FROM orders)"), "stands over a query"),
        (ranked(source="orders /*+ OPTIONS('scan.startup.mode' = 'latest-offset') */"), "with a hint"),
        (ranked(source="orders AS o (id, shop, amount, qty, ts)"), "other names for its columns"),
        (f"WITH o AS (SELECT * FROM orders) {ranked(source='o')}", "WITH"),
        ("SELECT orders.shop, amount FROM orders NATURAL JOIN (SELECT shop FROM refunds)", "NATURAL"),
        ("SELECT o.shop, (SELECT MAX(amount) FROM refunds) FROM orders o", "Of joins, only regular ones"),
        (
            "SELECT o.shop, o.amount FROM orders o JOIN refunds r ON o.id = r.id AND r.ts = o.ts",
            "A join by times leaves out rows",
        ),
    ],
)
def test_what_is_not_exact_is_read_again(query: str, reason: str) -> None:
    plan = planned(total("SUM(amount)"), query)
    assert plan.approach is Approach.REPLAY
    assert reason in " ".join(plan.pipelines[0].reasons)


def test_before_flink_2_1_a_first_row_is_replaced_by_an_earlier_one() -> None:
    plan = planned(ranked(order="ts"), ranked("UPPER(shop)", "ts"), version="1.20")
    assert plan.approach is Approach.BOOTSTRAP
    assert plan.is_exact


@pytest.mark.parametrize(
    ("connector", "states"),
    [
        ("'connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 's'", ["orders"]),
        ("'connector' = 'kafka', 'topic' = 's'", []),
    ],
)
def test_a_table_that_is_read_as_a_whole_needs_no_state(connector: str, states: list[str]) -> None:
    query = "SELECT o.shop, o.amount + s.n FROM orders o LEFT JOIN shops s USING (shop)"
    plan = planned(query.replace("LEFT", ""), query, SEEN + SHOPS.format(connector))
    assert [state.table for state in plan.states] == states
    assert plan.approach is (Approach.BOOTSTRAP if states else Approach.REPLAY)
    if not states:
        assert "shops has no event time" in " ".join(plan.pipelines[0].reasons)


def test_a_table_that_is_joined_with_itself_is_one_state() -> None:
    query = "SELECT a.shop, {} FROM orders a JOIN orders b ON a.id = b.qty"
    plan = planned(query.format("a.amount"), query.format("b.amount") + " AND a.shop = b.shop")
    assert [state.state for state in plan.states] == ["seen_state_orders"]
    assert plan.script(NEW).count("FROM seen_state_orders") == 2


def test_two_queries_of_one_sink_have_a_state_each() -> None:
    both = "EXECUTE STATEMENT SET BEGIN\nINSERT INTO seen {};\nINSERT INTO seen {};\nEND;"
    now = both.format(total("MIN(amount)"), total("MAX(qty)"))
    was = both.format(total("SUM(amount)"), total("SUM(qty)"))
    analysis = keepstate.analyse(*(JobVersion(f"{TABLES}{SEEN}{text}") for text in (now, was)), "flink")
    plan = analysis.cutover(CutoverOptions(NOW, timezone.utc))
    assert [state.state for state in plan.states] == ["seen_state", "seen_state2"]
    assert not keepstate.validate(JobVersion(plan.script(NEW)), "flink").problems


def test_results_that_share_a_key_of_the_sink_are_not_exact() -> None:
    query = "SELECT o.shop, o.amount FROM orders o JOIN refunds r ON o.id = r.id"
    plan = planned(query, f"{query} AND o.shop = r.shop", sink="totals", version="1.20")
    assert "Several results may have one primary key of totals" in plan.pipelines[0].flaws[0]


def test_a_time_that_the_clock_skips_is_no_boundary_of_a_state() -> None:
    queries = (f"SELECT shop, {metric} FROM visits GROUP BY shop" for metric in ("COUNT(*)", "COUNT(page)"))
    berlin = ZoneInfo("Europe/Berlin")
    with pytest.raises(NotPlannable, match="does not show 2026-03-29 02:30:00"):
        planned(*queries, at=millis(datetime(2026, 3, 29, 2, 30)), zone=berlin)
    # Of times without a zone there is each one.
    rows = (total("COUNT(*)"), total("COUNT(qty)"))
    assert planned(*rows, at=millis(datetime(2026, 3, 29, 2, 30)), zone=berlin).is_exact


def _set(*inserts: str) -> str:
    return "EXECUTE STATEMENT SET BEGIN\n" + "".join(f"INSERT INTO {each};\n" for each in inserts) + "END;"


def _planned_set(was: tuple[str, ...], now: tuple[str, ...], **request: int) -> CutoverPlan:
    passed = "CREATE TABLE passed (a STRING, n INT, t TIMESTAMP(3)) WITH ('connector' = 'kafka', 'format' = 'json');\n"
    head = TABLES + passed
    analysis = keepstate.analyse(*(JobVersion(head + _set(*each)) for each in (now, was)), "flink")
    return analysis.cutover(CutoverOptions(NOW, timezone.utc, **request))


def test_windows_hand_over_beside_totals_from_a_state() -> None:
    hours, sums = (f"results {grouped(tumble(n))}" for n in (10, 30)), f"totals {total('SUM(amount)')}"
    was, now = hours
    plan = _planned_set((was, sums), (now, sums))
    assert plan.approach is Approach.BOUNDARY
    assert plan.is_exact
    # One time parts the windows and the rows of the state.
    assert plan.script(NEW).count(sql_time(plan.boundary or 0)) == 2
    assert {each.name: each.share for each in plan.pipelines} == {
        "INSERT INTO results": Share.BEHIND,
        "INSERT INTO totals": Share.ALL,
    }
    assert "'topic' = 'totals_next'" in plan.script(NEW)
    assert "'topic' = 'results'" in plan.script(NEW)


def test_a_query_without_state_goes_on_with_the_rows_from_the_boundary_on() -> None:
    passed = "passed SELECT shop, qty, ts FROM orders WHERE qty > 1"
    was, now = ((f"totals {total(metric)}", passed) for metric in ("SUM(amount)", "MAX(amount)"))
    plan = _planned_set(was, now)
    assert plan.approach is Approach.BOOTSTRAP
    assert plan.is_exact
    assert "(SELECT shop, qty, ts FROM orders WHERE ts >= TIMESTAMP '2026-03-02 08:00:00') AS orders" in plan.script(
        NEW
    )
    assert any("INSERT INTO passed keeps no state" in note for note in plan.notes)


def test_results_without_their_time_are_told_apart_by_no_reader() -> None:
    passed = "passed SELECT shop, qty, CAST(NULL AS TIMESTAMP(3)) FROM orders WHERE qty > 1"
    was, now = ((f"totals {total(metric)}", passed) for metric in ("SUM(amount)", "MAX(amount)"))
    plan = _planned_set(was, now)
    [flaw] = [flaw for each in plan.pipelines if each.name == "INSERT INTO passed" for flaw in each.flaws]
    assert flaw.startswith("Results between 2026-03-02 08:00:00 and the stop are in both sinks")


def test_what_stops_the_running_job_is_a_condition_for_queries_without_state() -> None:
    passed = "passed SELECT shop, qty, ts FROM orders WHERE qty > 1"
    was, now = ((f"results {grouped(tumble(n))}", passed) for n in (10, 30))
    plan = _planned_set(was, now)
    assert plan.approach is Approach.BOUNDARY
    assert "none-after-stop" in {each.check for each in plan.assumptions}


@pytest.mark.parametrize(
    "others",
    [
        # A sink that one query goes on in cannot have another place for the other one.
        ("results SELECT shop, CAST(NULL AS TIMESTAMP(3)), amount FROM orders",),
        (f"totals {total('LAST_VALUE(amount)')}",),
    ],
)
def test_what_cannot_stand_beside_windows_makes_all_a_replay(others: tuple[str, ...]) -> None:
    was, now = ((f"results {grouped(tumble(n))}", *others) for n in (10, 30))
    assert _planned_set(was, now).approach is Approach.REPLAY


def test_an_exact_replay_goes_before_an_inexact_mixture() -> None:
    sums = f"totals {total('SUM(amount)')}"
    was, now = ((f"results {grouped(session(n))}", sums) for n in (10, 30))
    plan = _planned_set(was, now)
    assert plan.approach is Approach.REPLAY
    assert plan.is_exact


def test_a_time_at_which_windows_are_open_is_named_and_no_replay() -> None:
    sums = f"totals {total('SUM(amount)')}"
    was, now = ((f"results {grouped(tumble(n))}", sums) for n in (10, 30))
    plan = _planned_set(was, now, at=millis(datetime(2026, 3, 2, 9, 10)))
    assert plan.approach is Approach.BOUNDARY
    assert any("no window of either version is open is 2026-03-02 09:30:00" in note for note in plan.notes)


def test_results_without_a_time_are_not_told_apart() -> None:
    passed = "results SELECT shop, CAST(NULL AS TIMESTAMP(3)), amount FROM orders"
    was, now = ((f"totals {total(metric)}", passed) for metric in ("SUM(amount)", "MAX(amount)"))
    (flaw,) = (flaw for each in _planned_set(was, now).pipelines for flaw in each.flaws)
    assert "no event time by which readers could tell them apart" in flaw
