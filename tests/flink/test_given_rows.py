"""Rows of files as Flink's JSON format reads them."""

from __future__ import annotations

import json
from datetime import timezone
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from keepstate_flink.errors import FlinkError, NotRunnable
from keepstate_flink.generated_rows import GeneratedRows, TableColumn
from keepstate_flink.row_files import MOST_ROWS, given_records, moment_of, rows_of_files

TABLE = "`default_catalog`.`default_database`.`orders`"


def values(path: Path, *types: str) -> list[list[Any]]:
    columns = [TableColumn(f"c{number}", kind) for number, kind in enumerate(types)]
    rows = rows_of_files(given_records({"Orders": path}), None)(TABLE, columns)
    assert all(line.startswith("+I") for line in rows.lines)
    return [list(json.loads(line[2:]).values()) for line in rows.lines]


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("INT", "7", 7),
        ("BIGINT NOT NULL", " 7 ", 7),
        ("DOUBLE", "1e3", 1000.0),
        ("DECIMAL(10, 2)", "19.90", 19.9),
        ("BOOLEAN", "TRUE", True),
        ("BOOLEAN", "no", False),
        ("VARCHAR(2147483647)", "", ""),
        ("VARCHAR(2147483647)", "7", "7"),
        ("INT", "", None),
        ("TIMESTAMP(3)", "2026-03-01T10:00:00Z", "2026-03-01 10:00:00"),
        ("TIMESTAMP(3)", "2026-03-01 10:00:00.5", "2026-03-01 10:00:00.5"),
        ("TIMESTAMP(3) WITH LOCAL TIME ZONE", "2026-03-01 10:00:00", "2026-03-01 10:00:00Z"),
        ("TIMESTAMP_LTZ(3)", "2026-03-01T10:00:00Z", "2026-03-01 10:00:00Z"),
        ("ARRAY<INT>", "[1, 2]", [1, 2]),
        ("DATE", "2026-03-01", "2026-03-01"),
    ],
)
def test_values_of_csv(tmp_path: Path, kind: str, text: str, value: object) -> None:
    path = tmp_path / "orders.csv"
    quoted = text.replace('"', '""')
    path.write_text(f'C0,c1\n"{quoted}",x\n', "utf-8")
    assert values(path, kind, "STRING") == [[value, "x"]]


def test_json_lines_and_the_cut(tmp_path: Path) -> None:
    path = tmp_path / "orders.jsonl"
    path.write_text('{"c0": 1, "other": 2}\n\n{"C0": null}\n{}\n', "utf-8")
    assert values(path, "INT") == [[1], [None], [None]]
    assert rows_of_files(given_records({"orders": path}), None)(TABLE, []).cut == 1


def test_a_dot_in_a_name_parts_nothing(tmp_path: Path) -> None:
    path = tmp_path / "orders.jsonl"
    path.write_text("{}\n", "utf-8")
    table = "`default_catalog`.`default_database`.`my.orders`"
    assert rows_of_files(given_records({"my.orders": path}), None)(table, []).lines == ("+I{}",)
    with pytest.raises(NotRunnable, match=r"The table my\.orders has no rows"):
        rows_of_files(given_records({"orders": path}), None)(table, [])


def test_tables_without_a_file(tmp_path: Path) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text("{}\n", "utf-8")
    with pytest.raises(NotRunnable, match="The table orders has no rows: --data orders=PATH"):
        rows_of_files(given_records({"other": path}), None)(TABLE, [])
    made = GeneratedRows(("+I{}",), 1)
    assert rows_of_files(given_records({"other": path}), lambda table, columns: made)(TABLE, []) is made


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("orders.jsonl", "{}\n{", r"orders\.jsonl:2 is not JSON"),
        ("orders.jsonl", "[1]\n", r"orders\.jsonl:1 is not a JSON object"),
        ("orders.jsonl", "\n", r"orders.jsonl has no rows"),
        ("orders.csv", "c0\n", r"orders.csv has no rows"),
        (
            "orders.jsonl",
            "{}\n" * (MOST_ROWS + 1),
            r"has more than 20,000 rows, the most that a rehearsal takes. Name a sample.",
        ),
    ],
)
def test_files_that_cannot_be_taken(tmp_path: Path, name: str, text: str, words: str) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(FlinkError, match=words):
        rows_of_files(given_records({"orders": tmp_path / name}), None)


def test_a_file_that_is_missing_or_of_bytes(tmp_path: Path) -> None:
    with pytest.raises(FlinkError, match="No such file"):
        rows_of_files(given_records({"orders": tmp_path / "none.csv"}), None)
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe\x00c")
    with pytest.raises(FlinkError, match="it is not UTF-8"):
        rows_of_files(given_records({"orders": tmp_path / "bytes.csv"}), None)


def test_a_value_of_another_type_names_its_place(tmp_path: Path) -> None:
    path = tmp_path / "orders.csv"
    path.write_text("c0\nseven\n", "utf-8")
    with pytest.raises(FlinkError, match=r"'seven' is no INT for orders\.c0"):
        values(path, "INT")


def test_as_many_rows_as_may_be(tmp_path: Path) -> None:
    path = tmp_path / "orders.jsonl"
    path.write_text("{}\n" * MOST_ROWS, "utf-8")
    assert rows_of_files(given_records({"orders": path}), None)(TABLE, []).cut == MOST_ROWS // 2


@pytest.mark.parametrize(
    ("value", "millis"),
    [
        ("1970-01-01 00:00:01", 1000),
        ("1970-01-01T00:00:01.5Z", 1500),
        ("1970-01-01 00:00:00.123456789", 123),
        ("1970-01-01 00:01", 60_000),
        ("1969-12-31 23:59:59", -1000),
        (" ", None),
        (None, None),
        ("", None),
    ],
)
def test_moments_of_times(value: object, millis: int | None) -> None:
    assert moment_of(value, timezone.utc) == millis


def test_a_moment_is_of_its_zone() -> None:
    zone = ZoneInfo("Europe/Berlin")
    days = ("2026-03-28 12:00:00", "2026-03-30 12:00:00")
    before, after = ((moment_of(day, zone) or 0) - (moment_of(day, timezone.utc) or 0) for day in days)
    assert (before, after) == (-3_600_000, -7_200_000)


@pytest.mark.parametrize(
    "value", [1772355600000, 20260301, "2026-03-01", "2026-03-01 10:00:00+02:00", "2026-13-01 10:00"]
)
def test_what_flink_does_not_read_is_no_moment(value: object) -> None:
    with pytest.raises(ValueError, match=r".+"):
        moment_of(value, timezone.utc)
