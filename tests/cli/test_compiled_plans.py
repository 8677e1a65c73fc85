"""``plan:FILE`` as a baseline: a finding that leaves all open, for Flink's planner to settle."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from keepstate_flink.plans.plan_comparison import Decision, OperatorMapping, PlanComparison, StateMapping
from keepstate_flink.plans.planner import PlanAnswer
from keepstate_flink.running_jobs import ScriptedJob
from keepstate_lsp.cli.commands.planned import planner_answers
from keepstate_lsp.cli.main import main
from repositories import GitRepository

SQL = """CREATE TABLE t (k STRING, a INT) WITH ('connector' = 'kafka');
CREATE TABLE s (k STRING, n INT) WITH ('connector' = 'print');
INSERT INTO s SELECT k, SUM(a) FROM t GROUP BY k;
"""
NODES = [
    {"id": 1, "type": "stream-exec-group-aggregate_1", "state": [{"index": 0, "ttl": "0 ms", "name": "groups"}]},
    {"id": 2, "type": "stream-exec-sink_2", "dynamicTableSink": {"table": {"identifier": "`c`.`d`.`s`"}}},
]
PLAN = json.dumps({"flinkVersion": "2.3", "nodes": NODES, "edges": [{"source": 1, "target": 2}]})
EQUAL = PlanComparison(Decision.EQUAL)
REFUSED = PlanComparison(
    Decision.DOES_NOT_START,
    (OperatorMapping("GroupAggregate[1]", ("accState",), StateMapping.OTHER_TYPES, error=("no",)),),
)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    repository = GitRepository(tmp_path)
    plans = {"plan.json": PLAN, "old.json": PLAN.replace("2.3", "1.20"), "cut.json": PLAN[:90]}
    repository.commit({"keepstate.toml": "engine = 'flink'\n", "job.sql": SQL, **plans})
    monkeypatch.chdir(tmp_path)
    return repository


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ScriptedJob, ScriptedJob]]:
    """The pairs that were planned, each with the version; the planner refuses SUM and takes all else."""
    found: list[tuple[str, ScriptedJob, ScriptedJob]] = []

    class Planned:
        def __init__(self, version: str) -> None:
            self.flink = version

        def answers(self, baseline: ScriptedJob, current: ScriptedJob) -> Sequence[PlanAnswer]:
            found.append((self.flink, baseline, current))
            return [PlanAnswer("INSERT INTO s", REFUSED if "SUM" in current.text else EQUAL)]

    @contextlib.contextmanager
    def planning(version: str) -> Iterator[Planned]:
        yield Planned(version)

    monkeypatch.setattr(planner_answers, "require_flink", lambda: None)
    monkeypatch.setattr(planner_answers, "install", lambda wanted, announce: wanted)
    monkeypatch.setattr(planner_answers, "planning", planning)
    return found


def checked(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, dict[str, Any]]:
    status = main(["check", "job.sql", "--format", "json", *options])
    [file] = json.loads(capsys.readouterr().out)["files"]
    return status, file


def test_without_flink_it_is_unknown(repository: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    status, file = checked(capsys, "--against", "plan:plan.json")
    assert (status, file["verdict"], file["effect"]) == (1, "unknown", "undetermined")
    [finding] = file["findings"]
    assert "plan.json (Flink 2.3, 1 node with state: 1_stream-exec-group-aggregate_1)" in finding["message"]
    assert finding["text"].startswith("INSERT INTO s")
    main(["check", "job.sql", "--against", "plan:plan.json"])
    assert "keepstate verify job.sql --against plan:plan.json" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("text", "status", "verdict", "words"),
    [
        (SQL, 1, "incompatible", "GroupAggregate[1] stores accState in other types."),
        (SQL.replace("SUM", "MAX"), 0, "compatible", "both versions have the same plan"),
    ],
)
def test_the_planner_settles_it(
    repository: GitRepository,
    asked: list[tuple[str, ScriptedJob, ScriptedJob]],
    capsys: pytest.CaptureFixture[str],
    text: str,
    status: int,
    verdict: str,
    words: str,
) -> None:
    repository.write("job.sql", text)
    found, file = checked(capsys, "--against", "plan:plan.json", "--planner", "flink")
    assert (found, file["verdict"]) == (status, verdict)
    assert words in file["findings"][0]["message"]
    [(version, baseline, current)] = asked
    assert version == "2.3"
    assert (baseline.text, baseline.plan, baseline.is_compiled) == ("", PLAN, False)
    assert (current.text, current.plan, current.is_compiled) == (text, "", True)


@pytest.mark.parametrize(
    ("plan", "options", "version"),
    [
        ("old.json", [], "1.20"),
        ("old.json", ["--engine-version", "1.20.5"], "1.20"),
        ("old.json", ["--engine-version", "2.3"], None),
        ("plan.json", ["--engine", "vvr"], None),
    ],
)
def test_the_planner_is_that_of_the_plan(
    repository: GitRepository,
    asked: list[tuple[str, ScriptedJob, ScriptedJob]],
    capsys: pytest.CaptureFixture[str],
    plan: str,
    options: list[str],
    version: str | None,
) -> None:
    _, file = checked(capsys, "--against", f"plan:{plan}", "--planner", "flink", *options)
    assert [each[0][: len(version or "")] for each in asked] == ([] if version is None else [version])
    if version is None:
        assert file["verdict"] == "unknown"
        assert any(words in file["planned"][0]["note"] for words in ("Flink 1.20 compiled the plan", "runs on vvr"))


def test_it_can_be_accepted_for_these_texts(repository: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["accept", "job.sql", "--against", "plan:plan.json", "--because", "no state yet"]) == 0
    capsys.readouterr()
    assert checked(capsys, "--against", "plan:plan.json")[0] == 0
    assert checked(capsys, "--against", "plan:old.json")[0] == 1
    repository.write("job.sql", SQL.replace("SUM", "MAX"))
    assert checked(capsys, "--against", "plan:plan.json")[0] == 1


@pytest.mark.parametrize(
    ("against", "words"),
    [
        ("plan:cut.json", "cut.json is not JSON, so it is no compiled plan or was cut off"),
        ("plan:job.sql", "is not JSON"),
        ("plan:none.json", "none.json does not exist."),
        ("plan:keepstate.toml", "is not JSON"),
    ],
)
@pytest.mark.parametrize("command", ["check", "verify"])
def test_a_bad_file_is_named(
    repository: GitRepository, capsys: pytest.CaptureFixture[str], command: str, against: str, words: str
) -> None:
    assert main([command, "job.sql", "--against", against]) == 2
    assert words in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["check", ".", "--against", "plan:plan.json"], "name the one file to compare with it"),
        (["check", "job.sql", "--against", "plan:"], "lacks what should stand behind the colon"),
        (["check", "job.sql", "--new-since", "plan:plan.json"], "--new-since takes what a change began with"),
        (["replay", "job.sql", "--against", "plan:plan.json"], "plan.json is a compiled plan and has no SQL"),
        (["plan", "job.sql", "--against", "plan:plan.json"], "plan.json is a compiled plan and has no SQL"),
        (["verify", "job.sql", "--against", "plan:old.json", "--flink", "2.3"], "Flink 1.20 compiled the plan"),
        (["verify", "job.sql", "--against", "plan:plan.json", "--export", "x"], "A compiled plan is not exported"),
    ],
)
def test_what_does_not_go_with_a_plan(
    repository: GitRepository, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    repository.write("other.sql", SQL)
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert words in " ".join((captured.err + captured.out).split())


def test_a_text_that_flink_refuses_is_not_compared(
    repository: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.write("job.sql", SQL.replace("SUM(a)", "SUM(nothing)"))
    status, file = checked(capsys, "--against", "plan:plan.json")
    assert (status, file["status"], file["findings"]) == (2, "not-valid", [])


def test_the_configuration_may_name_it(repository: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    repository.write("keepstate.toml", "engine = 'flink'\n[[job]]\nfiles = ['job.sql']\nbaseline = 'plan:plan.json'\n")
    status, file = checked(capsys)
    assert (status, file["baseline"]["spec"], file["verdict"]) == (1, "plan:plan.json", "unknown")
