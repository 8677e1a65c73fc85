"""UNIX_TIMESTAMP, TO_DATE, TO_TIMESTAMP, DATE_FORMAT and CAST of texts, as Flink 2.3.0 reads these: with numbers of any
size.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import prepared
from keepstate_spark.running import lowered_query

ANSWERS: dict[str, list[tuple[str | None, object]]] = defaultdict(list)
for line in (Path(__file__).parent / "flink" / "lenient_times.tsv").read_text("utf-8").splitlines():
    call, written, answer = line.split("\t")
    ANSWERS[call].append((json.loads(written), json.loads(answer)))
TABLE = (
    "SET 'table.local-time-zone' = 'Europe/Berlin';"
    "CREATE TABLE t (id INT, s STRING) WITH ('connector' = 'filesystem', 'path' = '{}', 'format' = 'json');"
)


def answers(call: str, texts: list[str | None], folder: Path, session: SparkSession) -> list[object]:
    """The values of ``call`` for texts, in their order."""
    lines = [json.dumps({"id": number, "s": each}) for number, each in enumerate(texts)]
    (folder / "t.json").write_text("\n".join(lines) + "\n", "utf-8")
    script = prepared(f"{TABLE.format('t.json')}SELECT id, {call.format('s')} FROM t;", "job.sql", folder)
    rows = sorted(lowered_query(script, script.queries[0], session).values())
    return [str(value) if call.startswith("TO_DATE") and value is not None else value for _, value in rows]


@pytest.mark.parametrize("call", [call for call in ANSWERS if "yyyyMMdd" not in call])
def test_texts_are_read_by_their_beginnings(call: str, tmp_path: Path, session: SparkSession) -> None:
    texts = [text for text, _ in ANSWERS[call]]
    assert answers(call, texts, tmp_path, session) == [answer for _, answer in ANSWERS[call]]


@pytest.mark.parametrize("text", ["12024-02-29 12:34:56", "2024--2-29 12:34:56", "2024-02-29 12:34:1234567"])
def test_years_and_signs_that_are_not_computed_stop_the_query(text: str, tmp_path: Path, session: SparkSession) -> None:
    with pytest.raises(PipelineError, match="is a time by 'yyyy-MM-dd HH:mm:ss' to Flink"):
        answers("UNIX_TIMESTAMP({})", [text], tmp_path, session)


def test_a_date_without_a_form_stops_the_query(tmp_path: Path, session: SparkSession) -> None:
    with pytest.raises(PipelineError, match="hello world does not fit the pattern 'yyyy-MM-dd'"):
        answers("TO_DATE({}, 'yyyy-MM-dd')", ["hello world"], tmp_path, session)


@pytest.mark.parametrize("text", ["0000-01-01 00:00:00", "-0001-01-01 00:00:00"])
def test_years_before_christ_stop_the_query(text: str, tmp_path: Path, session: SparkSession) -> None:
    with pytest.raises(PipelineError, match="is a time by 'yyyy-MM-dd HH:mm:ss' to Flink"):
        answers("DATE_FORMAT({}, 'yyyyMMdd')", [text], tmp_path, session)


@pytest.mark.parametrize("zone", ["Berlin", "europe/berlin", "utc", "GMT8", "GMT+25", "GMT+8:5", " UTC"])
def test_zones_that_java_takes_for_gmt_are_refused(zone: str, tmp_path: Path, session: SparkSession) -> None:
    for call in (f"CONVERT_TZ({{}}, 'UTC', '{zone}')", f"CONVERT_TZ({{}}, '{zone}', 'UTC')"):
        with pytest.raises(PipelineError, match=f"Java has no time zone '{re.escape(zone)}' and takes it for GMT"):
            answers(call, ["2024-01-01 12:00:00"], tmp_path, session)


@pytest.mark.parametrize(
    ("zone", "answer"),
    [
        ("GMT+8", "2024-01-01 20:00:00"),
        ("GMT+08:00", "2024-01-01 20:00:00"),
        ("+08:00", "2024-01-01 12:00:00"),
        ("PST", "2024-01-01 04:00:00"),
        ("Asia/Shanghai", "2024-01-01 20:00:00"),
        ("", "2024-01-01 12:00:00"),
    ],
)
def test_zones_that_java_knows(zone: str, answer: str, tmp_path: Path, session: SparkSession) -> None:
    assert answers(f"CONVERT_TZ({{}}, 'UTC', '{zone}')", ["2024-01-01 12:00:00"], tmp_path, session) == [answer]


def test_a_zone_that_is_null_gives_null(tmp_path: Path, session: SparkSession) -> None:
    assert answers("CONVERT_TZ({}, 'UTC', CAST(NULL AS STRING))", ["2024-01-01 12:00:00"], tmp_path, session) == [None]
