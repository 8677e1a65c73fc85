"""Rows for a rehearsal out of files: CSV with a header, or JSON lines."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta, timezone, tzinfo
from pathlib import Path
from typing import Any

from keepstate.cutover.table_names import parts_of
from keepstate_flink.errors import FlinkError, NotRunnable
from keepstate_flink.generated_rows import GeneratedRows, TableColumn
from keepstate_flink.restarts import RowsOf

MOST_ROWS = 20_000
"""Rows of one table that a rehearsal takes: it is no place for all data."""
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
Records = list[dict[str, Any]]
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d(\.\d{1,9})?)?")
_TRUE, _FALSE = ("true", "1", "yes"), ("false", "0", "no")


def given_records(files: Mapping[str, Path]) -> Mapping[str, Records]:
    r"""The records of files, by the name of their table in small letters.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "rows.csv")
    ...     _ = path.write_text("id,name\n1,a\n2,b\n")
    ...     records = given_records({"Orders": path})
    >>> [(table, len(rows)) for table, rows in records.items()]
    [('orders', 2)]

    Raises:
        FlinkError: a file cannot be read, or has too many rows.
    """
    return {name.lower(): _records(path) for name, path in files.items()}


def rows_of_files(records: Mapping[str, Records], fallback: RowsOf | None) -> RowsOf:
    """The rows of tables by their last name; ``fallback`` gives those of tables without records.

    >>> rows = rows_of_files({"orders": ({"id": "1"}, {"id": "2"})}, None)
    >>> rows("db.Orders", [TableColumn("id", "BIGINT")]).lines
    ('+I{"id": 1}', '+I{"id": 2}')
    """

    def rows(table: str, columns: Sequence[TableColumn]) -> GeneratedRows:
        name = parts_of(table)[-1]
        file_records = records.get(name.lower())
        if file_records is None:
            if fallback is None:
                raise NotRunnable(f"The table {name} has no rows: --data {name}=PATH, or --generate.")
            return fallback(table, columns)
        lines = tuple(f"+I{json.dumps(_row(record, columns, name))}" for record in file_records)
        return GeneratedRows(lines, len(lines) // 2)

    return rows


def records_of(path: Path) -> Iterator[dict[str, Any]]:
    r"""The records of a file, one after the other.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "rows.csv")
    ...     _ = path.write_text("id,name\n1,a\n")
    ...     list(records_of(path))
    [{'id': '1', 'name': 'a'}]

    Raises:
        FlinkError: the file cannot be read.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from csv.DictReader(file) if path.suffix.lower() == ".csv" else _json_lines(file, path)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = _reason(error)
        raise FlinkError(f"{path} cannot be read: {reason}.") from error


def _reason(error: Exception) -> str:
    if isinstance(error, csv.Error):
        return str(error)
    return error.strerror if isinstance(error, OSError) and error.strerror else "it is not UTF-8"


def _records(path: Path) -> Records:
    result = []
    for record in records_of(path):
        result.append(record)
        if len(result) > MOST_ROWS:
            raise FlinkError(
                f"{path} has more than {MOST_ROWS:,} rows, the most that a rehearsal takes.", "Name a sample."
            )
    if not result:
        raise FlinkError(f"{path} has no rows.")
    return result


def _json_lines(lines: Iterable[str], path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            raise FlinkError(f"{path}:{number} is not JSON: {error}.") from error
        if not isinstance(record, dict):
            raise FlinkError(f"{path}:{number} is not a JSON object.")
        yield record


def moment_of(value: Any, zone: tzinfo) -> int | None:
    """The moment in milliseconds of a time as files write it; a time without zone is one of ``zone``.

    >>> from datetime import timezone
    >>> moment_of("1970-01-01T00:00:01Z", timezone.utc), moment_of(None, timezone.utc)
    (1000, None)

    Raises:
        ValueError: the value is no time.
    """
    text = "" if value is None else _time_text(value)
    if not text:
        return None
    if not _TIME.fullmatch(text):
        # Newer versions of Python read more forms than Flink, and older ones fewer.
        raise ValueError(text)
    time = datetime.fromisoformat(_with_whole_fraction(text))
    return (time.replace(tzinfo=zone) - _EPOCH) // timedelta(milliseconds=1)


def _with_whole_fraction(text: str) -> str:
    """A time whose fraction of a second has six digits: Python 3.10 reads three and six only."""
    whole, dot, fraction = text.partition(".")
    return f"{whole}.{fraction[:6]:0<6}" if dot and fraction.isdigit() else text


def _time_text(value: Any) -> str:
    return str(value).strip().replace("T", " ").removesuffix("Z").strip()


def _row(record: Mapping[str, Any], columns: Sequence[TableColumn], table: str) -> dict[str, Any]:
    values = {str(key).lower(): value for key, value in record.items()}
    return {column.name: _value(values.get(column.name.lower()), column, table) for column in columns}


def _value(value: Any, column: TableColumn, table: str) -> Any:
    """A value as Flink's JSON format reads one of the type of the column."""
    kind = column.type.upper()
    if value is None or (value == "" and not kind.startswith(("CHAR", "VARCHAR", "STRING"))):
        return None
    if kind.startswith("TIMESTAMP"):
        text = _time_text(value)
        return f"{text}Z" if "LOCAL TIME ZONE" in kind or "LTZ" in kind else text
    if not isinstance(value, str):
        return value
    for starts, parse in _TEXTS.items():
        if kind.startswith(starts):
            try:
                return parse(value.strip())
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
