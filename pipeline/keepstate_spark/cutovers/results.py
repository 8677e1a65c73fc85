"""Results of the queries of a script on Spark, as values that are held against those of another version."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keepstate_spark.errors import PipelineError
from keepstate_spark.jobs import Query, Script
from keepstate_spark.runnable import runnable
from keepstate_spark.running import Running, lowered_query

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_FLINKS = (None, "1.20")
"""A query runs if one of these versions takes it: which one runs the job is not asked here."""


@dataclass(frozen=True)
class ComputedQueries:
    """The queries of one script over files, on one session."""

    script: Script
    session: SparkSession

    @classmethod
    def of(
        cls, text: str, files: Mapping[str, Path], parameters: Mapping[str, str], session: SparkSession
    ) -> ComputedQueries:
        """The queries of ``text`` over the rows of ``files``, by the names of their tables.

        Raises:
            PipelineError: a query cannot be run.
        """
        data = {table: str(path) for table, path in files.items()}
        script = runnable(text, "the script", Path(), _FLINKS, data, parameters)
        if script.refused:
            raise PipelineError(script.refused[0])
        return cls(script, session)

    @property
    def queries(self) -> Sequence[Query]:
        return self.script.queries

    def rows(self, query: Query) -> Iterator[list[Any]]:
        """The rows of a query, which may be one of the script with another plan.

        Raises:
            PipelineError: it cannot be run, rows cannot be read, or the result depends on more than the rows.
        """
        running = lowered_query(self.script, query, self.session)
        yield from ([_plain(value) for value in row] for row in running.values())
        _require_certain(running)

    def save(self, query: Query, folder: Path) -> None:
        """Write the rows of a query into ``folder``, which is made, as Parquet.

        Raises:
            PipelineError: as for ``rows``.
        """
        running = lowered_query(self.script, query, self.session)
        running.save_parquet(str(folder))
        _require_certain(running)


def _require_certain(running: Running) -> None:
    for reading in running.readings():
        if reading.bad or reading.strange:
            raise PipelineError(reading.sentences[0])
    for late in running.late_rows():
        if not late.certain:
            words = "1 row" if late.count == 1 else f"{late.count} rows"
            raise PipelineError(
                f"{words} of {late.tables} came behind the watermark, and what a stream makes of such rows in "
                f"{late.operator} depends on more than the rows."
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
