"""Rows of files: what their values mean, which of them cannot be read, and what is said about that."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import prepared
from keepstate_spark.running import LoweredQuery, lowered_query

COLUMNS = """
    id BIGINT, name STRING, price DECIMAL(6, 2), ratio DOUBLE, ok BOOLEAN, day DATE, hour TIME, ts TIMESTAMP(3),
    since TIMESTAMP_LTZ(3), tags ARRAY<STRING>, `Owner` ROW<firstName STRING, age INT>, counts MAP<STRING, INT>
"""
FLAT = COLUMNS.partition(", tags")[0]
FLINK = Path(__file__).parent / "flink"
ZONE = "SET 'table.local-time-zone' = 'Europe/Berlin';"

Run = Callable[..., LoweredQuery]


@pytest.fixture
def run(spark: SparkSession, tmp_path: Path) -> Run:
    def run(
        columns: str, content: str | Path, name: str = "rows.json", options: str = "", sql: str = "SELECT * FROM t"
    ) -> LoweredQuery:
        path = content if isinstance(content, Path) else tmp_path / name
        if isinstance(content, str):
            path.write_text(content, "utf-8")
        table = f"CREATE TABLE t ({columns}) WITH ('connector' = 'kafka'{options});"
        script = prepared(f"{ZONE}{table}{sql};", "job.sql", tmp_path, {"t": str(path)})
        return lowered_query(script, script.queries[0], spark)

    return run


def lines(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


FULL = {
    "id": 1,
    "name": 'Tromsø, "quoted"',
    "price": 1.5,
    "ratio": 0.1,
    "ok": True,
    "day": "2026-03-01",
    "hour": "10:11:12",
    "ts": "2026-03-29 02:30:00.123456",
    "since": "2026-03-29 02:30:00Z",
    "tags": ["a", None],
    "Owner": {"firstName": "Ada", "age": 36},
    "counts": {"x": 1},
}


def test_json_gives_values_of_the_declared_types(run: Run) -> None:
    query = run(COLUMNS, lines(FULL, {"id": "2", "price": "2.255", "since": "2026-03-29 00:30:00Z"}))
    first, second = query.values()
    assert [str(value) for value in first[2:3]] == ["1.50"]
    assert first[:2] == [1, 'Tromsø, "quoted"']
    assert first[3:9] == [0.1, True, "2026-03-01", "10:11:12", "2026-03-29 02:30:00.123", "2026-03-29 04:30:00"]
    assert first[9:] == [["a", None], ["Ada", 36], {"x": 1}]
    assert second[0] == 2
    assert str(second[2]) == "2.26"
    assert second[8] == "2026-03-29 01:30:00"
    assert second[9:] == [None, None, None]
    assert query.readings()[0].bad == 0


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("{broken", "cannot be read: {broken"),
        ('{"ratio": NaN}', 'cannot be read: {"ratio": NaN}'),
        ('{"ratio": -Infinity}', 'cannot be read: {"ratio": -Infinity}'),
        ('{"id": "x"}', "id is no BIGINT: x"),
        ('{"id": 99999999999999999999}', "id is no BIGINT"),
        ('{"price": "dear"}', "price is no DECIMAL(6,2): dear"),
        ('{"ts": "yesterday"}', "ts is no TIMESTAMP(3): yesterday"),
        ('{"ts": "2026-03-01 10:00:00Z"}', "ts is no TIMESTAMP(3)"),
        ('{"since": "2026-03-01 10:00:00"}', "since is no TIMESTAMP_LTZ(3)"),
        ('{"day": "2026-02-30"}', "day is no DATE"),
        ('{"hour": "25:00:00"}', "hour is no TIME"),
    ],
)
def test_row_that_cannot_be_read_is_counted_and_shown(run: Run, row: str, words: str) -> None:
    query = run(FLAT, f'{{"id": 1}}\n{row}\n{{"id": 2}}\n')
    assert [value[0] for value in query.values()] == [1, 2]
    (reading,) = query.readings()
    assert (reading.table, reading.rows, reading.bad, reading.tolerated) == ("t", 3, 1, False)
    assert reading.example.startswith("rows.json: ")
    assert words in reading.example


READINGS = [line.split("\t") for line in (FLINK / "readings.tsv").read_text("utf-8").splitlines()]
"""A type, a value as JSON writes it, and the value that Flink 2.3.0 reads, or ``stops``."""


@pytest.mark.parametrize(("type_", "written", "value"), READINGS, ids=[" ".join(one[:2]) for one in READINGS])
def test_json_is_read_as_by_flink(run: Run, type_: str, written: str, value: str) -> None:
    query = run(f"id INT, x {type_}", f'{{"id": 1, "x": {written}}}\n')
    if value == "stops":
        with suppress(PipelineError):
            assert list(query.values()) == []
            assert query.readings()[0].bad == 1
        return
    ((_, own),) = query.values()
    assert as_json(own) == as_json(json.loads(value))
    assert query.readings()[0].bad == 0


def as_json(value: Any) -> str:
    return json.dumps(value, default=float, sort_keys=True)


TOLERANT = """
{"id": 1, "n": "x", "p": 1.5, "d": "2026-01-01", "a": [1, "x", 2], "r": {"u": "q", "v": "ok"}, "m": {"k": "z"}}
{broken
{"id": "bad", "n": 2.5, "p": "abc", "d": "2026-02-30", "a": "no", "r": 5, "m": 7}
{"id": 3, "n": 99999999999, "p": 1234567.8, "d": null, "a": null}
[1]
{"id": 4}
5
"""
TOLERANT_COLUMNS = "id INT, n INT, p DECIMAL(6, 2), d DATE, a ARRAY<INT>, r ROW<u INT, v STRING>, m MAP<STRING, INT>"


def test_tolerant_json_is_null_where_a_value_cannot_be_read(run: Run) -> None:
    query = run(TOLERANT_COLUMNS, TOLERANT, options=", 'format' = 'json', 'json.ignore-parse-errors' = 'true'")
    assert [as_json(row) for row in query.values()] == [
        as_json([1, None, 1.5, "2026-01-01", [1, None, 2], [None, "ok"], {"k": None}]),
        as_json([None, 2, None, None, None, None, None]),
        as_json([3, None, None, None, None, None, None]),
        as_json([4, None, None, None, None, None, None]),
    ]
    assert query.readings()[0].bad == 3


@pytest.mark.parametrize("tolerant", [False, True])
def test_csv_has_null_for_a_decimal_that_is_too_large(run: Run, tolerant: bool) -> None:
    options = f", 'format' = 'csv', 'csv.ignore-parse-errors' = '{str(tolerant).lower()}'"
    query = run("id INT, p DECIMAL(6, 2)", "1,123456789.5\n2,1.005\n", "rows.csv", options)
    assert as_json(list(query.values())) == as_json([[1, None], [2, 1.01]])


@pytest.mark.parametrize(
    ("written", "value"),
    [("true", True), ("TRUE", True), (" true ", True), ("yes", False), ("1", False), ("0", False), ("", False)],
)
def test_csv_has_false_for_other_words_than_true(run: Run, written: str, value: bool) -> None:
    query = run("id INT, ok BOOLEAN, n INT", f"1,{written},5\n", "rows.csv")
    assert list(query.values()) == [[1, value, 5]]
    assert query.readings()[0].bad == 0


def test_tolerant_csv_is_null_where_a_value_cannot_be_read(run: Run) -> None:
    options = ", 'format' = 'csv', 'csv.ignore-parse-errors' = 'true'"
    rows = "1,x,1.5\n2,3,abc\n4,5,6,extra\nbad,7,1\n"
    query = run("id INT, n INT, p DECIMAL(6, 2)", rows, "rows.csv", options)
    assert as_json(list(query.values())) == as_json([[1, None, 1.5], [2, 3, None], [None, 7, 1.0]])
    assert query.readings()[0].bad == 1


def test_table_may_allow_rows_that_cannot_be_read(run: Run) -> None:
    query = run(FLAT, "{broken\n", options=", 'format' = 'json', 'json.ignore-parse-errors' = 'true'")
    assert list(query.values()) == []
    assert query.readings()[0].tolerated


def test_rows_without_a_time_are_counted(run: Run) -> None:
    days = "TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' DAY))"
    sql = f"SELECT COUNT(*) FROM {days} GROUP BY window_start, window_end"
    columns = "id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts"
    query = run(columns, lines({"id": 1, "ts": None}, {"id": 2, "ts": "2026-03-01 10:00:00"}), sql=sql)
    assert list(query.values()) == [[1]]
    assert query.readings()[0].untimed == 1


CSV = '1,"Tromsø, ""x""",1.50,0.1,true,2026-03-01,10:11:12,2026-03-01 10:00:00.5,2026-03-01 10:00:00Z\n2,,,,,,,,\n'
CSV_VALUES = [0.1, True, "2026-03-01", "10:11:12", "2026-03-01 10:00:00.5", "2026-03-01 11:00:00"]


def test_csv_goes_by_position(run: Run) -> None:
    tolerant = ", 'format' = 'csv', 'csv.ignore-parse-errors' = 'true'"
    first, second = run(FLAT, CSV, "rows.csv", tolerant).values()
    assert first[:2] == [1, 'Tromsø, "x"']
    assert first[3:] == CSV_VALUES
    assert second == [2, "", None, None, False, None, None, None, None]


def test_nothing_is_no_number_of_csv(run: Run) -> None:
    query = run("id INT, n INT, name STRING", "1,,x\n2,3,\n", "rows.csv")
    assert list(query.values()) == [[2, 3, ""]]
    assert "n is no INT: " in query.readings()[0].example


def test_csv_with_names_goes_by_names(run: Run) -> None:
    query = run("id BIGINT, name STRING", "more,name,id\nx,ink,1\ny,pen,2\n", "rows.csv")
    assert list(query.values()) == [[1, "ink"], [2, "pen"]]


def test_csv_row_of_another_width_is_bad(run: Run) -> None:
    query = run("id BIGINT, name STRING", "1,ink\n2\n3,pen,more\n", "rows.csv")
    assert list(query.values()) == [[1, "ink"]]
    assert query.readings()[0].bad == 2


def test_csv_options_count(run: Run) -> None:
    options = (
        ", 'format' = 'csv', 'csv.field-delimiter' = ';', 'csv.null-literal' = 'n/a', 'csv.allow-comments' = 'true'"
    )
    query = run("id BIGINT, name STRING", "#x\n1;n/a\n", "rows.csv", options)
    assert list(query.values()) == [[1, None]]


def test_parquet_and_delta_have_types(run: Run, spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.sql("select 1 as id, 'ink' as name, timestamp_ntz'2026-03-01 10:00:00' as ts, 2.5BD as price")
    rows.write.parquet(str(tmp_path / "parquet"))
    columns = "id BIGINT, name STRING, ts TIMESTAMP(3), price DECIMAL(6, 2)"
    (row,) = run(columns, tmp_path / "parquet").values()
    assert [*row[:3], str(row[3])] == [1, "ink", "2026-03-01 10:00:00", "2.50"]
    old, new = tmp_path / "delta" / "old.parquet", tmp_path / "delta" / "new.parquet"
    rows.selectExpr("2 as id", "name", "ts", "price").write.parquet(str(old))
    rows.write.parquet(str(new))
    log = tmp_path / "delta" / "_delta_log"
    log.mkdir()
    (log / f"{0:020}.json").write_text(json.dumps({"add": {"path": "old.parquet"}}) + "\n")
    (log / f"{1:020}.json").write_text(
        json.dumps({"remove": {"path": "old.parquet"}}) + "\n" + json.dumps({"add": {"path": "new.parquet"}}) + "\n"
    )
    assert [row[0] for row in run(columns, tmp_path / "delta").values()] == [1]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ("id BIGINT, other STRING", "a column other that"),
        ("id STRING", "in"),
        ("id TINYINT", "is a TINYINT"),
        ("id BIGINT, ts TIMESTAMP(9)", "Spark keeps microseconds"),
    ],
)
def test_schema_that_files_do_not_have_is_reported(
    run: Run, spark: SparkSession, tmp_path: Path, columns: str, words: str
) -> None:
    spark.range(1).write.parquet(str(tmp_path / "parquet"))
    with pytest.raises(PipelineError, match=words.replace("(", r"\(")):
        run(columns, tmp_path / "parquet")


def test_last_rows_come_last(run: Run, tmp_path: Path) -> None:
    """Rows of equal time keep the order of files and lines."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.json").write_text(lines(*({"id": number, "ts": "2026-03-01 10:00:00"} for number in range(5))))
    (folder / "b.json").write_text(lines(*({"id": number, "ts": "2026-03-01 10:00:00"} for number in range(5, 9))))
    sql = "SELECT id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY ts ORDER BY ts {}) AS n FROM t) WHERE n = 1"
    columns = "id BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts"
    assert list(run(columns, folder, sql=sql.format("ASC")).values()) == [[0]]
    assert list(run(columns, folder, sql=sql.format("DESC")).values()) == [[8]]


def test_file_that_is_not_what_it_says_is_reported_in_a_sentence(run: Run) -> None:
    with pytest.raises(PipelineError) as failure:
        run("id BIGINT", "garbage", "rows.parquet")
    assert "is not a Parquet file" in str(failure.value)
    assert "\n" not in str(failure.value)


def test_rows_of_large_tables_are_counted_as_well(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("keepstate_spark.sources.locations._LARGE", 1)
    query = run("id BIGINT", '{"id": 1}\n{"id": "x"}\n{"id": 2}\n', sql="SELECT id FROM t ORDER BY id DESC")
    assert list(query.values()) == [[2], [1]]
    assert [(reading.rows, reading.bad) for reading in query.readings()] == [(3, 1)]


def test_rows_that_need_not_be_read_are_not_counted(run: Run) -> None:
    query = run("id BIGINT", '{"id": 1}\n', sql="SELECT id FROM t WHERE 1 = 0")
    assert list(query.values()) == []
    assert query.readings() == []


def test_computed_time_that_is_none_is_counted(run: Run) -> None:
    days = "TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' DAY))"
    sql = f"SELECT COUNT(*) FROM {days} GROUP BY window_start, window_end"
    columns = "said STRING, ts AS TO_TIMESTAMP(said), WATERMARK FOR ts AS ts"
    query = run(columns, lines({"said": "soon"}, {"said": "2026-03-01 10:00:00"}), sql=sql)
    assert list(query.values()) == [[1]]
    assert query.readings()[0].untimed == 1


def test_rows_without_any_declared_column_are_reported(run: Run) -> None:
    query = run("id BIGINT, name STRING", '{"other": 1}\n{"other": 2}\n')
    assert list(query.values()) == [[None, None], [None, None]]
    assert query.readings()[0].strange
    query = run("id BIGINT, name STRING", '{"other": 1}\n{"id": 2}\n')
    assert len(list(query.values())) == 2
    assert not query.readings()[0].strange


def test_delta_goes_on_from_its_checkpoint(run: Run, spark: SparkSession, tmp_path: Path) -> None:
    folder, log = tmp_path / "delta", tmp_path / "delta" / "_delta_log"
    for name in ("old", "kept", "new"):
        spark.sql(f"select '{name}' as name").write.parquet(str(folder / f"{name}.parquet"))
    log.mkdir()
    kind = "struct<path:string,deletionVector:struct<storageType:string>>"
    added = " union all ".join(
        f"select cast(named_struct('path', '{name}.parquet', 'deletionVector', null) as {kind}) as add"
        for name in ("old", "kept")
    )
    spark.sql(f"{added} union all select cast(null as {kind})").coalesce(1).write.parquet(str(tmp_path / "checkpoint"))
    (written,) = (tmp_path / "checkpoint").glob("*.parquet")
    written.rename(log / f"{6:020}.checkpoint.parquet")
    changes = [{"remove": {"path": "old.parquet"}}, {"add": {"path": "new.parquet"}}]
    (log / f"{7:020}.json").write_text("".join(json.dumps(change) + "\n" for change in changes))
    assert sorted(run("name STRING", folder).values()) == [["kept"], ["new"]]
    (log / f"{7:020}.json").rename(log / f"{8:020}.json")
    with pytest.raises(PipelineError, match="versions are missing"):
        run("name STRING", folder)


def test_upserts_take_the_place_of_earlier_rows(run: Run, tmp_path: Path) -> None:
    columns = "id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED"
    rows = lines({"id": 1, "name": "ink"}, {"id": 2, "name": "pen"}, {"id": 1, "name": "pen"}, {"id": 3, "name": "ink"})
    # Of an option that is given twice the last one counts.
    upserts = ", 'connector' = 'upsert-kafka'"
    sql = "SELECT name, COUNT(*), SUM(id) FROM t GROUP BY name"
    assert sorted(run(columns, rows, options=upserts, sql=sql).values()) == [["ink", 1, 3], ["pen", 2, 3]]
    with pytest.raises(PipelineError, match="needs a primary key"):
        run("id BIGINT, name STRING", rows, options=upserts)
    with pytest.raises(PipelineError, match="looks at former rows"):
        run(columns, rows, options=upserts, sql="SELECT LAG(name) OVER (PARTITION BY id ORDER BY name) FROM t")


TIMES = """
{"id": 1, "x": "10:59:59"}
{"id": 2, "x": "00:00:00"}
{"id": 3, "x": null}
{"id": 5, "x": "12:00:00"}
"""
ROUNDED_TIMES = {
    "FLOOR(x TO HOUR)": ["10:00:00", "00:00:00", None, "12:00:00"],
    "CEIL(x TO HOUR)": ["11:00:00", "00:00:00", None, "12:00:00"],
    "FLOOR(x TO MINUTE)": ["10:59:00", "00:00:00", None, "12:00:00"],
    "CEIL(x TO MINUTE)": ["11:00:00", "00:00:00", None, "12:00:00"],
    "FLOOR(x TO SECOND)": ["10:59:59", "00:00:00", None, "12:00:00"],
    "CEIL(x TO SECOND)": ["10:59:59", "00:00:00", None, "12:00:00"],
}


def test_times_of_day_are_rounded_as_by_flink(run: Run) -> None:
    query = run("id INT, x TIME", TIMES, sql=f"SELECT {', '.join(ROUNDED_TIMES)} FROM t")
    columns = zip(*query.values(), strict=True)
    assert dict(zip(ROUNDED_TIMES, map(list, columns), strict=True)) == ROUNDED_TIMES
    assert set(query.shown_types()) == {"TIME(0)"}


def test_time_of_day_is_not_rounded_to_midnight(run: Run) -> None:
    with pytest.raises(PipelineError, match="24:00:00"):
        list(run("x TIME", '{"x": "23:30:30"}\n', sql="SELECT CEIL(x TO HOUR) FROM t").values())
