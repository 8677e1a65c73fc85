"""Times in the Parquet files of this machine, read without Spark: only their column, in the order of its rows.

A running maximum needs no shuffle. Each row group gives its earliest and its latest time, and whether a row of it is
behind the rows before; the groups are put together in the order of the files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

_PER_MILLISECOND = {"ms": 1, "us": 1_000, "ns": 1_000_000}
_PLAIN = re.compile(r"[A-Za-z0-9/._=-]+")
"""Paths that are in the same order as Spark's URLs of them."""
_NO_TIME = -(2**63)


@dataclass(frozen=True)
class _Group:
    """The times of a row group, in milliseconds; ``None`` if it has none."""

    earliest: int
    latest: int
    behind: bool
    """A row may be behind the watermark that rows before it in the group gave."""


def may_be_behind_in_files(files: Sequence[str], column: str, local: bool, delay: int) -> bool | None:
    """Return whether a row may have come behind the watermark, ``delay`` milliseconds behind the largest time before
    it, at most two milliseconds in front of it, or up to 1970; ``None`` if that is not known here.

    ``files`` are Parquet. ``column`` of them is a TIMESTAMP, or with ``local`` a TIMESTAMP_LTZ.
    """
    # To Arrow, a dot in a name leads to a field of a structure.
    if "." in column or find_spec("pyarrow") is None or not all(map(_PLAIN.fullmatch, (column, *files))):
        return None
    import pyarrow as pa

    try:
        latest = 0
        for group in _groups(sorted(files), column, local, delay):
            if group is None:
                return None
            if group.behind or group.earliest <= max(latest - delay, 0) + 1:
                return True
            latest = max(latest, group.latest)
    except (pa.ArrowException, OSError):
        # Spark reads these files, or says why it cannot.
        return None
    return False


def _groups(files: Sequence[str], column: str, local: bool, delay: int) -> Iterator[_Group | None]:
    """The row groups that have times, in their order; ``None`` where the column is of another type."""
    from pyarrow import parquet

    threads = os.cpu_count() or 1

    def read(file: str, number: int) -> _Group | None:
        with parquet.ParquetFile(file) as opened:
            table = opened.read_row_group(number, columns=[column], use_threads=False)
        return _group(table.column(0), delay)

    with ThreadPoolExecutor(threads) as pool:
        for file in files:
            with parquet.ParquetFile(file) as opened:
                fields = [field for field in opened.schema_arrow if field.name.lower() == column.lower()]
                groups = opened.num_row_groups
            if len(fields) != 1 or fields[0].name != column or not _is_time(fields[0].type, local):
                yield None
                return
            for first in range(0, groups, threads):
                numbers = range(first, min(first + threads, groups))
                yield from (group for group in pool.map(read, [file] * len(numbers), numbers) if group is not None)


def _is_time(type_: pa.DataType, local: bool) -> bool:
    from pyarrow import types

    return types.is_timestamp(type_) and type_.unit in _PER_MILLISECOND and (type_.tz is not None) is local


def _group(times: pa.ChunkedArray, delay: int) -> _Group | None:
    from pyarrow import compute, int64, scalar

    unit = _PER_MILLISECOND[times.type.unit]
    earliest, latest, behind = None, _NO_TIME, False
    for chunk in times.chunks:
        numbers = chunk.view(int64()).drop_null()
        if not len(numbers):
            continue
        # The largest time up to each row, and in front of it the one of the chunks before.
        largest = compute.cumulative_max(numbers, start=scalar(latest, int64()))
        least = compute.min(numbers).as_py()
        earliest = least if earliest is None else min(earliest, least)
        if not behind:
            gap = compute.min(compute.subtract(numbers.slice(1), largest.slice(0, len(largest) - 1))).as_py()
            first = numbers[0].as_py() - latest if latest != _NO_TIME else None
            behind = any(each is not None and each < (2 - delay) * unit for each in (gap, first))
        latest = largest[-1].as_py()
    if earliest is None:
        return None
    return _Group(earliest // unit, latest // unit, behind)
