"""Windows that give results before or after their ends: which of them Flink 1.20 and 2.3 plan, and for which sinks."""

from __future__ import annotations

import pytest
from marked import DECLARED, assert_refused, assert_taken, validity

EARLY = "'table.exec.emit.early-fire.enabled' = 'true'"
EARLY_OFF = "'table.exec.emit.early-fire.enabled' = 'false'"
EVERY_5_S = "'table.exec.emit.early-fire.delay' = '5 s'"
LATE = "'table.exec.emit.late-fire.enabled' = 'true'"
LATE_BY_5_S = "'table.exec.emit.late-fire.delay' = '5 s'"
AN_HOUR = "'table.exec.emit.allow-lateness' = '1 h'"
NO_TIME = "'table.exec.emit.allow-lateness' = '0 s'"
BELOW_ZERO = "'table.exec.emit.allow-lateness' = '-1 s'"
TTL = "'table.exec.state.ttl' = '1 h'"

SETTINGS = {
    "none": (),
    "delay only": (EVERY_5_S,),
    "off": (EARLY_OFF, EVERY_5_S),
    "lateness only": (AN_HOUR,),
    "early": (EARLY, EVERY_5_S),
    "late": (LATE, LATE_BY_5_S, AN_HOUR),
    "late by TTL": (LATE, LATE_BY_5_S, TTL),
    "early without delay": (EARLY,),
    "late without delay": (LATE, TTL),
    "late without lateness": (LATE, LATE_BY_5_S),
    "late with no time": (LATE, LATE_BY_5_S, NO_TIME, TTL),
    "below zero": (BELOW_ZERO,),
}
SILENT = {"none", "delay only", "off", "lateness only"}
GIVING = {"early", "late", "late by TTL"}

TUMBLE = "TUMBLE(begun, INTERVAL '1' MINUTE)"
HOP = "HOP(begun, INTERVAL '1' MINUTE, INTERVAL '2' MINUTE)"
SESSION = "SESSION(begun, INTERVAL '1' MINUTE)"
BY_CLOCK = "TUMBLE(now, INTERVAL '1' MINUTE)"
FUNCTIONS = {
    "TUMBLE": "TUMBLE(TABLE rides, DESCRIPTOR(begun), INTERVAL '1' MINUTE)",
    "HOP": "HOP(TABLE rides, DESCRIPTOR(begun), INTERVAL '1' MINUTE, INTERVAL '2' MINUTE)",
    "CUMULATE": "CUMULATE(TABLE rides, DESCRIPTOR(begun), INTERVAL '1' MINUTE, INTERVAL '5' MINUTE)",
    "SESSION": "SESSION(TABLE rides PARTITION BY rider, DESCRIPTOR(begun), INTERVAL '1' MINUTE)",
}
WINDOW_ROWS = (
    "CREATE VIEW ended AS SELECT rider, TUMBLE_ROWTIME(begun, INTERVAL '1' MINUTE) AS at_end, COUNT(*) AS n FROM rides "
    f"GROUP BY rider, {TUMBLE};\n"
)


def declared(name: str) -> str:
    return DECLARED + "".join(f"SET {setting};\n" for setting in SETTINGS[name])


def grouped(window: str, sink: str = "appended") -> str:
    return f"INSERT INTO {sink} SELECT rider, COUNT(*) FROM rides GROUP BY rider, {window};"


def expected(name: str) -> str:
    """The mark and rule for a TUMBLE or HOP in GROUP BY that fills a sink for new rows."""
    if name in SILENT:
        return "taken"
    return "append-only-sink" if name in GIVING else "window-emission"


@pytest.mark.parametrize("window", [TUMBLE, HOP])
@pytest.mark.parametrize("name", SETTINGS)
def test_a_group_window_before_a_sink_for_new_rows(name: str, window: str) -> None:
    match expected(name):
        case "taken":
            assert_taken(grouped(window), declared(name))
        case "append-only-sink":
            assert_refused("append-only-sink", grouped(window, "«appended»"), declared(name))
        case _:
            assert_refused("window-emission", grouped(f"«{window}»"), declared(name))


@pytest.mark.parametrize("name", sorted(SILENT | GIVING))
def test_a_sink_with_a_key_takes_each_result(name: str) -> None:
    begins = "CAST(TUMBLE_START(begun, INTERVAL '1' MINUTE) AS STRING)"
    query = f"SELECT rider, {begins}, COUNT(*) FROM rides GROUP BY rider, {TUMBLE}"
    sink = "CREATE TABLE results (rider STRING, begins STRING, n BIGINT) WITH ('connector' = 'print');\n"
    assert_taken(f"INSERT INTO results {query};", declared(name) + sink)


@pytest.mark.parametrize("name", SETTINGS)
def test_a_session_gives_one_result(name: str) -> None:
    if name in SILENT:
        assert_taken(grouped(SESSION), declared(name))
    else:
        assert_refused("window-emission", grouped(f"«{SESSION}»"), declared(name))


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
@pytest.mark.parametrize("name", SETTINGS)
def test_a_window_table_function_gives_one_result(name: str, function: str) -> None:
    query = "INSERT INTO appended SELECT rider, COUNT(*) FROM TABLE({}) GROUP BY rider, window_start, window_end;"
    if name in SILENT | {"below zero"}:
        assert_taken(query.format(function), declared(name))
    else:
        assert_refused("window-emission", query.format(f"«{function}»"), declared(name))


@pytest.mark.parametrize("name", sorted(SILENT | GIVING))
def test_rankings_of_a_window_table_function_give_results_as_ever(name: str) -> None:
    numbered = "ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY km) AS rn"
    query = f"SELECT rider, id FROM (SELECT *, {numbered} FROM TABLE({FUNCTIONS['TUMBLE']})) WHERE rn <= 2"
    assert_taken(f"INSERT INTO appended {query};", declared(name))


def test_a_window_by_the_clock_has_no_late_rows() -> None:
    assert_taken(grouped(BY_CLOCK), declared("late"))
    assert_refused("append-only-sink", grouped(BY_CLOCK, "«appended»"), declared("early"))
    assert_refused("window-emission", grouped(f"«{BY_CLOCK}»"), declared("late without delay"))


@pytest.mark.parametrize("name", ["early", "late"])
@pytest.mark.parametrize(
    "query",
    [
        "SELECT rider, SUM(n) OVER (PARTITION BY rider ORDER BY at_end) FROM ended",
        "SELECT e.rider, e.n FROM ended AS e JOIN rides AS r ON e.rider = r.rider "
        "AND r.begun BETWEEN e.at_end - INTERVAL '1' MINUTE AND e.at_end",
        "SELECT rider, n FROM ended ORDER BY at_end",
        "SELECT rider, m FROM ended MATCH_RECOGNIZE (PARTITION BY rider ORDER BY at_end MEASURES A.n AS m "
        "ONE ROW PER MATCH PATTERN (A B) DEFINE A AS A.n > 1)",
    ],
    ids=["over", "interval join", "sort", "pattern"],
)
def test_results_that_change_reach_nothing_that_goes_by_time(name: str, query: str) -> None:
    sink = "CREATE TABLE results (rider STRING, n BIGINT) WITH ('connector' = 'print');\n"
    statement = f"{WINDOW_ROWS}{sink}INSERT INTO results {query};"
    settings = declared(name).removeprefix(DECLARED)
    assert not validity(statement).problems
    assert [each.rule for each in validity(settings + statement).problems] == ["changing-rows"]


def test_a_view_of_windows_is_read_as_they_are() -> None:
    statement = "INSERT INTO «appended» SELECT rider, n FROM ended WHERE n > 1;"
    assert_taken(statement.replace("«", "").replace("»", ""), DECLARED + WINDOW_ROWS)
    assert_refused("append-only-sink", statement, declared("early") + WINDOW_ROWS)


def test_a_setting_that_is_taken_back_counts_no_more() -> None:
    assert_taken(grouped(TUMBLE), f"{declared('early')}SET {EARLY_OFF};\n")
    assert_taken(grouped(TUMBLE), f"{declared('early')}RESET;\n")


def test_a_join_on_the_end_of_a_window_is_a_regular_one() -> None:
    """TUMBLE_END is a plain timestamp, so the join takes rows that change."""
    ended = WINDOW_ROWS.replace("TUMBLE_ROWTIME", "TUMBLE_END")
    sink = "CREATE TABLE results (rider STRING, n BIGINT) WITH ('connector' = 'print');\n"
    bounds = "BETWEEN e.at_end - INTERVAL '1' MINUTE AND e.at_end"
    join = f"ended AS e JOIN rides AS r ON e.rider = r.rider AND r.begun {bounds}"
    assert_taken(f"INSERT INTO results SELECT e.rider, e.n FROM {join};", declared("early") + ended + sink)


@pytest.mark.parametrize("name", ["early", "late", "early without delay"])
def test_another_engine_decides_itself(name: str) -> None:
    """Realtime Compute has windows of its own: a refusal of open-source Flink is no refusal there."""
    query = grouped(TUMBLE) if name != "late" else grouped(SESSION)
    settings = declared(name).removeprefix(DECLARED)
    found = validity(settings + query, engine="vvr")
    assert not found.problems
    assert found.undecided
