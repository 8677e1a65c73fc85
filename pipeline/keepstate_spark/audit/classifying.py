"""Has each different pair judged once, and stores the reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from keepstate_spark.audit.judging import Files, Row, VersionPair, judged
from keepstate_spark.audit.repository_reading import arrow_batches, arrow_schema, store_rows
from keepstate_spark.audit.sandbox import PairLost, Sandbox
from keepstate_spark.audit.stored_columns import REPORTS
from keepstate_spark.sources.readers import exact_reader

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

_BATCH_ROWS = 64
_PAIRS_OF_A_TASK = 400
"""Pairs of a task. So many take seconds: the cost of an interruption, and the time that other workers wait for the last
task.
"""
_MOST_TASKS = 20_000
_LOST = ("timed-out", "crashed")
_PLACE = ("repository", "job", "sequence", "ordinal")
_SIDES = tuple(
    f"{side}_{part}" for side in ("baseline", "current") for part in ("text", "parameters", "engine_version", "files")
)


@dataclass(frozen=True)
class Limits:
    """Limits for one pair: ``seconds`` of CPU time, ``megabytes`` of memory."""

    seconds: float = 30.0
    megabytes: int = 1024


class ReportStore:
    """The reports of pairs, by the same analyzer for the same engine, by all runs."""

    def __init__(self, session: SparkSession, path: Path) -> None:
        self._session = session
        self._path = path

    def judge(self, history: DataFrame, engine: str, limits: Limits, cores: int) -> int:
        """Judge the pairs of ``history`` that are new, and return their number.

        Neighbours in the history of a job share a version, which is parsed once if they are judged one after the other.
        So pairs are divided by their place in history, into shares of the same size: one large repository makes several
        shares.
        """
        from pyspark.sql import functions as sql

        changes = history.where(sql.col("pair").isNotNull() & sql.col("baseline_text").isNotNull())
        place = sql.struct(*_PLACE)
        first = changes.groupBy("pair").agg(sql.min(place).alias("place"))
        settled = self.reports().where(~sql.col("outcome").isin(*_LOST) | (sql.col("allowance") >= limits.seconds))
        new = first.join(settled.select("pair"), "pair", "left_anti").persist()
        try:
            count = new.count()
            if not count:
                return 0
            candidates = changes.withColumn("place", place).join(new, ["pair", "place"], "left_semi")
            shares = min(max(-(-count // _PAIRS_OF_A_TASK), min(count, 4 * cores)), _MOST_TASKS)
            divided = (
                candidates.select("pair", *_PLACE, *_SIDES)
                .repartitionByRange(shares, *_PLACE)
                .sortWithinPartitions(*_PLACE)
                .select("pair", *_SIDES)
            )
            judging = _Judging(engine, limits, arrow_schema(self._session, REPORTS))
            store_rows(divided.mapInArrow(judging, REPORTS), self._path)
        finally:
            new.unpersist()
        return int(count)

    def reports(self) -> DataFrame:
        """The best report of each pair: one may have been lost, and judged by a run that allowed it more time."""
        from pyspark.sql import functions as sql

        if not self._path.exists():
            return self._session.createDataFrame([], REPORTS)
        every = exact_reader(self._session).schema(REPORTS).parquet(str(self._path))
        rank = sql.struct(~sql.col("outcome").isin(*_LOST), sql.col("allowance"))
        best = every.groupBy("pair").agg(sql.max_by(sql.struct(*every.columns[1:]), rank).alias("best"))
        return best.select("pair", "best.*")


class _Judging:
    """Work on a share of the pairs, in a worker."""

    def __init__(self, engine: str, limits: Limits, schema: pa.Schema) -> None:
        self._engine = engine
        self._limits = limits
        self._schema = schema

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from arrow_batches(self._rows(batches), self._schema, _BATCH_ROWS)

    def _rows(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Row]:
        warm_up(self._engine)
        with Sandbox(_Judge(self._engine), self._limits.seconds, self._limits.megabytes) as sandbox:
            for batch in batches:
                for entry in batch.to_pylist():
                    yield {**row_of(pair_of(entry), sandbox), "allowance": self._limits.seconds}


@dataclass(frozen=True)
class _Judge:
    engine: str

    def __call__(self, pair: VersionPair) -> Iterator[Row]:
        return judged(pair, self.engine)


def warm_up(engine: str) -> None:
    """Load the analyzer, so that a forked process has it."""
    for _ in judged(VersionPair("", "SELECT a FROM t", "SELECT b FROM t", {}, {}, None, None), engine):
        pass


def pair_of(entry: Row) -> VersionPair:
    """The pair in a row of the history."""
    return VersionPair(
        entry["pair"],
        entry["baseline_text"],
        entry["current_text"],
        dict(entry["baseline_parameters"] or ()),
        dict(entry["current_parameters"] or ()),
        entry["baseline_engine_version"],
        entry["current_engine_version"],
        _files(entry["baseline_files"]),
        _files(entry["current_files"]),
    )


def _files(entries: Sequence[Row] | None) -> Files:
    return tuple((file["path"], file["role"], file["text"]) for file in entries or ())


def row_of(pair: VersionPair, sandbox: Sandbox) -> Row:
    """The report of a pair, be it that there is none."""
    try:
        return sandbox.judged(pair)
    except PairLost as loss:
        return {"pair": pair.name, "outcome": loss.outcome, "reason": str(loss), "verdict": "unknown", "findings": []}
