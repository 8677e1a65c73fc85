"""Places of rows in the few files of this machine, as numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pyspark.sql import Column
from pyspark.sql import functions as fn

from keepstate_spark.lowering.spark_columns import BIGINT as LONG
from keepstate_spark.lowering.spark_columns import INT, choice, failing, frame_column, function_call, text, whole

_FEW_FILES = 16
"""Files whose numbers are found sooner than their names are sorted."""
_BITS_OF_LINE = 59
"""The bits of the number of a line in a place that is one number; those of the number of one of the few files follow.
"""
_PLAIN = re.compile(r"/[A-Za-z0-9/._=-]+")
"""Paths that are written in URLs as they are."""
_STRANGE = "Spark read a file that was not listed: "


def short_place_of(paths: Sequence[str]) -> Column | None:
    """The place of a row in ``paths`` as one number, if these are few: the number of its file, and the number that
    Spark gives it. Spark numbers the rows of one file in their order: it sorts the parts of all files by their length,
    and leaves those of equal length as they are. The last part of a file is its shortest.
    """
    # Spark has this name at hand, and makes no structure of it for each row.
    file = file_number(paths, fn.input_file_name(), first=0)
    line = function_call("monotonically_increasing_id")
    if file is None or len(paths) == 1:
        return None if file is None else line
    return fn.shiftleft(file.cast(LONG), _BITS_OF_LINE) + line


def file_number(paths: Sequence[str], path: Column, first: int = 1) -> Column | None:
    """The number of a row's file, which is called ``path``, among ``paths`` of this machine in their order, if these
    are few; else ``None``. The ``first`` one of several files has this number.

    The name of a file would go through every sort and every shuffle of rows in an order.
    """
    if len(paths) > _FEW_FILES or not all(map(_PLAIN.fullmatch, paths)):
        return None
    if len(paths) == 1:
        return whole(0)
    numbers = [
        choice(
            # Versions of Spark write the begin of such a URL with one slash or with three.
            path.isin(f"file:{name}", f"file://{name}"),
            whole(number),
        )
        for number, name in enumerate(sorted(paths), first)
    ]
    return function_call("coalesce", *numbers, failing(text(_STRANGE), path).cast(INT))


def numbers_rows(paths: Sequence[str]) -> bool:
    """Return whether the rows of files of Parquet can be ``numbered``: these are few, and on this machine."""
    return file_number(paths, fn.input_file_name(), first=0) is not None


def row_number(file: int, line: int) -> int:
    """The number of a row: of the ``file`` in the order of names, and the ``line`` in it, both counted from 0.

    >>> row_number(1, 5) - row_number(1, 0)
    5
    """
    return (file << _BITS_OF_LINE) + line


def number_of_row(paths: Sequence[str]) -> Column:
    """The number of a row in ``paths`` that ``numbers_rows``; the column ``line`` has its place in its file."""
    file = file_number(paths, fn.input_file_name(), first=0)
    assert file is not None
    return fn.shiftleft(file.cast(LONG), _BITS_OF_LINE) + frame_column("line")
