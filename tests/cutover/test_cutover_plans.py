"""Plans of cutovers: the approach of each change, computed states, replays, and what is no plan."""

from __future__ import annotations

from datetime import datetime

import pytest

import keepstate
from cutover_changes import CHANGES, TABLES, CutoverChange, grouped, total, tumble
from keepstate import JobVersion
from keepstate.cutover.cutover_plan import BOOTSTRAP, NEW, SHADOW, Approach, NotPlannable
from keepstate.cutover.times import millis
from keepstate.report import Verdict
from planned_cutovers import ENGINES, planned, windows


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.name)
def test_each_change_has_its_approach(change: CutoverChange, engine: str) -> None:
    plan = planned(change.baseline, change.current, engine)
    if plan.approach is Approach.RESTART:
        # One engine keeps what the other one loses.
        assert all(each.verdict is Verdict.COMPATIBLE for each in plan.pipelines)
        return
    assert plan.approach is change.approach
    assert plan.is_exact is change.exact
    for script in plan.scripts:
        found = keepstate.validate(JobVersion(script.text), "flink")
        assert not found.problems, (script.name, script.text, found.problems)


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT shop, MAX(amount) FROM orders GROUP BY ROLLUP (shop)", "GROUPING SETS"),
        ("SELECT shop, CHAR_LENGTH(LISTAGG(shop)) FROM orders GROUP BY shop", "LISTAGG"),
        ("SELECT shop, own(shop) FROM orders GROUP BY shop", "OWN is a function of the user"),
        ("SELECT o.shop, SUM(r.amount) FROM orders o JOIN refunds r ON o.id = r.id GROUP BY o.shop", "one table"),
        ("SELECT shop, SUM(DISTINCT amount) + STDDEV_POP(qty) FROM orders GROUP BY shop", "STDDEV_POP"),
        ("SELECT DISTINCT shop, amount FROM orders", "one table"),
    ],
)
def test_a_state_that_is_not_computed_says_why(query: str, reason: str) -> None:
    # A sink that takes changes of rows without a key.
    seen = "CREATE TABLE seen (a STRING, n DECIMAL(38, 2)) WITH ('connector' = 'print');\n"
    plan = planned(*(f"{TABLES}{seen}INSERT INTO seen {each};" for each in (total("SUM(amount)"), query)))
    assert plan.approach is Approach.REPLAY
    assert reason in " ".join(plan.pipelines[0].reasons)
    assert "'scan.startup.mode' = 'earliest-offset'" in plan.script(SHADOW)
    assert plan.notes == ("Give seen another destination by hand: its options do not say where its rows go.",)


@pytest.mark.parametrize(
    ("was", "now", "words"),
    [
        (
            total("SUM(amount)"),
            total("SUM(amount)", where="WHERE ts > CURRENT_TIMESTAMP - INTERVAL '1' DAY"),
            "CURRENT",
        ),
        (total("SUM(amount)"), total("SUM(amount + RAND())"), "calls RAND"),
        (grouped(tumble(10)), grouped(tumble(10), where="WHERE CAST(ts AS DATE) = CURRENT_DATE"), "CURRENT_DATE"),
    ],
)
def test_a_query_by_the_clock_is_not_exact(was: str, now: str, words: str) -> None:
    plan = planned(*windows(was, now, "totals" if "window" not in was else "results"))
    assert not plan.is_exact
    assert words in plan.pipelines[0].flaws[0]


def test_a_moment_that_is_computed_from_a_column_is_no_clock() -> None:
    now = grouped(tumble(10), "MAX(UNIX_TIMESTAMP(CAST(ts AS STRING)))")
    assert planned(*windows(grouped(tumble(10)), now)).is_exact


@pytest.mark.parametrize("setting", ["'2 d'", "'36 h'"])
def test_state_that_is_dropped_by_the_clock_is_not_exact(setting: str) -> None:
    was, now = windows(total("SUM(amount)"), total("MAX(amount)"), "totals")
    head = f"SET 'table.exec.state.ttl' = {setting};\n"
    plan = planned(head + was, head + now)
    assert plan.approach is Approach.BOOTSTRAP
    assert "by the clock" in plan.pipelines[0].flaws[0]
    # Windows drop their state by themselves.
    assert planned(*(head + each for each in windows(grouped(tumble(10)), grouped(tumble(30))))).is_exact


def test_a_computed_state_parts_the_rows_once() -> None:
    plan = planned(*windows(total("SUM(amount)"), total("AVG(qty)"), "totals"), at=millis(datetime(2026, 3, 2)))
    before, after = plan.script(BOOTSTRAP), plan.script(NEW)
    assert "ts < TIMESTAMP '2026-03-02 00:00:00'" in before
    assert "ts >= TIMESTAMP '2026-03-02 00:00:00'" in after
    assert "'topic' = 'totals_next'" in after
    assert [(state.table, state.state) for state in plan.states] == [("orders", "totals_state")]


def test_queries_of_other_jobs_stay_out_of_it() -> None:
    kept = f"INSERT INTO results {grouped(tumble(10))};\n"
    was, now = (f"{TABLES}{kept}INSERT INTO totals {total(metric)};" for metric in ("SUM(amount)", "MAX(amount)"))
    plan = planned(was, now)
    assert {each.name: each.approach for each in plan.pipelines} == {
        "INSERT INTO totals": Approach.BOOTSTRAP,
        "INSERT INTO results": Approach.RESTART,
    }
    assert "TUMBLE" not in plan.script(NEW)
    # One statement set is one job: then both move, each in its way.
    was, now = (f"EXECUTE STATEMENT SET BEGIN\n{text[len(TABLES) :]}\nEND;" for text in (was, now))
    both = planned(TABLES + was, TABLES + now)
    assert {each.name: each.approach for each in both.pipelines} == {
        "INSERT INTO totals": Approach.BOOTSTRAP,
        "INSERT INTO results": Approach.BOUNDARY,
    }


def test_what_keeps_its_state_needs_no_cutover() -> None:
    plan = planned(*windows(grouped(tumble(10)), grouped(tumble(10)).replace("SUM(amount)", "SUM(amount) AS total")))
    assert plan.approach is Approach.RESTART
    assert plan.is_exact
    assert not plan.scripts


def test_an_edit_that_keeps_the_state_comes_first() -> None:
    plan = planned(*windows(grouped(tumble(10)), grouped(tumble(10), "MAX(amount)")), "vvr")
    assert [fix.title for fix in plan.keeping] == [
        "Keep `SUM(amount)` beside `MAX(amount)`, with a column of the sink (partly compatible)"
    ]


@pytest.mark.parametrize(
    ("was", "now", "words"),
    [
        (grouped(tumble(10)), grouped(tumble(10), "LISTAGG(shop)"), "The current version is no job that Flink starts"),
        (grouped(tumble(10)), "SELECT nothing FROM orders", "The current version is no job that Flink starts"),
        (grouped(tumble(10)), "SELECT (", "The current version is no job that Flink starts"),
        ("SELECT nothing FROM orders", grouped(tumble(10)), "The former version is no job that Flink starts"),
    ],
)
def test_what_is_no_job_has_no_plan(was: str, now: str, words: str) -> None:
    with pytest.raises(NotPlannable, match=words):
        planned(*windows(was, now))


def _reading(options: str, query: str, hint: str = "") -> str:
    """A job whose source starts as ``options`` say, or as a hint at its table says."""
    text = TABLES.replace("'scan.startup.mode' = 'earliest-offset'", options, 1)
    return f"{text}INSERT INTO totals {query.replace('FROM orders', f'FROM orders {hint}')};"


def test_a_hint_over_the_start_of_the_plan_is_named() -> None:
    hint = "/*+ OPTIONS('scan.startup.mode' = 'latest-offset') */"
    was, now = (
        _reading("'scan.startup.mode' = 'earliest-offset'", total(f"{name}(amount)"), hint) for name in ("SUM", "MAX")
    )
    plan = planned(was, now)
    assert not plan.is_exact
    assert "A hint at orders sets scan.startup.mode over the start of the plan" in " ".join(plan.pipelines[0].flaws)


@pytest.mark.parametrize(
    ("options", "exact"),
    [
        ("'scan.startup.mode' = 'earliest-offset'", True),
        ("'scan.startup.mode' = 'timestamp', 'scan.startup.timestamp-millis' = '1767225600000'", True),
        ("'scan.startup.mode' = 'latest-offset'", False),
        ("'scan.startup.mode' = 'group-offsets'", False),
        ("'properties.group.id' = 'g'", False),
    ],
)
def test_a_replay_begins_where_the_job_began(options: str, exact: bool) -> None:
    was, now = (_reading(options, query) for query in (total("SUM(amount)"), total("STDDEV_POP(qty)")))
    plan = planned(was, now)
    assert plan.approach is Approach.REPLAY
    assert plan.is_exact is exact
    if exact:
        assert options in plan.script(SHADOW)
    else:
        assert "'scan.startup.mode' = 'earliest-offset'" in plan.script(SHADOW)
        assert "rows before it count too" in plan.pipelines[0].flaws[0]


@pytest.mark.parametrize(
    ("was", "now", "words"),
    [
        (total("SUM(amount)"), total("LAST_VALUE(amount)"), "LAST_VALUE: the order of rows counts"),
        (
            "SELECT shop, amount FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY PROCTIME()) AS n FROM "
            "orders) WHERE n = 1",
            "SELECT shop, amount FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY PROCTIME()) AS n FROM "
            "orders WHERE qty > 1) WHERE n = 1",
            "processing time",
        ),
    ],
)
def test_a_replay_in_another_order_is_not_exact(was: str, now: str, words: str) -> None:
    plan = planned(*windows(was, now, "totals"))
    assert plan.approach is Approach.REPLAY
    assert words in " ".join(plan.pipelines[0].flaws)


def test_looked_up_rows_are_those_of_today() -> None:
    shops = (
        "CREATE TABLE shops (shop STRING, region STRING) "
        "WITH ('connector' = 'jdbc', 'url' = 'jdbc:x', 'table-name' = 's');\n"
    )
    query = (
        "SELECT s.region, window_end, {} FROM (SELECT o.*, PROCTIME() AS p FROM TABLE(%s) o) o "
        "JOIN shops FOR SYSTEM_TIME AS OF o.p AS s ON o.shop = s.shop GROUP BY s.region, window_start, window_end"
    ).replace("%s", tumble(10))
    was, now = (f"{shops}{TABLES}INSERT INTO results {query.format(m)};" for m in ("SUM(amount)", "MAX(amount)"))
    plan = planned(was, now)
    assert "Rows that are read again meet the looked-up rows of today" in plan.pipelines[0].flaws
    assert "shops" not in {position.table for position in plan.positions}


@pytest.mark.parametrize(
    ("was", "now", "words"),
    [
        (grouped(tumble(10)), "", "The current version has no query"),
        ("", grouped(tumble(10)), "The former version has no query"),
    ],
)
def test_without_a_query_there_is_no_plan(was: str, now: str, words: str) -> None:
    texts = (TABLES + (f"INSERT INTO results {each};" if each else "") for each in (was, now))
    with pytest.raises(NotPlannable, match=words):
        planned(*texts)


def test_batch_mode_keeps_no_state() -> None:
    head = "SET 'execution.runtime-mode' = 'batch';\n"
    with pytest.raises(NotPlannable, match="batch mode"):
        planned(*(head + text for text in windows(grouped(tumble(10)), grouped(tumble(30)))))


def test_jobs_side_by_side_share_no_names() -> None:
    options = "'properties.group.id' = 'totals', 'scan.startup.mode' = 'earliest-offset'"
    was, now = (_reading(options, query) for query in (total("SUM(amount)"), total("MAX(amount)")))
    sink = "'topic' = 'totals', 'sink.transactional-id-prefix' = 'totals'"
    plan = planned(*(text.replace("'topic' = 'totals'", sink) for text in (was, now)))
    for option in ("'properties.group.id' = 'totals_next'", "'sink.transactional-id-prefix' = 'totals_next'"):
        assert option in plan.script(NEW)
    assert "The new job fills totals with topic = totals_next: make it first." in plan.notes


def test_an_average_of_floats_is_kept_in_double() -> None:
    was, now = windows(total("SUM(amount)"), total("AVG(CAST(qty AS FLOAT))"), "totals")
    plan = planned(was, now)
    assert "SUM(CAST(CAST(qty AS FLOAT) AS DOUBLE))" in plan.script(BOOTSTRAP)
    assert any("last digits" in flaw for each in plan.pipelines for flaw in each.flaws)


def test_a_quote_in_an_option_stays_a_text() -> None:
    was, now = windows(total("SUM(amount)"), total("MAX(amount)"), "totals")
    plan = planned(*(text.replace("'topic' = 'totals'", "'topic' = 'it''s'") for text in (was, now)))
    assert "'topic' = 'it''s_next'" in plan.script(NEW)
    assert not keepstate.validate(JobVersion(plan.script(NEW)), "flink").problems
