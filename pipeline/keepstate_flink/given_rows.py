"""Rows for a rehearsal out of files: CSV with a header, or JSON lines."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from keepstate_flink.errors import FlinkError, NotRunnable
from keepstate_flink.restarts import RowsOf
from keepstate_flink.rows import Rows, TableColumn

MOST_ROWS = 20_000
"""Rows of one table that a rehearsal takes: it is no place for all data."""
Records = list[dict[str, Any]]
_TRUE, _FALSE = ("true", "1", "yes"), ("false", "0", "no")


def given_records(files: Mapping[str, Path]) -> Mapping[str, Records]:
    """The records of files, by the name of their table in small letters.

    Raises:
        FlinkError: a file cannot be read, or has too many rows.
    """
    return {name.lower(): _records(path) for name, path in files.items()}


def rows_of_files(records: Mapping[str, Records], others: RowsOf | None) -> RowsOf:
    """The rows of tables by their last name; ``others`` gives those of tables without records."""

    def rows(table: str, columns: Sequence[TableColumn]) -> Rows:
        name = table.rpartition(".")[2].strip("`")
        found = records.get(name.lower())
        if found is None:
            if others is None:
                raise NotRunnable(f"The table {name} has no rows: --data {name}=PATH, or --generate.")
            return others(table, columns)
        lines = tuple(f"+I{json.dumps(_row(record, columns, name))}" for record in found)
        return Rows(lines, len(lines) // 2)

    return rows


def _records(path: Path) -> Records:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            found = list(csv.DictReader(file)) if path.suffix.lower() == ".csv" else _json_lines(file, path)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is not UTF-8"
        raise FlinkError(f"{path} cannot be read: {reason}.") from error
    if len(found) > MOST_ROWS:
        raise FlinkError(f"{path} has {len(found):,} rows; a rehearsal takes {MOST_ROWS:,}.", "Name a sample.")
    if not found:
        raise FlinkError(f"{path} has no rows.")
    return found


def _json_lines(lines: Any, path: Path) -> Records:
    found = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            raise FlinkError(f"{path}:{number} is not JSON: {error}.") from error
        if not isinstance(record, dict):
            raise FlinkError(f"{path}:{number} is not a JSON object.")
        found.append(record)
    return found


def _row(record: Mapping[str, Any], columns: Sequence[TableColumn], table: str) -> dict[str, Any]:
    values = {str(key).lower(): value for key, value in record.items()}
    return {column.name: _value(values.get(column.name.lower()), column, table) for column in columns}


def _value(value: Any, column: TableColumn, table: str) -> Any:
    """A value as Flink's JSON format reads one of the type of the column."""
    kind = column.type.upper()
    if value is None or (value == "" and not kind.startswith(("CHAR", "VARCHAR", "STRING"))):
        return None
    if kind.startswith("TIMESTAMP"):
        text = str(value).strip().replace("T", " ").removesuffix("Z").strip()
        return f"{text}Z" if "LOCAL TIME ZONE" in kind or "LTZ" in kind else text
    if not isinstance(value, str):
        return value
    for starts, read in _TEXTS.items():
        if kind.startswith(starts):
            try:
                return read(value.strip())
            except ValueError as error:
                raise FlinkError(f"{value!r} is no {column.type} for {table}.{column.name}.") from error
    return value


def _boolean(text: str) -> bool:
    if text.lower() not in (*_TRUE, *_FALSE):
        raise ValueError(text)
    return text.lower() in _TRUE


_TEXTS: dict[tuple[str, ...], Callable[[str], Any]] = {
    ("TINYINT", "SMALLINT", "INT", "BIGINT"): int,
    ("DOUBLE", "FLOAT", "DECIMAL"): float,
    ("BOOLEAN",): _boolean,
    ("ARRAY", "MAP", "ROW", "MULTISET"): json.loads,
}
