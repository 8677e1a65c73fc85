"""Writes the results of queries: to standard output, or to a file for each query."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from keepstate_lsp.cli.errors import ReaderGone
from keepstate_lsp.cli.terminal.atomic_output import drafted
from keepstate_lsp.cli.terminal.text_table import columns

if TYPE_CHECKING:
    from keepstate_lsp.cli.terminal.spark_progress import SparkProgress

_TABLE_ROWS = 1000
"""Rows of a result that a table shows; it holds all of them in memory to line them up."""
_LONGEST_NAME = 50
"""Characters of a name in the name of a file, which may have 255 bytes."""
OF_SPARK = ("parquet", "orc", "avro", "delta")
"""Formats that Spark writes, as a folder of files for each query."""
_ENDINGS = {"table": "txt", "jsonl": "jsonl", "csv": "csv", **{name: name for name in OF_SPARK}}


class QueryResult(Protocol):
    """The results of a query. Values are such that JSON has them, or a ``Decimal``."""

    @property
    def number(self) -> int: ...

    @property
    def name(self) -> str: ...

    @property
    def names(self) -> tuple[str, ...]: ...

    def shown_types(self) -> list[str]: ...

    def values(self) -> Iterator[list[Any]]: ...

    def save(self, path: str, format_: str) -> None: ...


class ResultWriter:
    """The place of results: ``folder``, or standard output."""

    def __init__(self, folder: Path | None, format_: str) -> None:
        self._folder = folder
        self._format = format_

    def write(self, query: QueryResult, progress: SparkProgress) -> None:
        """Run ``query`` and write what it gives. If it fails, nothing of it is written."""
        if self._folder is None:
            # Spark is asked before anything is written.
            lines = _lines(query, self._format)
            first = next(lines)
            progress.clear()
            show(chain([first], lines))
            return
        name = re.sub(r"[^\w.-]+", "-", query.name)[:_LONGEST_NAME].strip("-")
        path = self._folder / f"{query.number}-{name}.{_ENDINGS[self._format]}"
        try:
            if self._format in OF_SPARK:
                query.save(str(path), self._format)
                return
            with path.open("w", encoding="utf-8", newline="") as file:
                file.writelines(_lines(query, self._format))
        except Exception:
            # The results of other queries go to the folder nevertheless.
            if self._format in OF_SPARK:
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
            raise


@contextmanager
def result_writer(folder: Path | None, format_: str) -> Iterator[ResultWriter]:
    """Results that appear in ``folder`` when the block ends, and not at all if it fails."""
    if folder is None:
        yield ResultWriter(None, format_)
        return
    with drafted(folder) as draft:
        yield ResultWriter(draft, format_)


def show(lines: Iterable[str]) -> None:
    """Write to standard output. Raises ``ReaderGone`` when the reader has closed it."""
    out: TextIO = sys.stdout
    encoding = out.encoding or "utf-8"
    try:
        for text in lines:
            out.buffer.write(text.encode(encoding, "backslashreplace"))
        out.flush()
    except BrokenPipeError as error:
        # Python would try once more at its exit, and complain in its own words.
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
        raise ReaderGone from error


def _lines(query: QueryResult, format_: str) -> Iterator[str]:
    return {"jsonl": _json_lines, "csv": _csv_lines, "table": _table_lines}[format_](query)


def _json_lines(query: QueryResult) -> Iterator[str]:
    header = {
        "query": query.number,
        "name": query.name,
        "columns": list(query.names),
        "types": query.shown_types(),
    }
    rows = query.values()
    first = next(rows, None)
    yield json.dumps(header, ensure_ascii=False) + "\n"
    if first is not None:
        yield _json_line(first) + "\n"
    for row in rows:
        yield _json_line(row) + "\n"


def _csv_lines(query: QueryResult) -> Iterator[str]:
    rows = query.values()
    first = next(rows, None)
    buffer = io.StringIO()
    out = csv.writer(buffer, lineterminator="\n")
    out.writerow(query.names)
    if first is not None:
        out.writerow(map(_cell, first))
    for row in rows:
        out.writerow(map(_cell, row))
        if buffer.tell() > 1 << 16:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


def _json_line(values: Sequence[Any]) -> str:
    """A row as a JSON array. Decimals keep all of their digits."""
    return f"[{', '.join(map(_json, values))}]"


def _json(value: Any) -> str:
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, list):
        return _json_line(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_json(str(key))}: {_json(item)}" for key, item in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


def _cell(value: Any) -> str:
    """A value in CSV: NULL is empty, and so is an empty text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, dict)):
        return _json(value)
    return str(value)


def _table_lines(query: QueryResult) -> Iterator[str]:
    rows = query.values()
    cells = [tuple(_table_cell(value) for value in row) for row in islice(rows, _TABLE_ROWS)]
    more = sum(1 for _ in rows)
    lines = list(columns([query.names, *cells]))
    width = max(map(len, lines))
    count = len(cells) + more
    yield f"{query.name}\n\n{lines[0]}\n{'─' * width}\n"
    for line in lines[1:]:
        yield f"{line}\n"
    yield f"\n{count} row{'' if count == 1 else 's'}"
    yield f"; the first {_TABLE_ROWS} are shown (--format jsonl gives all)\n\n" if more else "\n\n"


def _table_cell(value: Any) -> str:
    return "NULL" if value is None else _cell(value).replace("\n", "⏎")
