"""A query that cannot be run is named with its place and its clause, and no part of it is run."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import prepared
from keepstate_spark.running import lowered_query

FLINK = Path(__file__).parent / "flink"
TABLES = (FLINK / "tables.sql").read_text("utf-8")
LINE = TABLES.count("\n") + 1

REFUSED = {
    "SELECT MY_FUNCTION(qty) FROM sales": (8, "The function MY_FUNCTION with 1 argument", "MY_FUNCTION(qty)"),
    "SELECT item, MY_SUM(qty) FROM sales GROUP BY item": (14, "no aggregate function of Flink's own", "MY_SUM(qty)"),
    "SELECT DATE_FORMAT(ts, 'BB') FROM sales": (24, "'BB' in the pattern", "'BB'"),
    "SELECT nothing FROM sales": (8, "No table in sight has a column nothing", "nothing"),
    "SELECT CAST(qty AS FLOAT) IN (SELECT CAST(qty AS DOUBLE) FROM sales) FROM sales": (
        8,
        "CAST one of them",
        "CAST(qty AS FLOAT) IN",
    ),
    "SELECT GREATEST(ts, CURRENT_TIMESTAMP) FROM sales": (8, "nobody meant", "GREATEST(ts"),
    "SELECT JSON_VALUE(item, '$.a b') FROM sales": (8, "constant path of names, numbers and [*]", "JSON_VALUE("),
    "SELECT JSON_QUERY(item, '$..a') FROM sales": (8, "in the order of the text", "JSON_QUERY("),
    "SELECT JSON_EXISTS(item, '$.a[?(@.b > 1)]') FROM sales": (8, "stops at a filter in a path", "JSON_EXISTS("),
    "SELECT CAST(ts AS TIME(3)) FROM sales": (8, "TIME with fractions of a second", "CAST("),
    "SELECT item SIMILAR TO region FROM sales": (8, "SIMILAR TO needs a constant pattern", "item SIMILAR"),
    "SELECT id FROM sales WHERE qty = item": (28, "Flink does not compare", "qty = item"),
    "SELECT * FROM TABLE(CUMULATE(TABLE sales, DESCRIPTOR(ts), INTERVAL '3' MINUTE, INTERVAL '10' MINUTE))": (
        21,
        "multiple of its step",
        "CUMULATE(",
    ),
    "SELECT window_start FROM TABLE(TUMBLE(TABLE sales, DESCRIPTOR(qty), INTERVAL '3' MINUTE))": (
        32,
        "windows are over TIMESTAMP",
        "TUMBLE(",
    ),
    "SELECT window_start FROM TABLE(TUMBLE(TABLE sales, DESCRIPTOR(ts), INTERVAL '1' MONTH))": (
        68,
        "no constant length",
        "INTERVAL '1' MONTH",
    ),
    "SELECT * FROM sales MATCH_RECOGNIZE (ORDER BY ts MEASURES MATCH_PROCTIME() AS i PATTERN (A) DEFINE A AS TRUE)": (
        59,
        "the clock of the job",
        "MATCH_PROCTIME()",
    ),
    "SELECT id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY item ORDER BY id) AS rn FROM sales) WHERE rn = id": (
        101,
        "the column of the first row of each partition",
        "rn = id",
    ),
    "SELECT n FROM goods LEFT JOIN LATERAL (SELECT COUNT(*) AS n FROM sales WHERE sales.item = goods.item) s ON TRUE": (
        47,
        "has a value for no rows",
        "COUNT(*)",
    ),
    "SELECT COUNT(*) FROM TABLE(SESSION(TABLE sales PARTITION BY item, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) "
    "GROUP BY window_start, window_end, CUBE (item)": (140, "leaves out a key of SESSION", "CUBE (item)"),
    "SELECT COLLECT(DISTINCT qty) OVER (ORDER BY ts) FROM sales": (
        8,
        "The aggregate COLLECT over a window",
        "COLLECT(DISTINCT qty)",
    ),
}


@pytest.mark.parametrize("sql", REFUSED)
def test_refusal_names_place_and_clause(sql: str, spark: SparkSession) -> None:
    column, words, clause = REFUSED[sql]
    script = prepared(f"{TABLES}{sql};", "job.sql", FLINK)
    with pytest.raises(PipelineError) as refusal:
        lowered_query(script, script.queries[0], spark)
    message = str(refusal.value)
    assert words in message
    assert clause in message
    assert message.startswith(f"job.sql:{LINE}:{column}: ")


FAILING = {
    "SELECT id / (qty - qty) FROM sales": "Division by zero, at which Flink stops.",
    "SELECT CAST(item AS INT) FROM sales": "cannot be cast to INT, and so Flink stops: ",
    "SELECT TO_DATE(item, 'yyyy') FROM sales": "does not fit the pattern 'yyyy' of TO_DATE.",
    "SELECT MAP['a', 1][item] FROM sales": "A key that a map of constants does not have",
    "SELECT item FROM goods WHERE stock > (SELECT qty FROM sales)": "gave more than one row.",
    "SELECT TRY_CAST(CONCAT('9999.995', item) AS DECIMAL(6, 2)) FROM (SELECT SUBSTRING(item, 9) AS item FROM sales)": (
        "is rounded up by Flink to more digits than a DECIMAL(6,2) has, which Spark does not hold: "
    ),
}


@pytest.mark.parametrize("sql", FAILING)
def test_what_flink_stops_for_stops_the_query(sql: str, spark: SparkSession) -> None:
    script = prepared(f"{TABLES}{sql};", "job.sql", FLINK)
    query = lowered_query(script, script.queries[0], spark)
    with pytest.raises(PipelineError) as failure:
        list(query.values())
    assert FAILING[sql] in str(failure.value)
    assert "\n" not in str(failure.value)


WINDOWS = "FROM TABLE({}) GROUP BY window_start, window_end"
TUMBLE = WINDOWS.format("TUMBLE(TABLE sales, DESCRIPTOR(ts), INTERVAL '10' MINUTE)")
HOP = WINDOWS.format("HOP(TABLE sales, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)")
HOP_OF_ONE_SLICE = WINDOWS.format("HOP(TABLE sales, DESCRIPTOR(ts), INTERVAL '10' MINUTE, INTERVAL '10' MINUTE)")
CUMULATE = WINDOWS.format("CUMULATE(TABLE sales, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)")
SESSION = WINDOWS.format("SESSION(TABLE sales, DESCRIPTOR(ts), INTERVAL '5' MINUTE)")
OF_TUMBLE = "FROM sales GROUP BY TUMBLE(ts, INTERVAL '10' MINUTE)"
OF_HOP = "FROM sales GROUP BY HOP(ts, INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)"
HASHES = "in the order of their hashes"
SHOWN_ORDERS = {
    f"SELECT LISTAGG(DISTINCT item) {TUMBLE}": HASHES,
    f"SELECT ARRAY_AGG(DISTINCT item) {CUMULATE}": HASHES,
    f"SELECT COUNT(DISTINCT item), LAST_VALUE(DISTINCT item) {HOP}": HASHES,
    f"SELECT LISTAGG(DISTINCT item) {OF_HOP}": HASHES,
}
HIDDEN_ORDERS = (
    f"SELECT LISTAGG(item) {TUMBLE}",
    f"SELECT LISTAGG(item), COUNT(DISTINCT item) {CUMULATE}",
    f"SELECT LISTAGG(item) {HOP_OF_ONE_SLICE}",
    f"SELECT LISTAGG(item), ARRAY_AGG(qty) {HOP}",
    f"SELECT LISTAGG(DISTINCT item) {SESSION}",
    f"SELECT COUNT(DISTINCT item), SUM(DISTINCT qty) {HOP}",
    f"SELECT LISTAGG(DISTINCT item) {OF_TUMBLE}",
    f"SELECT LISTAGG(item) {OF_HOP}",
    "SELECT region, LISTAGG(DISTINCT item) FROM sales GROUP BY region",
)


@pytest.mark.parametrize("sql", SHOWN_ORDERS)
def test_an_order_in_which_flink_puts_parts_together_is_not_guessed(sql: str, spark: SparkSession) -> None:
    script = prepared(f"{TABLES}{sql};", "job.sql", FLINK)
    with pytest.raises(PipelineError, match=SHOWN_ORDERS[sql]):
        lowered_query(script, script.queries[0], spark)


@pytest.mark.parametrize("sql", HIDDEN_ORDERS)
def test_where_no_order_of_parts_shows_the_query_runs(sql: str, spark: SparkSession) -> None:
    script = prepared(f"{TABLES}{sql};", "job.sql", FLINK)
    assert lowered_query(script, script.queries[0], spark) is not None


@pytest.mark.parametrize(("other", "runs"), [("MAX(item)", False), ("MAX(qty)", True), ("COUNT(item)", True)])
def test_sums_of_float_go_by_the_order_of_sorted_rows(other: str, runs: bool, spark: SparkSession) -> None:
    settings = "SET 'execution.runtime-mode' = 'batch';\n"
    sql = f"SELECT region, SUM(CAST(qty AS FLOAT)), {other} FROM sales GROUP BY region"
    script = prepared(f"{settings}{TABLES}{sql};", "job.sql", FLINK)
    if runs:
        assert lowered_query(script, script.queries[0], spark) is not None
        return
    with pytest.raises(PipelineError, match="Beside MIN or MAX of a text, Flink sorts the rows in batch mode"):
        lowered_query(script, script.queries[0], spark)


CASTS = {
    "a cast": ("ENABLED", "SELECT CAST(qty > 1 AS STRING) FROM sales", False),
    "in lower case": ("enabled", "SELECT item FROM sales WHERE CAST(qty AS STRING) = '1'", False),
    "TRY_CAST below a group": ("ENABLED", "SELECT item, MAX(TRY_CAST(region AS INT)) FROM sales GROUP BY item", False),
    "a view": ("ENABLED", "CREATE VIEW v AS SELECT CAST(qty AS STRING) AS q FROM sales; SELECT q FROM v", False),
    "a sink": (
        "ENABLED",
        "CREATE TABLE s (b VARCHAR(2)) WITH ('connector' = 'print'); INSERT INTO s SELECT item FROM sales",
        False,
    ),
    "no cast": ("ENABLED", "SELECT item FROM sales", True),
    "casts of today": ("DISABLED", "SELECT CAST(qty AS STRING) FROM sales", True),
}
"""Values of ``table.exec.legacy-cast-behaviour``, queries, and whether they run.

Flink 2.3.0 gives ``true`` of a BOOLEAN then, ``(1,a)`` of a ROW, and all of ``abcdef`` as CHAR(3).
"""


@pytest.mark.parametrize("name", CASTS)
def test_casts_of_former_versions_are_refused(name: str, spark: SparkSession) -> None:
    value, sql, runs = CASTS[name]
    text = f"SET 'table.exec.legacy-cast-behaviour' = '{value}';\n{TABLES}{sql};"
    if runs:
        script = prepared(text, "job.sql", FLINK)
        assert lowered_query(script, script.queries[0], spark) is not None
        return
    with pytest.raises(PipelineError, match=r"job\.sql:1:1: .* Flink casts as before 1\.15"):
        prepared(text, "job.sql", FLINK)


ONE_BY_ONE = "(SELECT *, ROW_NUMBER() OVER (PARTITION BY {}) AS n FROM sales)"
KEPT = {
    "the last row of a key": ("region ORDER BY ts DESC", "n = 1", False),
    "the best rows of a key": ("region ORDER BY qty DESC, id", "n <= 2", False),
    "the first row of a key": ("region ORDER BY ts", "n = 1", True),
}
WINDOWED = {
    "TUMBLE": "SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE kept, DESCRIPTOR(ts), INTERVAL '2' MINUTE)) "
    "GROUP BY window_start, window_end",
    "HOP": "SELECT window_end, MAX(qty) FROM TABLE(HOP(TABLE kept, DESCRIPTOR(ts), "
    "INTERVAL '1' MINUTE, INTERVAL '2' MINUTE)) GROUP BY window_start, window_end",
    "a former TUMBLE": "SELECT COUNT(*) FROM kept GROUP BY TUMBLE(ts, INTERVAL '2' MINUTE)",
    "a former SESSION": "SELECT region, COUNT(*) FROM kept GROUP BY SESSION(ts, INTERVAL '2' MINUTE), region",
    "FOR SYSTEM_TIME AS OF": "SELECT kept.id, r.v FROM kept JOIN rates_of FOR SYSTEM_TIME AS OF kept.ts AS r "
    "ON kept.region = r.k",
}
RATES_OF = (
    "CREATE TABLE all_rates (k STRING, v INT, since TIMESTAMP(3), WATERMARK FOR since AS since) "
    "WITH ('connector' = 'kafka', 'format' = 'json'); CREATE VIEW rates_of AS SELECT k, v, since FROM "
    "(SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY since DESC) AS n FROM all_rates) WHERE n = 1;"
)


@pytest.mark.parametrize("window", WINDOWED)
@pytest.mark.parametrize("rows", KEPT)
@pytest.mark.parametrize("mode", ["streaming", "batch"])
def test_results_of_rows_that_are_taken_back_later_are_refused(window: str, rows: str, mode: str) -> None:
    """Flink sends a window once, with rows that do not remain; in batch mode only those come that remain."""
    order, condition, remain = KEPT[rows]
    if mode == "batch" and window.startswith("FOR"):
        pytest.skip("Flink has no versions of rows in batch mode")
    view = f"CREATE VIEW kept AS SELECT * FROM {ONE_BY_ONE.format(order)} WHERE {condition};"
    text = f"SET 'execution.runtime-mode' = '{mode}';\n{TABLES}{RATES_OF}{view}{WINDOWED[window]};"
    if remain or mode == "batch":
        assert prepared(text, "job.sql", FLINK, needs_rows=False).queries
        return
    with pytest.raises(PipelineError, match="rows that come here are taken back later"):
        prepared(text, "job.sql", FLINK, needs_rows=False)


def test_rows_of_a_window_are_no_results_of_it() -> None:
    """Each row has its window, whatever comes later: Flink takes such rows back as any others."""
    view = f"CREATE VIEW kept AS SELECT * FROM {ONE_BY_ONE.format('region ORDER BY ts DESC')} WHERE n = 1;"
    rows = "SELECT id, window_start FROM TABLE(TUMBLE(TABLE kept, DESCRIPTOR(ts), INTERVAL '2' MINUTE))"
    for query in (rows, f"SELECT window_start, COUNT(*) FROM ({rows}) GROUP BY window_start"):
        assert prepared(f"{TABLES}{view}{query};", "job.sql", FLINK).queries
