"""``--prove`` where no Flink runs: the results of both jobs computed on Spark, at the same boundaries and rows."""

from __future__ import annotations

import json
import logging
import tempfile
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import keepstate
from keepstate.cutover.cutover_plan import NEW, CutoverPlan, Share
from keepstate.cutover.table_names import last_name
from keepstate_flink.cluster import NOT_NULL
from keepstate_flink.errors import NotRunnable
from keepstate_flink.generated_rows import TableColumn
from keepstate_flink.handovers.timed_rows import TimedRows, TrialBoundary
from keepstate_lsp.cli.commands.cutover.named_plan import Proof, Runner, Trial
from keepstate_lsp.cli.commands.cutover.proof_cases import ProofCase, obstacle, proved
from keepstate_spark.cutovers.emitted_results import stopped
from keepstate_spark.cutovers.results import ComputedQueries, Computer, computer
from keepstate_spark.errors import PipelineError

if TYPE_CHECKING:
    from keepstate import JobVersion
    from keepstate_flink.restarts import RowsOf
    from keepstate_spark.jobs import Query

Results = Counter[str]
"""Rows of the sinks, each as "sink row"."""


def prove_on_spark(case: ProofCase, data: Sequence[tuple[str, str]], why: str, listen: Callable[[], None]) -> Proof:
    """Compute a plan on a Spark of its own. ``why`` is the sentence that says why no Flink runs it; ``listen`` puts the
    handler for Ctrl-C in its place again, which PySpark takes.

    Raises:
        PipelineError: there is no Spark, or it does not start.
    """
    # A connection to the JVM that breaks, on Ctrl-C, is logged with pages of traces unless there is a handler.
    logging.getLogger().addHandler(logging.NullHandler())
    with computer() as spark:
        listen()
        return spark_proof(case, data, spark, why)


def spark_proof(
    case: ProofCase, data: Sequence[tuple[str, str]], spark: Computer, why: str, most: int | None = None
) -> Proof:
    """Compute a plan on a Spark, with ``most`` sets of generated rows (``None``: all)."""
    runner = Runner("Spark", spark.version, why)
    if reason := obstacle(case):
        return Proof(runner, reason=reason)
    with tempfile.TemporaryDirectory(prefix="keepstate-cutover-") as folder:
        return proved(case, data, SparkTrials(case, spark, Path(folder)), runner, most)


@dataclass(frozen=True)
class SparkTrials:
    """Computes the trials of one plan; ``folder`` takes the files of their rows."""

    case: ProofCase
    spark: Computer
    folder: Path
    _numbers: Iterator[int] = field(default_factory=count)

    def at_boundary(self, words: str, rows: RowsOf, places: Sequence[float]) -> Iterator[Trial]:
        timed = self._timed(rows)
        with _in_words():
            boundaries = list(self.case.boundaries(self._watermarks(timed), places))
        for boundary in boundaries:
            with _in_words():
                yield self._handed_over(words, timed, boundary)

    def computed(self, words: str, rows: RowsOf) -> Iterator[Trial]:
        timed = self._timed(rows)
        with _in_words():
            if watermarks := self._watermarks(timed):
                middle = watermarks[len(watermarks) // 2]
                yield self._handed_over(words, timed, TrialBoundary(middle, middle))

    def _handed_over(self, words: str, timed: TimedRows, boundary: TrialBoundary) -> Trial:
        """The trial of one boundary. The new job has to write what the current version writes in all, without what it
        had written when its watermark was at the boundary, and without results of former rows that stay in old sinks.
        """
        wall = boundary.wall
        plan = self.case.plan_at(wall)
        starts = {last_name(position.table): position.millis for position in plan.positions}
        states = {last_name(state.state): self._state(plan, state.script, timed, wall) for state in plan.states}
        script = replace(self.case.current, text=plan.script(NEW))
        job = self._queries(script, {**self._since(timed, script, starts), **states})
        new = self._results(job, job.queries)
        names = {query.name for query in job.queries}
        current = self._queries(self.case.current, self._all(timed))
        expected = self._results(current, [query for query in current.queries if query.name in names])
        expected.subtract(self._stopped(self.case.current, timed, boundary, names))
        expected.subtract(self._former_rows(timed, names, wall))
        handed = self.case.sinks(Share.BEHIND)
        former = self._stopped(self.case.baseline, timed, boundary).total() if handed else self._size(states)
        return Trial(
            words,
            wall,
            former,
            new.total(),
            tuple(sorted((expected - new).elements())),
            tuple(sorted((new - expected).elements())),
        )

    def _stopped(
        self, version: JobVersion, timed: TimedRows, boundary: TrialBoundary, names: Container[str] | None = None
    ) -> Results:
        """The results that a version had written, into the sinks in which the new job goes on, when it was stopped;
        those of the queries called ``names`` (``None``: of all).
        """
        handed = self.case.sinks(Share.BEHIND)
        if not handed:
            return Counter()
        streams = self.case.timed_tables
        files = {
            table: self._file(
                timed.lines(table)[: timed.count_until(table, boundary.watermark) if table in streams else None]
            )
            for table in self._tables(version)
        }
        queries = self._queries(version, files)
        own = [
            query for query in queries.queries if _sink_of(query) in handed and (names is None or query.name in names)
        ]
        return self._results(queries, [stopped(query, boundary.wall) for query in own])

    def _former_rows(self, timed: TimedRows, names: set[str], wall: int) -> Results:
        """The results of former rows that stay in the old sinks."""
        since = self.case.sinks(Share.SINCE)
        if not since:
            return Counter()
        files = {table: self._file(timed.before(table, wall)) for table in self._tables(self.case.current)}
        queries = self._queries(self.case.current, files)
        own = [query for query in queries.queries if query.name in names and _sink_of(query) in since]
        return self._results(queries, own)

    def _state(self, plan: CutoverPlan, script: str, timed: TimedRows, wall: int) -> Path:
        """The files of a state: what a script computes from the rows before the boundary."""
        version = replace(self.case.current, text=plan.script(script))
        files = {table: self._file(timed.before(table, wall)) for table in self._tables(version)}
        queries = self._queries(version, files)
        folder = self.folder / f"state-{next(self._numbers)}"
        for query in queries.queries:
            queries.save(query, folder)
        return folder

    def _size(self, states: Mapping[str, Path]) -> int:
        return sum(self.spark.count(path) for path in states.values())

    # ---- queries

    def _queries(self, version: JobVersion, files: Mapping[str, Path]) -> ComputedQueries:
        tables = {table: files[last_name(table)] for table in (each.name for each in keepstate.read_tables(version))}
        # As on a real Flink: that a sink takes no NULL is a condition of the plan, and ends no trial.
        parameters = {NOT_NULL: "DROP", **version.parameters}
        return self.spark.queries(version.text, tables, parameters)

    def _results(self, of: ComputedQueries, queries: Sequence[Query]) -> Results:
        """The rows of some queries.

        Raises:
            NotRunnable: several of them share a primary key, and the last one is left in the sink.
        """
        rows: dict[str, list[list[Any]]] = {}
        for query in queries:
            rows.setdefault(_sink_of(query), []).extend(of.rows(query))
        for sink in self.case.plan.keyed_sinks:
            sink_rows = rows.get(last_name(sink.table), [])
            keys = Counter(json.dumps([row[position] for position in sink.key]) for row in sink_rows)
            if any(number > 1 for number in keys.values()):
                raise NotRunnable(f"Several results have one key of {sink.table}, and Spark does not say which is last")
        return Counter(f"{sink} {json.dumps(row)}" for sink, sink_rows in rows.items() for row in sink_rows)

    # ---- rows

    def _timed(self, rows: RowsOf) -> TimedRows:
        timed = TimedRows(rows, self.case.timed_tables, self.case.zone)
        for version in (self.case.baseline, self.case.current):
            for table in keepstate.read_tables(version):
                timed.keep(last_name(table.name), [TableColumn(name, type_) for name, type_ in table.columns])
        return timed

    def _watermarks(self, timed: TimedRows) -> list[int]:
        streams = [
            last_name(table)
            for version in (self.case.baseline, self.case.current)
            for table in self._queries(version, self._all(timed)).streams
        ]
        return timed.watermarks(list(dict.fromkeys(streams)))

    def _tables(self, version: JobVersion) -> list[str]:
        return [last_name(table.name) for table in keepstate.read_tables(version)]

    def _all(self, timed: TimedRows) -> Mapping[str, Path]:
        tables = {*self._tables(self.case.baseline), *self._tables(self.case.current)}
        return {table: self._file(timed.lines(table)) for table in sorted(tables)}

    def _since(self, timed: TimedRows, version: JobVersion, starts: Mapping[str, int | None]) -> Mapping[str, Path]:
        tables = {*self._tables(self.case.baseline), *self._tables(self.case.current)}
        return {table: self._file(timed.since(table, starts)) for table in self._tables(version) if table in tables}

    def _file(self, lines: Sequence[str]) -> Path:
        path = self.folder / f"rows-{next(self._numbers)}.jsonl"
        path.write_text("".join(f"{line[2:]}\n" for line in lines), "utf-8")
        return path


def _sink_of(query: Query) -> str:
    return last_name(query.pipeline.sink or query.name)


@contextmanager
def _in_words() -> Iterator[None]:
    """Turn an error of the pipeline into the reason why a set of rows was not run."""
    try:
        yield
    except PipelineError as error:
        raise NotRunnable(f"Spark does not compute it: {error.sentence}") from error
