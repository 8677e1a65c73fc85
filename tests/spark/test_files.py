"""The files of a folder that are read: as Flink 2.3.0 reads them, or refused by name, never passed over."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import RunnableScript, prepared
from keepstate_spark.running import LoweredQuery, lowered_query
from keepstate_spark.sources.path_files import files_below

KEY = "PARTITIONED BY (k)"


def laid_out(folder: Path, files: dict[str, Any]) -> Path:
    """``files`` by their paths: a row of JSON, several, or a text."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = content if isinstance(content, list) else [content]
        text = content if isinstance(content, str) else "".join(f"{json.dumps(row)}\n" for row in rows)
        path.write_text(text, "utf-8")
    return folder


def job(columns: str, folder: Path, partitioned: str = "", format_: str = "json", options: str = "") -> RunnableScript:
    table = f"CREATE TABLE t ({columns}) {partitioned} WITH ('connector' = 'filesystem', 'path' = 'rows'"
    return prepared(f"{table}, 'format' = '{format_}'{options}); SELECT * FROM t;", "job.sql", folder)


def running(script: RunnableScript, spark: SparkSession) -> LoweredQuery:
    return lowered_query(script, script.queries[0], spark)


NESTED = {
    "2026/03/01/a.json": {"id": 1, "k": "in"},
    "b.json": {"id": 2, "k": "in"},
    "_hidden/c.json": {"id": 3},
    ".hidden/c.json": {"id": 4},
    "2026/_d.json": {"id": 5},
    "2026/.e.json": {"id": 6},
    "2026/f.json.1": {"id": 7},
    "2026/no_ending": {"id": 8},
    "k=7/a.json": {"id": 9},
    "k=7/b.json": {"id": 10, "k": "file"},
    "_SUCCESS": "no row",
}

READ = {
    # Name: columns, PARTITIONED BY, files, and the rows that Flink gave.
    "folders in folders, and no hidden ones": (
        "id INT, k STRING",
        "",
        NESTED,
        [[1, "in"], [2, "in"], [7, None], [8, None], [9, None], [10, "file"]],
    ),
    "columns that are folders": (
        "id INT, k STRING",
        KEY,
        {"k=1/a.json": {"id": 1, "k": "no"}, "k=2/a.json": {"id": 2}, "k=2/deep/a.json": {"id": 3}},
        [[1, "1"], [2, "2"], [3, "2"]],
    ),
    "escaped names": (
        "id INT, k STRING",
        KEY,
        {"k=a%3Ab+c/a.json": {"id": 1}, "k=a b/a.json": {"id": 2}, "k=é/a.json": {"id": 3}},
        [[1, "a:b+c"], [2, "a b"], [3, "é"]],
    ),
    "hidden folders, and values that look like such": (
        "id INT, k STRING",
        KEY,
        {"k=1/a.json": {"id": 1}, "_k=2/a.json": {"id": 2}, ".k=2/a.json": {"id": 3}, "k=_3/a.json": {"id": 4}},
        [[1, "1"], [4, "_3"]],
    ),
    "what Hive writes for NULL": (
        "id INT, k STRING",
        KEY,
        {"k=__HIVE_DEFAULT_PARTITION__/a.json": {"id": 1}, "k=1/a.json": {"id": 2}},
        [[1, "__HIVE_DEFAULT_PARTITION__"], [2, "1"]],
    ),
    "two columns": (
        "id INT, k INT, j DATE",
        "PARTITIONED BY (k, j)",
        {"k=007/j=2026-03-01/a.json": {"id": 1}},
        [[1, 7, "2026-03-01"]],
    ),
    "the innermost folder of a name": ("id INT, k STRING", KEY, {"k=1/k=2/b.json": {"id": 2}}, [[2, "2"]]),
    "a boolean": ("id INT, k BOOLEAN", KEY, {"k=true/a.json": {"id": 1}}, [[1, True]]),
    "names that look like patterns": (
        "id INT",
        "",
        {"a{b}.json": {"id": 1}, "c*.json": {"id": 2}, "d[1].json": {"id": 3}, "e f%20.json": {"id": 4}},
        [[1], [2], [3], [4]],
    ),
    "what the connector tells of files": (
        "id INT, p STRING METADATA FROM 'file.name', s BIGINT METADATA FROM 'file.size'",
        "",
        {"x/a b.json": {"id": 1}, "b.json": {"id": 20}},
        [[1, "a b.json", 10], [20, "b.json", 11]],
    ),
}


@pytest.mark.parametrize("name", READ)
def test_files_are_read_as_flink_reads_them(name: str, spark: SparkSession, tmp_path: Path) -> None:
    columns, partitioned, files, rows = READ[name]
    laid_out(tmp_path / "rows", files)
    query = running(job(columns, tmp_path, partitioned), spark)
    assert sorted(query.values()) == rows
    assert [reading.sentences for reading in query.readings()] == [()]


@pytest.mark.parametrize("scheme", ["", "/", "//", "file:", "file://", "file:///"])
def test_a_path_may_be_a_url_of_this_machine(scheme: str, spark: SparkSession, tmp_path: Path) -> None:
    laid_out(tmp_path / "rows", {"a.json": {"id": 1}})
    table = "CREATE TABLE t (id INT) WITH ('connector' = 'filesystem', 'format' = 'json', 'path' = '{}');"
    script = prepared(f"{table.format(f'{scheme}{tmp_path}/rows')} SELECT * FROM t;", "job.sql", tmp_path)
    assert list(running(script, spark).values()) == [[1]]


def test_csv_has_no_column_that_is_a_folder(spark: SparkSession, tmp_path: Path) -> None:
    laid_out(tmp_path / "rows", {"k=1/a.csv": "1,one\n", "k=2/a.csv": "2,two\n"})
    query = running(job("id INT, k INT, s STRING", tmp_path, KEY, "csv"), spark)
    assert sorted(query.values()) == [[1, 1, "one"], [2, 2, "two"]]


def test_a_name_that_is_no_value_is_a_bad_row(spark: SparkSession, tmp_path: Path) -> None:
    """Flink stops there."""
    laid_out(tmp_path / "rows", {"k=1/a.json": {"id": 1}, "k=x/a.json": {"id": 2}})
    query = running(job("id INT, k INT", tmp_path, KEY), spark)
    assert list(query.values()) == [[1, 1]]
    assert query.readings()[0].sentences == (
        "t: 1 of 2 rows cannot be read and is left out; one of them: k=x/a.json: k is no INT: x",
    )


def test_a_folder_without_a_value_gives_null(spark: SparkSession, tmp_path: Path) -> None:
    laid_out(tmp_path / "rows", {"k=__DEFAULT_PARTITION__/a.json": {"id": 1}, "k=none/a.json": {"id": 2}})
    assert sorted(running(job("id INT, k STRING", tmp_path, KEY), spark).values()) == [[1, None], [2, "none"]]
    other = job("id INT, k STRING", tmp_path, KEY, options=", 'partition.default-name' = 'none'")
    assert sorted(running(other, spark).values()) == [[1, "__DEFAULT_PARTITION__"], [2, None]]


@pytest.mark.parametrize("partitioned", ["", KEY])
def test_rows_that_are_named_may_lie_in_folders_of_a_column(
    partitioned: str, spark: SparkSession, tmp_path: Path
) -> None:
    """Samples of a lake, for a table that has no files of its own."""
    laid_out(tmp_path, {"lake/k=1/a.json": {"id": 1}, "lake/k=__HIVE_DEFAULT_PARTITION__/b.json": {"id": 2}})
    spark.read.json(str(tmp_path / "lake/k=1")).write.parquet(str(tmp_path / "parquet/k=3"))
    table = f"CREATE TABLE t (id INT, k INT) {partitioned} WITH ('connector' = 'kafka');"
    found = []
    for name in ("lake", "parquet"):
        sql = table.replace("id INT", "id BIGINT") + "SELECT * FROM t;"
        found.append(sorted(running(prepared(sql, "j", tmp_path, {"t": str(tmp_path / name)}), spark).values()))
    assert found == [[[1, 1], [2, None]], [[1, 3]]]


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"k=1/a.json": {}, "a.json": {}}, "a.json is in no folder k=..."),
        ({"k=1/a.json": {}, "other/a.json": {}}, "is in no folder k=..."),
        ({"k=1/a.json": {}, "k=/a.json": {}}, "is in no folder k=..."),
        ({"k=1/a.json": {}, "K=1/a.json": {}}, "is in no folder k=..."),
    ],
)
def test_files_outside_of_the_folders_are_refused(
    files: dict[str, Any], words: str, spark: SparkSession, tmp_path: Path
) -> None:
    """Flink stops there too: incomplete partition spec."""
    laid_out(tmp_path / "rows", files)
    with pytest.raises(PipelineError) as refusal:
        running(job("id INT, k STRING", tmp_path, KEY), spark)
    assert words in str(refusal.value) and "PARTITIONED BY (k)" in str(refusal.value)


def test_a_column_of_folders_has_a_type_that_flink_reads(spark: SparkSession, tmp_path: Path) -> None:
    laid_out(tmp_path / "rows", {"k=1.5/a.json": {"id": 1}})
    with pytest.raises(PipelineError, match=r"Flink reads no DECIMAL\(4,2\) from the names of folders"):
        running(job("id INT, k DECIMAL(4, 2)", tmp_path, KEY), spark)


def test_like_takes_the_folders_over(spark: SparkSession, tmp_path: Path) -> None:
    laid_out(tmp_path / "rows", {"k=1/a.json": {"id": 1}})
    with_ = "WITH ('connector' = 'filesystem', 'path' = 'rows', 'format' = 'json')"
    base = f"CREATE TABLE b (id INT, k INT) PARTITIONED BY (k) {with_};"
    for like, rows in (("LIKE b", [[1, 1]]), ("LIKE b (EXCLUDING PARTITIONS)", [[1, None]])):
        script = prepared(f"{base} CREATE TABLE t {like}; SELECT * FROM t;", "job.sql", tmp_path)
        assert list(running(script, spark).values()) == rows


@pytest.mark.parametrize(
    ("files", "aside"),
    [
        (["README.md", "a.json"], ["README.md"]),
        (["README", "LICENSE", "docs/notes.html", "a.json"], ["LICENSE", "README", "docs/notes.html"]),
        (["k/Readme.txt", "make.py", "a.json"], ["k/Readme.txt", "make.py"]),
        (["notice.json", "changes.csv", "readme.parquet", "a.json"], []),
        (["part-0001", "data.txt", "log.2026", "a.json.1"], []),
    ],
)
def test_files_that_describe_are_left_out_and_named(files: list[str], aside: list[str], tmp_path: Path) -> None:
    laid_out(tmp_path / "rows", dict.fromkeys(files, "x\n"))
    found = files_below(str(tmp_path / "rows"))
    assert [os.path.relpath(name, tmp_path / "rows") for name in found.aside] == aside
    assert len(found.rows) + len(found.aside) == len(files)


def test_what_is_left_out_is_a_notice(tmp_path: Path) -> None:
    laid_out(tmp_path / "rows", {"README.md": "x", "a.json": {"id": 1}})
    assert job("id INT", tmp_path).notices == (
        f"t: 1 file below {tmp_path / 'rows'} holds no rows by its name and is not read: "
        f"{tmp_path / 'rows' / 'README.md'}",
    )


REFUSED = {
    "Avro": ({"a.avro": "x"}, "json", "has Avro"),
    "ORC": ({"deep/a.orc": "x"}, "json", "has ORC"),
    "ORC among others": ({"a.json": {}, "b.snappy.orc": "x"}, "json", "has ORC"),
    "Iceberg": ({"metadata/v1.metadata.json": "{}", "data/a.parquet": "x"}, "parquet", "a table of Iceberg"),
    "Iceberg of Hadoop": ({"metadata/version-hint.text": "1", "data/a.parquet": "x"}, "parquet", "a table of Iceberg"),
    "Hudi": ({".hoodie/hoodie.properties": "", "a.parquet": "x"}, "parquet", "a table of Hudi"),
    "Paimon": ({"schema/schema-0": "{}", "bucket-0/a.parquet": "x"}, "parquet", "a table of Paimon"),
    "archives": ({"a.json.zip": "x"}, "json", "packed files (.zip)"),
    "another packing": ({"a.json.xz": "x"}, "json", "packed files (.xz)"),
    "another format": ({"a.json": {}, "b.csv": "1"}, "json", "b.csv is csv by its name"),
    "a format that is declared": ({"a": "x"}, "avro", "has the format 'avro'"),
    "a changelog": ({"a.json": {}}, "debezium-avro-confluent", "has the format 'debezium-avro-confluent'"),
    "a colon": ({"a:b.json": {}}, "json", "has a colon in its name"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_formats_that_are_not_read_are_named(name: str, tmp_path: Path) -> None:
    files, format_, words = REFUSED[name]
    laid_out(tmp_path / "rows", files)
    with pytest.raises(PipelineError) as refusal:
        job("id INT", tmp_path, format_=format_)
    assert words in str(refusal.value)


@pytest.mark.parametrize("name", ["Avro", "ORC", "Iceberg", "archives"])
def test_so_are_those_of_files_that_are_named(name: str, tmp_path: Path) -> None:
    files, _, words = REFUSED[name]
    laid_out(tmp_path / "rows", files)
    table = "CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'format' = 'json'); SELECT * FROM t;"
    with pytest.raises(PipelineError) as refusal:
        prepared(table, "job.sql", tmp_path, {"t": str(tmp_path / "rows")})
    assert words in str(refusal.value)


def test_a_table_of_a_lake_comes_as_a_dataframe(tmp_path: Path) -> None:
    laid_out(tmp_path / "rows", REFUSED["Iceberg"][0])
    with pytest.raises(PipelineError, match="give that DataFrame to keepstate_spark"):
        job("id INT", tmp_path, format_="parquet")


def test_a_folder_that_cannot_be_listed_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    laid_out(tmp_path / "rows", {"a.json": {}, "closed/b.json": {}})
    listed = os.scandir

    def scandir(path: str) -> Any:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(PipelineError, match="closed cannot be read: Permission denied"):
        job("id INT", tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="links and pipes")
def test_links_are_followed_once(tmp_path: Path) -> None:
    rows = laid_out(tmp_path / "rows", {"real/a.json": {"id": 1}})
    (rows / "real" / "back").symlink_to(rows)
    (rows / "real" / "self").symlink_to(".")
    (rows / "self").symlink_to(rows)
    (rows / "link").symlink_to(rows / "real")
    found = files_below(str(rows))
    assert [os.path.relpath(name, rows) for name in found.rows] == ["link/a.json", "real/a.json"]
    assert not found.aside


def pipe_at(path: Path) -> Path:
    os.mkfifo(path)
    return path


NO_FILES: dict[str, Callable[[Path], Path]] = {
    "a pipe": lambda folder: pipe_at(folder / "pipe.json"),
    "a pipe in a folder": lambda folder: pipe_at(folder / "pipe.json").parent,
    "a pipe that is called README": lambda folder: pipe_at(folder / "README").parent,
    "a device": lambda _: Path("/dev/zero"),
    "a name that is no text": lambda folder: Path(os.fsdecode(os.fsencode(folder) + b"/\xff.json")),
}


@pytest.mark.skipif(sys.platform != "linux", reason="pipes, devices and names of bytes")
@pytest.mark.parametrize("what", NO_FILES)
def test_what_spark_cannot_open_is_an_error(what: str, tmp_path: Path) -> None:
    rows = laid_out(tmp_path / "rows", {"a.json": {"id": 1}})
    path = NO_FILES[what](rows)
    if not path.exists():
        path.write_text("{}\n")
    with pytest.raises(PipelineError, match=r"is a pipe, a socket|name that is no text"):
        files_below(str(path))
    if path.parent == rows:
        with pytest.raises(PipelineError, match=r"is a pipe, a socket|name that is no text"):
            files_below(str(rows))


def test_a_hidden_file_that_is_named_is_refused(tmp_path: Path) -> None:
    laid_out(tmp_path, {"_sample.json": {"id": 1}})
    table = "CREATE TABLE t (id INT) WITH ('connector' = 'kafka'); SELECT * FROM t;"
    with pytest.raises(PipelineError, match="hidden: neither Flink nor Spark reads it"):
        prepared(table, "job.sql", tmp_path, {"t": str(tmp_path / "_sample.json")})


def test_an_option_that_chooses_files_is_refused(tmp_path: Path) -> None:
    laid_out(tmp_path / "rows", {"a.json": {"id": 1}})
    with pytest.raises(PipelineError, match=r"'source\.path\.regex-pattern', which is not applied here"):
        job("id INT", tmp_path, options=", 'source.path.regex-pattern' = '.*b.json'")


EMPTY = {
    "no format": ("'path' = 'rows', 'format' = ''", "has the format ''"),
    "no path": ("'path' = '', 'format' = 'json'", "has an empty path"),
    "no scheme": ("'path' = 'file:', 'format' = 'json'", "has an empty path"),
}


@pytest.mark.parametrize("what", EMPTY)
def test_an_option_that_is_empty_stands_for_no_default(what: str, tmp_path: Path) -> None:
    """A placeholder that nothing has filled in chooses neither a format nor the folder of the script."""
    laid_out(tmp_path / "rows", {"a.json": {"id": 1}})
    options, words = EMPTY[what]
    table = f"CREATE TABLE t (id INT) WITH ('connector' = 'filesystem', {options}); SELECT * FROM t;"
    with pytest.raises(PipelineError, match=words):
        prepared(table, "job.sql", tmp_path)


@pytest.mark.parametrize("format_", ["json", "csv", "parquet"])
@pytest.mark.parametrize("sql", ["SELECT * FROM t", "SELECT COUNT(*) FROM t", "SELECT id FROM t WHERE id > 1 LIMIT 1"])
def test_no_rows_are_reported(format_: str, sql: str, spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    table = f"CREATE TABLE t (id INT) WITH ('connector' = 'filesystem', 'path' = 'rows', 'format' = '{format_}');"
    query = running(prepared(f"{table} {sql};", "job.sql", tmp_path), spark)
    # An aggregation of a stream has no result before its first row.
    assert list(query.values()) == []
    (reading,) = query.readings()
    assert reading.incomplete
    assert reading.sentences == (f"t: 0 rows read from {tmp_path / 'rows'}.",)


@pytest.mark.parametrize("sql", ["SELECT 1 FROM t JOIN e ON t.id = e.id", "SELECT id FROM t WHERE FALSE"])
def test_rows_that_a_query_need_not_read_are_not_said_to_be_none(sql: str, spark: SparkSession, tmp_path: Path) -> None:
    laid_out(tmp_path, {"t/a.json": [{"id": 1}, {"id": 2}], "e/a.json": ""})
    tables = "".join(
        f"CREATE TABLE {name} (id INT) WITH ('connector' = 'filesystem', 'path' = '{name}', 'format' = 'json');"
        for name in ("t", "e")
    )
    query = running(prepared(f"{tables} {sql};", "job.sql", tmp_path), spark)
    assert list(query.values()) == []
    reported = [sentence for reading in query.readings() for sentence in reading.sentences]
    assert reported == ([f"e: 0 rows read from {tmp_path / 'e'}."] if "JOIN" in sql else [])


def test_thousands_of_files_in_folders_are_all_read(spark: SparkSession, tmp_path: Path) -> None:
    laid_out(tmp_path / "rows", {f"{number % 40}/{number}.json": {"id": number} for number in range(3000)})
    query = running(
        prepared(
            "CREATE TABLE t (id INT) WITH ('connector' = 'filesystem', 'path' = 'rows', 'format' = 'json');"
            "SELECT COUNT(*), SUM(id) FROM t;",
            "job.sql",
            tmp_path,
        ),
        spark,
    )
    assert list(query.values()) == [[3000, 3000 * 2999 // 2]]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("not json", "cannot be read"),
        ("[1]", "is no action"),
        ('{"add": {}}', "names a file that is not read"),
        ('{"add": {"path": "s3://bucket/x.parquet"}}', "names a file that is not read"),
    ],
)
def test_a_delta_log_that_is_none_is_an_error(line: str, words: str, spark: SparkSession, tmp_path: Path) -> None:
    laid_out(tmp_path / "rows", {f"_delta_log/{0:020}.json": line + "\n"})
    with pytest.raises(PipelineError) as refusal:
        running(job("id INT", tmp_path), spark)
    assert words in str(refusal.value)
