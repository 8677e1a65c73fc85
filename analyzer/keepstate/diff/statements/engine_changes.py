"""Differences of engine versions (spec OL-01, CFG-04, CFG-05)."""

from __future__ import annotations

from collections.abc import Iterator

from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.diff.pipelines import PipelineDiff
from keepstate.plan.engine_version import EngineVersion
from keepstate.plan.job import Job
from keepstate.plan.operators import Window, WindowKind, WindowTableFunction
from keepstate.plan.provenance import Place
from keepstate.report import ENGINE_VERSION, ExternalSetting


def engine_changes(baseline: Job, current: Job) -> Iterator[Change]:
    """Yield the change to another Flink version, for the job as a whole. A side without a known version has no
    change.
    """
    versions = _versions(baseline, current)
    if versions is not None and not versions[0].has_same_flink(versions[1]):
        yield _change(
            ChangeKind.ENGINE_VERSION_CHANGED, versions, external=ExternalSetting(ENGINE_VERSION, ENGINE_VERSION)
        )


def window_engine_changes(diff: PipelineDiff, baseline: Job, current: Job) -> Iterator[Change]:
    """Windows of a pipeline that the two engines plan in different ways."""
    versions = _versions(baseline, current)
    if versions is None or versions[0].plans_group_windows_alike(versions[1]):
        return
    for aggregate in diff.group_windows:
        window = aggregate.window
        yield _change(ChangeKind.GROUP_WINDOW_ACROSS_ENGINES, versions, window.place)
    for window in _sessions(diff):
        yield _change(ChangeKind.SESSION_ACROSS_ENGINES, versions, window.partition_place or window.place)


def _versions(baseline: Job, current: Job) -> tuple[EngineVersion, EngineVersion] | None:
    if baseline.engine_version is None or current.engine_version is None:
        return None
    return EngineVersion.of(baseline.engine_version), EngineVersion.of(current.engine_version)


def _sessions(diff: PipelineDiff) -> Iterator[Window]:
    for operator in diff.current.plan.operators:
        if isinstance(operator, WindowTableFunction) and operator.window.kind is WindowKind.SESSION:
            yield operator.window


def _change(
    kind: ChangeKind,
    versions: tuple[EngineVersion, EngineVersion],
    place: Place | None = None,
    external: ExternalSetting | None = None,
) -> Change:
    return Change(
        kind,
        QueryKind.CONFIGURATION,
        place,
        None,
        subject="engine version",
        baseline_text=versions[0].text,
        current_text=versions[1].text,
        external=external,
    )
