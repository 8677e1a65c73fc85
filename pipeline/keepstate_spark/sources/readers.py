"""Readers of files of this machine, whose names mean nothing but themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrameReader, SparkSession


def exact_reader(session: SparkSession) -> DataFrameReader:
    """A reader of the files that it is given: their names are no patterns, and folders around them no columns."""
    # The second one also keeps Spark from looking for the files of a name that looks like a pattern once more.
    return session.read.option("__globPaths__", "false").option("recursiveFileLookup", "true")
