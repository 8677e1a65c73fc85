"""Differences of job settings, as far as a pipeline feels them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.diff.pipelines import PipelineDiff
from keepstate.plan.catalog import Option
from keepstate.plan.expressions import Column
from keepstate.plan.job import Job
from keepstate.plan.operators import LookupJoin, Operator, Window
from keepstate.plan.provenance import Place
from keepstate.text import Span

_EMIT = tuple(
    f"table.exec.emit.{part}"
    for part in ("early-fire.enabled", "early-fire.delay", "late-fire.enabled", "late-fire.delay", "allow-lateness")
)
_EMIT_SWITCHES = ("table.exec.emit.early-fire.enabled", "table.exec.emit.late-fire.enabled")
_UPDATE_STRATEGY = "table.optimizer.non-deterministic-update.strategy"
_SHAPES_PLAN = {
    "table.exec.mini-batch.enabled": "false",
    "table.optimizer.agg-phase-strategy": "auto",
    "table.optimizer.distinct-agg.split.enabled": "false",
    "table.optimizer.incremental-agg-enabled": "true",
    "table.optimizer.multi-join.enabled": "false",
    "table.exec.uid.generation": "plan_only",
    "execution.runtime-mode": "streaming",
    _UPDATE_STRATEGY: "ignore",
}
"""Settings by which the planner chooses other operators, or other ids, for the same query, with their defaults."""
_TIME_ZONE = "table.local-time-zone"


def setting_changes(diff: PipelineDiff, baseline: Job, current: Job) -> Iterator[Change]:
    """Changes that settings bring to one pipeline, whether its SQL changed or not."""
    same_settings = _values(baseline.settings) == _values(current.settings)
    if same_settings and diff.baseline.plan == diff.current.plan:
        return
    if not diff.current.plan.stateful and not _lookups(diff):
        return
    yield from _emit_changes(diff, baseline.settings, current.settings)
    yield from _stateful_lookups(diff, current.settings)
    shaping = dict(_SHAPES_PLAN)
    if any(_window(operator) for operator in diff.current.plan.operators):
        # Windows over TIMESTAMP_LTZ follow the session's midnight, so its time zone moves them.
        shaping[_TIME_ZONE] = "default"
    for key, default in shaping.items():
        was, now = baseline.settings.get(key), current.settings.get(key)
        if _value(was, default) != _value(now, default):
            yield _change(ChangeKind.SETTING_CHANGED, QueryKind.JOB, key, was, now, _whole(diff))


def _values(settings: Mapping[str, Option]) -> dict[str, str]:
    return {key: option.value for key, option in settings.items()}


def _emit_changes(
    diff: PipelineDiff, baseline: Mapping[str, Option], current: Mapping[str, Option]
) -> Iterator[Change]:
    """Early and late firing, where a legacy group window is there to feel it (spec GWA-16, GWA-21, CFG-03)."""
    windows = diff.group_windows
    if not windows or not (_emits(baseline) or _emits(current)):
        return
    changed = [key for key in _EMIT if _emit_value(baseline, key) != _emit_value(current, key)]
    if not changed and not diff.modified:
        return
    kind = ChangeKind.EMIT_STRATEGY_CHANGED if changed else ChangeKind.EMIT_STRATEGY_ACTIVE
    key = changed[0] if changed else next(key for key in _EMIT_SWITCHES if _emit_value(current, key) == "true")
    yield _change(kind, QueryKind.GROUP_WINDOW, key, baseline.get(key), current.get(key), windows[0].window.place)


def _emits(settings: Mapping[str, Option]) -> bool:
    return any(_emit_value(settings, key) == "true" for key in _EMIT_SWITCHES)


def _emit_value(settings: Mapping[str, Option], key: str) -> str:
    return _value(settings.get(key), "false" if key in _EMIT_SWITCHES else "")


def _stateful_lookups(diff: PipelineDiff, settings: Mapping[str, Option]) -> Iterator[Change]:
    """A lookup join may keep state under TRY_RESOLVE, which the check does not see (spec JL-03)."""
    lookups = _lookups(diff)
    strategy = settings.get(_UPDATE_STRATEGY)
    if lookups and diff.baseline.plan != diff.current.plan and _value(strategy, "") == "try_resolve":
        yield _change(
            ChangeKind.LOOKUP_JOIN_MAY_KEEP_STATE, QueryKind.JOB, "lookup join", None, strategy, lookups[0].place
        )


def _window(operator: Operator) -> bool:
    """Whether the operator assigns windows on a time that may be local."""
    window = getattr(operator, "window", None)
    if not isinstance(window, Window):
        return False
    return not isinstance(window.time, Column) or not (window.time.type or "").startswith("TIMESTAMP(")


def _lookups(diff: PipelineDiff) -> list[LookupJoin]:
    return [operator for operator in diff.current.plan.operators if isinstance(operator, LookupJoin)]


def _change(
    kind: ChangeKind, query: QueryKind, subject: str, was: Option | None, now: Option | None, fallback: Place | None
) -> Change:
    return Change(
        kind,
        query,
        now.place if now is not None and now.place is not None else fallback,
        was.place if was is not None else None,
        removed=now is None,
        subject=subject,
        baseline_text=was.value if was is not None else "not set",
        current_text=now.value if now is not None else "not set",
    )


def _value(option: Option | None, default: str) -> str:
    return option.value.strip().lower() if option is not None else default


def _whole(diff: PipelineDiff) -> Place:
    parsed = diff.current.statement.parsed
    return Place(parsed, Span(0, len(parsed.text)))
