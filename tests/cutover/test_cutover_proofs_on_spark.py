"""Proofs of cutovers by Spark, where no Flink runs: exact plans give equal rows, spoilt ones do not."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

import class_archive
from cutover_changes import CHANGES, TABLES, CutoverChange, grouped, total, tumble
from keepstate.cutover.cutover_plan import BOOTSTRAP, NEW, Approach, CutoverPlan
from keepstate.cutover.times import sql_time
from keepstate_lsp.cli.commands.cutover.named_plan import Proof
from keepstate_lsp.cli.commands.cutover.spark_proving import spark_proof
from keepstate_spark.cutovers.results import Computer, computer
from prove_cutovers import case_of

WHY = "Flink is not installed."
MINUTE = timedelta(minutes=1) // timedelta(milliseconds=1)
HOUR = 60 * MINUTE
BOUNDARY, STATE, MIXED, BESIDE_A_RESTART = (
    "TUMBLE to HOP",
    "several metrics of a group",
    "windows, totals and a filter in one job",
    "windows beside a total that keeps its state",
)
Spoil = Callable[[CutoverPlan], CutoverPlan]


@pytest.fixture(scope="module")
def spark() -> Iterator[Computer]:
    with class_archive.in_use(), computer() as found:
        yield found


def _kept(metric: str) -> str:
    """Two jobs of one script: windows, and a total that no edit changes."""
    return f"{TABLES}INSERT INTO results {grouped(tumble(10), metric)};\nINSERT INTO totals {total('SUM(amount)')};\n"


def change(name: str) -> CutoverChange:
    beside = CutoverChange(BESIDE_A_RESTART, _kept("SUM(amount)"), _kept("MAX(amount)"), Approach.BOUNDARY)
    return next(each for each in (*CHANGES, beside) if each.name == name)


def proved(spark: Computer, name: str, spoilt: Spoil = lambda plan: plan, most: int = 1) -> Proof:
    case = case_of(change(name))
    return spark_proof(replace(case, plan_at=lambda at: spoilt(case.plan_at(at))), (), spark, WHY, most)


@pytest.mark.parametrize("name", [BOUNDARY, "windows of a window join", STATE, "outer join", MIXED, BESIDE_A_RESTART])
def test_an_exact_plan_gives_the_rows_of_the_new_version(spark: Computer, name: str) -> None:
    proof = proved(spark, name)
    assert proof.holds, (proof.reason, [(trial.missing[:3], trial.unexpected[:3]) for trial in proof.trials])
    assert (proof.runner.name, proof.runner.instead) == ("Spark", WHY)
    assert all(trial.former for trial in proof.trials)


def _with(plan: CutoverPlan, name: str, was: str, now: str) -> CutoverPlan:
    """The plan with another text in one of its scripts."""
    assert was in plan.script(name)
    scripts = tuple(
        replace(each, text=each.text.replace(was, now)) if each.name == name else each for each in plan.scripts
    )
    return replace(plan, scripts=scripts)


def _without_guard(plan: CutoverPlan) -> CutoverPlan:
    condition = next(each.condition for each in plan.pipelines if each.condition)
    return _with(plan, NEW, condition, "TRUE")


def _starting_late(plan: CutoverPlan) -> CutoverPlan:
    later = (replace(each, millis=None if each.millis is None else each.millis + HOUR) for each in plan.positions)
    return replace(plan, positions=tuple(later))


def _at_another_boundary(plan: CutoverPlan) -> CutoverPlan:
    assert plan.boundary is not None
    time = sql_time(plan.boundary)
    return _with(plan, NEW, f"TIMESTAMP '{time}'", f"TIMESTAMP '{sql_time(plan.boundary + HOUR)}'")


def _without_late_rows(plan: CutoverPlan) -> CutoverPlan:
    """A state of the rows that came before the boundary, and not of those that came late."""
    assert plan.boundary is not None
    time = sql_time(plan.boundary)
    return _with(plan, BOOTSTRAP, f"< TIMESTAMP '{time}'", f"< TIMESTAMP '{sql_time(plan.boundary - 5 * MINUTE)}'")


@pytest.mark.parametrize(
    ("name", "spoilt", "found"),
    [
        (BOUNDARY, _without_guard, "unexpected"),
        (BOUNDARY, _starting_late, "missing"),
        (BOUNDARY, _at_another_boundary, "missing"),
        (STATE, _at_another_boundary, "missing"),
        (STATE, _without_late_rows, "missing"),
    ],
    ids=[
        "no guard",
        "a start that comes too late",
        "another boundary",
        "another boundary of a state",
        "late rows that are forgotten",
    ],
)
def test_a_spoilt_plan_is_found(spark: Computer, name: str, spoilt: Spoil, found: str) -> None:
    proof = proved(spark, name, spoilt)
    assert proof.trials and not proof.holds
    assert any(getattr(trial, found) for trial in proof.trials)


def test_a_query_that_spark_does_not_run_is_not_proved(spark: Computer) -> None:
    was, now = (
        f"CREATE FUNCTION cleaned AS 'org.example.Cleaned';\n{TABLES}INSERT INTO results "
        f"{grouped(tumble(minutes), key='cleaned(shop)')};\n"
        for minutes in (10, 30)
    )
    case = case_of(CutoverChange("a function", was, now, Approach.BOUNDARY))
    proof = spark_proof(case, (), spark, WHY, most=1)
    assert not proof.trials and not proof.holds
    assert proof.reason.startswith("Spark does not compute it: ") and "cleaned" in proof.reason.lower()
    assert [(each.rows, each.reason) for each in proof.not_run] == [("generated rows 1", proof.reason)]


def test_only_late_rows_of_over_are_missing(spark: Computer) -> None:
    """The former job has stopped when they come, and the new one leaves out what lies before the boundary."""
    proof = proved(spark, "frame of OVER", most=3)
    assert not any(trial.unexpected for trial in proof.trials)
    assert any(trial.missing for trial in proof.trials)


def test_the_command_says_that_spark_proved_it(tmp_path: Path) -> None:
    (tmp_path / "was.sql").write_text(f"{TABLES}INSERT INTO results {grouped(tumble(10))};\n")
    (tmp_path / "now.sql").write_text(f"{TABLES}INSERT INTO results {grouped(tumble(30))};\n")
    rows = (
        {"id": n, "shop": "abc"[n % 3], "amount": n, "qty": 1, "ts": f"2026-03-02 {6 + n // 30:02}:{n % 30 * 2:02}:00"}
        for n in range(120)
    )
    (tmp_path / "orders.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    done = subprocess.run(
        [
            *(sys.executable, "-m", "keepstate_lsp.cli.main", "cutover", "now.sql", "--against", "file:was.sql"),
            *("--data", "orders=orders.jsonl", "--prove", "--output", "plan"),
        ],
        cwd=tmp_path,
        # Neither a Flink that is here already, nor one to download.
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "PIP_NO_INDEX": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(
        r"^Proved by Spark [\d.]+, not by Flink \(2 trials\)\. Flink 2\.3 could not", done.stdout, re.MULTILINE
    )
    proof = json.loads((tmp_path / "plan" / "plan.json").read_text())["proof"]
    assert (proof["holds"], proof["by"], proof["flink"]) == (True, "spark", None)
    assert proof["why_not_flink"].startswith("Flink 2.3 could not be downloaded")
    page = (tmp_path / "plan" / "PLAN.md").read_text()
    assert "**By Spark, not by Flink.**" in page and "| given rows | 2026-03-02" in page
