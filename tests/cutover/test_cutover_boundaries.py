"""Boundaries of cutovers: times and grids, guards, and the first rows that are read."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutover_changes import TABLES, cumulate, grouped, hop, legacy, session, tumble
from keepstate.cutover.cutover_plan import NEW, Approach, NotPlannable
from keepstate.cutover.emission import Emission
from keepstate.cutover.positions import Start
from keepstate.cutover.times import Grid, Order, millis, sql_time, wall_clock
from keepstate.plan.expressions import Column, Literal
from keepstate.plan.operators import Window, WindowKind
from keepstate.report import Verdict
from planned_cutovers import ENGINES, MINUTE, planned, windows


@pytest.mark.parametrize(
    ("was", "now", "boundary", "slot_ends"),
    [
        (tumble(10), tumble(30), "09:00", "09:10"),
        (tumble(10), tumble(15), "09:00", "09:10"),
        (tumble(60), cumulate(15, 60), "09:00", "10:00"),
        (cumulate(15, 60), tumble(60), "09:00", "09:15"),
        (hop(5, 10), hop(2, 10), "08:50", "08:55"),
        (tumble(60), tumble(60, more=", INTERVAL '15' MINUTE"), "09:00", "10:00"),
        (tumble(1440), hop(60, 1440), "00:00", "00:00"),
    ],
)
def test_a_boundary_is_an_end_of_windows_of_both(was: str, now: str, boundary: str, slot_ends: str) -> None:
    plan = planned(*windows(grouped(was), grouped(now)))
    assert plan.boundary is not None
    assert plan.slot is not None
    assert plan.slot.end is not None
    assert wall_clock(plan.boundary).strftime("%H:%M") == boundary
    assert wall_clock(plan.slot.end).strftime("%H:%M") == slot_ends


def test_windows_that_never_end_together_are_named() -> None:
    plan = planned(*windows(grouped(tumble(60)), grouped(tumble(60, more=", INTERVAL '15' MINUTE"))))
    assert plan.notes == ("There is no time at which no window of either version is open.",)
    assert "their rows count in a window of each version" in plan.pipelines[0].flaws[0]


def test_a_boundary_between_ends_names_the_next_one() -> None:
    plan = planned(*windows(grouped(tumble(10)), grouped(tumble(30))), at=millis(datetime(2026, 3, 2, 9, 10)))
    assert plan.notes == ("The next time at which no window of either version is open is 2026-03-02 09:30:00.",)
    assert plan.pipelines[0].flaws == (
        "Windows are open at 2026-03-02 09:10:00: their rows count in a window of each version",
    )
    # Windows of one kind are each of one version, wherever the boundary is.
    same = planned(
        *windows(grouped(tumble(30)), grouped(tumble(30), "MAX(amount)")), at=millis(datetime(2026, 3, 2, 9, 10))
    )
    assert same.is_exact


@pytest.mark.parametrize(
    ("query", "condition"),
    [
        (grouped(tumble(30)), "t > TIMESTAMP '2026-03-02 09:00:00'"),
        (grouped(tumble(30), time="window_start"), "t > TIMESTAMP '2026-03-02 08:30:00'"),
        (grouped(hop(10, 30), time="window_start"), "t > TIMESTAMP '2026-03-02 08:30:00'"),
        (grouped(cumulate(10, 60), time="window_start"), "window_end > TIMESTAMP '2026-03-02 09:00:00'"),
        (legacy("TUMBLE(ts, INTERVAL '30' MINUTE)"), "t > TIMESTAMP '2026-03-02 09:00:00'"),
        (
            legacy("TUMBLE(ts, INTERVAL '30' MINUTE)", time=False),
            "TUMBLE_END(ts, INTERVAL '30' MINUTE) > TIMESTAMP '2026-03-02 09:00:00'",
        ),
        (
            "SELECT shop, ts, SUM(amount) OVER (PARTITION BY shop ORDER BY ts "
            "RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW) FROM orders",
            "t > TIMESTAMP '2026-03-02 09:00:00'",
        ),
    ],
)
def test_the_guard_is_about_the_time_that_decides(query: str, condition: str) -> None:
    was = grouped(tumble(30), "COUNT(*)")
    plan = planned(*windows(was, query), at=millis(datetime(2026, 3, 2, 9)))
    assert [each.condition for each in plan.pipelines] == [condition]
    assert plan.pipelines[0].condition in plan.script(NEW)


@pytest.mark.parametrize(
    ("window", "start"),
    [
        (tumble(30), "08:59"),
        (hop(10, 30), "08:39"),
        (cumulate(10, 60), "08:59"),
    ],
)
def test_reading_begins_with_the_first_row_that_is_needed(window: str, start: str) -> None:
    plan = planned(*windows(grouped(tumble(30)), grouped(window, "MAX(amount)")), at=millis(datetime(2026, 3, 2, 9)))
    (position,) = plan.positions
    assert position.start is Start.TIME
    assert position.millis is not None
    # A minute earlier than needed, for records that are stamped before their event time.
    assert wall_clock(position.millis).strftime("%H:%M") == start
    assert f"'scan.startup.timestamp-millis' = '{position.millis}'" in plan.script(NEW)


def test_sessions_are_read_from_the_beginning() -> None:
    plan = planned(*windows(grouped(session(10)), grouped(session(30))))
    assert [position.start for position in plan.positions] == [Start.BEGINNING]
    assert plan.slot is not None
    assert plan.slot.end is None


def test_local_times_become_moments_of_their_zone() -> None:
    at = datetime(2026, 3, 29, 4)
    zone = ZoneInfo("Europe/Berlin")
    plan = planned(
        *windows(*(grouped(tumble(30, "visits"), metric) for metric in ("COUNT(*)", "COUNT(page)"))),
        at=millis(at),
        zone=zone,
    )
    # Summer time has begun an hour before.
    assert plan.is_local
    assert plan.boundary_epoch == datetime(2026, 3, 29, 2, tzinfo=timezone.utc).timestamp() * 1000


@pytest.mark.parametrize(
    ("connector", "start", "exact"),
    [
        ("'kafka', 'topic' = 'orders'", Start.TIME, True),
        (
            "'filesystem', 'path' = '/orders', 'format' = 'json', 'source.monitor-interval' = '10 s'",
            Start.BEGINNING,
            True,
        ),
        ("'rows-from-elsewhere'", Start.BY_HAND, True),
        ("'datagen'", Start.NOWHERE, False),
    ],
)
def test_a_source_starts_as_its_connector_can(connector: str, start: Start, exact: bool) -> None:
    texts = windows(grouped(tumble(10)), grouped(tumble(30)))
    was, now = (re.sub(r"'kafka', 'topic' = 'orders'[^)]*", connector, text) for text in texts)
    plan = planned(was, now)
    assert [position.start for position in plan.positions] == [start]
    assert plan.is_exact is exact
    if not exact:
        assert "has no former rows" in plan.pipelines[0].flaws[0]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            "SET 'table.exec.emit.early-fire.enabled' = 'true';\nSET 'table.exec.emit.early-fire.delay' = '1 min';\n",
            "Early",
        ),
        (
            "SET 'table.exec.emit.late-fire.enabled' = 'true';\nSET 'table.exec.emit.late-fire.delay' = '1 min';\n"
            "SET 'table.exec.emit.allow-lateness' = '10 min';\n",
            "come late for windows before the boundary",
        ),
    ],
)
def test_results_that_are_not_final_are_a_flaw(settings: str, words: str) -> None:
    queries = (legacy("TUMBLE(ts, INTERVAL '10' MINUTE)"), legacy("TUMBLE(ts, INTERVAL '30' MINUTE)"))
    sink = TABLES.replace("results (a STRING, t TIMESTAMP(3), n DECIMAL(38, 2))", _KEYED).replace(*_UPSERT)
    plan = planned(*(f"{settings}{sink}INSERT INTO results {query};" for query in queries))
    assert plan.approach is Approach.BOUNDARY
    assert not plan.is_exact
    assert words in plan.pipelines[0].flaws[0]
    if "late-fire" in settings:
        assert plan.slot is not None
        assert plan.boundary is not None
        assert plan.slot.start - plan.boundary == 10 * MINUTE


_KEYED = "results (a STRING, t TIMESTAMP(3), n DECIMAL(38, 2), PRIMARY KEY (a, t) NOT ENFORCED)"


_UPSERT = (
    "WITH ('connector' = 'kafka', 'topic' = 'results', 'properties.bootstrap.servers' = 'broker:9092', "
    "'format' = 'json')",
    "WITH ('connector' = 'jdbc', 'url' = 'jdbc:postgresql://db/x', 'table-name' = 'results')",
)


def test_two_queries_of_one_sink_have_a_guard_each() -> None:
    texts = (
        f"{TABLES}EXECUTE STATEMENT SET BEGIN\nINSERT INTO results {grouped(tumble(n))};\n"
        f"INSERT INTO results {legacy(window, time=False)};\nEND;"
        for n, window in (
            (10, "TUMBLE(ts, INTERVAL '20' MINUTE)"),
            (30, "HOP(ts, INTERVAL '5' MINUTE, INTERVAL '20' MINUTE)"),
        )
    )
    plan = planned(*texts, at=millis(datetime(2026, 3, 2, 9)))
    conditions = [each.condition for each in plan.pipelines]
    assert len(set(conditions)) == 2
    assert all(condition in plan.script(NEW) for condition in conditions)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_clean_up_is_offered_where_it_keeps_the_state(engine: str) -> None:
    top = (
        "SELECT shop, window_end, amount FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end "
        "ORDER BY amount DESC) AS rn FROM TABLE({})) WHERE rn <= 2"
    )
    plan = planned(*windows(top.format(tumble(30)), top.format(hop(10, 30))), engine)
    assert plan.clean_up is Verdict.COMPATIBLE
    assert plan.script("clean.sql") == windows("", top.format(hop(10, 30)))[1]
    of_keys = planned(*windows(grouped(tumble(30)), grouped(hop(10, 30))), engine)
    assert of_keys.clean_up is not Verdict.COMPATIBLE
    assert [script.name for script in of_keys.scripts] == [NEW]


def _interval(minutes: int) -> Literal:
    return Literal(str(minutes * MINUTE), "INTERVAL DAY")


@st.composite
def _windows(draw: st.DrawFn) -> Window:
    step = draw(st.integers(1, 20))
    kind = draw(st.sampled_from([WindowKind.TUMBLE, WindowKind.HOP, WindowKind.CUMULATE]))
    # The size of a HOP in GROUP BY may be no multiple of its slide, and less than it.
    size = draw(st.integers(1, 100)) if kind is WindowKind.HOP else step * draw(st.integers(1, 6))
    offset = draw(st.none() | st.integers(1, size - 1).map(_interval)) if size > 1 else None
    lengths = {
        WindowKind.TUMBLE: {},
        WindowKind.HOP: {"slide": _interval(step)},
        WindowKind.CUMULATE: {"step": _interval(step)},
    }[kind]
    return Window(kind, Column("t", "ts"), size=_interval(size), offset=offset, **lengths)


def _spans(window: Window, until: int) -> set[tuple[int, int]]:
    """Starts and ends of all windows, counted by hand from the definition of each."""
    size = int(window.size.value) // MINUTE  # type: ignore[union-attr]
    offset = int(window.offset.value) // MINUTE if isinstance(window.offset, Literal) else 0
    if window.kind is WindowKind.CUMULATE:
        step = int(window.step.value) // MINUTE  # type: ignore[union-attr]
        return {
            (start, start + length)
            for start in range(offset - 10 * size, until, size)
            for length in range(step, size + 1, step)
        }
    slide = int(window.slide.value) // MINUTE if isinstance(window.slide, Literal) else size
    first = offset - slide * ((10 * size) // slide)
    return {(start, start + size) for start in range(first, until, slide)}


@given(_windows(), st.integers(200, 600))
def test_no_row_of_a_later_window_is_left_behind(window: Window, boundary: int) -> None:
    emission = Emission(Order.WINDOW_END, window.time, 1, (window,))
    first = emission.first_row(boundary * MINUTE)
    starts = [start for start, end in _spans(window, 1500) if end > boundary]
    assert first == min(starts) * MINUTE


@given(_windows(), st.integers(0, 600))
def test_the_next_end_is_an_end(window: Window, time: int) -> None:
    grid = Emission(Order.WINDOW_END, window.time, 1, (window,)).next_end
    assert grid is not None
    ends = [end for _, end in _spans(window, 1500) if end >= time]
    assert grid.at_or_after(time * MINUTE) == min(ends) * MINUTE


@given(*(st.builds(Grid, st.integers(1, 60), st.integers(0, 59)) for _ in range(2)))
def test_common_times_are_times_of_both(one: Grid, other: Grid) -> None:
    common = one.common(other)
    both = {time for time in range(4000) if one.holds(time) and other.holds(time)}
    assert both == ({time for time in range(4000) if common.holds(time)} if common is not None else set())


def test_ends_that_meet_less_than_once_a_year_are_no_common_ones() -> None:
    day = 24 * 60 * MINUTE
    assert Grid(366 * day).common(Grid(183 * day)) == Grid(366 * day)
    assert Grid(367 * day).common(Grid(day)) is None


def test_times_are_written_as_sql_takes_them() -> None:
    assert sql_time(millis(datetime(2026, 3, 2, 9, 0, 0, 5000))) == "2026-03-02 09:00:00.005"
    assert wall_clock(millis(datetime(1969, 12, 31, 23))) == datetime(1969, 12, 31, 23)
    assert timedelta(milliseconds=millis(datetime(1970, 1, 2))) == timedelta(days=1)


@pytest.mark.parametrize("kind", ["LEFT", "RIGHT", "FULL"])
def test_a_guard_on_a_side_that_may_be_missing_is_none(kind: str) -> None:
    join = (
        "SELECT l.shop, l.window_end, l.amount FROM (SELECT * FROM TABLE({})) l {} JOIN (SELECT * FROM TABLE({})) r "
        "ON l.shop = r.shop AND l.window_start = r.window_start AND l.window_end = r.window_end"
    )
    was, now = (join.format(tumble(n), kind, tumble(n, "refunds")) for n in (10, 30))
    plan = planned(*windows(was, now))
    assert plan.approach is Approach.BOUNDARY
    assert [each.condition for each in plan.pipelines] == [""]
    assert not plan.is_exact


@pytest.mark.parametrize(
    ("at", "words"),
    [
        (datetime(2026, 3, 29, 2, 30), "does not show 2026-03-29 02:30:00"),
        # Windows end at the second time, rows come at both.
        (datetime(2026, 10, 25, 2, 30), "shows 2026-10-25 02:30:00 twice"),
    ],
)
def test_a_time_that_the_clock_does_not_show_once_is_no_boundary(at: datetime, words: str) -> None:
    texts = windows(*(grouped(tumble(30, "visits"), metric) for metric in ("COUNT(*)", "COUNT(page)")))
    with pytest.raises(NotPlannable, match=words):
        planned(*texts, at=millis(at), zone=ZoneInfo("Europe/Berlin"))


@pytest.mark.parametrize("at", [datetime(2026, 3, 29, 3, 30), datetime(2026, 10, 25, 3)])
def test_the_hour_behind_is_one(at: datetime) -> None:
    texts = windows(*(grouped(tumble(30, "visits"), metric) for metric in ("COUNT(*)", "COUNT(page)")))
    assert planned(*texts, at=millis(at), zone=ZoneInfo("Europe/Berlin")).boundary == millis(at)


@pytest.mark.parametrize(
    ("was", "now", "words"),
    [
        (session(10), session(30), "Rows of sessions around the boundary"),
        (tumble(10), session(10), "Rows of sessions around the boundary"),
        (tumble(10), tumble(10).replace("DESCRIPTOR(ts)", "DESCRIPTOR(paid)"), "different event times"),
    ],
)
def test_windows_that_share_rows_are_not_exact(was: str, now: str, words: str) -> None:
    texts = windows(grouped(was), grouped(now))
    if "paid" in now:
        before = "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND"
        texts = (
            texts[0].replace("qty INT, ts", "qty INT, paid TIMESTAMP(3), ts", 1),
            texts[1]
            .replace("qty INT, ts", "qty INT, paid TIMESTAMP(3), ts", 1)
            .replace(before, before.replace("ts", "paid"), 1),
        )
    plan = planned(*texts)
    assert words in " ".join(plan.pipelines[0].flaws)


def test_a_source_that_moved_has_to_have_the_rows() -> None:
    was, now = windows(grouped(tumble(10)), grouped(tumble(30)))
    plan = planned(was, now.replace("'topic' = 'orders'", "'topic' = 'orders_v2'"))
    assert [each.table for each in plan.assumptions if each.check == "other-source"] == ["orders"]


def test_a_source_that_is_declared_elsewhere_is_not_exact() -> None:
    was, now = (f"INSERT INTO results {grouped(tumble(n, 'clicks'))};" for n in (10, 30))
    plan = planned(was, now)
    assert "clicks is declared elsewhere" in " ".join(plan.pipelines[0].flaws)


@pytest.mark.parametrize("time", ["window_start", "window_end"])
def test_the_sink_shows_when_the_former_job_was_stopped(time: str) -> None:
    plan = planned(*windows(grouped(tumble(10), time=time), grouped(tumble(30), time="window_end")))
    more = " + INTERVAL '10' MINUTE" if time == "window_start" else ""
    assert plan.pipelines[0].latest == f"SELECT MAX(t){more} FROM results"


def test_a_top_n_without_its_window_is_guarded_inside() -> None:
    ranked = "ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY amount DESC, id)"
    query = f"SELECT shop, ts, amount FROM (SELECT *, {ranked} AS n FROM TABLE({{}})) WHERE n <= 2 AND amount > 1"
    plan = planned(*windows(query.format(tumble(10)), query.format(tumble(30))), at=millis(datetime(2026, 3, 2, 9)))
    assert plan.pipelines[0].condition == "window_end > TIMESTAMP '2026-03-02 09:00:00'"
    assert "WHERE (n <= 2 AND amount > 1) AND window_end > TIMESTAMP" in plan.script(NEW)
    assert plan.is_exact


def test_a_guard_on_a_column_that_is_not_there_is_none() -> None:
    ranked = "ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY amount DESC, id)"
    query = f"SELECT shop, ts, amount FROM (SELECT shop, ts, amount, {ranked} AS n FROM TABLE({{}})) WHERE n <= 2"
    plan = planned(*windows(query.format(tumble(10)), query.format(tumble(30))))
    assert not plan.is_exact
    assert "window_end >" not in plan.script(NEW)
