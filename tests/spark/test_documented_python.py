"""The Python of docs/windows-on-spark.md that works on a session that is there: it runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

PAGE = Path(__file__).parents[2] / "docs" / "windows-on-spark.md"
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ROWS = "VALUES ('2026-03-01 10:01', 'ann', 5), ('2026-03-01 10:08', 'ann', 7), ('2026-03-01 10:12', 'bob', 1)"


def code_of(*titles: str) -> str:
    """The code of sections, in their order."""
    sections = dict(part.split("\n", 1) for part in PAGE.read_text("utf-8").split("\n## ")[1:])
    return "\n".join(code for title in titles for code in FENCE.findall(sections[title]))


def test_code_for_a_session_that_is_there_runs(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    code = code_of("Queries over DataFrames", "Replays over DataFrames").replace('"revenue")', f'"{tmp_path}/revenue")')
    orders = spark.sql(f"SELECT CAST(col1 AS timestamp_ntz) AS rowtime, col2 AS buyer, col3 AS amount FROM {ROWS}")
    exec(code, {"spark": spark, "orders": orders})
    assert sorted(spark.read.parquet(str(tmp_path / "revenue")).collect()) == [("ann", 12), ("bob", 1)]
    assert re.findall(r"buyer = (\w+) *\| *(\d+)\| *(\d+)", capsys.readouterr().out) == [("ann", "12", "7")]
