"""Texts in files as values: Flink takes each one as it did when it was asked, or stops at it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pyspark.sql import SparkSession

from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import prepared
from keepstate_spark.running import lowered_query
from keepstate_spark.sources.texts import exact_json
from spark_versions import IS_OLD


class Form(NamedTuple):
    """A text ``written`` in a column of ``type``, and what Flink 2.3.0 makes of it: a value in JSON, ``stops``, or
    ``refused`` where its answer is not followed here.

    With ``ignore-parse-errors`` NULL is in the place of ``stops``, or the value behind it.
    """

    format: str
    type: str
    written: str
    answer: str

    @property
    def stops(self) -> bool:
        return self.answer.startswith("stops")

    def value(self) -> Any:
        return json.loads(self.answer.removeprefix("stops") or "null")


FORMS = [
    Form(*line.split("\t"))
    for line in (Path(__file__).parent / "flink" / "forms.tsv").read_text("utf-8").rstrip("\n").split("\n")
]
NOTHING = "n/a"
ISO = ", 'json.timestamp-format.standard' = 'ISO-8601'"
QUOTED_FRACTION = re.compile(r'"\d+(?:\.\d+|e\d+)"')
REWRITTEN_NUMBER = re.compile(r'"(?:-0|-?\d+\.\d*0|-?\d+[eE][^"]*)"')
"""A number that Spark writes in another way, as a text."""


def is_left(form: Form) -> bool:
    """Return whether docs/running-queries.md lists ``form`` as one that is not followed: Spark does not say what was
    quoted, and writes numbers within values anew.
    """
    if form.format != "json":
        return False
    if form.type == "STRING":
        return form.written[0] in "[{" and form.value() != form.written
    if form.stops and re.search(r"\b(?:BIG)?INT\b", form.type) and QUOTED_FRACTION.search(form.written):
        return True
    return "STRING" in form.type and any(one not in form.written for one in REWRITTEN_NUMBER.findall(form.answer))


def rows(forms: Sequence[Form], tolerant: bool, spark: SparkSession, folder: Path) -> dict[int, Any]:
    """The values of ``forms`` of one format by their numbers, read from one file with a column for each type."""
    format_, _, standard = forms[0].format.partition("-")
    types = list(dict.fromkeys(form.type for form in forms))
    path = folder / f"rows.{format_}"
    with path.open("w", encoding="utf-8") as file:
        for number, form in enumerate(forms):
            if format_ == "json":
                file.write(f'{{"id": {number}, "c{types.index(form.type)}": {form.written}}}\n')
            else:
                file.write(",".join([str(number), *(form.written if form.type == one else NOTHING for one in types)]))
                file.write("\n")
    options = {"connector": "filesystem", "path": str(path), "format": format_}
    options[f"{format_}.ignore-parse-errors"] = str(tolerant).lower()
    if standard:
        options["json.timestamp-format.standard"] = "ISO-8601"
    if format_ == "csv":
        options["csv.null-literal"] = NOTHING
    columns = ", ".join(["id INT", *(f"c{index} {type_}" for index, type_ in enumerate(types))])
    named = ", ".join(f"'{key}' = '{value}'" for key, value in options.items())
    sql = f"SET 'table.local-time-zone' = 'UTC'; CREATE TABLE t ({columns}) WITH ({named}); SELECT * FROM t;"
    script = prepared(sql, "job.sql", folder)
    query = lowered_query(script, script.queries[0], spark)
    return {row[0]: row[1 + types.index(forms[row[0]].type)] for row in query.values()}


def as_json(value: Any) -> str:
    def plain(one: Any) -> Any:
        if isinstance(one, list):
            return [plain(each) for each in one]
        if isinstance(one, dict):
            return {key: plain(each) for key, each in one.items()}
        return float(one) if isinstance(one, int) and not isinstance(one, bool) else one

    return json.dumps(plain(json.loads(json.dumps(value, default=float))), sort_keys=True, ensure_ascii=False)


@pytest.mark.parametrize("tolerant", [False, True])
@pytest.mark.parametrize("format_", ["json", "json-iso", "csv"])
def test_texts_are_read_as_by_flink(format_: str, tolerant: bool, session: SparkSession, tmp_path: Path) -> None:
    forms = [form for form in FORMS if form.format == format_ and form.answer != "refused"]
    # Within a value, what Flink stops at stops the query.
    forms = [form for form in forms if tolerant or not form.stops or not form.type.startswith(("ARRAY", "MAP", "ROW"))]
    values = rows(forms, tolerant, session, tmp_path)
    wrong = []
    for number, form in enumerate(forms):
        expected = "no row" if form.stops and not tolerant else as_json(form.value())
        own = as_json(values[number]) if number in values else "no row"
        if own != expected:
            wrong.append((form, own))
    assert [each for each in wrong if not is_left(each[0])] == []
    left = {form for form in forms if is_left(form)}
    # Spark 3.5 writes an object in the place of a text as Flink does.
    assert IS_OLD or {form for form, _ in wrong} == left


@pytest.mark.parametrize("format_", ["json", "json-iso"])
def test_marked_numbers_are_read_as_by_flink(
    format_: str, session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The way of Spark 3.5, on this Spark. How numbers within texts are written is up to Spark."""
    monkeypatch.setattr(exact_json, "IS_OF_SPARK", False)
    forms = [form for form in FORMS if form.format == format_ and form.answer != "refused" and not is_left(form)]
    values = rows(forms, True, session, tmp_path)
    wrong = [form for number, form in enumerate(forms) if as_json(values[number]) != as_json(form.value())]
    assert [form for form in wrong if "STRING" not in form.type or not re.search(r"[\[{].*\.\d*0", form.written)] == []


REFUSED = [
    ("json", "INT", '"٣"', "digits of other scripts"),
    ("csv", "DATE", "٢٠٢٦-03-01", "digits of other scripts"),
    ("csv", "DATE", "1582-10-10", "another calendar"),
    ("json", "TIME", '"10:11:12.5"', "the fraction of a TIME"),
    ("json", "BOOLEAN", '{"a": true}', "loses its place"),
    ("json", "INT", "[1]", "loses its place"),
    ("json", "BYTES", "true", "Whether it is quoted"),
]


@pytest.mark.parametrize(("format_", "type_", "written", "words"), REFUSED)
def test_what_is_not_followed_stops_the_query(
    format_: str, type_: str, written: str, words: str, session: SparkSession, tmp_path: Path
) -> None:
    with pytest.raises(PipelineError, match=words):
        rows([Form(format_, type_, written, "refused")], True, session, tmp_path)


@pytest.mark.parametrize(
    ("type_", "written", "options", "words"),
    [
        ("TIMESTAMP(3)", "2026-03-01T10:00:00", "", "'timestamp-format.standard' = 'ISO-8601'"),
        ("TIMESTAMP_LTZ(3)", "2026-03-01T10:00:00Z", "", "'timestamp-format.standard' = 'ISO-8601'"),
        ("TIMESTAMP(3)", "2026-03-01 10:00:00", ISO, "'timestamp-format.standard' = 'SQL'"),
        ("TIMESTAMP(3)", "yesterday", "", None),
        ("TIMESTAMP(3)", "2026-03-01T10:00:00Z", "", None),
        ("DATE", "2026-03-01T10:00:00", "", None),
    ],
)
def test_a_time_of_the_other_standard_names_the_option(
    type_: str, written: str, options: str, words: str | None, session: SparkSession, tmp_path: Path
) -> None:
    path = tmp_path / "rows.json"
    path.write_text(json.dumps({"ts": written}) + "\n", "utf-8")
    table = f"'connector' = 'filesystem', 'path' = '{path}', 'format' = 'json'{options}"
    script = prepared(f"CREATE TABLE t (ts {type_}) WITH ({table}); SELECT * FROM t;", "job.sql", tmp_path)
    query = lowered_query(script, script.queries[0], session)
    assert list(query.values()) == []
    (reading,) = query.readings()
    assert reading.bad == 1
    assert (words or "") in reading.example
    # It is not cut, and the whole of it is shown.
    assert words is None or reading.example.endswith(f"{words})")
    assert ("timestamp-format" in reading.example) == (words is not None)
