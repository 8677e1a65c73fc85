"""The published tables, made from the history and the reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

VERDICTS = ("compatible", "partial", "unknown", "incompatible")
_ROWS_OF_A_FILE = 500_000

_TEXTS = ("baseline_text", "current_text", "baseline_files", "current_files", "landmark", "whole")
"""Columns of the history that no table has."""
_CHANGE = ("repository", "job", "commit", "committed_at", "path")


def all_changes(history: DataFrame, reports: DataFrame) -> DataFrame:
    """Every change of every job with the report of its pair."""
    from pyspark.sql import Window
    from pyspark.sql import functions as sql

    changes = history.where(sql.col("kind") == "change").drop(*_TEXTS)
    named_reports = reports.withColumnRenamed("reason", "report_reason")
    joined_changes = changes.join(named_reports, "pair", "left")
    order = Window.partitionBy("repository", "job").orderBy("sequence", "ordinal")
    status = (
        sql.when(sql.col("status") != "changed", sql.col("status"))
        .when(sql.coalesce(sql.col("outcome"), sql.lit("failed")) != "judged", sql.lit("not-compared"))
        .when(sql.col("unchanged"), sql.lit("unchanged"))
        .otherwise(sql.lit("compared"))
    )
    return (
        joined_changes.withColumn("change", sql.row_number().over(order).cast("int"))
        .withColumn("reason", sql.coalesce("reason", "report_reason"))
        .withColumn("told", sql.col("status"))
        .withColumn("status", status)
        .withColumn(
            "verdict", sql.when(sql.col("status") == "not-compared", sql.lit("unknown")).otherwise(sql.col("verdict"))
        )
        .withColumn("loses_state", sql.col("verdict") == "incompatible")
        .withColumn("month", sql.date_format("committed_at", "yyyy-MM"))
    )


def _is_pair() -> Column:
    """Return the condition that a change leads from one version to the next."""
    from pyspark.sql import functions as sql

    return sql.col("pair").isNotNull() | (sql.col("status") == "not-compared")


def pairs(changes: DataFrame, engine: str, analyzer: str) -> DataFrame:
    """A row for each change from one version of a job to the next."""
    from pyspark.sql import functions as sql

    return changes.where(_is_pair()).select(
        *_CHANGE,
        "former_path",
        "change",
        "month",
        "author",
        "subject",
        "is_merge",
        "pair",
        "status",
        "reason",
        "verdict",
        "effect",
        sql.coalesce(sql.size("findings"), sql.lit(0)).alias("findings"),
        "remedy",
        "remedy_verdict",
        "files",
        "assumed",
        "baseline_blob",
        "current_blob",
        "baseline_parameters",
        "current_parameters",
        "baseline_engine_version",
        "current_engine_version",
        sql.lit(engine).alias("engine"),
        sql.lit(analyzer).alias("analyzer"),
    )


def findings(changes: DataFrame) -> DataFrame:
    """A row for each finding of each change."""
    from pyspark.sql import functions as sql

    exploded = changes.select(*_CHANGE, "month", "pair", sql.posexplode("findings").alias("number", "finding"))
    # A job of one file has no other place.
    place = sql.coalesce("file", "path")
    return exploded.select(*_CHANGE, "month", "pair", "number", "finding.*").withColumn("file", place)


def jobs(changes: DataFrame) -> DataFrame:
    """A row for each job."""
    from pyspark.sql import functions as sql

    def counted(condition: Column) -> Column:
        return sql.count_if(condition).cast("int")

    not_compared = sql.col("status") == "not-compared"
    last = sql.struct("change", "path", "status", "verdict", "committed_at")
    grouped = changes.groupBy("repository", "job").agg(
        sql.max(last).alias("last"),
        sql.min(sql.struct("change", "committed_at", "status")).alias("first"),
        counted(_is_pair()).alias("changes"),
        *(counted((sql.col("verdict") == verdict) & ~not_compared).alias(verdict) for verdict in VERDICTS),
        counted(not_compared).alias("not_compared"),
    )
    return grouped.select(
        "repository",
        "job",
        sql.col("last.path").alias("path"),
        sql.col("first.committed_at").alias("first_seen_at"),
        sql.col("last.committed_at").alias("last_changed_at"),
        (sql.col("last.status") == "deleted").alias("deleted"),
        "changes",
        *VERDICTS,
        "not_compared",
        sql.col("last.verdict").alias("last_verdict"),
    )


def problems(history: DataFrame, changes: DataFrame) -> DataFrame:
    """A row for each thing that kept a repository from being read, or a change from being compared."""
    from pyspark.sql import functions as sql

    nothing = sql.lit(None).cast("string")
    of_repositories = history.where(sql.col("kind") == "problem").select(
        "repository",
        nothing.alias("job"),
        nothing.alias("commit"),
        sql.lit(None).cast("timestamp_ltz").alias("committed_at"),
        nothing.alias("path"),
        sql.lit("repository").alias("kind"),
        sql.col("reason").alias("message"),
        "mend",
    )
    of_changes = changes.where(sql.col("status") == "not-compared").select(
        *_CHANGE,
        sql.when(sql.col("told") == "changed", sql.coalesce("outcome", sql.lit("failed")))
        .otherwise(sql.lit("not-read"))
        .alias("kind"),
        sql.col("reason").alias("message"),
        "mend",
    )
    return of_repositories.unionByName(of_changes)


def write_table(table: DataFrame, path: str, rows: int, *order: str) -> None:
    """Write a table in an order that does not depend on who made it, in as many files as ``rows`` rows are worth."""
    files = max(1, -(-rows // _ROWS_OF_A_FILE))
    table.repartitionByRange(files, *order).sortWithinPartitions(*order).write.option("compression", "zstd").parquet(
        path
    )
