"""Replays a job: every query of its current version, each with its own figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from keepstate.plan.operators import Aggregate, Join, LookupJoin, OverAggregate, Rank
from keepstate.plan.parameters import STATE_TTL
from keepstate.restart_effects import JobRestart, QueryRestart, StateUse
from keepstate_spark.errors import NoTimes, PipelineError
from keepstate_spark.jobs import Query, RunnableScript
from keepstate_spark.running import LOWERING_SETTINGS, in_one_sentence
from keepstate_spark.session import require_file_writer, session_beside

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession

    from keepstate_spark.replay.claims import Claim
    from keepstate_spark.replay.replay_figures import ReplayFigures
    from keepstate_spark.replay.replayed_query import ReplayedQuery
    from keepstate_spark.replay.restart_points import Arrivals, RowsAtRestart
    from keepstate_spark.replay.sweeping import SweepPoint
    from keepstate_spark.replay.witnesses import ReplayWitness
    from keepstate_spark.sources.kept_rows import KeptFrames
    from keepstate_spark.sources.rows.readings import Reading
    from keepstate_spark.sources.scanning import Scanner


_FEW = 20_000
"""Results up to which they are counted here rather than by Spark, which would take several jobs for it."""


@dataclass(frozen=True)
class QueryReplay:
    """Replay of one query. ``skipped`` is a sentence with the reason why there are no figures."""

    query: Query
    restart: QueryRestart
    rows_at_restart: RowsAtRestart | None = None
    figures: ReplayFigures | None = None
    recovers: bool = False
    """Differences end by themselves, since each result comes out once."""
    time_to_live: str = ""
    """The length that state lives without being touched, if the job sets one."""
    claim: Claim | None = None
    """Test of the values that the verdict calls kept in the savepoint, if that was run."""
    witness: ReplayWitness | None = None
    """Fewest rows that demonstrate the damage, if there is any and the search was on."""
    skipped: str = ""
    refused: bool = False
    """The reason is that the scenarios are undecidable."""
    readings: tuple[Reading, ...] = field(default=())
    windowed: bool = False
    """Results are of windows, so that some are open at the restart."""


@dataclass(frozen=True)
class ReplayTask:
    """A replay. ``time`` is as the user wrote it, ``arrivals`` are names of columns by names of tables."""

    script: RunnableScript
    former: RunnableScript | None
    """The baseline, if it can be run."""
    restart: JobRestart
    time: str
    arrivals: Mapping[str, str] = field(default_factory=dict)
    verify: bool = False
    """Test claims even if that takes as long as all the rest."""
    witness: bool = True
    """Search for a few rows that demonstrate the damage."""
    folder: Path | None = None
    """Folder for the table of differences, ``differences.parquet``."""


def replay(request: ReplayTask, session: SparkSession, begin: Callable[[str], None]) -> Iterator[QueryReplay]:
    """Replay query after query. ``begin`` is called with the name of each step.

    Raises ``PipelineError`` if the time is none, or lies outside of all rows.
    """
    from keepstate_spark.lowering.refusals import NotLowerable

    if request.folder is not None:
        require_file_writer()

    own = session_beside(session, LOWERING_SETTINGS)
    for query, restart in _queries(request):
        if reason := _needless(restart):
            yield QueryReplay(query, restart, skipped=reason)
            continue
        begin(query.name)
        try:
            with in_one_sentence(request.script, query):
                if query.without_rows:
                    yield _without_rows(request, query, restart, own)
                else:
                    yield _replay(request, query, restart, own, begin)
        except NotLowerable as refused:
            yield QueryReplay(query, restart, skipped=_refusal(request.script, query, refused), refused=True)


def replayed_frames(
    request: ReplayTask, session: SparkSession, frames: Mapping[str, DataFrame]
) -> Iterator[tuple[str, DataFrame]]:
    """Yield each query that a restart has an effect on by its name, with a row for each result and metric, computed
    when it is read. ``frames`` are the rows of tables; only their times are looked at now.

    Raises ``PipelineError`` if the time is none or lies outside of all rows, and for a query that cannot be replayed.
    """
    from keepstate_spark.lowering.operators.plan_frames import scanning
    from keepstate_spark.lowering.refusals import NotLowerable
    from keepstate_spark.replay.replayed_query import replayed
    from keepstate_spark.replay.restart_points import Arrivals, look, restart_time, scans_of
    from keepstate_spark.replay.result_differences import differences
    from keepstate_spark.sources.scanning import Scanner
    from keepstate_spark.sources.shared_frames import in_session

    own = session_beside(session, LOWERING_SETTINGS)
    for query, restart in _queries(request):
        if _needless(restart):
            continue
        time, arrivals = restart_time(request.time, query.zone), Arrivals(query, request.arrivals)
        shared = {name: in_session(own, frame) for name, frame in frames.items() if name in query.locations}
        scanner = Scanner(own, query.catalog, query.locations, shared)
        try:
            with in_one_sentence(request.script, query):
                lowering = scanning(own, query.zone, scanner.scan)
                summary = look(query, scans_of(query.plan.root), arrivals, time, lowering)
                _inside(summary, time, query)
                rows = differences(replayed(query, restart, own, scanner, arrivals, time, summary))
        except NotLowerable as refused:
            raise PipelineError(f"{query.name}: {_refusal(request.script, query, refused)}") from refused
        yield query.name, rows


@dataclass(frozen=True)
class QuerySweep:
    """Restarts of one query at many times. ``skipped`` is a sentence with the reason why there are none."""

    query: Query
    restart: QueryRestart
    points: tuple[SweepPoint, ...] = ()
    skipped: str = ""
    refused: bool = False
    readings: tuple[Reading, ...] = ()


def sweep_job(
    request: ReplayTask, every: timedelta, session: SparkSession, begin: Callable[[str], None]
) -> Iterator[QuerySweep]:
    """Try restarts of query after query, at times that are ``every`` apart; the time of ``request`` does not count.

    Raises ``PipelineError`` for too many times, or too few.
    """
    from keepstate_spark.lowering.refusals import NotLowerable
    from keepstate_spark.replay.restart_points import Arrivals
    from keepstate_spark.replay.sweeping import sweep
    from keepstate_spark.sources.scanning import Scanner

    own = session_beside(session, LOWERING_SETTINGS)
    for query, restart in _queries(request):
        if reason := _needless(restart):
            yield QuerySweep(query, restart, skipped=reason)
            continue
        if query.without_rows:
            yield QuerySweep(query, restart, skipped=" ".join(query.without_rows.values()), refused=True)
            continue
        begin(query.name)
        scanner = Scanner(own, query.catalog, query.locations)
        try:
            with in_one_sentence(request.script, query):
                points = sweep(query, restart, own, scanner.scan, Arrivals(query, request.arrivals), every)
                readings = tuple(scanner.readings(timed=False))
            yield QuerySweep(query, restart, tuple(points), readings=readings)
        except NoTimes:
            readings = _empty(scanner)
            if not readings:
                raise
            yield QuerySweep(query, restart, skipped=_sentences(readings), readings=readings)
        except NotLowerable as refused:
            yield QuerySweep(query, restart, skipped=_refusal(request.script, query, refused), refused=True)


_INTERPRETING = {
    **LOWERING_SETTINGS,
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
"""Settings for a few rows: to compile a query takes longer than to go through them."""


def _queries(request: ReplayTask) -> Iterator[tuple[Query, QueryRestart]]:
    for restart in request.restart.queries:
        yield _query(request.script, restart), restart


def _needless(restart: QueryRestart) -> str:
    """Return the reason why a restart has no effect on a query; empty if it has one."""
    if restart.use is StateUse.NEW:
        return "It is new: there is no state that it could lose."
    if not any(operator.stateful for operator in restart.pipeline.plan.operators):
        return "It keeps no state: a restart changes nothing."
    return ""


def _query(script: RunnableScript, restart: QueryRestart) -> Query:
    return next(query for query in script.queries if script.job.statement_of(query.pipeline).span == restart.span)


def _refusal(script: RunnableScript, query: Query, refused: Exception) -> str:
    from keepstate_spark.lowering.refusals import NotLowerable

    assert isinstance(refused, NotLowerable)
    place = f" ({script.where(refused.place, query)})" if refused.place is not None else ""
    return f"It cannot be replayed. {refused.sentence}{place}"


def _without_rows(request: ReplayTask, query: Query, restart: QueryRestart, session: SparkSession) -> QueryReplay:
    """Return the replay of a query whose tables have no rows here."""
    from keepstate_spark.lowering.refusals import NotLowerable
    from keepstate_spark.replay.restart_points import Arrivals, restart_time
    from keepstate_spark.replay.witnesses import generated_witness

    time = restart_time(request.time, query.zone)
    example = None
    if request.witness:
        # That rows cannot be made up is no news beside that there are none.
        with suppress(NotLowerable):
            example = generated_witness(query, restart, session, Arrivals(query, request.arrivals), time)
    words = " ".join(query.without_rows.values())
    return QueryReplay(query, restart, witness=example, skipped=words, refused=True)


def _replay(
    request: ReplayTask, query: Query, restart: QueryRestart, session: SparkSession, begin: Callable[[str], None]
) -> QueryReplay:
    from keepstate_spark.sources.kept_rows import keeping

    with keeping() as frames:
        return _replay_of(request, query, restart, session, begin, None if request.script.large else frames)


def _replay_of(
    request: ReplayTask,
    query: Query,
    restart: QueryRestart,
    session: SparkSession,
    begin: Callable[[str], None],
    frames: KeptFrames | None,
) -> QueryReplay:
    from keepstate_spark.lowering.operators.plan_frames import scanning
    from keepstate_spark.replay.claims import tested
    from keepstate_spark.replay.large_figures import figures_on_spark
    from keepstate_spark.replay.replayed_query import replayed
    from keepstate_spark.replay.restart_points import Arrivals, look, restart_time, scans_of
    from keepstate_spark.replay.result_differences import differences, differences_of
    from keepstate_spark.replay.scenarios import Scenario
    from keepstate_spark.replay.small_figures import figures_of
    from keepstate_spark.sources.scanning import Scanner

    time = restart_time(request.time, query.zone)
    scanner = Scanner(session, query.catalog, query.locations, keeper=frames)
    arrivals = Arrivals(query, request.arrivals)
    replay = replayed(query, restart, session, scanner, arrivals, time)
    if replay.watch is None:
        if replay.rows_at_restart.first is None:
            # What counts rows ends with the query that reads them; one that never runs would be waited for without end.
            replay.rows.limit(1).collect()
            if empty := _empty(scanner):
                return QueryReplay(query, restart, skipped=_sentences(empty), readings=empty)
        _inside(replay.rows_at_restart, time, query)
    large = request.script.large
    with _persistent(replay.rows) if large else nullcontext():
        few = _few(replay.rows, large and (replay.watch is not None or scanner.observes))
        if few is not None:
            # What is here already need not be computed once more.
            table = differences_of(replay, few) if request.folder is None else None
            if table is None:
                rows = differences(_local(session, replay, few))
                table = [row.asDict() for row in rows.collect()]
                if request.folder is not None:
                    _save(rows, request.folder)
            counted = figures_of(table)
        else:
            with _persistent(differences(replay)) as rows:
                counted = figures_on_spark(rows)
                if request.folder is not None:
                    _save(rows, request.folder)
        summary = replay.rows_at_restart
        if replay.watch is not None:
            # Of a result that was cut off Spark may not have read all rows.
            watched = replay.watch.rows_at_restart() if few is not None or large else None
            summary = watched or look(
                query, scans_of(query.plan.root), arrivals, time, scanning(session, query.zone, scanner.scan)
            )
            if summary.first is None and (empty := _empty(scanner)):
                return QueryReplay(query, restart, skipped=_sentences(empty), readings=empty)
            _inside(summary, time, query)
        claim = None
        if request.verify or replay.windowed or not large:
            claim = tested(replay, _former(request, restart), session, arrivals, time, frames)
        # The scans of a witness are counted as well, and one that is refused is never run.
        readings = tuple(scanner.readings(timed=False))
        example = None
        if request.witness and counted.wrong[Scenario.RESTARTED.value]:
            begin(f"{query.name}: looking for a witness")
            nearest = replay if few is None else _local(session, replay, few)
            example = _witness(nearest, session, scanner, arrivals, time)
        return QueryReplay(
            query,
            restart,
            summary,
            counted,
            replay.recovers,
            _time_to_live(query),
            claim,
            example,
            readings=readings,
            windowed=replay.windowed,
        )


@contextmanager
def _persistent(rows: DataFrame) -> Iterator[DataFrame]:
    """Keep ``rows`` from when they are first computed to the end of the block."""
    from pyspark import StorageLevel

    rows = rows.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        yield rows
    finally:
        # Of a JVM that was interrupted nothing is left to be given back.
        with suppress(Exception):
            rows.unpersist()


def _few(rows: DataFrame, observed: bool) -> list[Row] | None:
    """``rows`` if they are few. Those on whose way something is ``observed`` are computed as a whole first: a part of
    them would not show all of it.
    """
    if observed and rows.count() > _FEW:
        return None
    few = rows.limit(_FEW + 1).collect()
    return few if len(few) <= _FEW else None


def _local(session: SparkSession, replayed: ReplayedQuery, rows: list[Row]) -> ReplayedQuery:
    """``replayed`` over its ``rows``, which are here. What is looked at once is not compiled."""
    local_rows = session_beside(session, _INTERPRETING).createDataFrame(rows, replayed.rows.schema)
    return replace(replayed, rows=local_rows)


def _witness(
    replayed: ReplayedQuery, session: SparkSession, scanner: Scanner, arrivals: Arrivals, time: datetime
) -> ReplayWitness | None:
    from keepstate_spark.lowering.refusals import NotLowerable
    from keepstate_spark.replay.witnesses import witness

    # The rows of a lookup join are all of its table, and not few.
    few = not any(isinstance(operator, LookupJoin) for operator in replayed.query.plan.operators)
    trying = session_beside(session, _INTERPRETING) if few else session
    try:
        return witness(replayed, session, trying, scanner.scan, arrivals, time)
    except NotLowerable:
        # A query that can be replayed as a whole may be undecidable in small sets; the figures stand by themselves.
        return None


def _former(request: ReplayTask, restart: QueryRestart) -> Query | None:
    """The counterpart of a query; ``None`` if it cannot be run, or means the same, so that nothing is to be tested."""
    if request.former is None or restart.baseline is None:
        return None
    job, span = request.former.job, restart.baseline_span
    return next(query for query in request.former.queries if job.statement_of(query.pipeline).span == span)


def _empty(scanner: Scanner) -> tuple[Reading, ...]:
    """The tables of which no row was read."""
    return tuple(reading for reading in scanner.readings(timed=False) if not reading.rows)


def _sentences(readings: tuple[Reading, ...]) -> str:
    return " ".join(sentence for reading in readings for sentence in reading.sentences)


def _inside(summary: RowsAtRestart, time: datetime, query: Query) -> None:
    """Raises ``PipelineError`` unless there are rows before and after the restart."""
    if summary.before and summary.after:
        return
    if summary.first is None or summary.last is None:
        raise NoTimes(query.name)
    where = "after all rows" if summary.before else "before all rows"
    raise PipelineError(
        f"The restart at {time} lies {where} of {query.name}: they come from {summary.first} to {summary.last}.",
        f"Try: --restart-at '{summary.first + (summary.last - summary.first) / 2:%Y-%m-%d %H:%M:%S}'",
    )


def _save(rows: DataFrame, folder: Path) -> None:
    """Add the rows that differ to the one folder of all queries.

    Their column ``query`` distinguishes the queries, and any reader of Parquet takes a folder of files. Subfolders
    would be columns to one reader, and nothing to another.
    """
    from pyspark.sql import functions as fn

    wrong = (fn.col("restarted_change") != "same") | (fn.col("without_state_change") != "same")
    rows.where(wrong).write.mode("append").parquet(str(folder.absolute() / "differences.parquet"))


def _time_to_live(query: Query) -> str:
    unbounded = any(
        isinstance(operator, (Aggregate, Rank, Join, OverAggregate)) for operator in query.pipeline.plan.operators
    )
    option = query.pipeline.settings.get(STATE_TTL)
    return option.value if option is not None and unbounded else ""
