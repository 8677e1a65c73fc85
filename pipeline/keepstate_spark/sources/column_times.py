"""Times in the Parquet files of this machine, read without Spark: only their column, in the order of its rows.

A running maximum needs no shuffle. Each row group gives its earliest and its latest time, and whether a row of it is
behind the rows before; the groups are put together in the order of the files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import pyarrow as pa

_PER_MILLISECOND = {"ms": 1, "us": 1_000, "ns": 1_000_000}
_PLAIN = re.compile(r"[A-Za-z0-9/._=-]+")
"""Paths that are in the same order as Spark's URLs of them."""
_NO_TIME = -(2**63)
_MISSING = -1
"""Stands for NULL among times from 1970 on."""
_Part = TypeVar("_Part")


@dataclass(frozen=True)
class _Group:
    """The times of a row group, in milliseconds; ``None`` if it has none."""

    earliest: int
    latest: int
    behind: bool
    """A row may be behind the watermark that rows before it in the group gave."""


@dataclass(frozen=True)
class TimesAround:
    """The rows of files around a moment: how many have an earlier time or none, and how many have a later one; the
    ``first`` and the ``last`` time, and the ``nearest`` one, the last before the moment. Times are in milliseconds.
    """

    before: int = 0
    after: int = 0
    first: int | None = None
    last: int | None = None
    nearest: int | None = None

    def beside(self, other: TimesAround) -> TimesAround:
        """Both together."""
        return TimesAround(
            self.before + other.before,
            self.after + other.after,
            min((each for each in (self.first, other.first) if each is not None), default=None),
            max((each for each in (self.last, other.last) if each is not None), default=None),
            max((each for each in (self.nearest, other.nearest) if each is not None), default=None),
        )


def times_around(files: Sequence[str], column: str, local: bool, moment: int) -> TimesAround | None:
    """Return the rows around ``moment``, in milliseconds; ``None`` if that is not known here.

    ``files`` are Parquet. ``column`` of them is a TIMESTAMP, or with ``local`` a TIMESTAMP_LTZ.
    """
    if not _is_plain(files, column):
        return None
    import pyarrow as pa

    whole = TimesAround()
    try:
        for part in _parts(files, column, local, partial(_around, moment=moment)):
            if part is None:
                return None
            whole = whole.beside(part)
    except (pa.ArrowException, OSError):
        return None
    return whole


def rows_without(files: Sequence[str], column: str | None) -> tuple[int, int] | None:
    """Return how many rows Parquet files have, and how many of them are without a value in ``column``, by what the
    files say of themselves; ``None`` if they do not.

    >>> rows_without([], None)
    (0, 0)
    """
    if find_spec("pyarrow") is None:
        return None
    import pyarrow as pa
    from pyarrow import parquet

    rows = missing = 0
    try:
        for file in files:
            about = parquet.read_metadata(file)
            rows += about.num_rows
            if column is not None:
                counts = [_without(about.row_group(number), column) for number in range(about.num_row_groups)]
                of_files = [count for count in counts if count is not None]
                if len(of_files) < len(counts):
                    return None
                missing += sum(of_files)
    except (pa.ArrowException, OSError):
        return None
    return rows, missing


def _without(group: pa.RowGroupMetaData, column: str) -> int | None:
    """The rows of a row group without a value in ``column``; ``None`` where it does not say so."""
    if not group.num_rows:
        return 0
    for index in range(group.num_columns):
        about = group.column(index)
        if about.path_in_schema == column:
            has_count = about.is_stats_set and about.statistics.has_null_count
            return int(about.statistics.null_count) if has_count else None
    return None


def _is_plain(files: Sequence[str], column: str) -> bool:
    """Return whether Arrow is there and reads ``column`` of ``files`` under these names."""
    # To Arrow, a dot in a name leads to a field of a structure.
    return "." not in column and find_spec("pyarrow") is not None and all(map(_PLAIN.fullmatch, (column, *files)))


def may_be_behind_in_files(files: Sequence[str], column: str, local: bool, delay: int) -> bool | None:
    """Return whether a row may have come behind the watermark, ``delay`` milliseconds behind the largest time before
    it, at most two milliseconds in front of it, or up to 1970; ``None`` if that is not known here.

    ``files`` are Parquet. ``column`` of them is a TIMESTAMP, or with ``local`` a TIMESTAMP_LTZ.
    """
    if not _is_plain(files, column):
        return None
    import pyarrow as pa

    try:
        latest = 0
        for group in _parts(sorted(files), column, local, partial(_group, delay=delay)):
            if group is None:
                return None
            if group.behind or group.earliest <= max(latest - delay, 0) + 1:
                return True
            latest = max(latest, group.latest)
    except (pa.ArrowException, OSError):
        # Spark reads these files, or says why it cannot.
        return None
    return False


@dataclass(frozen=True)
class BehindRow:
    """A row behind the watermark: the number of its ``file``, counted from 0 in the order of names, its ``line`` there,
    and the ``watermark`` in force when it came, in milliseconds.
    """

    file: int
    line: int
    watermark: int


def behind_in_files(
    files: Sequence[str], column: str, local: bool, delay: int, step: int, most: int
) -> list[BehindRow] | None:
    """Return the rows whose time is not later than the watermark, ``delay`` milliseconds behind the largest time before
    it; ``None`` if that is not known here, or for more than ``most`` rows.

    Times are cut to ``step`` milliseconds. The rest is as for ``may_be_behind_in_files``.
    """
    if not _is_plain(files, column):
        return None
    import pyarrow as pa

    result: list[BehindRow] = []
    try:
        latest = 0
        for number, file in enumerate(sorted(files)):
            line = 0
            for cut in _parts([file], column, local, partial(_cut, step=step)):
                if cut is None or cut.before_1970:
                    return None
                times = cut.times
                behind, latest = _behind(times, latest, delay)
                result += (BehindRow(number, line + place, mark) for place, mark in behind)
                line += len(times)
                if len(result) > most:
                    return None
    except (pa.ArrowException, OSError):
        return None
    return result


@dataclass(frozen=True)
class _Cut:
    """The ``times`` of a row group in milliseconds; ``_MISSING`` is NULL. Those ``before_1970`` are cut otherwise."""

    times: pa.Int64Array
    before_1970: bool


def _cut(times: pa.ChunkedArray, step: int) -> _Cut:
    from pyarrow import compute, concat_arrays, int64, scalar

    unit = _PER_MILLISECOND[times.type.unit]
    chunks = [chunk.view(int64()) for chunk in times.chunks]
    numbers = concat_arrays(chunks)
    least = compute.min(numbers).as_py()
    cut = compute.multiply(compute.divide(numbers, scalar(unit * step, int64())), scalar(step, int64()))
    return _Cut(compute.fill_null(cut, scalar(_MISSING, int64())), least is not None and least < 0)


def _behind(times: pa.Int64Array, latest: int, delay: int) -> tuple[list[tuple[int, int]], int]:
    """The places of rows behind the watermark with that watermark, and the largest time up to the last row. ``latest``
    is that of the rows before.
    """
    from pyarrow import array as arrow_array
    from pyarrow import compute, concat_arrays, int64, scalar

    if not len(times):
        return [], latest
    largest = compute.cumulative_max(times, start=scalar(latest, int64()))
    before = concat_arrays([arrow_array([latest], int64()), largest.slice(0, len(largest) - 1)])
    marks = compute.subtract(before, scalar(delay, int64()))
    has_time = compute.not_equal(times, scalar(_MISSING, int64()))
    has_mark = compute.greater(marks, scalar(0, int64()))
    is_behind = compute.and_(compute.and_(has_time, has_mark), compute.less_equal(times, marks))
    places = compute.indices_nonzero(is_behind)
    return list(zip(places.to_pylist(), marks.take(places).to_pylist(), strict=True)), largest[-1].as_py()


def _parts(
    files: Sequence[str], column: str, local: bool, of: Callable[[pa.ChunkedArray], _Part | None]
) -> Iterator[_Part | None]:
    """Results of ``of`` about the times of row groups, in their order, where it has any; ``None`` for a column of
    another type.
    """
    from pyarrow import parquet

    threads = os.cpu_count() or 1

    def read(file: str, number: int) -> _Part | None:
        with parquet.ParquetFile(file) as opened:
            table = opened.read_row_group(number, columns=[column], use_threads=False)
        return of(table.column(0))

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


def _around(times: pa.ChunkedArray, moment: int) -> TimesAround:
    from pyarrow import compute, int64

    unit = _PER_MILLISECOND[times.type.unit]
    whole = TimesAround(before=times.null_count)
    for chunk in times.chunks:
        numbers = chunk.view(int64()).drop_null()
        if not len(numbers):
            continue
        early = numbers.filter(compute.less(numbers, moment * unit))
        first, last = compute.min_max(numbers).values()
        nearest = compute.max(early).as_py()
        part = TimesAround(
            len(early),
            len(numbers) - len(early),
            first.as_py() // unit,
            last.as_py() // unit,
            None if nearest is None else nearest // unit,
        )
        whole = whole.beside(part)
    return whole


def _group(times: pa.ChunkedArray, delay: int) -> _Group | None:
    from pyarrow import compute, int64, scalar

    unit = _PER_MILLISECOND[times.type.unit]
    earliest, latest, behind = None, _NO_TIME, False
    for chunk in times.chunks:
        numbers = chunk.view(int64()).drop_null()
        if not len(numbers):
            continue
        # The largest time up to each row, and in front of it the one of the chunks before.
        # Arrow asks pandas about each constant, and to import that takes longer than to read the times.
        start = {} if latest == _NO_TIME else {"start": scalar(latest, int64())}
        largest = compute.cumulative_max(numbers, **start)
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
