"""Differences of job parameters, as far as a query feels them (spec section 16, GWA-16, GWA-21, JL-03)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import zip_longest

from keepstate.diff.changes import Change, ChangeKind, QueryKind
from keepstate.diff.edits import Locator
from keepstate.diff.pipelines import PipelineDiff
from keepstate.diff.statements.lifetime_changes import lifetime_changes
from keepstate.diff.statements.option_changes import changed_option
from keepstate.plan.catalog import Option
from keepstate.plan.job import Job, Pipeline
from keepstate.plan.metadata.lookups import asynchronous
from keepstate.plan.operators import Join, LookupJoin, WindowAggregate
from keepstate.plan.parameter_scope import may_be_merged, reaches
from keepstate.plan.parameters import (
    ALLOW_LATENESS,
    EARLY_DELAY,
    EARLY_FIRE,
    LATE_DELAY,
    LATE_FIRE,
    MULTI_JOIN,
    STATE_TTL,
    UPDATE_STRATEGY,
    Parameter,
    ParameterConcern,
    parameter_of,
)
from keepstate.plan.parameters.parameter_values import Meaning
from keepstate.plan.provenance import Place
from keepstate.plan.settings import Settings, whole

_DELAYS = {EARLY_FIRE: EARLY_DELAY, LATE_FIRE: LATE_DELAY}
"""The switches of early and late results, with the delays that mean something while these are on."""
_SMALLEST_DEFAULT_MAX_PARALLELISM = 128


def setting_changes(diff: PipelineDiff, baseline: Job, current: Job, locator: Locator) -> Iterator[Change]:
    """Changes that parameters bring to one pipeline, whether its SQL changed or not."""
    settings = _SettingsDiff(diff.baseline.settings, diff.current.settings, current.resets)
    changes = [
        *_changed_parameters(diff, settings, current),
        *lifetime_changes(diff, locator, current.resets.get(STATE_TTL)),
    ]
    yield from _merged_joins(diff, settings)
    yield from _emission(diff, settings, bool(changes))
    yield from _stateful_lookups(diff, baseline, current)
    yield from changes


@dataclass(frozen=True)
class _SettingsDiff:
    """The parameters of both versions of one pipeline; ``resets`` are the RESET statements of the current script."""

    baseline: Settings
    current: Settings
    resets: Mapping[str, Place]

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys set on one side or on both, in the order of the current script."""
        return (*self.current, *(key for key in self.baseline if key not in self.current))

    def differs(self, key: str) -> bool:
        return _meaning(key, self.baseline) != _meaning(key, self.current)

    def change(
        self,
        kind: ChangeKind,
        parameter: Parameter,
        fallback: Place | None = None,
        query: QueryKind = QueryKind.CONFIGURATION,
        reason: str = "",
    ) -> Change:
        """Return the change of one parameter.

        ``fallback`` is the affected clause, where no SET has the parameter; without a fallback the change stands at the
        first word of the query.
        """
        was, now = self.baseline.get(parameter.key), self.current.get(parameter.key)
        return changed_option(
            kind,
            query,
            was,
            now,
            subject=parameter.key,
            words=(_words(parameter, was), _words(parameter, now)),
            fallback=fallback,
            reset=self.resets.get(parameter.key),
            reason=reason or parameter.reason,
            parameter=parameter.key,
        )


def _changed_parameters(diff: PipelineDiff, settings: _SettingsDiff, current: Job) -> Iterator[Change]:
    for key in settings.keys:
        parameter = parameter_of(key)
        if parameter.concern not in (ParameterConcern.STATE, ParameterConcern.KEY_GROUPS) or not settings.differs(key):
            continue
        if not reaches(parameter.reach, diff.current, current):
            continue
        kind = (
            ChangeKind.SETTING_CHANGED
            if parameter.concern is ParameterConcern.STATE
            else _key_groups(parameter, settings)
        )
        if kind is not None:
            yield settings.change(kind, parameter)


def _merged_joins(diff: PipelineDiff, settings: _SettingsDiff) -> Iterator[Change]:
    """A MULTI_JOIN hint that came, went or names other inputs, where the setting does not merge all joins anyway."""
    if any(_meaning(MULTI_JOIN, each) is True for each in (settings.baseline, settings.current)):
        return
    was, now = _merge_hints(diff.baseline), _merge_hints(diff.current)
    changes = [(before, after) for before, after in zip_longest(was, now) if (before is None) is not (after is None)]
    if not changes:
        return
    before, after = changes[0]
    yield changed_option(
        ChangeKind.SETTING_CHANGED,
        QueryKind.CONFIGURATION,
        before,
        after,
        subject="hint",
        words=(_words_of(before), _words_of(after)),
        fallback=whole(diff.current.statement),
        reason=parameter_of(MULTI_JOIN).reason,
        parameter=MULTI_JOIN,
    )


def _words_of(hint: Option | None) -> str:
    return hint.value if hint is not None else "none"


def _merge_hints(pipeline: Pipeline) -> list[Option | None]:
    """The hints of the joins that Flink can merge, in the order of the plan."""
    return [each.merge_hint for each in pipeline.plan.operators if isinstance(each, Join) and may_be_merged(each)]


def _key_groups(parameter: Parameter, settings: _SettingsDiff) -> ChangeKind | None:
    """Another maximum parallelism. Where none is set, Flink takes over that of the savepoint; where none was, the
    savepoint has been made with at least 128, and a power of two.
    """
    former, groups = _meaning(parameter.key, settings.baseline), _meaning(parameter.key, settings.current)
    if not isinstance(former, Decimal) or not isinstance(groups, Decimal):
        return ChangeKind.SETTING_CHANGED
    if groups <= 0:
        return None
    may_be_default = groups >= _SMALLEST_DEFAULT_MAX_PARALLELISM and int(groups).bit_count() == 1
    return ChangeKind.SETTING_CHANGED if former <= 0 and may_be_default else ChangeKind.MAX_PARALLELISM_CHANGED


def _meaning(key: str, settings: Settings) -> Meaning | None:
    option = settings.get(key)
    return parameter_of(key).meaning_of(option.value if option is not None else None)


def _words(parameter: Parameter, option: Option | None) -> str:
    return parameter.words_for(option.value if option is not None else None)


def _emission(diff: PipelineDiff, settings: _SettingsDiff, modified: bool) -> Iterator[Change]:
    """Early and late firing, where a window is there to feel it (spec GWA-16, GWA-21, CFG-03)."""
    if not _emits(settings.baseline) and not _emits(settings.current):
        return
    changed_keys = _changed_emission(settings)
    group_windows = diff.group_windows
    if group_windows:
        kind, keys = ChangeKind.EMIT_STRATEGY_CHANGED, changed_keys
        if not changed_keys and (diff.modified or modified):
            kind = ChangeKind.EMIT_STRATEGY_ACTIVE
            keys = [next(key for key in _DELAYS if _meaning(key, settings.current) is True)]
        for key in keys:
            yield settings.change(kind, parameter_of(key), group_windows[0].window.place, QueryKind.GROUP_WINDOW)
    elif any(isinstance(operator, WindowAggregate) for operator in diff.current.plan.operators):
        reason = "open-source Flink does not plan a window table-valued function with early or late results"
        for key in changed_keys:
            yield settings.change(ChangeKind.SETTING_CHANGED, parameter_of(key), reason=reason)


def _emits(settings: Settings) -> bool:
    return any(_meaning(key, settings) is True for key in _DELAYS)


def _changed_emission(settings: _SettingsDiff) -> list[str]:
    """The switches that changed; where none did, the delays that are in use and changed."""
    switches = [key for key in _DELAYS if settings.differs(key)]
    if switches:
        return switches
    delays = [delay for switch, delay in _DELAYS.items() if _meaning(switch, settings.current) is True]
    return [key for key in (*delays, ALLOW_LATENESS) if settings.differs(key)]


def _stateful_lookups(diff: PipelineDiff, baseline: Job, current: Job) -> Iterator[Change]:
    """A lookup join may keep state under TRY_RESOLVE, or with asynchronous requests, which the check of the platform
    does not see (spec JL-03).
    """
    now = _lookups(diff.current)
    if not now:
        return
    option = _asynchronous(now, current)
    modified = diff.baseline.plan != diff.current.plan
    strategy = parameter_of(UPDATE_STRATEGY)
    if modified and _meaning(UPDATE_STRATEGY, diff.current.settings) == "TRY_RESOLVE":
        yield changed_option(
            ChangeKind.LOOKUP_JOIN_MAY_KEEP_STATE,
            QueryKind.CONFIGURATION,
            None,
            diff.current.settings[UPDATE_STRATEGY],
            subject="query with a lookup join",
            words=("", ""),
            reason=f"{strategy.key} is TRY_RESOLVE",
            parameter=strategy.key,
        )
    elif option is not None and (modified or _asynchronous(_lookups(diff.baseline), baseline) is None):
        yield changed_option(
            ChangeKind.LOOKUP_JOIN_MAY_KEEP_STATE,
            QueryKind.CONFIGURATION,
            None,
            option,
            subject="query with a lookup join",
            words=("", ""),
            reason="it asks asynchronously",
        )


def _lookups(pipeline: Pipeline) -> list[LookupJoin]:
    return [operator for operator in pipeline.plan.operators if isinstance(operator, LookupJoin)]


def _asynchronous(lookups: list[LookupJoin], job: Job) -> Option | None:
    return next((option for lookup in lookups if (option := asynchronous(lookup, job.catalog)) is not None), None)
