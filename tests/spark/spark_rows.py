"""Rows of tests as frames, and frames as rows, without a Python worker in between."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession


def frame_of(spark: SparkSession, folder: Path, schema: str, rows: Iterable[Sequence[Any]]) -> DataFrame:
    """A frame over a file of JSON lines, so that Spark has to run what a constant frame would be folded to."""
    names = spark.createDataFrame([], schema).columns
    folder.mkdir(exist_ok=True)
    path = folder / f"rows-{len(list(folder.iterdir()))}.json"
    path.write_text("".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows), "utf-8")
    return spark.read.schema(schema).json(str(path))


def rows_of(frame: DataFrame) -> list[tuple[Any, ...]]:
    """The rows, sorted as text: without ORDER BY their order means nothing."""
    return sorted((tuple(row) for row in frame.collect()), key=str)
