"""The work of Spark in rows, which no other program on the machine changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession


@dataclass
class Work:
    """Rows that stages have read from files, and rows that they have shuffled."""

    read: int = 0
    shuffled: int = 0


@contextmanager
def work_of(spark: SparkSession) -> Iterator[Work]:
    """The work of the block, once it has ended."""
    work, before = Work(), _stages(spark)
    yield work
    for number, stage in _stages(spark).items():
        if number not in before:
            work.read += stage.inputRecords()
            work.shuffled += stage.shuffleWriteRecords()


def _stages(spark: SparkSession) -> dict[tuple[int, int], Any]:
    context = spark.sparkContext._jsc.sc()
    context.listenerBus().waitUntilEmpty()
    no_shares = spark.sparkContext._gateway.new_array(spark.sparkContext._jvm.double, 0)
    stages = context.statusStore().stageList(None, False, False, no_shares, None)
    each = [stages.apply(index) for index in range(stages.size())]
    return {(stage.stageId(), stage.attemptId()): stage for stage in each}
