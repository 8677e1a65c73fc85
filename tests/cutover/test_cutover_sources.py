"""Sources of cutovers: where they end, how long they keep their rows, and what has to hold of them."""

from __future__ import annotations

from datetime import datetime

import pytest

from cutover_changes import TABLES, grouped, hop, session, total, tumble
from keepstate.cutover.cutover_plan import Approach, CutoverPlan
from keepstate.cutover.times import millis
from planned_cutovers import MINUTE, planned, windows

KAFKA = "'connector' = 'kafka', 'topic' = 'orders'"
HOUR = 60 * MINUTE


def of_windows(options: str = "", head: str = "", metric: str = "SUM(amount)", **request: object) -> CutoverPlan:
    """A plan at a boundary, whose source has more options."""
    texts = windows(grouped(tumble(60)), grouped(tumble(30), metric))
    return planned(*(head + text.replace(KAFKA, f"{KAFKA}{options}", 1) for text in texts), **request)  # type: ignore[arg-type]


def conditions(plan: CutoverPlan, check: str) -> list[str]:
    return [each.sentence for each in plan.assumptions if each.check == check]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("", ""),
        (", 'scan.bounded.mode' = 'unbounded'", ""),
        (", 'scan.bounded.mode' = 'latest-offset'", "orders ends (scan.bounded.mode = latest-offset): at the end"),
        (", 'scan.bounded.mode' = 'group-offsets'", "orders ends (scan.bounded.mode = group-offsets): at the end"),
        (", 'scan.bounded.mode' = 'specific-offsets'", ""),
        (
            ", 'scan.bounded.mode' = 'timestamp', 'scan.bounded.timestamp-millis' = '1772442000000'",
            "orders ends before 2026-03-02 09:00:00",
        ),
        # A millisecond behind the boundary.
        (", 'scan.bounded.mode' = 'timestamp', 'scan.bounded.timestamp-millis' = '1772442000001'", ""),
    ],
)
def test_a_source_that_ends_at_the_start_parts_no_results(options: str, words: str) -> None:
    plan = of_windows(options)
    assert plan.approach is Approach.BOUNDARY
    flaws = " ".join(plan.pipelines[0].flaws)
    assert words in flaws
    assert plan.is_exact is not bool(words)
    fixed = "timestamp" in options or "specific" in options
    assert bool(conditions(plan, "bound")) is fixed


@pytest.mark.parametrize(
    ("connector", "exact"),
    [
        ("'connector' = 'filesystem', 'path' = '/o', 'format' = 'json'", False),
        ("'connector' = 'filesystem', 'path' = '/o', 'format' = 'json', 'source.monitor-interval' = '1 min'", True),
        ("'connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 'o'", False),
        ("'connector' = 'iceberg', 'catalog-name' = 'c'", False),
        ("'connector' = 'iceberg', 'catalog-name' = 'c', 'streaming' = 'true'", True),
    ],
)
def test_a_table_that_is_read_once_parts_no_results(connector: str, exact: bool) -> None:
    source = TABLES[: TABLES.index("CREATE TABLE refunds")]
    elsewhere = f"{source[: source.index('WITH (')]}WITH ({connector});\n"
    texts = (text.replace(source, elsewhere) for text in windows(grouped(tumble(60)), grouped(tumble(30))))
    plan = planned(*texts)  # type: ignore[arg-type]
    assert plan.approach is Approach.BOUNDARY
    assert plan.is_exact is exact


@pytest.mark.parametrize(("mode", "exact"), [("latest-offset", False), ("specific-offsets", True)])
def test_a_replay_of_a_source_that_ends_later_each_time_is_not_exact(mode: str, exact: bool) -> None:
    texts = windows(total("SUM(amount)"), total("STDDEV_POP(qty)"), "totals")
    plan = planned(*(text.replace(KAFKA, f"{KAFKA}, 'scan.bounded.mode' = '{mode}'", 1) for text in texts))  # type: ignore[arg-type]
    assert plan.approach is Approach.REPLAY
    assert plan.is_exact is exact


SET_IDLE = "SET 'table.exec.source.idle-timeout' = '{}';\n"
OF_TABLE = ", 'scan.watermark.idle-timeout' = '{}'"


@pytest.mark.parametrize(
    ("head", "options", "words"),
    [
        (SET_IDLE.format("30 s"), "", "30 seconds"),
        ("", OF_TABLE.format("2 min"), "2 minutes"),
        (SET_IDLE.format("30 s"), OF_TABLE.format("2 min"), "2 minutes"),
        (SET_IDLE.format("30 s"), OF_TABLE.format("0 ms"), ""),
        (SET_IDLE.format("0 ms"), "", ""),
        ("", "", ""),
    ],
)
def test_partitions_that_hold_up_no_watermark_are_a_condition(head: str, options: str, words: str) -> None:
    found = conditions(of_windows(options, head), "idle")
    assert [f"orders: no partition is quiet for {words}." in each for each in found] == ([True] if words else [])


def test_without_windows_no_partition_is_waited_for() -> None:
    texts = windows(total("SUM(amount)"), total("STDDEV_POP(qty)"), "totals")
    assert not conditions(planned(*(SET_IDLE.format("30 s") + text for text in texts)), "idle")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kept", "words"),
    [
        (HOUR, "orders keeps its records for 1 hour, and the new job needs those of the last 61 minutes"),
        (HOUR + MINUTE, ""),
        (HOUR + MINUTE - 1, "results of windows that begin before 2026-03-02 07:59:00.001 lack rows"),
        (None, ""),
    ],
)
def test_records_that_are_gone_leave_windows_without_rows(kept: int | None, words: str) -> None:
    plan = planned(
        *windows(grouped(hop(60, 120)), grouped(hop(60, 120), "MAX(qty)")),
        retention={} if kept is None else {"orders": kept},
        at=millis(datetime(2026, 3, 2, 9)),
    )
    assert plan.reads_ahead == HOUR + MINUTE
    assert words in " ".join(plan.pipelines[0].flaws)
    assert plan.is_exact is not bool(words)


@pytest.mark.parametrize(("query", "exact"), [(session(30), False), (tumble(30), True)])
def test_all_rows_are_gone_after_the_retention(query: str, exact: bool) -> None:
    was = grouped(session(10) if "SESSION" in query else tumble(60))
    plan = planned(*windows(was, grouped(query)), retention={"orders": 24 * HOUR})
    words = "orders keeps its records for 1 day, and the new job needs all that it ever had"
    assert (words not in " ".join(plan.pipelines[0].flaws)) is exact
    texts = windows(total("SUM(amount)"), total("STDDEV_POP(qty)"), "totals")
    replayed = planned(*texts, retention={"orders": 24 * HOUR})
    assert f"{words}: older rows are missing in its results" in replayed.pipelines[0].flaws
    assert planned(*texts).is_exact


@pytest.mark.parametrize(
    ("metric", "words"),
    [("own(amount)", "OWN gives the same"), ("SUM(amount)", ""), ("SUM(CASE WHEN qty IS NOT NULL THEN 1 END)", "")],
)
def test_functions_of_the_user_give_the_same_again(metric: str, words: str) -> None:
    metric = f"SUM({metric})" if "own" in metric else metric
    head = "CREATE FUNCTION own AS 'a.Own';\n"
    texts = windows(grouped(tumble(60)), grouped(tumble(30), metric))
    found = conditions(planned(*(head + text for text in texts)), "functions")  # type: ignore[arg-type]
    assert [each.startswith(words) for each in found] == ([True] if words else [])


def test_late_rows_count_where_two_sources_are_read() -> None:
    assert not conditions(of_windows(), "lateness")
    union = f"{grouped(tumble(30))} UNION ALL {grouped(tumble(30, 'refunds'))}"
    two = planned(*windows(union.replace("'30'", "'60'"), union))
    assert [each.split(" behind")[0] for each in conditions(two, "lateness")] == [
        "orders: no row comes more than 5 seconds",
        "refunds: no row comes more than 10 seconds",
    ]


def test_the_event_time_of_a_record_is_its_timestamp() -> None:
    texts = windows(*(grouped(tumble(each, "visits"), "COUNT(*)") for each in (60, 30)))
    assert conditions(planned(*texts), "record-time")
    stamped = (
        text.replace("page STRING, ts TIMESTAMP_LTZ(3)", "page STRING, ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp'")
        for text in texts
    )
    assert not conditions(planned(*stamped), "record-time")  # type: ignore[arg-type]


def test_a_new_key_of_a_sink_is_never_null() -> None:
    def found(was: str, now: str) -> list[str]:
        return conditions(planned(*windows(was, now, "totals")), "keys")

    by_shop, by_id = total("SUM(amount)"), total("SUM(amount)", key="CAST(id AS STRING)")
    assert not found(by_shop, total("MAX(amount)"))
    assert not found(by_shop, by_id)
    by_name = found(by_id, by_shop)
    assert [each.split(".")[0] for each in by_name] == ["orders: shop is never NULL"]
    assert not found(by_id, total("SUM(amount)", where="WHERE shop IS NOT NULL"))


def test_new_windows_need_a_time_in_each_row() -> None:
    rows = "SELECT shop, ts, amount FROM orders"
    plan = planned(*windows(rows, grouped(tumble(30))))
    assert plan.approach is Approach.REPLAY
    assert conditions(plan, "no-null-time") == ["orders: ts is never NULL. A window stops the job at such a row."]
    # Former windows have shown it.
    assert not conditions(of_windows(), "no-null-time")
