"""Rows of texts that several queries read: they are read from their files once, and kept as values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from pyspark import StorageLevel
from pyspark.sql import DataFrame

from keepstate_spark.lowering.spark_columns import frame_column
from keepstate_spark.sources.file_rows import FileRows

KeptFrames = list[DataFrame]
"""The frames whose rows are kept."""


def keep(rows: FileRows, frames: KeptFrames) -> FileRows:
    """Return ``rows``, whose values, places and faults are kept from when a query first reads them, and add their frame
    to ``frames``.
    """
    names = {name: f"c{index}" for index, name in enumerate(rows.columns)}
    others = {"place": rows.place, "problem": rows.problem, "empty": rows.empty, "sign": rows.sign}
    columns = [column.alias(names[name]) for name, column in rows.columns.items()]
    columns += [column.alias(name) for name, column in others.items() if column is not None]
    frame = rows.frame.select(*columns).persist(StorageLevel.MEMORY_AND_DISK)
    frames.append(frame)
    place, problem, empty, sign = (None if column is None else frame_column(name) for name, column in others.items())
    return FileRows(frame, {name: frame_column(own) for name, own in names.items()}, place, problem, empty, sign)


@contextmanager
def keeping() -> Iterator[KeptFrames]:
    """A list of frames whose rows are kept to the end of the block."""
    frames: KeptFrames = []
    try:
        yield frames
    finally:
        for frame in frames:
            # Of a JVM that was interrupted nothing is left to be given back.
            with suppress(Exception):
                frame.unpersist()
