"""A warm planner: one JVM of a real Flink that plans both versions of jobs and holds their operators together."""

from __future__ import annotations

import contextlib
import itertools
import json
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from keepstate_flink.cluster import NOT_NULL, PARALLELISM, TABLE_PARALLELISM, plan_settings, planner, table_environment
from keepstate_flink.compiled.plan_file import PlanFile
from keepstate_flink.errors import FlinkError, NotRunnable
from keepstate_flink.functions.part import StandIn, StandInPart
from keepstate_flink.job_pairing import paired
from keepstate_flink.plans.plan_comparison import Decision, PlanComparison, compared, with_stand_ins
from keepstate_flink.plans.planned_job import PlannedJob, PlannedState
from keepstate_flink.running_jobs import JobFailed, ScriptedJob, loaded, with_equal_stand_ins

MOST_KEPT = 64
"""Planned scripts that are remembered: a job is the baseline of one pair and the current version of the next."""
_SHOWN_BY_PLANS = "table."
_NEW = "The job is new: there is nothing to restore."
_ENDS = "The job ends: its state is restored by no job."


@dataclass(frozen=True)
class PlanAnswer:
    """The answer for one job, named by its queries; empty where a script has none that can be planned."""

    name: str
    comparison: PlanComparison


@dataclass(frozen=True)
class _Planned:
    """A job of a script: its values, and the object of the JVM that opens its operators."""

    queries: tuple[str, ...]
    job: PlannedJob
    opened: Any
    stand_ins: tuple[StandIn, ...] = ()


class Planner:
    """Plans scripts in one JVM of the version ``flink``; ``java`` is that JVM."""

    def __init__(self, flink: str, java: Any) -> None:
        self.flink = flink
        self._java = java
        self._numbers = itertools.count(1)
        self._kept: OrderedDict[ScriptedJob, tuple[_Planned, ...]] = OrderedDict()

    def planned(self, script: ScriptedJob) -> tuple[PlannedJob, ...]:
        """The jobs of a script; its ``number`` is ignored. Raises ``JobFailed`` and ``NotRunnable``."""
        return tuple(each.job for each in self._of(script))

    def answers(self, baseline: ScriptedJob, current: ScriptedJob) -> Iterator[PlanAnswer]:
        """The answers for the jobs of two scripts, those of the same queries together."""
        baseline, current = with_equal_stand_ins(baseline, current)
        sides = []
        for words, script in (("baseline", baseline), ("current version", current)):
            try:
                sides.append(self._of(script))
            except NotRunnable as error:
                yield PlanAnswer("", _not_decided(f"{error.sentence}."))
                return
            except JobFailed as failure:
                yield PlanAnswer("", _not_decided(f"Flink does not take the {words}: {failure.chain[-1]}"))
                return
        was, now = sides
        one_job = baseline.one_job and current.one_job
        for pair in paired([each.queries for each in was], [each.queries for each in now], one_job):
            if pair.baseline is None or pair.current is None:
                yield PlanAnswer(pair.name, _not_decided(_NEW if pair.baseline is None else _ENDS))
            else:
                comparison = _compared(was[pair.baseline], now[pair.current])
                yield PlanAnswer(pair.name, _with_numbers(comparison, baseline.plan))

    def _of(self, script: ScriptedJob) -> tuple[_Planned, ...]:
        key = replace(script, number=0)
        if key not in self._kept:
            self._kept[key] = self._plan(key)
            if len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]

    def _plan(self, script: ScriptedJob) -> tuple[_Planned, ...]:
        run = f"plan{next(self._numbers)}"
        parameters = dict(script.parameters)
        settings = plan_settings(parameters)
        if PARALLELISM not in parameters:
            # One task is what Flink has without it as well.
            del settings[PARALLELISM]
        if script.is_compiled and NOT_NULL not in parameters:
            # A compiled plan has it in its sinks.
            del settings[NOT_NULL]
        environment = table_environment(self._java, settings, self._java.keepstate.flink.Tables(run))
        plans = []
        with loaded(self._java, environment, script) as script_jobs:
            settings |= dict(environment.getConfig().getConfiguration().toMap())
            sets_tasks = PARALLELISM in settings or TABLE_PARALLELISM in settings
            unplanned = {key: value for key, value in settings.items() if not key.startswith(_SHOWN_BY_PLANS)}
            for job in script_jobs.jobs:
                opened = self._java.keepstate.flink.Plans(environment, job.statements)
                described = json.loads(opened.described())
                called = script_jobs.take_planned()
                operators = tuple(map(_operator, described["operators"]))
                # Flink writes a plan that it has loaded without the options of its tables.
                plan = json.loads(script.plan) if script.plan else described["plan"]
                plans.append(
                    _Planned(tuple(job.queries), PlannedJob(operators, plan, unplanned, sets_tasks), opened, called)
                )
        return tuple(plans)


def _operator(described: dict[str, Any]) -> PlannedState:
    return PlannedState(
        described["id"],
        described["name"],
        tuple(described["states"]),
        described["source"],
        tuple(described["failure"] or ()),
    )


def _compared(baseline: _Planned, current: _Planned) -> PlanComparison:
    comparison = compared(baseline.job, current.job, json.loads(current.opened.refused(baseline.opened)))
    return with_stand_ins(comparison, StandInPart.of(baseline.stand_ins, current.stand_ins))


def _with_numbers(comparison: PlanComparison, plan: str) -> PlanComparison:
    """The comparison, with a sentence if no id can fit since the numbers of the nodes of the file are others."""
    first = PlanFile.read(plan).first if plan else 1
    if first == 1 or comparison.decision is not Decision.DOES_NOT_START:
        return comparison
    numbers = f"The nodes of the compiled plan are numbered from {first} on, those of a new session from 1 on."
    return replace(comparison, note=numbers)


def _not_decided(note: str) -> PlanComparison:
    return PlanComparison(Decision.NOT_DECIDED, note=note)


@contextlib.contextmanager
def planning(version: str) -> Iterator[Planner]:
    """A planner of an installed version; its JVM ends with the block, or with this process.

    Raises:
        FlinkError: the JVM does not start, or it ended before the block did.
    """
    with noticing_its_end(), planner(version) as java:
        yield Planner(version, java)


@contextlib.contextmanager
def noticing_its_end() -> Iterator[None]:
    """A block that reaches a JVM.

    >>> with noticing_its_end():
    ...     raise ConnectionError("The gateway closed the connection.")
    Traceback (most recent call last):
        ...
    keepstate_flink.errors.FlinkError: The JVM of Flink ended.

    Raises:
        FlinkError: the JVM ended before the block did.
    """
    from py4j.protocol import Py4JNetworkError  # type: ignore[import-untyped]

    try:
        yield
    except (Py4JNetworkError, ConnectionError) as error:
        raise FlinkError("The JVM of Flink ended.") from error
