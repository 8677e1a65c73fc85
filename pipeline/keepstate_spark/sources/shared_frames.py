"""DataFrames of one session in another one of the same context, whose settings then hold for what is made of them."""

from __future__ import annotations

import uuid

from pyspark.sql import DataFrame, SparkSession

from keepstate_spark.session import is_remote

_DATABASE = "spark.sql.globalTempDatabase"


def in_session(session: SparkSession, frame: DataFrame) -> DataFrame:
    """``frame`` as a table of ``session``. It goes through a view that is there for a moment, under a name of ours: of
    both, Spark's public interface knows no other way.

    Spark Connect looks for the view whenever it computes, so there it stays as long as the application.
    """
    name = f"keepstate_{uuid.uuid4().hex}"
    frame.createGlobalTempView(name)
    try:
        return session.read.table(f"{session.conf.get(_DATABASE)}.{name}")
    finally:
        if not is_remote(session):
            session.catalog.dropGlobalTempView(name)
