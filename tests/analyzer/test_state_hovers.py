"""The hover of any clause that keeps state, with or without a finding."""

from __future__ import annotations

import pytest

from keepstate import ENGINES, JobVersion, Workspace, state_hovers
from keepstate.engines import EngineProfile
from keepstate.explain import state_hover
from keepstate.explain.operator_states import OperatorState
from keepstate.plan.job import Plan
from keepstate.report import StateHover
from keepstate.state.stored_queries import StoredQuery
from keepstate.text import Span

TABLES = """\
CREATE TABLE rides (
  city STRING, driver BIGINT, fare INT, ended TIMESTAMP(3), WATERMARK FOR ended AS ended - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka');
CREATE TABLE drivers (
  id BIGINT, name STRING, hired TIMESTAMP(3), WATERMARK FOR hired AS hired, PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'kafka');
"""
HOURS = "TABLE(TUMBLE(TABLE rides, DESCRIPTOR(ended), INTERVAL '1' HOUR))"
NUMBER = "ROW_NUMBER() OVER (PARTITION BY {} ORDER BY {}) AS n"
LAST = NUMBER.format("city", "ended DESC")
BEST = NUMBER.format("city", "fare DESC")
BEST_OF_HOUR = NUMBER.format("window_start, window_end", "fare DESC")
PATTERN = """\
MATCH_RECOGNIZE (
  PARTITION BY city ORDER BY ended MEASURES A.fare AS fare AFTER MATCH SKIP PAST LAST ROW
  PATTERN «(A B+)» DEFINE B AS B.fare > A.fare
)"""
CLAUSES = [
    ("SELECT city, COUNT(*), SUM(fare) FROM rides «GROUP BY city»", "GroupAggregate"),
    ("SELECT city, COUNT(*), «SUM(fare)» FROM rides GROUP BY city", "GroupAggregate"),
    ("«SELECT SUM(fare)» FROM rides", "GroupAggregate"),
    ("SELECT city FROM rides GROUP BY city HAVING «COUNT(*)» > 3", "GroupAggregate"),
    ("select city from (select city, count(*) as n from rides «group by city») where n > 3", "GroupAggregate"),
    ("CREATE VIEW v AS SELECT city, COUNT(*) n FROM rides «GROUP BY city»; SELECT * FROM v", "GroupAggregate"),
    ("SELECT city, COUNT(*) FROM rides GROUP BY «CUBE (city)»", "GroupAggregate"),
    (f"SELECT COUNT(*) FROM {HOURS} «GROUP BY window_start, window_end»", "WindowAggregate"),
    (f"SELECT «COUNT(DISTINCT city)» FROM {HOURS} GROUP BY window_start, window_end", "WindowAggregate"),
    (
        "SELECT COUNT(*) FROM TABLE(«TUMBLE(TABLE rides, DESCRIPTOR(ended), INTERVAL '1' HOUR)») "
        "GROUP BY window_start, window_end",
        "WindowTableFunction",
    ),
    ("SELECT COUNT(*) FROM rides GROUP BY «TUMBLE(ended, INTERVAL '1' HOUR)», city", "GroupWindowAggregate"),
    ("SELECT COUNT(*) FROM rides «GROUP BY TUMBLE(ended, INTERVAL '1' HOUR), city»", "GroupWindowAggregate"),
    (f"SELECT * FROM (SELECT *, «{BEST[:-5]}» AS n FROM rides) WHERE n <= 3", "Rank"),
    (f"SELECT * FROM (SELECT *, {BEST} FROM rides) WHERE «n <= 3»", "Rank"),
    (f"SELECT * FROM (SELECT *, {LAST} FROM rides) WHERE «n = 1»", "Deduplicate"),
    ("SELECT city FROM rides QUALIFY «ROW_NUMBER() OVER (PARTITION BY city ORDER BY fare) < 3»", "Rank"),
    (f"SELECT * FROM (SELECT *, {BEST_OF_HOUR} FROM {HOURS}) WHERE «n <= 3»", "WindowRank"),
    (
        f"SELECT * FROM (SELECT *, {BEST_OF_HOUR.replace('fare', 'ended')} FROM {HOURS}) WHERE «n = 1»",
        "WindowDeduplicate",
    ),
    ("SELECT name FROM rides «JOIN drivers ON driver = id»", "Join"),
    ("SELECT name FROM rides, drivers WHERE «driver = id»", "Join"),
    (
        "SELECT name FROM rides, drivers WHERE driver = id AND «ended BETWEEN hired AND hired + INTERVAL '1' HOUR»",
        "IntervalJoin",
    ),
    ("SELECT name FROM rides «JOIN drivers FOR SYSTEM_TIME AS OF ended ON driver = id»", "TemporalJoin"),
    ("SELECT «SUM(fare) OVER (PARTITION BY city ORDER BY ended)» FROM rides", "OverAggregate"),
    ("SELECT COUNT(*) OVER w, «SUM(fare) OVER w» FROM rides WINDOW w AS (ORDER BY ended)", "OverAggregate"),
    ("SELECT COUNT(*) OVER w FROM rides WINDOW w AS («PARTITION BY city» ORDER BY ended)", "OverAggregate"),
    (f"SELECT * FROM rides {PATTERN}", "Match"),
    ("SELECT * FROM rides «ORDER BY ended»", "TemporalSort"),
    ("SELECT * FROM rides «LIMIT 10»", "Limit"),
    ("SELECT * FROM rides «ORDER BY fare» LIMIT 10", "SortLimit"),
    ("SELECT * FROM rides ORDER BY fare LIMIT 10 «OFFSET 3»", "SortLimit"),
    ("«SELECT DISTINCT city» FROM rides", "GroupAggregate"),
    ("SELECT city FROM rides «UNION» SELECT name FROM drivers", "GroupAggregate"),
    ("SELECT city FROM rides «INTERSECT» SELECT name FROM drivers", "INTERSECT"),
    ("SELECT city FROM rides «EXCEPT ALL» SELECT name FROM drivers", "EXCEPT ALL"),
]


def notes_of(query: str) -> tuple[StateHover, ...]:
    return state_hovers(JobVersion(TABLES + query))


@pytest.mark.parametrize(("query", "operator"), CLAUSES)
def test_a_clause_says_what_it_keeps_keyed_by_what_and_until_when(query: str, operator: str) -> None:
    before, _, rest = query.partition("«")
    clause, _, after = rest.partition("»")
    start = len(TABLES) + len(before)
    pointed = Span(start, start + len(clause))
    around = sorted(
        (note for note in notes_of(before + clause + after) if note.span.contains(pointed)),
        key=lambda note: len(note.span),
    )
    here = [note for note in around if note.span == around[0].span]
    assert operator in {note.operator for note in here}
    for note in here:
        assert note.title and note.until
        if note.title.startswith("TUMBLE of"):
            # A window keeps nothing itself; its note says which windows there are.
            assert note.example
        else:
            assert note.keeps or note.keyed_by or note.title.startswith(clause)
            assert note.migration


def test_what_the_notes_say() -> None:
    query = "SELECT city, COUNT(DISTINCT driver), SUM(fare) FROM rides GROUP BY city"
    count, total, group = notes_of(f"SET 'table.exec.state.ttl' = '36 h';\n{query}")[-3:]
    until = "it was not written to for 36 hours (table.exec.state.ttl)"
    assert (count.title, count.keyed_by, count.until, count.migration) == (
        "COUNT(DISTINCT driver): a count, and the set of values seen",
        ("city",),
        until,
        "vvr cannot migrate it",
    )
    assert (total.title, total.migration) == (
        "SUM(fare): a sum and whether there was a value",
        "vvr can migrate it, as long as an aggregate stays as it is",
    )
    assert (group.title, group.keeps) == ("one row of accumulators per group", (count.title, total.title))
    assert group.until == until


def test_columns_of_several_tables_are_distinguished() -> None:
    (join, *_) = notes_of("SELECT name FROM rides JOIN drivers ON driver = id")
    assert join.keyed_by == ("drivers.id = rides.driver",)


def test_a_join_that_flink_removes_keeps_nothing() -> None:
    names = "CREATE TABLE names (id BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka');\n"
    text = TABLES + names + "SELECT city FROM rides LEFT JOIN names ON driver = id"
    at = text.index("LEFT JOIN") + 1
    removed, kept = (state_hovers(JobVersion(text, engine_version=each), "flink", at=at)[0] for each in ("2.3", "2.1"))
    assert (removed.title, removed.keeps) == ("no state: nothing reads the right input, so Flink plans no join", ())
    assert kept.operator == removed.operator == "Join"
    assert kept.keeps


def test_text_order_and_no_note_twice() -> None:
    notes = notes_of(f"SELECT * FROM (SELECT *, {BEST} FROM rides) WHERE n <= 3;\n" * 2)
    assert [note.span for note in notes] == sorted(note.span for note in notes)
    assert len({(note.span, note.title) for note in notes}) == len(notes)


def test_stateless_queries_have_none() -> None:
    assert notes_of("SELECT city, fare * 2 FROM rides WHERE fare > 3 UNION ALL SELECT name, 1 FROM drivers") == ()


def test_no_profile_of_that_name() -> None:
    with pytest.raises(KeyError):
        state_hovers(JobVersion("SELECT 1"), "nobody")


_DISTINCT = "INSERT INTO s SELECT city, COUNT(DISTINCT driver) FROM rides GROUP BY city;\n"
AT_EACH_PLACE = {
    "a view and a hint": (
        "SET 'table.exec.state.ttl' = '36 h';\nCREATE VIEW long AS SELECT * FROM rides WHERE fare > 1;\n"
        "INSERT INTO s SELECT /*+ STATE_TTL('long' = '1 d') */ city, COUNT(DISTINCT driver) FROM long GROUP BY city;\n"
    ),
    "a view with state, read twice": (
        f"CREATE VIEW hours AS SELECT city, window_time AS ended, SUM(fare) AS fare FROM {HOURS}\n"
        "GROUP BY city, window_start, window_end, window_time;\n"
        "INSERT INTO s SELECT city, MAX(fare) FROM hours GROUP BY city;\n"
        "INSERT INTO u SELECT h.city, name FROM hours AS h JOIN drivers ON h.fare = id;\n"
    ),
    "one text twice": _DISTINCT * 2,
    "a view declared again": (
        "CREATE TEMPORARY VIEW sums AS SELECT city, SUM(fare) AS fare FROM rides GROUP BY city;\n"
        "INSERT INTO s SELECT * FROM sums;\nDROP TEMPORARY VIEW sums;\n"
        "CREATE TEMPORARY VIEW sums AS SELECT city, SUM(fare) AS fare FROM rides GROUP BY city;\n"
        "INSERT INTO s SELECT * FROM sums;\n"
    ),
    "a table made of a query": "CREATE TABLE made AS SELECT city, MIN(fare) AS fare FROM rides GROUP BY city;\n",
    "a pattern and a ranking": (
        f"INSERT INTO s SELECT * FROM rides {PATTERN.replace('«', '').replace('»', '')});\n"
        f"INSERT INTO s SELECT city FROM (SELECT *, {BEST} FROM rides) WHERE n <= 3;\n"
    ),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("queries", AT_EACH_PLACE.values(), ids=AT_EACH_PLACE)
def test_the_notes_at_a_place_are_those_that_a_cursor_touches(queries: str, engine: str) -> None:
    text = f"-- Rides.\n\n{TABLES}\n{queries}"
    version, workspace = JobVersion(text), Workspace()
    every = state_hovers(version, engine, workspace)
    assert every
    for offset in range(len(text) + 1):
        touched = tuple(note for note in every if note.span.touches(offset))
        assert state_hovers(version, engine, workspace, at=offset) == touched


@pytest.mark.parametrize("engine", ENGINES)
def test_a_note_costs_the_queries_that_are_written_at_its_place(monkeypatch: pytest.MonkeyPatch, engine: str) -> None:
    queries = "".join(f"INSERT INTO s{n} SELECT city, COUNT(*) FROM rides GROUP BY city;\n" for n in range(30))
    text = f"-- Rides.\n\n{TABLES}\n{queries}"
    version, workspace = JobVersion(text), Workspace()
    described: list[Plan] = []
    states = state_hover.states_of

    def counted(plan: Plan, stored_query: StoredQuery, profile: EngineProfile) -> dict[int, OperatorState]:
        described.append(plan)
        return states(plan, stored_query, profile)

    monkeypatch.setattr(state_hover, "states_of", counted)
    insert = text.index("INSERT INTO s20 ")
    for nothing in (3, text.index("fare INT"), insert + 3):
        assert state_hovers(version, engine, workspace, at=nothing) == ()
    assert not described
    assert state_hovers(version, engine, workspace, at=text.index("GROUP BY", insert) + 1)
    assert len(described) == 1
