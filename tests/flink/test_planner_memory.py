"""The memory of a planner: planned scripts up to its bound, the oldest forgotten first."""

from __future__ import annotations

import pytest

from keepstate_flink.plans.planner import MOST_KEPT, Planner
from keepstate_flink.running_jobs import ScriptedJob


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were planned, in order; there is no JVM, and a script has no job."""
    found: list[str] = []

    def plan(_: Planner, script: ScriptedJob) -> tuple[()]:
        found.append(script.text)
        return ()

    monkeypatch.setattr(Planner, "_plan", plan)
    return found


@pytest.mark.parametrize(("others", "times"), [(MOST_KEPT - 1, 1), (MOST_KEPT, 2)])
def test_a_script_is_planned_again_past_the_bound(plans: list[str], others: int, times: int) -> None:
    planner = Planner("2.3.0", None)
    for number in (0, *range(1, others + 1), 0):
        planner.planned(ScriptedJob(f"script {number}"))
    assert plans.count("script 0") == times
    assert len(plans) == others + times


def test_the_script_that_was_asked_for_last_stays(plans: list[str]) -> None:
    planner = Planner("2.3.0", None)
    for number in range(MOST_KEPT):
        planner.planned(ScriptedJob(f"script {number}"))
    for number in (0, MOST_KEPT, 0, 1):
        planner.planned(ScriptedJob(f"script {number}"))
    assert (plans.count("script 0"), plans.count("script 1")) == (1, 2)


def test_settings_and_jobs_are_other_scripts_and_numbers_are_not(plans: list[str]) -> None:
    planner = Planner("2.3.0", None)
    for script in (
        ScriptedJob("a"),
        ScriptedJob("a", number=3),
        ScriptedJob("a", one_job=False),
        ScriptedJob("a", (("table.exec.state.ttl", "1 d"),)),
    ):
        planner.planned(script)
    assert plans == ["a"] * 3
