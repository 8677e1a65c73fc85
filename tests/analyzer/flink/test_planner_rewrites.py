"""Plans of Flink 2.3 for set operations, grouping sets, sorts and joins, and their stored state."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.physical.stored_job import StoredJob
from keepstate.plan.job import Job
from keepstate.report import Effect
from keepstate.state.stored_operators import StatePart, StoredOperator
from keepstate.syntax.script import parse_script

_KAFKA = "WITH ('connector' = 'kafka', 'format' = 'json');"
TABLES = f"""
CREATE TABLE t (k STRING, k2 STRING, a INT, b INT, s STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) {_KAFKA}
CREATE TABLE r (k STRING, w INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) {_KAFKA}
CREATE TABLE c (z STRING, k STRING, a INT, ts TIMESTAMP(3), pt AS PROCTIME(), WATERMARK FOR ts AS ts) {_KAFKA}
CREATE TABLE f (k STRING, a INT, b INT) WITH ('connector' = 'filesystem', 'format' = 'json');
CREATE TABLE u (k STRING, k2 STRING, a INT, b INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'upsert-kafka');
CREATE TABLE d (id INT, k STRING, a INT, PRIMARY KEY (id) NOT ENFORCED)
  WITH ('connector' = 'kafka', 'format' = 'debezium-json');
CREATE TABLE p (k STRING, rate INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (k) NOT ENFORCED)
  WITH ('connector' = 'upsert-kafka');
CREATE TABLE l (k STRING, name STRING) WITH ('connector' = 'jdbc');
"""


def stored(query: str) -> StoredJob:
    return StoredJob.of(Job.of(parse_script(f"{TABLES}\n{query};"), {}, None))


def operators(query: str) -> dict[str, StoredOperator]:
    """The stored operators of a query by their titles."""
    found = {operator.title: operator for operator in stored(query).pipelines[0].operators.values()}
    assert all(operator.unknown_reason == "" and operator.id.doubt == "" for operator in found.values())
    return found


def layout(operator: StoredOperator) -> dict[str, tuple[str, str]]:
    """The form and the types of each state by its name."""
    return {state.name: (state.form, " ".join(str(field.type) for field in state.fields)) for state in operator.states}


@pytest.mark.parametrize(
    ("groups", "key", "sets"),
    [
        ("GROUPING SETS ((k), (k2))", "STRING STRING BIGINT NOT NULL", {1, 2}),
        ("ROLLUP (k, k2)", "STRING STRING BIGINT NOT NULL", {0, 1, 3}),
        ("CUBE (k, k2)", "STRING STRING BIGINT NOT NULL", {0, 1, 2, 3}),
        ("GROUPING SETS ((k), (k, k2)), s", "STRING STRING STRING BIGINT NOT NULL", {0, 2}),
        ("GROUPING SETS ((k, k2))", "STRING STRING", None),
    ],
)
def test_grouping_sets_are_numbered_in_the_key(groups: str, key: str, sets: set[int] | None) -> None:
    operator = operators(f"SELECT k, SUM(a) FROM t GROUP BY {groups}")["GroupAggregate"]
    assert " ".join(str(field.type) for field in operator.key) == key
    numbered = [value.sets for _, value in operator.meanings if hasattr(value, "sets")]
    assert [{number for number, _ in each} for each in numbered] == ([] if sets is None else [sets])


ROWS = "map of counts"
PARTNERS = "map of counts and partners"


@pytest.mark.parametrize(
    ("query", "join", "groups"),
    [
        ("SELECT k FROM t INTERSECT SELECT k FROM r", {"left-records": PARTNERS, "right-records": ROWS}, ""),
        ("SELECT k, a FROM t EXCEPT SELECT k, w FROM r", {"left-records": PARTNERS, "right-records": ROWS}, "BIGINT"),
        ("SELECT k FROM t EXCEPT ALL SELECT k FROM r", None, "BIGINT"),
        ("SELECT k FROM t INTERSECT ALL SELECT k FROM r", None, "BIGINT BIGINT"),
    ],
)
def test_set_operations(query: str, join: dict[str, str] | None, groups: str) -> None:
    found = operators(query)
    assert layout(found["GroupAggregate"]) == {"accState": ("value", groups)}
    forms = {name: form for name, (form, _) in layout(found["Join"]).items()} if "Join" in found else None
    assert forms == join


def test_rows_that_are_different_already_are_not_aggregated_again() -> None:
    query = "SELECT k FROM (SELECT k, SUM(a) FROM t GROUP BY k) INTERSECT SELECT k FROM r"
    [below] = [one for one in operators(query).values() if one.title == "GroupAggregate"]
    assert layout(below) == {"accState": ("value", "")}
    assert layout(operators(query)["Join"])["left-records"] == ("row and partners", "STRING")


BY_K = "(SELECT k, SUM(a) AS x FROM t GROUP BY k)"
BY_BOTH = "(SELECT k, k2, SUM(a) AS x FROM t GROUP BY k, k2)"


@pytest.mark.parametrize(
    ("query", "left", "right"),
    [
        (f"SELECT q.x, r.w FROM {BY_K} q JOIN r ON q.k = r.k", "row", ROWS),
        (f"SELECT q.x, r.w FROM {BY_K} q LEFT JOIN r ON q.k = r.k", "row and partners", ROWS),
        (f"SELECT q.k2, q.x, r.w FROM {BY_BOTH} q JOIN r ON q.k = r.k", "map of rows by a key of 2", ROWS),
        (f"SELECT q.x, r.w FROM {BY_BOTH} q JOIN r ON q.k = r.k", ROWS, ROWS),
        ("SELECT u.a, d.id, d.a FROM u JOIN d ON u.k = d.k", "row", "map of rows by a key of 1"),
        ("SELECT u.a, r.w FROM u JOIN r ON u.k2 = r.k", ROWS, ROWS),
        ("SELECT k, a FROM t WHERE k IN (SELECT k FROM r)", PARTNERS, ROWS),
        ("SELECT k, a FROM t WHERE k IN (SELECT DISTINCT k FROM r)", PARTNERS, "row"),
        ("SELECT k, a FROM t WHERE a > (SELECT AVG(w) FROM r)", ROWS, "row"),
    ],
)
def test_joins_store_rows_by_the_unique_keys_of_their_inputs(query: str, left: str, right: str) -> None:
    states = layout(operators(query)["Join"])
    assert (states["left-records"][0], states["right-records"][0]) == (left, right)


@pytest.mark.parametrize(
    ("query", "name", "row"),
    [
        ("SELECT k, a FROM t ORDER BY ts", "dataState", "STRING STRING INT INT STRING TIMESTAMP(3)"),
        ("SELECT k, a FROM t WHERE b > 3 ORDER BY ts", "dataState", "STRING INT TIMESTAMP(3)"),
        ("SELECT k, a FROM f ORDER BY b LIMIT 3", "data-state-with-append", "STRING INT INT"),
        ("SELECT k, a FROM c ORDER BY ts", "dataState", "STRING INT TIMESTAMP(3)"),
        ("SELECT k, a + b AS x FROM f ORDER BY x LIMIT 3", "data-state-with-append", "STRING INT"),
        (
            "SELECT x, k FROM (SELECT k, MAX(a) x FROM t GROUP BY k) ORDER BY x DESC LIMIT 3",
            "data-state-with-update",
            "",
        ),
        ("SELECT k, x FROM (SELECT k, SUM(a) x FROM t GROUP BY k) ORDER BY x DESC LIMIT 3", "data-state", "STRING INT"),
    ],
)
def test_sorts_and_limits_keep_rows(query: str, name: str, row: str) -> None:
    found = operators(query)
    top = found.get("SortLimit") or found["TemporalSort"]
    state = next(state for state in top.states if state.name == name)
    assert row in " ".join(str(field.type) for field in state.fields)


def test_temporal_joins() -> None:
    found = operators("SELECT t.k, t.a, p.rate FROM t LEFT JOIN p FOR SYSTEM_TIME AS OF t.ts ON t.k = p.k")
    assert {name: types for name, (_, types) in layout(found["TemporalJoin"]).items()} == {
        "left": "STRING INT TIMESTAMP(3)",
        "right": "STRING NOT NULL INT TIMESTAMP(3)",
    }
    assert layout(found["ChangelogNormalize"])["deduplicate-state"][1] == "STRING NOT NULL INT TIMESTAMP(3)"


UNNESTED = "SELECT k, e, COUNT(*) FROM t CROSS JOIN UNNEST(ARRAY[s, k2]) AS v (e) {} GROUP BY k, e"
LOOKED_UP = (
    "SELECT q.k, SUM(q.a) FROM (SELECT *, PROCTIME() AS pt FROM t) q JOIN l FOR SYSTEM_TIME AS OF q.pt ON q.k = l.k"
)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (UNNESTED.format(""), UNNESTED.format("WHERE e <> 'x'"), True),
        (UNNESTED.format(""), UNNESTED.format("WHERE b > 3"), False),
        (f"{LOOKED_UP} GROUP BY q.k", f"{LOOKED_UP} WHERE q.b > 3 GROUP BY q.k", True),
        (f"{LOOKED_UP} GROUP BY q.k", "SELECT k, SUM(a) FROM t GROUP BY k", False),
        ("SELECT k FROM t INTERSECT SELECT k FROM r", "SELECT k FROM t EXCEPT SELECT k FROM r", True),
        ("SELECT k2, SUM(a) FROM u GROUP BY k2", "SELECT k2, SUM(a) FROM u WHERE k <> 'x' GROUP BY k2", True),
    ],
)
def test_ids_behind_what_keeps_nothing(first: str, second: str, same: bool) -> None:
    both = [{one.title: one.id for one in operators(query).values()}["GroupAggregate"] for query in (first, second)]
    assert (both[0] == both[1]) is same


SINKS = "".join(f"CREATE TABLE o{n} (k STRING, x INT) WITH ('connector' = 'print');" for n in (1, 2))
SUM = "INSERT INTO o1 SELECT k, SUM(a) AS x FROM t GROUP BY k; INSERT INTO o2 SELECT {} FROM t GROUP BY k"


@pytest.mark.parametrize(
    ("second", "operators_of_both"),
    [("k, SUM(a) AS x", 1), ("k, SUM(a) AS y", 2), ("k, SUM(a) + 1", 2), ("k AS kk, SUM(a) AS x", 2)],
)
def test_queries_share_an_aggregation_whose_results_bear_the_same_names(second: str, operators_of_both: int) -> None:
    job = stored(f"{SINKS} EXECUTE STATEMENT SET BEGIN {SUM.format(second)}; END")
    assert len(job.by_id) == operators_of_both


def test_several_readings_of_a_table_that_gives_single_columns_are_doubted() -> None:
    job = stored(
        f"{SINKS} EXECUTE STATEMENT SET BEGIN INSERT INTO o1 SELECT k, SUM(a) FROM f GROUP BY k; "
        "INSERT INTO o2 SELECT k, SUM(b) FROM f GROUP BY k; END"
    )
    assert all("one scan" in operator.id.doubt for operator in job.by_id.values())


def test_lag_of_one_argument_reads_whole_rows() -> None:
    query = "SELECT k, LAG({}) OVER (PARTITION BY k ORDER BY ts) FROM t"
    rows = [layout(operators(query.format(arguments))["OverAggregate"])["inputState"][1] for arguments in ("a", "a, 1")]
    assert rows == ["STRING STRING INT INT STRING TIMESTAMP(3)", "STRING INT TIMESTAMP(3)"]


@pytest.mark.parametrize(
    ("below", "row"),
    [
        (BY_BOTH, "STRING STRING INT"),
        ("(SELECT k2, a AS x FROM u)", "STRING NOT NULL STRING INT"),
        ("(SELECT k2, a AS x FROM t)", "STRING INT"),
    ],
)
def test_rankings_keep_what_tells_their_rows_apart(below: str, row: str) -> None:
    ranked = f"SELECT *, ROW_NUMBER() OVER (PARTITION BY k2 ORDER BY x DESC) AS n FROM {below}"
    query = f"SELECT k2, x FROM ({ranked}) WHERE n < 3"
    states = [state for state in operators(query)["Rank"].states if state.part is StatePart.ROWS]
    assert [" ".join(str(field.type) for field in state.fields) for state in states] == [row]


STARTS = (
    "SELECT window_start, SUM(a) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL {} MINUTE)) GROUP BY window_start"
)
COUNTED = "SELECT k2, COUNT(*) FROM ({}) GROUP BY k2"
RANKED = "SELECT k2, x FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY x DESC) AS n FROM {}) WHERE n <= {}"


@pytest.mark.parametrize(
    ("was", "now", "effect"),
    [
        (RANKED.format(BY_BOTH, 1), RANKED.format(BY_BOTH, 2), Effect.EXACT),
        (COUNTED, COUNTED, Effect.WRONG_RESULTS),
        ("SELECT k, SUM(a) FROM t GROUP BY ROLLUP (k)", "SELECT k, SUM(a) FROM t GROUP BY CUBE (k)", Effect.EXACT),
        (STARTS.format("'5'"), STARTS.format("'10'"), Effect.WRONG_RESULTS),
        ("SELECT k2, a FROM t LIMIT 9", "SELECT k2, a FROM t LIMIT 5", Effect.EXACT),
    ],
)
def test_what_follows_an_operator_remembers_what_it_gave(was: str, now: str, effect: Effect) -> None:
    queries = was.format(RANKED.format(BY_BOTH, 1)), now.format(RANKED.format(BY_BOTH, 2))
    baseline, current = (JobVersion(f"{TABLES}\n{query};") for query in queries)
    assert check(current, baseline, "flink").effect is effect


FIRST_ROWS = (
    "SELECT window_start, k, a FROM (SELECT *, ROW_NUMBER() OVER "
    "(PARTITION BY window_start, window_end, k ORDER BY {}) AS n "
    "FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR))) WHERE n {}"
)


@pytest.mark.parametrize(
    ("was", "now", "limit", "effect"),
    [
        # A window deduplication goes by a time attribute, which is never NULL; a Top-N by any column.
        ("ts DESC", "ts DESC NULLS FIRST", "= 1", Effect.EXACT),
        ("ts", "ts NULLS LAST", "= 1", Effect.EXACT),
        ("ts", "ts DESC", "= 1", Effect.WRONG_RESULTS),
        ("ts DESC", "ts DESC NULLS FIRST", "<= 2", Effect.WRONG_RESULTS),
        ("a DESC", "a DESC NULLS FIRST", "= 1", Effect.WRONG_RESULTS),
    ],
)
def test_null_order_of_first_rows_in_windows(was: str, now: str, limit: str, effect: Effect) -> None:
    baseline, current = (JobVersion(f"{TABLES}\n{FIRST_ROWS.format(order, limit)};") for order in (was, now))
    assert check(current, baseline, "flink").effect is effect
