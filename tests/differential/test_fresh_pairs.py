"""Fresh pairs held against a planner: the same ones for a seed, kept where it contradicts, and an end that says so."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import fresh_pairs
from keepstate.report import Effect
from keepstate_flink.plans.plan_comparison import Decision, PlanComparison
from keepstate_flink.plans.planner import PlanAnswer
from keepstate_flink.running_jobs import ScriptedJob
from keepstate_lsp.cli.commands.planned import planner_answers


class Planned:
    """Stands in for a planner: one decision for every pair."""

    flink = "2.3.0"

    def __init__(self, decision: Decision) -> None:
        self.pairs: list[tuple[str, str]] = []
        self._decision = decision

    @contextlib.contextmanager
    def planning(self, version: str) -> Iterator[Planned]:
        yield self

    def answers(self, baseline: ScriptedJob, current: ScriptedJob) -> Sequence[PlanAnswer]:
        self.pairs.append((baseline.text, current.text))
        return [PlanAnswer("SELECT #1", PlanComparison(self._decision))]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(fresh_pairs, "KEPT", tmp_path)
    monkeypatch.setattr(planner_answers, "require_flink", lambda: None)
    monkeypatch.setattr(planner_answers, "install", lambda wanted, announce: wanted)
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, decision: Decision) -> tuple[int, Planned]:
    found = Planned(decision)
    monkeypatch.setattr(planner_answers, "planning", found.planning)
    return fresh_pairs.main(["--pairs", "12", "--seed", "test"]), found


def test_a_job_that_does_not_start_fails_the_night(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, planned = run(monkeypatch, Decision.DOES_NOT_START)
    lines = [json.loads(line) for line in (folder / "seed-test.jsonl").read_text("utf-8").splitlines()]
    assert status == 1
    assert lines
    assert all("does-not-start" not in line["predicted"] for line in lines)
    assert {(line["baseline"], line["current"]) for line in lines} <= set(planned.pairs)
    shown = capsys.readouterr().out
    assert "silent: " in shown
    assert f"({len(lines)} otherwise" in shown
    assert run(monkeypatch, Decision.DOES_NOT_START)[1].pairs == planned.pairs


def test_alarms_are_kept_and_fail_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _ = run(monkeypatch, Decision.EQUAL)
    lines = [json.loads(line) for line in (folder / "seed-test.jsonl").read_text("utf-8").splitlines()]
    assert status == 0
    assert lines
    assert not {Effect.EXACT.value} & {effect for line in lines for effect in line["predicted"]}
    assert "silent: " not in capsys.readouterr().out


def test_agreement_keeps_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, Decision.NOT_DECIDED)[0] == 0
    assert (folder / "seed-test.jsonl").read_text("utf-8") == ""
