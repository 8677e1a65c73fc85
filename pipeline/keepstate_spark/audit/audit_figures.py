"""Figures of an audit's report: counts, made by Spark. No value here grows with the number of changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keepstate_spark.audit.judging import KEEPING
from keepstate_spark.audit.published_tables import VERDICTS
from keepstate_spark.sources.readers import exact_reader

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

_MOST_SHOWN = 20
_MOST_MONTHS = 1200


@dataclass(frozen=True)
class Totals:
    repositories: int
    jobs: int
    changes: int
    """From one version of a job to the next."""
    distinct_pairs: int
    compatible: int
    partial: int
    unknown: int
    incompatible: int
    not_compared: int
    unchanged: int
    """Of the compatible ones those that mean nothing: comments, layout, a new name."""
    saved: int
    """Changes that lose state, for which a fix keeps both the state and the intended change."""
    reverted: int
    """The others of them that only taking a part of the change back would have saved."""
    first: str | None
    """The day of the first change."""
    last: str | None


@dataclass(frozen=True)
class Month:
    month: str
    compatible: int
    partial: int
    unknown: int
    incompatible: int
    not_compared: int


@dataclass(frozen=True)
class RuleCount:
    rule: str
    verdict: str
    changes: int
    repositories: int


@dataclass(frozen=True)
class JobCount:
    repository: str
    path: str
    incompatible: int
    changes: int
    last_verdict: str | None


@dataclass(frozen=True)
class Count:
    what: str
    changes: int


@dataclass(frozen=True)
class ProblemCount:
    kind: str
    message: str
    number: int
    example: str
    mend: str | None


@dataclass(frozen=True)
class AuditFigures:
    """All figures of the report. Lists are cut after the most frequent entries."""

    engine: str
    totals: Totals
    months: Sequence[Month]
    rules: Sequence[RuleCount]
    jobs: Sequence[JobCount]
    remedies: Sequence[Count]
    """Fixes with which changes that lose state could have kept it, by kind."""
    unsupported: Sequence[Count]
    problems: Sequence[ProblemCount]
    problem_kinds: Sequence[Count] = field(default_factory=tuple)

    def plain(self) -> dict[str, Any]:
        """The same as values that JSON has."""
        return asdict(self)


def figures(session: SparkSession, folder: Path, engine: str, repositories: int) -> AuditFigures:
    """The figures of the tables in ``folder``, of ``repositories`` repositories."""
    from pyspark.sql import functions as sql

    pairs, findings, jobs, problems = (
        exact_reader(session).parquet(str(folder / name)) for name in ("pairs", "findings", "jobs", "problems")
    )
    pairs = pairs.withColumn(
        "grade", sql.when(sql.col("status") == "not-compared", "not_compared").otherwise(sql.col("verdict"))
    )
    return AuditFigures(
        engine=engine,
        totals=_totals(pairs, jobs, repositories),
        months=_months(pairs),
        rules=_rules(findings),
        jobs=_jobs(jobs),
        remedies=_remedies(pairs),
        unsupported=_unsupported(findings),
        problems=_problems(problems),
        problem_kinds=[
            Count(*row) for row in problems.groupBy("kind").count().orderBy(sql.desc("count"), "kind").collect()
        ],
    )


def _totals(pairs: DataFrame, jobs: DataFrame, repositories: int) -> Totals:
    from pyspark.sql import functions as sql

    def counted(condition: Column, name: str) -> Column:
        return sql.count_if(condition).alias(name)

    mended = (sql.col("grade") == "incompatible") & sql.col("remedy").isNotNull()
    keeping = sql.col("remedy").isin(*KEEPING)
    row = pairs.agg(
        sql.count("*").alias("changes"),
        sql.count_distinct("pair").alias("distinct_pairs"),
        *(counted(sql.col("grade") == verdict, verdict) for verdict in (*VERDICTS, "not_compared")),
        counted(sql.col("status") == "unchanged", "unchanged"),
        counted(mended & keeping, "saved"),
        counted(mended & ~keeping, "reverted"),
        sql.min(sql.date_format("committed_at", "yyyy-MM-dd")).alias("first"),
        sql.max(sql.date_format("committed_at", "yyyy-MM-dd")).alias("last"),
    ).collect()[0]
    return Totals(repositories=repositories, jobs=jobs.count(), **row.asDict())


def _months(pairs: DataFrame) -> list[Month]:
    from pyspark.sql import functions as sql

    groups = (*VERDICTS, "not_compared")
    counts = (sql.count_if(sql.col("grade") == name).alias(name) for name in groups)
    dated = pairs.where(sql.col("month").isNotNull())
    rows = dated.groupBy("month").agg(*counts).orderBy(sql.desc("month")).limit(_MOST_MONTHS)
    return [Month(**row.asDict()) for row in reversed(rows.collect())]


def _rules(findings: DataFrame) -> list[RuleCount]:
    from pyspark.sql import functions as sql

    change = sql.struct("repository", "commit", "path")
    rows = (
        findings.where(sql.col("verdict") != "compatible")
        .groupBy("rule", "verdict")
        .agg(sql.count_distinct(change).alias("changes"), sql.count_distinct("repository").alias("repositories"))
        .orderBy(sql.desc("changes"), "rule", "verdict")
        .limit(_MOST_SHOWN)
    )
    return [RuleCount(**row.asDict()) for row in rows.collect()]


def _jobs(jobs: DataFrame) -> list[JobCount]:
    from pyspark.sql import functions as sql

    rows = (
        jobs.where(sql.col("incompatible") > 0)
        .orderBy(sql.desc("incompatible"), "changes", "repository", "path")
        .select("repository", "path", "incompatible", "changes", "last_verdict")
        .limit(_MOST_SHOWN)
    )
    return [JobCount(**row.asDict()) for row in rows.collect()]


def _remedies(pairs: DataFrame) -> list[Count]:
    from pyspark.sql import functions as sql

    kind = sql.coalesce("remedy", sql.lit("none"))
    losing = pairs.where(sql.col("grade") == "incompatible")
    rows = losing.groupBy(kind.alias("what")).agg(sql.count("*").alias("changes"))
    return [Count(**row.asDict()) for row in rows.orderBy(sql.desc("changes"), "what").collect()]


def _unsupported(findings: DataFrame) -> list[Count]:
    from pyspark.sql import functions as sql

    change = sql.struct("repository", "commit", "path")
    rows = (
        findings.where(sql.col("rule") == "construct-not-supported")
        .groupBy(sql.col("change").alias("what"))
        .agg(sql.count_distinct(change).alias("changes"))
        .orderBy(sql.desc("changes"), "what")
        .limit(_MOST_SHOWN)
    )
    return [Count(**row.asDict()) for row in rows.collect()]


def _problems(problems: DataFrame) -> list[ProblemCount]:
    from pyspark.sql import functions as sql

    example = sql.concat_ws(" ", "repository", "path", sql.substring("commit", 1, 7))
    # What is said of one file or place is said of others in other words.
    message = sql.regexp_replace(sql.substring("message", 1, 300), r"^\S+ in [0-9a-f]{7}\b", "…")
    rows = (
        problems.groupBy("kind", message.alias("message"))
        .agg(sql.count("*").alias("number"), sql.min(example).alias("example"), sql.min("mend").alias("mend"))
        .orderBy(sql.col("kind") != "repository", sql.desc("number"), "message")
        .limit(_MOST_SHOWN)
    )
    return [ProblemCount(**row.asDict()) for row in rows.collect()]
