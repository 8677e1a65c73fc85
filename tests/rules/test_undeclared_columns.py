"""``*`` of tables that no script declares: what depends on the declaration is unknown, and what does not is certain."""

from __future__ import annotations

import pytest

from keepstate import ENGINES, JobVersion, check
from keepstate.report import Report, Verdict

U = "CREATE TABLE u (a INT, x STRING) WITH ('connector' = 'kafka', 'topic' = 'u', 'format' = 'json');\n"
RANKED = "SELECT {}, ROW_NUMBER() OVER (PARTITION BY a ORDER BY p DESC) AS n FROM bid"
WINDOWED = (
    "SELECT {}, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY p) AS n "
    "FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(ts), INTERVAL '1' HOUR))"
)
MATCHED = (
    "INSERT INTO o SELECT * FROM ({}) MATCH_RECOGNIZE (PARTITION BY a ORDER BY ts MEASURES A.p AS x "
    "PATTERN (A) DEFINE A AS A.p > 1)"
)
LIKE = "CREATE TABLE bid (z INT) WITH ('connector' = 'kafka') LIKE base;\n"
# With `*`, and with a list in its place.
OPEN = {
    "ranking": (f"INSERT INTO o SELECT * FROM ({RANKED.format('*')}) WHERE n <= 9",
                f"INSERT INTO o SELECT a, b, p, n FROM ({RANKED.format('*')}) WHERE n <= 9"),
    "ranking, inside": (f"INSERT INTO o SELECT * FROM ({RANKED.format('*')}) WHERE n <= 9",
                        f"INSERT INTO o SELECT * FROM ({RANKED.format('a, b, p')}) WHERE n <= 9"),
    "ranking, nothing left": (f"INSERT INTO o SELECT * FROM ({RANKED.format('*')}) WHERE n <= 9",
                              f"INSERT INTO o SELECT n FROM ({RANKED.format('*')}) WHERE n <= 9"),
    "window ranking": (f"INSERT INTO o SELECT * FROM ({WINDOWED.format('*')}) WHERE n <= 9",
                       f"INSERT INTO o SELECT a, p, ts, window_start, window_end, window_time, n "
                       f"FROM ({WINDOWED.format('*')}) WHERE n <= 9"),
    "last row": (f"INSERT INTO o SELECT * FROM ({RANKED.format('*')}) WHERE n = 1",
                 f"INSERT INTO o SELECT a, b, p, n FROM ({RANKED.format('*')}) WHERE n = 1"),
    "distinct": ("INSERT INTO o SELECT DISTINCT * FROM bid", "INSERT INTO o SELECT DISTINCT a, b FROM bid"),
    "union": ("INSERT INTO o SELECT * FROM bid UNION SELECT * FROM ask",
              "INSERT INTO o SELECT a, b FROM bid UNION SELECT a, b FROM ask"),
    "one branch": ("INSERT INTO o SELECT * FROM bid UNION SELECT a, b FROM ask",
                   "INSERT INTO o SELECT a, b FROM bid UNION SELECT a, b FROM ask"),
    "intersect": ("INSERT INTO o SELECT * FROM bid INTERSECT SELECT * FROM ask",
                  "INSERT INTO o SELECT a, b FROM bid INTERSECT SELECT a, b FROM ask"),
    "join": ("INSERT INTO o SELECT * FROM bid JOIN ask ON bid.a = ask.a",
             "INSERT INTO o SELECT bid.a, bid.b, ask.a, ask.c FROM bid JOIN ask ON bid.a = ask.a"),
    "join, one side": (f"{U}INSERT INTO o SELECT bid.*, u.x FROM bid JOIN u ON bid.a = u.a",
                       f"{U}INSERT INTO o SELECT bid.a, bid.b, u.x FROM bid JOIN u ON bid.a = u.a"),
    "over": ("INSERT INTO o SELECT *, SUM(p) OVER (PARTITION BY a ORDER BY ts) AS s FROM bid",
             "INSERT INTO o SELECT a, b, SUM(p) OVER (PARTITION BY a ORDER BY ts) AS s FROM bid"),
    "sort": ("INSERT INTO o SELECT * FROM bid ORDER BY ts", "INSERT INTO o SELECT a, b FROM bid ORDER BY ts"),
    "limit": ("INSERT INTO o SELECT * FROM bid LIMIT 10", "INSERT INTO o SELECT a, b FROM bid LIMIT 10"),
    "view": ("CREATE VIEW v AS SELECT * FROM bid;\nINSERT INTO o SELECT DISTINCT * FROM v",
             "CREATE VIEW v AS SELECT a, b FROM bid;\nINSERT INTO o SELECT DISTINCT * FROM v"),
    "common table": ("INSERT INTO o WITH w AS (SELECT * FROM bid) SELECT DISTINCT * FROM w",
                     "INSERT INTO o WITH w AS (SELECT a, b FROM bid) SELECT DISTINCT * FROM w"),
    "columns of an alias": ("INSERT INTO o SELECT DISTINCT * FROM bid AS x (a, b)",
                            "INSERT INTO o SELECT DISTINCT a, b FROM bid AS x (a, b)"),
    "like": (f"{LIKE}INSERT INTO o SELECT * FROM ({RANKED.format('*')}) WHERE n <= 9",
             f"{LIKE}INSERT INTO o SELECT a, p, z, n FROM ({RANKED.format('*')}) WHERE n <= 9"),
    "pattern": (MATCHED.format("SELECT * FROM bid"), MATCHED.format("SELECT a, p, ts FROM bid")),
    "one of two inserts": ("INSERT INTO p SELECT DISTINCT * FROM bid;\nINSERT INTO o SELECT a FROM bid",
                           "INSERT INTO p SELECT DISTINCT a, b FROM bid;\nINSERT INTO o SELECT a FROM bid"),
}  # fmt: skip
FREE = {
    "read by name": (f"INSERT INTO o SELECT a, b FROM ({RANKED.format('*')}) WHERE n <= 9",
                     f"INSERT INTO o SELECT a, b FROM ({RANKED.format('a, b, p')}) WHERE n <= 9"),
    "aggregated": ("CREATE VIEW v AS SELECT * FROM bid;\nINSERT INTO o SELECT a, COUNT(*) FROM v GROUP BY a",
                   "CREATE VIEW v AS SELECT a, b FROM bid;\nINSERT INTO o SELECT a, COUNT(*) FROM v GROUP BY a"),
    "no state": ("INSERT INTO o SELECT * FROM bid", "INSERT INTO o SELECT a, b FROM bid"),
    "no state, union": ("INSERT INTO o SELECT * FROM bid UNION ALL SELECT * FROM ask",
                        "INSERT INTO o SELECT a FROM bid UNION ALL SELECT a FROM ask"),
    "the other table": (f"{U}INSERT INTO o SELECT bid.b, u.* FROM bid JOIN u ON bid.a = u.a",
                        f"{U}INSERT INTO o SELECT bid.b, u.a, u.x FROM bid JOIN u ON bid.a = u.a"),
    "exists": ("INSERT INTO o SELECT a FROM bid WHERE EXISTS (SELECT * FROM ask WHERE ask.a = bid.a)",
               "INSERT INTO o SELECT a FROM bid WHERE EXISTS (SELECT 1 FROM ask WHERE ask.a = bid.a)"),
    "common table of it": ("INSERT INTO o WITH w AS (SELECT * FROM bid) SELECT DISTINCT * FROM w",
                           "INSERT INTO o SELECT DISTINCT * FROM bid"),
    "view of it": ("CREATE VIEW v AS SELECT * FROM bid;\nINSERT INTO o SELECT DISTINCT * FROM v",
                   "INSERT INTO o SELECT DISTINCT bid.* FROM bid"),
    "computed behind the ranking": (f"INSERT INTO o SELECT * FROM ({RANKED.format('*')}) WHERE n <= 9",
                                    f"INSERT INTO o SELECT *, p * 2 AS q FROM ({RANKED.format('*')}) WHERE n <= 9"),
    "a column twice": (f"INSERT INTO o SELECT * FROM ({RANKED.format('*')}) WHERE n <= 9",
                       f"INSERT INTO o SELECT *, b FROM ({RANKED.format('*')}) WHERE n <= 9"),
}  # fmt: skip
LOST = {
    "range": (f"INSERT INTO o SELECT * FROM ({RANKED.format('*')}) WHERE n <= 9",
              f"INSERT INTO o SELECT a, b, p, n FROM ({RANKED.format('*')}) WHERE n <= 5", "rank-range-changed"),
    "range, `*` on both sides": (f"INSERT INTO o SELECT * FROM ({RANKED.format('*')}) WHERE n <= 9",
                                 f"INSERT INTO o SELECT * FROM ({RANKED.format('*')}) WHERE n <= 5",
                                 "rank-range-changed"),
    "partition": (f"INSERT INTO o SELECT * FROM ({RANKED.format('*')}) WHERE n <= 9",
                  f"INSERT INTO o SELECT a, b, p, n FROM ({RANKED.format('*')}) WHERE n <= 9"
                  .replace("PARTITION BY a", "PARTITION BY b"), "partition-key-changed"),
    "computed below the ranking": (f"INSERT INTO o SELECT * FROM ({RANKED.format('*')}) WHERE n <= 9",
                                   f"INSERT INTO o SELECT * FROM ({RANKED.format('*, p * 2 AS q')}) WHERE n <= 9",
                                   "rank-input-changed"),
    "a column of the list": (f"INSERT INTO o SELECT a, b FROM ({RANKED.format('*')}) WHERE n <= 9",
                             f"INSERT INTO o SELECT a, b, c FROM ({RANKED.format('*')}) WHERE n <= 9",
                             "rank-input-changed"),
    "join condition": ("INSERT INTO o SELECT * FROM bid JOIN ask ON bid.a = ask.a",
                       "INSERT INTO o SELECT bid.a, bid.b, ask.a, ask.c FROM bid JOIN ask ON bid.b = ask.a",
                       "join-condition-changed"),
    "connector of another table": (f"{U}INSERT INTO o SELECT * FROM bid JOIN u ON bid.a = u.a",
                                   f"{U}INSERT INTO o SELECT bid.a, u.x FROM bid JOIN u ON bid.a = u.a"
                                   .replace("'kafka'", "'pulsar'"), "source-connector-changed"),
}  # fmt: skip


def report(was: str, now: str, engine: str = "vvr") -> Report:
    found = check(JobVersion(f"{now};"), JobVersion(f"{was};"), engine)
    assert (found.problems, found.baseline_problems) == ((), ())
    return found


@pytest.mark.parametrize(("star", "listed"), OPEN.values(), ids=OPEN)
def test_what_depends_on_the_declaration_is_unknown(star: str, listed: str) -> None:
    for was, now in ((star, listed), (listed, star)):
        for engine in ENGINES:
            assert report(was, now, engine).verdict is Verdict.UNKNOWN
        found = report(was, now)
        assert {finding.verdict for finding in found.findings} == {Verdict.UNKNOWN}
        assert any("declare" in finding.message + finding.advice for finding in found.findings)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("star", "other"), FREE.values(), ids=FREE)
def test_where_no_state_depends_on_it_nothing_is_reported(star: str, other: str, engine: str) -> None:
    for was, now in ((star, other), (other, star)):
        found = report(was, now, engine)
        assert (found.verdict, found.findings) == (Verdict.COMPATIBLE, ())


def test_another_output_is_not_the_same_query() -> None:
    assert not report(*FREE["no state"]).unchanged
    assert report(*FREE["view of it"]).unchanged


@pytest.mark.parametrize(("was", "now", "rule"), LOST.values(), ids=LOST)
def test_a_certain_loss_stays_one(was: str, now: str, rule: str) -> None:
    found = report(was, now)
    assert found.verdict is Verdict.INCOMPATIBLE
    lost = {finding.rule for finding in found.findings if finding.verdict is Verdict.INCOMPATIBLE}
    assert rule in lost


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("query", [star for star, _ in OPEN.values()], ids=OPEN)
def test_unchanged_is_unchanged(query: str, engine: str) -> None:
    found = report(query, query.replace("SELECT *", "select\n *").replace("INSERT INTO o", "insert into o"), engine)
    assert (found.findings, found.unchanged) == ((), True)


@pytest.mark.parametrize("query", [f"INSERT INTO o SELECT * FROM ({RANKED.format('*')}) WHERE n <= 9"])
def test_a_table_that_one_side_declares_is_reported_as_that_alone(query: str) -> None:
    declared = "CREATE TABLE bid (a INT, b INT, p INT) WITH ('connector' = 'kafka');\n"
    for was, now in ((declared + query, query), (query, declared + query)):
        found = report(was, now)
        assert [finding.rule for finding in found.findings] == ["source-declaration-moved"]
        assert found.verdict is Verdict.UNKNOWN


def test_a_renamed_table() -> None:
    star, listed = OPEN["ranking"]
    rules = {finding.rule for finding in report(star, listed.replace("FROM bid", "FROM bids")).findings}
    assert rules == {"source-renamed", "source-columns-unknown"}


@pytest.mark.parametrize(("outer", "verdict"), [("a, b", Verdict.UNKNOWN), ("a, b, ts", Verdict.INCOMPATIBLE)])
def test_a_sort_key_that_is_selected_is_data(outer: str, verdict: Verdict) -> None:
    """Else it may be a processing time, by which the first row is not stored."""
    first = "SELECT *, ROW_NUMBER() OVER (PARTITION BY a ORDER BY ts) AS n FROM bid"
    query = f"INSERT INTO o SELECT {{}} FROM ({first}) WHERE n = 1"
    assert report(query.format(outer), query.format(f"{outer}, c")).verdict is verdict
