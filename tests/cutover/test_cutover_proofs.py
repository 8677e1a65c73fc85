"""Plans of cutovers on a real Flink: exact ones give equal rows, and a plan that was spoilt does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

import class_archive
from cutover_changes import CHANGES, CutoverChange
from keepstate.cutover.cutover_plan import NEW, CutoverPlan, TimedSource
from keepstate_flink.installation import NEWEST, full_version
from keepstate_flink.running_jobs import Jobs
from keepstate_lsp.cli.commands.cutover.named_plan import Proof
from keepstate_lsp.cli.commands.cutover.proving import proof_of
from keepstate_spark.cutovers.results import Computer, computer
from prove_cutovers import case_of
from shared_flink import shared_cluster

VERSION = full_version(NEWEST)
pytestmark = [
    pytest.mark.skipif(VERSION is None, reason="no Flink is installed: make flink"),
]
PROVED = (
    "size of TUMBLE, no multiple",
    "TUMBLE to HOP",
    "no time written, filter of the results",
    "gap of SESSION",
    "inner windows of a cascade",
    "windows of a window join",
)
HOUR = timedelta(hours=1) // timedelta(milliseconds=1)


@pytest.fixture(scope="module")
def jobs() -> Jobs:
    assert VERSION is not None
    return Jobs(shared_cluster(VERSION))


@pytest.fixture(scope="module")
def spark() -> Iterator[Computer]:
    with class_archive.in_use(), computer() as found:
        yield found


def change(name: str) -> CutoverChange:
    return next(each for each in CHANGES if each.name == name)


def proved(
    jobs: Jobs,
    name: str,
    spoilt: Callable[[CutoverPlan], CutoverPlan] = lambda plan: plan,
    most: int = 2,
    spark: Computer | None = None,
) -> Proof:
    case = case_of(change(name))
    return proof_of(replace(case, plan_at=lambda at: spoilt(case.plan_at(at))), (), VERSION or "", jobs, most, spark)


@pytest.mark.parametrize("name", PROVED)
def test_an_exact_plan_gives_the_rows_of_the_new_version(jobs: Jobs, name: str) -> None:
    proof = proved(jobs, name)
    assert len(proof.trials) >= 2
    assert proof.holds, [(trial.missing[:3], trial.unexpected[:3]) for trial in proof.trials]


def _without_guard(plan: CutoverPlan) -> CutoverPlan:
    (condition,) = (each.condition for each in plan.pipelines)
    return _with_new(plan, plan.script(NEW).replace(condition, "TRUE"))


def _with_new(plan: CutoverPlan, text: str) -> CutoverPlan:
    scripts = tuple(replace(script, text=text) if script.name == NEW else script for script in plan.scripts)
    return replace(plan, scripts=scripts)


def _starting_late(plan: CutoverPlan) -> CutoverPlan:
    positions = tuple(
        replace(each, millis=None if each.millis is None else each.millis + HOUR) for each in plan.positions
    )
    return replace(plan, positions=positions)


def _an_hour_later(name: str) -> Callable[[CutoverPlan], CutoverPlan]:
    case = case_of(change(name))

    def spoilt(plan: CutoverPlan) -> CutoverPlan:
        assert plan.boundary is not None
        return case.plan_at(plan.boundary + HOUR)

    return spoilt


def test_only_late_rows_of_over_are_missing(jobs: Jobs) -> None:
    case = case_of(change("frame of OVER"))
    assert not case.plan.is_exact
    in_disorder = proved(jobs, "frame of OVER")
    assert not any(trial.unexpected for trial in in_disorder.trials)
    assert any(trial.missing for trial in in_disorder.trials)
    # Two sources give their rows in order: no row is late.
    sources = (*case.plan.sources, TimedSource("refunds", "ts", 0))
    in_order = proof_of(replace(case, plan=replace(case.plan, sources=sources)), (), VERSION or "", jobs)
    assert in_order.holds


@pytest.mark.parametrize(
    ("spoilt", "found"),
    [
        (_without_guard, "unexpected"),
        (_starting_late, "missing"),
        (_an_hour_later("TUMBLE to HOP"), "missing"),
    ],
    ids=["no guard", "a start that comes too late", "another boundary"],
)
def test_a_spoilt_plan_is_found(jobs: Jobs, spoilt: Callable[[CutoverPlan], CutoverPlan], found: str) -> None:
    proof = proved(jobs, "TUMBLE to HOP", spoilt)
    assert not proof.holds
    assert any(getattr(trial, found) for trial in proof.trials)


@pytest.mark.parametrize(
    "name",
    ["several metrics of a group", "outer join", "windows, totals and a filter in one job"],
)
def test_a_state_that_spark_computed_goes_on_as_flink_would(jobs: Jobs, spark: Computer, name: str) -> None:
    proof = proved(jobs, name, spark=spark)
    assert proof.holds, [(trial.missing[:3], trial.unexpected[:3]) for trial in proof.trials]
    # Each row counts once: with a stream that begins an hour later some rows are in neither part.
    assert not proved(jobs, name, _starting_late, most=1, spark=spark).holds


def test_the_last_row_of_a_key_goes_on_from_a_computed_state(jobs: Jobs, spark: Computer) -> None:
    # Rows that a later start leaves out are replaced by others before the end.
    assert proved(jobs, "last row of a key", spark=spark).holds
