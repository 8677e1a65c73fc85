"""Readings of repositories: scheduled on workers, and stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from keepstate_spark.audit.stored_columns import HISTORY
from keepstate_spark.sources.readers import exact_reader

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

Row = dict[str, Any]
Reader = Callable[[str, "str | None"], Iterator[Row]]
"""Reads the repository in a folder, behind a landmark or from the beginning. It travels, so it is picklable."""

_BATCH_ROWS = 256
_MOST_TASKS = 2048
_REPOSITORIES = "repository string, folder string, sequence int, landmark string, settled boolean"


@dataclass(frozen=True)
class AuditedRepository:
    """A repository: its name, and its location for the workers."""

    name: str
    folder: str


@dataclass
class _Known:
    """Stored readings of a repository. ``valid`` are the numbers of the readings that make up its history."""

    last: int = 0
    valid: list[int] = field(default_factory=list)
    landmark: str | None = None
    partial: int | None = None
    """The last reading that failed, of which there may be a part."""

    @property
    def is_settled(self) -> bool:
        """Return whether the last reading is complete and valid."""
        return self.last in self.valid


class HistoryStore:
    """Histories of repositories that any run has read on the same terms."""

    def __init__(self, session: SparkSession, path: Path) -> None:
        self._session = session
        self._path = path
        self._readings: dict[str, _Known] | None = None

    def read(self, repositories: Sequence[AuditedRepository], reader: Reader) -> None:
        """Read the new commits of ``repositories``, and store them repository by repository."""
        states = self._ends()
        requests = [
            (one.name, one.folder, state.last + 1, state.landmark, state.is_settled)
            for one in repositories
            for state in [states.get(one.name, _Known())]
        ]
        listed = self._session.createDataFrame(requests, _REPOSITORIES)
        reading = _Reading(reader, arrow_schema(self._session, HISTORY))
        tasks = min(len(requests), _MOST_TASKS)
        self._readings = None
        store_rows(listed.repartition(tasks).mapInArrow(reading, HISTORY), self._path)

    def history(self, repositories: Sequence[AuditedRepository]) -> DataFrame:
        """Return the stored history of ``repositories``, from valid readings."""
        from pyspark.sql import functions as sql

        states = self._ends()
        wanted_parts = []
        for one in repositories:
            state = states.get(one.name, _Known())
            # Of a repository that never was read whole, there is what was read of it.
            holding = state.valid or ([] if state.partial is None else [state.partial])
            wanted_parts += [(one.name, number, "change") for number in holding]
            # What is wrong with a repository, the last reading knows.
            wanted_parts.append((one.name, state.last, "problem"))
        rows = self._session.createDataFrame(wanted_parts, "repository string, sequence int, kind string")
        return self._rows().join(sql.broadcast(rows), ["repository", "sequence", "kind"])

    def size(self) -> int:
        """Return the number of stored rows."""
        return self._rows().count() if self._path.exists() else 0

    def _ends(self) -> dict[str, _Known]:
        """One entry for each repository that was read: ends of readings are few."""
        if self._readings is None:
            self._readings = self._ended() if self._path.exists() else {}
        return self._readings

    def _ended(self) -> dict[str, _Known]:
        states: dict[str, _Known] = {}
        store = self._rows()
        ends = store.where(store["kind"] == "end").select("repository", "sequence", "landmark", "whole")
        for end in sorted(ends.collect(), key=lambda row: (row.repository, row.sequence)):
            state = states.setdefault(end.repository, _Known())
            state.last = end.sequence
            if end.landmark is None:
                state.partial = end.sequence
                continue
            state.valid = [end.sequence] if end.whole else [*state.valid, end.sequence]
            state.landmark = end.landmark
        return states

    def _rows(self) -> DataFrame:
        return exact_reader(self._session).schema(HISTORY).parquet(str(self._path))


class _Reading:
    """Reading of a share of the repositories, in a worker."""

    def __init__(self, reader: Reader, schema: pa.Schema) -> None:
        self._reader = reader
        self._schema = schema

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from arrow_batches(self._rows(batches), self._schema, _BATCH_ROWS)

    def _rows(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Row]:
        for batch in batches:
            for entry in batch.to_pylist():
                place = {"repository": entry["repository"], "sequence": entry["sequence"]}
                ordinal = 0
                for row in self._reader(entry["folder"], entry["landmark"]):
                    if entry["settled"] and not ordinal and row.get("landmark") == entry["landmark"]:
                        # Nothing new: nothing is stored either.
                        continue
                    ordinal += 1
                    yield {**row, **place, "ordinal": ordinal}


def arrow_schema(session: SparkSession, columns: str) -> pa.Schema:
    """Return columns as an Arrow schema. Only a driver can compute it: the types are parsed in the JVM."""
    return session.createDataFrame([], columns).toArrow().schema


def arrow_batches(rows: Iterable[Row], schema: pa.Schema, size: int) -> Iterator[pa.RecordBatch]:
    """Rows as Arrow has them, some at a time; a missing column is null."""
    import pyarrow as pa

    batch: list[Row] = []
    for row in rows:
        batch.append(row)
        if len(batch) == size:
            yield pa.RecordBatch.from_pylist(batch, schema)
            batch = []
    if batch:
        yield pa.RecordBatch.from_pylist(batch, schema)


def store_rows(rows: DataFrame, path: Path) -> None:
    """Add rows to a folder of Parquet. The file of a task appears when that task is done, independent of other
    tasks.
    """
    writer = rows.write.mode("append").option("mapreduce.fileoutputcommitter.algorithm.version", "2")
    writer.option("compression", "zstd").parquet(str(path))
