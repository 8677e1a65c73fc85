"""Differences of two versions of a whole job."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from keepstate.diff.alignment import Counterparts
from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.diff.edits import Locator
from keepstate.diff.pairing import match_pipelines
from keepstate.diff.pipelines import PipelineDiff, compare_pipelines
from keepstate.diff.settings import setting_changes
from keepstate.diff.surroundings import surrounding_changes
from keepstate.diff.tables import function_changes, renamed_sources, sink_changes, source_changes
from keepstate.plan.catalog import Catalog, define
from keepstate.plan.expressions import Column, Expr
from keepstate.plan.job import Job, Pipeline
from keepstate.plan.operators import Operator, TableSourceScan
from keepstate.plan.provenance import Place
from keepstate.syntax.script import ParsedStatement
from keepstate.text import Span

_FLINK_VERSION = re.compile(r"flink-(\d+\.\d+)", re.IGNORECASE)


@dataclass(frozen=True)
class PairDiff:
    """A pipeline on both sides (``diff`` set), or on one only. ``setting_changes`` are settings
    that reach it, ``sink_changes`` belong to its sink."""

    baseline: Pipeline | None
    current: Pipeline | None
    diff: PipelineDiff | None = None
    setting_changes: tuple[Change, ...] = ()
    sink_changes: tuple[Change, ...] = ()


@dataclass(frozen=True)
class JobDiff:
    """Everything that differs between two versions of a job, before anybody judges it."""

    baseline: Job
    current: Job
    pairs: tuple[PairDiff, ...]
    source_changes: tuple[Change, ...] = ()
    other_changes: tuple[Change, ...] = ()

    def setting(self, key: str, default: str) -> str:
        """A setting of the current version."""
        found = self.current.settings.get(key)
        return found.value.strip().lower() if found is not None else default


def compare_jobs(baseline: Job, current: Job) -> JobDiff:
    """Pair the pipelines of two versions and compare them, their tables, functions, settings and engine."""
    was_read = {name for pipeline in baseline.pipelines for name in pipeline.plan.sources}
    now_read = {name for pipeline in current.pipelines for name in pipeline.plan.sources}
    # A declaration that cannot be read hides what a name stands for: then no name counts as a new one.
    unreadable = baseline.unreadable_names | current.unreadable_names
    renames = {} if unreadable else renamed_sources(baseline.catalog, current.catalog, was_read, now_read)
    ours = [_with_renamed_sources(pipeline, renames) if renames else pipeline for pipeline in baseline.pipelines]
    matched = match_pipelines(ours, current.pipelines)
    counterparts = Counterparts.of(_statement_pairs(baseline, current, matched, renames))
    locator = Locator(counterparts)
    same_surroundings = baseline.catalog is current.catalog and baseline.settings == current.settings
    pairs = tuple(
        # Nothing that reaches the pipeline was touched: so it is for nearly all of them at nearly every keystroke.
        PairDiff(was, now, PipelineDiff(was, now))
        if same_surroundings and was and now and was.plan is now.plan and was.sink == now.sink
        else _pair(was, now, baseline, current, locator)
        for was, now in matched
    )
    same = {name: name for name in sorted(was_read & now_read)}
    sources = tuple(source_changes(baseline.catalog, current.catalog, {**same, **renames}))
    if renames:
        sources = (*sources, *_undeclared_renames(baseline, current, renames))
    return JobDiff(baseline, current, pairs, sources, tuple(_other_changes(baseline, current, matched)))


def _pair(was: Pipeline | None, now: Pipeline | None, baseline: Job, current: Job, locator: Locator) -> PairDiff:
    if was is None or now is None:
        return PairDiff(was, now)
    diff = _unreadable(was, now, baseline, current) or compare_pipelines(was, now, locator)
    sinks: tuple[Change, ...] = ()
    if was.sink is not None and now.sink is not None:
        sinks = tuple(sink_changes(baseline.catalog, current.catalog, was.sink, now.sink))
        whole = Place(now.statement.parsed, Span(0, len(now.statement.parsed.text)))
        sinks = tuple(change if change.current is not None else replace(change, current=whole) for change in sinks)
    return PairDiff(was, now, diff, tuple(setting_changes(diff, baseline, current)), sinks)


def _unreadable(was: Pipeline, now: Pipeline, baseline: Job, current: Job) -> PipelineDiff | None:
    """The difference of a pipeline that reads something whose declaration cannot be read on one side."""
    if was.plan == now.plan:
        return None
    for pipeline, job in ((now, current), (was, baseline)):
        broken = job.unreadable_names & set(pipeline.plan.sources)
        if not broken:
            continue
        name = sorted(broken)[0]
        place = _scan_place((pipeline,), name)
        change = Change(
            ChangeKind.STATEMENT_NOT_READ,
            QueryKind.JOB,
            place if pipeline is now else None,
            place if pipeline is was else None,
            removed=pipeline is was,
            subject=f"the declaration of {name} cannot be read",
        )
        return PipelineDiff(was, now, (change,), modified=True)
    return None


def _statement_pairs(
    baseline: Job,
    current: Job,
    matched: tuple[tuple[Pipeline | None, Pipeline | None], ...],
    renames: Mapping[str, str],
) -> dict[ParsedStatement, ParsedStatement]:
    """Baseline statements and the current ones that took their place: declarations by name, queries by pipeline."""
    pairs: dict[ParsedStatement, ParsedStatement] = {}
    for was, now in matched:
        if was is not None and now is not None:
            pairs[was.statement.parsed] = now.statement.parsed
    theirs = _by_name(current.catalog)
    for name, statement in _by_name(baseline.catalog).items():
        twin = theirs.get(renames.get(name, name))
        if twin is not None:
            pairs.setdefault(statement, twin)
    lonely = [view for name, view in baseline.catalog.views.items() if name not in current.catalog.views]
    come = [view for name, view in current.catalog.views.items() if name not in baseline.catalog.views]
    if len(lonely) == len(come) == 1:
        pairs.setdefault(lonely[0].statement, come[0].statement)
    return pairs


def _by_name(catalog: Catalog) -> dict[str, ParsedStatement]:
    return {
        definition.name: definition.statement
        for definitions in (catalog.tables, catalog.views, catalog.functions)
        for definition in definitions.values()
    }


def _with_renamed_sources(pipeline: Pipeline, renames: Mapping[str, str]) -> Pipeline:
    """The pipeline as if its sources had borne their new names all along: the rename is one change, not hundreds."""
    if not renames.keys() & set(pipeline.plan.sources):
        return pipeline

    def column(expr: Expr) -> Expr:
        if isinstance(expr, Column) and expr.table in renames:
            return replace(expr, table=renames[expr.table])
        return expr

    def scans(node: Operator) -> Operator:
        if isinstance(node, TableSourceScan):
            return replace(node, table=renames.get(node.table, node.table))
        return node.with_inputs(tuple(scans(child) for child in node.inputs))

    plan = pipeline.plan.rewritten(column)
    return replace(pipeline, plan=replace(plan, root=scans(plan.root)))


def _undeclared_renames(baseline: Job, current: Job, renames: Mapping[str, str]) -> Iterator[Change]:
    """Renames of tables that the script does not declare are shown where the table is read."""
    for name, other in renames.items():
        if name in baseline.catalog.tables and other in current.catalog.tables:
            continue
        was, now = _scan_place(baseline.pipelines, name), _scan_place(current.pipelines, other)
        yield Change(
            ChangeKind.SOURCE_RENAMED,
            QueryKind.JOB,
            now,
            was,
            subject="source table",
            baseline_text=name,
            current_text=other,
        )


def _scan_place(pipelines: Iterable[Pipeline], table: str) -> Place | None:
    return next(
        (
            operator.place
            for pipeline in pipelines
            for operator in pipeline.plan.operators
            if isinstance(operator, TableSourceScan) and operator.table == table
        ),
        None,
    )


def _other_changes(
    baseline: Job, current: Job, matched: tuple[tuple[Pipeline | None, Pipeline | None], ...]
) -> Iterator[Change]:
    used = {
        definition.name
        for _, now in matched
        if now is not None
        for statement in now.definitions
        if (definition := define(statement)) is not None
    }
    yield from function_changes(baseline.catalog, current.catalog, used)
    if any(was is not None and was.plan.stateful for was, _ in matched):
        yield from surrounding_changes(baseline.script, current.script)
    versions = (_flink_version(baseline.engine_version), _flink_version(current.engine_version))
    if None not in versions and versions[0] != versions[1]:
        yield Change(
            ChangeKind.ENGINE_VERSION_CHANGED,
            QueryKind.JOB,
            None,
            None,
            subject="engine version",
            baseline_text=str(baseline.engine_version),
            current_text=str(current.engine_version),
        )
    removed = [was for was, now in matched if now is None and was is not None]
    if removed:
        yield from _temporary_tables(baseline, current)


def _flink_version(engine_version: str | None) -> str | None:
    """The Flink version in ``vvr-8.0.11-flink-1.17``, or the first two numbers of a bare version."""
    if engine_version is None:
        return None
    named = _FLINK_VERSION.search(engine_version)
    if named is not None:
        return named.group(1)
    return ".".join(engine_version.split(".")[:2]) if engine_version[:1].isdigit() else engine_version


def _temporary_tables(baseline: Job, current: Job) -> Iterator[Change]:
    """Temporary tables that went or changed in the same edit as an INSERT (spec OL-05)."""
    for name, table in baseline.catalog.tables.items():
        now = current.catalog.tables.get(name)
        if not table.temporary or (now is not None and now.statement.token_key == table.statement.token_key):
            continue
        yield Change(
            ChangeKind.TEMPORARY_TABLE_CHANGED,
            QueryKind.JOB,
            now.place if now is not None else None,
            table.place,
            removed=now is None,
            subject=f"temporary table {name}",
        )
