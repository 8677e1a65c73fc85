"""Every file that ``run``, ``replay`` and ``audit`` write, opened with what people open such files with."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pandas
import pyarrow.dataset
import pyarrow.parquet
import pytest
from pyspark.sql import SparkSession

from hostile_queries import FOLDER, NAME, quoted_name, quoted_text
from hostile_queries import TEXT as ANY_TEXT
from keepstate_lsp.cli.terminal.job_results import OF_SPARK, result_writer
from keepstate_spark import saving
from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import prepared
from keepstate_spark.replay.result_differences import SCHEMA
from keepstate_spark.running import lowered_query
from keepstate_spark.saving import PACKAGES, require_format, require_rows
from repositories import GitRepository

SECRET = "a secret of the environment"
LEAK = "${env:KEEPSTATE_SECRET}"
TEXT = ANY_TEXT.replace("\0", "")
"""A file with that character is no text."""
TABLE = """CREATE TABLE orders (shop STRING, amount INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'filesystem', 'path' = 'orders', 'format' = 'json');
"""
BASELINE = f"""{TABLE}
INSERT INTO {quoted_name("revenue" + NAME)} SELECT window_start, window_end, shop, {quoted_text(LEAK)} AS leak,
  SUM(amount) AS total FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR))
  GROUP BY window_start, window_end, shop;
INSERT INTO days SELECT window_start, window_end, CONCAT(shop, {quoted_text(TEXT)}) AS k, COUNT(*) AS n
  FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' DAY))
  GROUP BY window_start, window_end, CONCAT(shop, {quoted_text(TEXT)});
"""
CURRENT = BASELINE.replace("AS total", f"AS total, MAX(amount) AS {quoted_name('largest' + LEAK + NAME)}").replace(
    "COUNT(*) AS n", f"COUNT(*) AS n, MIN({quoted_text(LEAK)} || DATE_FORMAT(ts, 'HH:mm')) AS began"
)


@pytest.fixture(scope="module")
def replayed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """The folder that a replay of two queries wrote, and what it said; its rows lie in folders."""
    repository = GitRepository(tmp_path_factory.mktemp("replayed") / "repository")
    repository.commit({"job.sql": BASELINE})
    repository.write("job.sql", CURRENT)
    for minute in range(120):
        row = {"shop": f"{'ab'[minute % 2]}{LEAK}", "amount": 200 - minute}
        row["ts"] = f"2026-03-01 {10 + minute // 60}:{minute % 60:02}:00"
        path = repository.folder / "orders" / f"hour={minute // 60}" / f"{minute}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(row) + "\n", "utf-8")
    (repository.folder / "orders" / "README.md").write_text("Rows of a day.\n", "utf-8")
    return replay_in(repository.folder, "--restart-at", "2026-03-01 10:30")


def replay_in(folder: Path, *arguments: str) -> tuple[Path, subprocess.CompletedProcess[str]]:
    out = folder / f"out{arguments[0]}"
    command = ["replay", "job.sql", *arguments, "--output", str(out), "--format", "json"]
    run = subprocess.run(
        [sys.executable, "-m", "keepstate_lsp.cli.main", *command],
        cwd=folder,
        env={**os.environ, "KEEPSTATE_SECRET": SECRET, "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=500,
    )
    return out, run


def by_pandas(path: Path) -> pandas.DataFrame:
    return pandas.read_parquet(path)


def by_pyarrow(path: Path) -> pandas.DataFrame:
    return pyarrow.parquet.read_table(path).to_pandas()


def as_a_dataset(path: Path) -> pandas.DataFrame:
    return pyarrow.dataset.dataset(path, format="parquet").to_table().to_pandas()


@pytest.mark.parametrize("read", [by_pandas, by_pyarrow, as_a_dataset])
def test_the_table_of_differences_is_one_table(
    read: Callable[[Path], pandas.DataFrame], replayed: tuple[Path, subprocess.CompletedProcess[str]]
) -> None:
    out, run = replayed
    assert run.returncode == 0, run.stderr
    found = read(out / "differences.parquet")
    assert list(found.columns) == list(SCHEMA)
    assert set(found["query"]) == {f"INSERT INTO revenue{NAME}", "INSERT INTO days"}
    assert {"largest" + LEAK + NAME, "began"} <= set(found["metric"])
    assert f"shop = a{LEAK}" in set(found["key"])
    assert f"k = a{LEAK}{TEXT}" in set(found["key"])
    assert f"{LEAK}10:00" in set(found["expected"])


def test_spark_reads_the_table_of_differences(
    replayed: tuple[Path, subprocess.CompletedProcess[str]], spark: SparkSession
) -> None:
    """The table is a folder, read without an option to look into its folders."""
    out, _ = replayed
    path = out / "differences.parquet"
    rows = spark.read.parquet(str(path))
    assert rows.columns == list(SCHEMA)
    assert rows.count() == len(by_pandas(path)) > 0


def test_the_other_files_of_a_replay(replayed: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    out, run = replayed
    assert {path.name for path in out.iterdir()} == {"summary.json", "differences.parquet", "report.html", "report.png"}
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    assert summary == json.loads(run.stdout)
    assert [query["name"] for query in summary["queries"]] == [f"INSERT INTO revenue{NAME}", "INSERT INTO days"]
    page = HTMLParser()
    page.feed((out / "report.html").read_text("utf-8"))
    page.close()
    image = pytest.importorskip("matplotlib.image").imread(out / "report.png")
    assert image.shape[0] > 100 and image.shape[1] > 100


def test_the_files_of_a_sweep(replayed: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    folder = replayed[0].parent
    out, run = replay_in(folder, "--sweep", "30 min")
    assert run.returncode == 0, run.stderr
    assert {path.name for path in out.iterdir()} == {"sweep.json", "sweep.html"}
    swept = json.loads((out / "sweep.json").read_text("utf-8"))
    assert swept == json.loads(run.stdout)
    assert [query["name"] for query in swept["queries"]] == [f"INSERT INTO revenue{NAME}", "INSERT INTO days"]
    texts = list[str]()
    page = HTMLParser()
    page.handle_data = texts.append  # type: ignore[method-assign]
    page.feed((out / "sweep.html").read_text("utf-8"))
    page.close()
    assert any(f"INSERT INTO revenue{NAME}" in text for text in texts)
    files = [path.read_text("utf-8") for path in out.iterdir()]
    assert not any(SECRET in text for text in (run.stdout, run.stderr, *files))


def test_a_replay_tells_nothing_of_the_environment(replayed: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    out, run = replayed
    texts = [
        run.stdout,
        run.stderr,
        *(path.read_bytes().decode("latin-1") for path in out.rglob("*") if path.is_file()),
    ]
    assert not any(SECRET in text for text in texts)
    # What Parquet packs is no plain text in the file.
    assert SECRET not in str(by_pandas(out / "differences.parquet").to_dict("records"))
    assert LEAK in run.stdout and LEAK in (out / "summary.json").read_text("utf-8")
    assert "README.md" in run.stderr


@pytest.mark.parametrize("format_", ["parquet", "jsonl"])
def test_results_lie_where_the_command_line_says(format_: str, tmp_path: Path) -> None:
    """Relative to the folder that the command was started in, whatever the folder is called."""
    (tmp_path / "job.sql").write_text("SELECT a FROM (VALUES (1), (2)) AS v(a);", "utf-8")
    command = ["run", "job.sql", "--format", format_, "--output", FOLDER]
    run = subprocess.run(
        [sys.executable, "-m", "keepstate_lsp.cli.main", *command],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=500,
    )
    assert run.returncode == 0, run.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"job.sql", FOLDER}
    (path,) = (tmp_path / FOLDER).iterdir()
    if format_ == "parquet":
        assert sorted(by_pandas(path)["a"]) == [1, 2]
    else:
        assert {"1", "2"} <= set(re.findall(r"\d+", path.read_text("utf-8")))


VALUES = f"""SELECT id, x AS {quoted_name("x" + NAME)}, x AS {quoted_name("x" + NAME)}, d, m, ok, day, n FROM (VALUES
  (1, {quoted_text("a" + TEXT)}, 1.50, TIMESTAMP '2026-03-01 10:00:00.5', TRUE, DATE '2026-03-01',
   CAST(NULL AS INT)),
  (2, '', 0.25, TIMESTAMP '2026-03-02 00:00:00', FALSE, DATE '2026-03-02', 7)) AS v(id, x, d, m, ok, day, n);
INSERT INTO {quoted_name("sink" + "x" * 300)} SELECT 1 AS one;
"""


class Quiet:
    """Progress that nothing shows."""

    def clear(self) -> None:
        pass


@pytest.fixture
def results(spark: SparkSession, tmp_path: Path) -> Callable[[str], list[Path]]:
    def results(format_: str) -> list[Path]:
        script = prepared(f"SET 'table.local-time-zone' = 'UTC'; {VALUES}", "job.sql", tmp_path)
        with result_writer(tmp_path / format_, format_) as files:
            for query in script.queries:
                files.write(lowered_query(script, query, spark), Quiet())  # type: ignore[arg-type]
        return sorted((tmp_path / format_).iterdir())

    return results


# As Flink names a column that has the name of another one.
NAMES = ["id", "x" + NAME, "x" + NAME + "0", "d", "m", "ok", "day", "n"]
FIRST = "a" + TEXT


def test_results_as_parquet(results: Callable[[str], list[Path]], spark: SparkSession) -> None:
    values, sink = results("parquet")
    for read in (by_pandas, by_pyarrow, as_a_dataset):
        rows = read(values)
        assert list(rows.columns) == NAMES
        assert list(rows[NAMES[1]]) == [FIRST, ""]
        assert [str(value) for value in rows["d"]] == ["1.50", "0.25"]
        assert [str(value) for value in rows["m"]] == ["2026-03-01 10:00:00.500000", "2026-03-02 00:00:00"]
        assert [str(value) for value in rows["day"]] == ["2026-03-01", "2026-03-02"]
        assert list(read(sink)["one"]) == [1]
    assert spark.read.parquet(str(sink)).collect()[0]["one"] == 1


def test_results_as_orc(results: Callable[[str], list[Path]], spark: SparkSession) -> None:
    values, _ = results("orc")
    rows = pyarrow.dataset.dataset(values, format="orc").to_table().to_pydict()
    assert list(rows) == NAMES
    assert rows[NAMES[1]] == [FIRST, ""]
    assert [str(value) for value in (*rows["d"], *rows["day"])] == ["1.50", "0.25", "2026-03-01", "2026-03-02"]
    assert (rows["ok"], rows["n"]) == ([True, False], [None, 7])
    # Only Spark takes these numbers for times.
    assert str(spark.read.orc(str(values)).collect()[0]["m"]) == "2026-03-01 10:00:00.500000"


@pytest.mark.parametrize("format_", ["avro", "delta"])
def test_a_format_without_its_package_is_refused_by_name(format_: str, spark: SparkSession) -> None:
    words = f"This Spark cannot write {format_}. Name its package .*spark.jars.packages=.*{format_}"
    with pytest.raises(PipelineError, match=words):
        require_format(spark, format_)


def test_the_formats_of_spark_are_those_of_the_command() -> None:
    assert tuple(PACKAGES) == OF_SPARK


def test_rows_that_are_written_elsewhere_are_missed(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers of a cluster write to their own disks, and the folder here stays empty."""
    monkeypatch.setattr(saving, "works_elsewhere", lambda _: True)
    place = str(tmp_path / "there")
    saving.save(spark.range(3, numPartitions=3).toDF("a"), place, "parquet")
    max(Path(place).glob("*.parquet")).unlink()
    with pytest.raises(PipelineError, match=r"Spark wrote 3 rows, and they are not in .*there on .* It has 2"):
        require_rows(spark, place, "parquet", 3)
    for path in Path(place).glob("*.parquet"):
        path.unlink()
    with pytest.raises(PipelineError, match=r"Spark wrote 3 rows.* Name an --output that all machines"):
        require_rows(spark, place, "parquet", 3)


def test_results_as_json_lines(results: Callable[[str], list[Path]]) -> None:
    values, sink = results("jsonl")
    header, *rows = [json.loads(line) for line in values.read_text("utf-8").rstrip("\n").split("\n")]
    assert header["columns"] == NAMES
    assert rows == [
        [1, FIRST, FIRST, 1.5, "2026-03-01 10:00:00.5", True, "2026-03-01", None],
        [2, "", "", 0.25, "2026-03-02 00:00:00", False, "2026-03-02", 7],
    ]
    assert json.loads(sink.read_text("utf-8").splitlines()[1]) == [1]


def test_results_as_csv(results: Callable[[str], list[Path]]) -> None:
    values, _ = results("csv")
    with values.open(encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file))
    assert header == NAMES
    assert rows[0][:4] == ["1", FIRST, FIRST, "1.50"]
    read: Any = pandas.read_csv(values, encoding="utf-8")
    assert read.shape == (2, len(NAMES))
    assert read[NAMES[1]][0] == FIRST
