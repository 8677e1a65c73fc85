"""RANGE frames over whole numbers, whose distances Flink counts in the type of the numbers: they wrap around."""

from __future__ import annotations

from pyspark.sql import Column, WindowSpec

from keepstate_spark.lowering.spark_columns import BIGINT, choice, failing, function_call, large, text

_BITS = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "BIGINT": 64}
_WORDS = (
    "The numbers of a RANGE frame are so far apart that their distance is no {}. Flink takes other rows into the frame "
    "then."
)


def wraps(number: Column, root: str, distances: list[int], partition: WindowSpec) -> Column:
    """The column that ends the query where two numbers of a partition, or a number and the end of its frame, are
    farther apart than their type has numbers; otherwise it is NULL.
    """
    largest = 2 ** (_BITS[root] - 1) - 1
    most, least = (function_call(function, number.cast(BIGINT)).over(partition) for function in ("max", "min"))
    # In BIGINT the difference itself may wrap around: then one is less, and the other is not.
    apart = most - least
    is_far = (apart > large(largest)) | (apart < 0)
    if root == "BIGINT":
        reach = max(map(abs, distances), default=0)
        is_far = is_far | (most > large(largest - reach)) | (least < large(reach - largest - 1))
    return choice(is_far, failing(text(_WORDS.format(root))))
