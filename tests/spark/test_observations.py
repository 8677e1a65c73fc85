"""Observations of rows that no query came to read: they have no values, and a run does not wait for any."""

from __future__ import annotations

from pyspark.sql import Observation, SparkSession
from pyspark.sql import functions as fn

from keepstate_spark.lowering.observing import observed


def test_an_observation_of_rows_that_are_read_has_their_values(session: SparkSession) -> None:
    observation = Observation()
    session.range(5).observe(observation, fn.count(fn.lit(1)).alias("rows")).collect()
    assert observed(observation) == {"rows": 5}


def test_an_observation_of_rows_that_no_query_reads_has_none(session: SparkSession) -> None:
    observation = Observation()
    session.range(5).observe(observation, fn.count(fn.lit(1)).alias("rows"))
    session.range(3).collect()
    assert observed(observation) is None


def test_an_observation_of_rows_that_a_false_condition_leaves_out_has_none(session: SparkSession) -> None:
    observation = Observation()
    rows = session.range(5).observe(observation, fn.count(fn.lit(1)).alias("rows"))
    assert rows.where(fn.lit(False)).collect() == []
    assert observed(observation) in (None, {"rows": 0}, {"rows": 5})
