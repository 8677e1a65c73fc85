"""The rows that commands with Spark read here, and the tables that they write, as texts that can be compared."""

from __future__ import annotations

import json
import re
from collections.abc import Container
from pathlib import Path

SCRIPT = "rows/daily.sql"
ROWS = "rows/orders.jsonl"
HISTORY = "rows/history"
"""A bare repository with two changes of a job."""
RESULTS, REPLAYED, AUDITED = "repository/results", "repository/replayed", "repository/audited"
_TABLE = """\
CREATE TABLE orders (
  region STRING,
  amount DECIMAL(12, 2),
  order_time TIMESTAMP(3),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'json');

INSERT INTO daily
SELECT region, window_start, {aggregate} AS orders
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '1' MINUTE))
GROUP BY region, window_start, window_end;
"""
FILES_OF_SPARK = {
    SCRIPT: _TABLE.format(path="orders.jsonl", aggregate="COUNT(*)"),
    "rows/former.sql": _TABLE.format(path="orders.jsonl", aggregate="SUM(amount)"),
    ROWS: "".join(
        json.dumps({"region": "eu", "amount": minute, "order_time": f"2026-03-01 10:0{minute}:00"}) + "\n"
        for minute in range(6)
    ),
}
RAN = ((f"{RESULTS}/1-INSERT-INTO-daily.csv", "former\n"), (f"{RESULTS}/of-a-person.txt", "former\n"))
REPLAYED_BEFORE = (
    (f"{REPLAYED}/summary.json", "former\n"),
    (f"{REPLAYED}/differences.parquet/former.txt", "former\n"),
)
_TOKEN = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<=history-|reports-)[0-9a-f]{16}")
_DIFFERING = ("milliseconds", "analyzer")
"""Columns of a table that are not the same in each run."""


def is_of_spark(name: str) -> bool:
    """Return whether a file, named from the root of a copy, lies in a folder that a command with Spark writes."""
    return name.startswith((RESULTS, REPLAYED, AUDITED))


def told(name: str, path: Path) -> tuple[str, str] | None:
    """A file of a result by a name that is the same in each run, and what it holds: of a table, its rows. ``None``: a
    file that goes with another one.
    """
    if name.endswith((".crc", "/_SUCCESS")) or "/.state/" in name:
        # What an audit keeps for its next run is seen in the tables of that.
        return None
    known = _TOKEN.sub("*", name)
    if not name.endswith(".parquet"):
        return known, path.read_bytes().decode("latin-1")
    return known, _rows(path)


def may_stay(name: str, content: str, files: Container[str]) -> bool:
    """Return whether a run of an audit that failed may leave a file: the mark that the folder is one of an audit, and
    tables that are complete, which the next run puts in place.
    """
    is_mark = name == f"{AUDITED}/keepstate-audit.json" and json.loads(content).keys() == {"schema_version"}
    return is_mark or (name.startswith(f"{AUDITED}/.draft/") and f"{AUDITED}/.draft/COMPLETE" in files)


def _rows(path: Path) -> str:
    import pyarrow
    import pyarrow.parquet

    try:
        rows = pyarrow.parquet.ParquetFile(path).read().to_pylist()
    except (pyarrow.ArrowException, OSError) as error:
        return f"no table: {type(error).__name__}"
    return "\n".join(
        sorted(json.dumps({k: v for k, v in row.items() if k not in _DIFFERING}, default=str) for row in rows)
    )
