"""Results of the queries of a script on Spark, as values that are held against those of another version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keepstate.cutover.flaws import streams_of
from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import Query, RunnableScript
from keepstate_spark.runnable import runnable
from keepstate_spark.running import LoweredQuery, lowered_query
from keepstate_spark.session import spark_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SETTINGS = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
"""A few rows are not worth planning twice, dividing, or compiling a query for."""
_FLINKS = (None, "1.20")
"""A query runs if one of these versions takes it: which one runs the job is not asked here."""


@contextmanager
def computer(session: SparkSession | None = None) -> Iterator[Computer]:
    """A computer on ``session``, which stays as it is; without one on a Spark of its own, which ends with the block.

    Raises:
        PipelineError: there is no Spark, or it does not start.
    """
    if session is not None:
        yield Computer(session)
        return
    with spark_session(quick=True, settings=_SETTINGS) as session:
        yield Computer(session)


@dataclass(frozen=True)
class Computer:
    """Computes queries over few rows on one session."""

    session: SparkSession

    @property
    def version(self) -> str:
        return self.session.version

    def queries(self, text: str, files: Mapping[str, Path], parameters: Mapping[str, str]) -> ComputedQueries:
        """The queries of ``text`` over the rows of ``files``, by the names of their tables.

        Raises:
            PipelineError: a query cannot be run.
        """
        data = {table: str(path) for table, path in files.items()}
        script = runnable(text, "the script", Path(), _FLINKS, data, parameters)
        if script.refused:
            raise PipelineError(script.refused[0])
        return ComputedQueries(script, self.session)

    def count(self, folder: Path) -> int:
        """The number of rows in a folder of Parquet."""
        return self.session.read.parquet(str(folder)).count()


@dataclass(frozen=True)
class ComputedQueries:
    """The queries of one script over files, on one session."""

    script: RunnableScript
    session: SparkSession

    @property
    def queries(self) -> Sequence[Query]:
        return self.script.queries

    @property
    def streams(self) -> Sequence[str]:
        """The tables that are read as streams, of which each has a watermark."""
        return tuple(dict.fromkeys(table for query in self.queries for table in streams_of(query.pipeline)))

    def rows(self, query: Query) -> Iterator[list[Any]]:
        """The rows of a query, which may be one of the script with another plan.

        Raises:
            PipelineError: it cannot be run, rows cannot be read, or the result depends on more than the rows.
        """
        running = lowered_query(self.script, query, self.session)
        yield from ([_plain(value) for value in row] for row in running.values())
        _require_certain(running)

    def names(self, query: Query) -> Sequence[str]:
        """The names of the columns of a query."""
        return query.names

    def save(self, query: Query, folder: Path) -> None:
        """Write the rows of a query into ``folder``, which is made, as Parquet.

        Raises:
            PipelineError: as for ``rows``.
        """
        running = lowered_query(self.script, query, self.session)
        running.save(str(folder), "parquet")
        _require_certain(running)


def _require_certain(running: LoweredQuery) -> None:
    for reading in running.readings():
        if reading.bad or reading.strange:
            raise PipelineError(reading.sentences[0])
    for late in running.late_rows():
        if not late.certain:
            words = "1 row" if late.count == 1 else f"{late.count} rows"
            raise PipelineError(
                f"{words} of {late.tables} came behind the watermark. Whether a stream counts such rows in "
                f"{late.operator} depends on its pace as well."
            )


def _plain(value: Any) -> Any:
    """A value as text of JSON shows it; two decimals that are equal have one text."""
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return value
