"""``--planner flink``: what is planned, what the plans settle, and what each format shows of a disagreement."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from keepstate.report import Clause, Effect, Finding, PipelineVerdict, Report, Verdict
from keepstate.text import Span
from keepstate_flink.errors import FlinkError, FlinkMissing
from keepstate_flink.plans.plan_comparison import Decision, OperatorMapping, PlanComparison, StateMapping
from keepstate_flink.plans.planner import PlanAnswer
from keepstate_flink.running_jobs import ScriptedJob
from keepstate_lsp.cli.arguments import REPORT_FORMATS
from keepstate_lsp.cli.commands.planned import planner_answers
from keepstate_lsp.cli.commands.planned.plan_agreement import agrees
from keepstate_lsp.cli.main import main
from keepstate_lsp.cli.result.real_flink.planned import PlannedAnswer, settled
from repositories import GitRepository

TABLE = "CREATE TABLE t (k INT, a INT) WITH ('connector' = 'kafka');\n"
SUM = f"{TABLE}SELECT k, SUM(a) FROM t GROUP BY k;\n"
FORMER = SUM.replace("FROM t", "FROM t WHERE a > 1")
FILTERED = FORMER.replace("> 1", "> 5")
OTHER_TYPES = PlanComparison(
    Decision.DOES_NOT_START,
    (
        OperatorMapping(
            "GroupAggregate[4]", ("accState",), StateMapping.OTHER_TYPES, error=("StateMigrationException: no",)
        ),
    ),
)
EQUAL, STARTS = PlanComparison(Decision.EQUAL), PlanComparison(Decision.STARTS)


class Planned:
    """Stands in for a planner: one answer for every pair."""

    flink = "2.3.0"

    def __init__(self, comparison: PlanComparison) -> None:
        self.versions: list[str] = []
        self.pairs: list[tuple[str, str]] = []
        self._comparison = comparison

    @contextlib.contextmanager
    def planning(self, version: str) -> Iterator[Planned]:
        self.versions.append(version)
        yield self

    def answers(self, baseline: ScriptedJob, current: ScriptedJob) -> Sequence[PlanAnswer]:
        self.pairs.append((baseline.text, current.text))
        return [PlanAnswer("SELECT #1", self._comparison)]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    repository = GitRepository(tmp_path)
    configuration = "engine = 'flink'\n"
    repository.commit({"keepstate.toml": configuration, "same.sql": SUM, "spelled.sql": SUM, "changed.sql": FORMER})
    repository.write("spelled.sql", SUM.replace("SUM", "sum"))
    repository.write("changed.sql", FILTERED)
    repository.write("new.sql", SUM)
    monkeypatch.chdir(tmp_path)
    return repository


def planned(monkeypatch: pytest.MonkeyPatch, comparison: PlanComparison) -> Planned:
    found = Planned(comparison)
    monkeypatch.setattr(planner_answers, "require_flink", lambda: None)
    monkeypatch.setattr(planner_answers, "install", lambda wanted, announce: wanted)
    monkeypatch.setattr(planner_answers, "planning", found.planning)
    return found


def document(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return {file["path"]: file for file in found["files"]}


def test_every_file_that_differs_is_planned(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = planned(monkeypatch, STARTS)
    main(["check", ".", "--planner", "flink", "--format", "json"])
    assert sorted(found.pairs) == sorted([(FORMER, FILTERED), (SUM, SUM.replace("SUM", "sum"))])
    assert found.versions == ["2.3"]
    files = document(capsys)
    assert "planned" not in files["same.sql"]
    assert files["changed.sql"]["planned"] == [
        {
            "name": "SELECT #1",
            "flink": "2.3.0",
            "decision": "starts",
            "predicted": "wrong-results",
            "agrees": True,
            "note": None,
            "findings": [0],
            "operators": [],
            "fresh": [],
            "stand_ins": [],
        }
    ]


@pytest.mark.parametrize("comparison", [EQUAL, STARTS, OTHER_TYPES])
def test_no_answer_changes_what_the_model_knows_of_values(
    repository: GitRepository,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    comparison: PlanComparison,
) -> None:
    planned(monkeypatch, comparison)
    assert main(["check", "changed.sql", "--planner", "flink", "--format", "json"]) == 1
    [file] = document(capsys).values()
    assert (file["verdict"], file["effect"]) == ("incompatible", "wrong-results")


@pytest.mark.parametrize(
    ("name", "comparison", "words"),
    [
        ("changed.sql", EQUAL, "the same state in both versions. The built-in model (wrong results) disagrees"),
        ("spelled.sql", OTHER_TYPES, "does not start. The built-in model (exact) disagrees: please report it."),
    ],
)
@pytest.mark.parametrize("form", [name for name in REPORT_FORMATS if name != "json"])
def test_a_disagreement_is_loud_in_both_directions(
    repository: GitRepository,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    comparison: PlanComparison,
    words: str,
    form: str,
) -> None:
    planned(monkeypatch, comparison)
    main(["check", name, "--planner", "flink", "--format", form])
    shown = " ".join(capsys.readouterr().out.replace("\\", "").split())
    assert "Planned by Flink 2.3.0: SELECT" in shown
    assert words in shown
    if form == "text" and name == "changed.sql":
        assert "plan: Flink 2.3.0 disagrees: has the same plan and the same state" in shown


def test_without_flink_all_else_is_as_ever(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing() -> None:
        raise FlinkMissing("Flink is not here.", "Install it.")

    monkeypatch.setattr(planner_answers, "require_flink", missing)
    assert main(["check", "changed.sql", "--format", "json"]) == 1
    without = document(capsys)["changed.sql"]
    assert main(["check", "changed.sql", "--planner", "flink", "--format", "json"]) == 1
    [found] = document(capsys).values()
    [answer] = found.pop("planned")
    assert found == without
    assert (answer["decision"], answer["agrees"], answer["flink"]) == ("not-decided", None, None)
    assert answer["note"] == "Flink is not here. Install it."


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (["--engine", "vvr"], "The job runs on vvr, which plans and restores otherwise than open-source Flink."),
        (
            ["--engine-version", "2.3", "--baseline-engine-version", "1.20"],
            "The version of Flink changes, and one planner cannot stand for both.",
        ),
    ],
)
def test_what_no_planner_can_speak_of(
    repository: GitRepository,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    settings: list[str],
    reason: str,
) -> None:
    found = planned(monkeypatch, EQUAL)
    main(["check", "changed.sql", "--planner", "flink", "--format", "json", *settings])
    assert [answer["note"] for answer in document(capsys)["changed.sql"]["planned"]] == [reason]
    assert found.versions == []


def test_a_query_that_leaves_a_statement_set_counts_for_its_job(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = planned(monkeypatch, OTHER_TYPES)
    sinks = "".join(f"CREATE TABLE s{n} (k INT, v INT) WITH ('connector' = 'print');\n" for n in (1, 2))
    first, second = (f"INSERT INTO s{n} SELECT k, SUM(a) FROM t GROUP BY k;\n" for n in (1, 2))
    for name, queries in (("both.sql", first + second), ("one.sql", second)):
        repository.write(name, f"{TABLE}{sinks}EXECUTE STATEMENT SET BEGIN\n{queries}END;\n")
    main(["diff", "both.sql", "one.sql", "--planner", "flink", "--format", "json"])
    [answer] = document(capsys)["one.sql"]["planned"]
    assert len(found.pairs) == 1
    assert (answer["predicted"], answer["agrees"]) == ("does-not-start", True)


def test_diff_asks_as_well(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    planned(monkeypatch, STARTS)
    repository.write("former.sql", FORMER)
    main(["diff", "former.sql", "changed.sql", "--planner", "flink"])
    assert "Planned by Flink 2.3.0: SELECT #1 starts; its plans say nothing of values." in " ".join(
        capsys.readouterr().out.split()
    )


def test_the_doctor_lists_disagreements(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    planned(monkeypatch, OTHER_TYPES)
    assert main(["doctor", "--planner"]) == 2
    shown = [line for line in capsys.readouterr().out.splitlines() if "planner:" in line]
    assert [line.split()[:3] for line in shown] == [
        ["fail", "planner:", "changed.sql:"],
        ["fail", "planner:", "spelled.sql:"],
        ["ok", "planner:", "agrees"],
    ]
    assert "GroupAggregate[4] stores accState in other types." in shown[0]
    assert shown[2].endswith("on 0 of 2 jobs")


def test_the_doctor_is_content_where_both_agree(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    planned(monkeypatch, STARTS)
    assert main(["doctor", "--planner", "changed.sql"]) == 0
    assert "agrees with the built-in model on 1 of 1 jobs" in capsys.readouterr().out


def finding(effect: Effect, verdict: Verdict, pipeline: str | None = "SELECT #1") -> Finding:
    clause = Clause(Span(0, 1), "x")
    words = ("change", "it is not known", "recovery", "advice")
    return Finding("rule", (), "group", verdict, effect, *words, clause, None, False, pipeline)


def report(*findings: Finding) -> Report:
    effect = max((each.effect for each in findings), key=lambda each: each.precedence)
    verdict = Verdict.worst(each.verdict for each in findings)
    pipeline = PipelineVerdict("SELECT #1", Span(0, 1), verdict, effect, tuple(range(len(findings))))
    return Report("flink", verdict, effect, (pipeline,), findings)


def answer(decision: str, *indices: int) -> PlannedAnswer:
    return PlannedAnswer("SELECT #1", "2.3.0", decision, "", "undetermined", "", None, "Why.", findings=indices)


UNKNOWN = finding(Effect.UNDETERMINED, Verdict.UNKNOWN)
WRONG = finding(Effect.WRONG_RESULTS, Verdict.INCOMPATIBLE)


@pytest.mark.parametrize(
    ("findings", "answers_found", "verdict", "effect"),
    [
        ((UNKNOWN,), [answer("equal", 0)], Verdict.COMPATIBLE, Effect.EXACT),
        ((UNKNOWN,), [answer("does-not-start", 0)], Verdict.INCOMPATIBLE, Effect.DOES_NOT_START),
        # A plan that starts leaves the values open.
        ((UNKNOWN,), [answer("starts", 0)], Verdict.UNKNOWN, Effect.UNDETERMINED),
        ((UNKNOWN,), [answer("not-decided", 0)], Verdict.UNKNOWN, Effect.UNDETERMINED),
        ((UNKNOWN,), [answer("equal")], Verdict.UNKNOWN, Effect.UNDETERMINED),
        # One finding on two jobs is settled by what holds for both.
        ((UNKNOWN,), [answer("equal", 0), answer("starts", 0)], Verdict.UNKNOWN, Effect.UNDETERMINED),
        ((UNKNOWN,), [answer("equal", 0), answer("does-not-start", 0)], Verdict.INCOMPATIBLE, Effect.DOES_NOT_START),
        ((WRONG,), [answer("equal", 0)], Verdict.INCOMPATIBLE, Effect.WRONG_RESULTS),
        ((UNKNOWN, WRONG), [answer("equal", 0, 1)], Verdict.INCOMPATIBLE, Effect.WRONG_RESULTS),
    ],
)
def test_only_what_is_unknown_is_settled(
    findings: tuple[Finding, ...], answers_found: list[PlannedAnswer], verdict: Verdict, effect: Effect
) -> None:
    found = settled(report(*findings), answers_found)
    assert (found.verdict, found.effect) == (verdict, effect)
    assert (found.pipelines[0].verdict, found.pipelines[0].effect) == (verdict, effect)


@pytest.mark.parametrize("decision", ["equal", "does-not-start"])
def test_a_settled_finding_names_its_source(decision: str) -> None:
    [found] = settled(report(UNKNOWN), [answer(decision, 0)]).findings
    assert "planned by Flink 2.3.0" in found.message


@pytest.mark.parametrize(
    ("decision", "unread", "predicted", "expected"),
    [
        (Decision.EQUAL, (), Effect.EXACT, True),
        (Decision.EQUAL, (), Effect.STATE_LOST, False),
        (Decision.STARTS, (), Effect.EXACT, True),
        (Decision.STARTS, (), Effect.DOES_NOT_START, False),
        (Decision.STARTS, ("accState",), Effect.EXACT, False),
        (Decision.STARTS, ("timers", "watermark"), Effect.EXACT, True),
        (Decision.STARTS, ("RowTimeBoundedRowsOverCleanupTime",), Effect.EXACT, True),
        (Decision.STARTS, ("RowTimeBoundedRowsOverCleanupTime", "inputState"), Effect.EXACT, False),
        (Decision.STARTS, ("accState",), Effect.STATE_LOST, True),
        (Decision.DOES_NOT_START, (), Effect.EXACT, False),
        (Decision.DOES_NOT_START, (), Effect.WRONG_RESULTS, False),
        (Decision.DOES_NOT_START, (), Effect.UNDETERMINED, None),
        (Decision.NOT_DECIDED, (), Effect.EXACT, None),
    ],
)
def test_what_agrees(decision: Decision, unread: tuple[str, ...], predicted: Effect, expected: bool | None) -> None:
    operators = (OperatorMapping("Rank[4]", ("accState",), StateMapping.FOUND, unread),)
    assert agrees(PlanComparison(decision, operators), predicted) is expected


def pairs(folder: Path, *lines: dict[str, str]) -> list[str]:
    (folder / "pairs.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    return ["diff", "--pairs", "pairs.jsonl", "--engine", "flink", "--planner", "flink"]


PAIR = {"baseline": FORMER, "current": FILTERED}


def test_pairs_are_planned_by_one_planner_a_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    found = planned(monkeypatch, STARTS)
    other = {"current_engine_version": "1.20", "baseline_engine_version": "1.20"}
    spelled = {"baseline": SUM, "current": SUM.replace("SUM", "sum")}
    lines = ({"id": "a", **PAIR}, {"id": "b", **spelled}, {"id": "c", **PAIR, **other}, {"id": "same", **SAME})
    assert main([*pairs(tmp_path, *lines)]) == 1
    captured = capsys.readouterr()
    files = {line["id"]: line["files"][0] for line in map(json.loads, captured.out.splitlines())}
    shown = {name: [each["agrees"] for each in file.get("planned", [])] for name, file in files.items()}
    # Two equal texts take no planner.
    assert shown == {"a": [True], "b": [True], "c": [True], "same": []}
    assert found.versions == ["2.3", "1.20"]
    assert "Flink's planner agrees with the built-in model on 3 of 3 pairs (0 otherwise)." in captured.err


SAME = {"baseline": SUM, "current": SUM}


@pytest.mark.parametrize(
    ("comparison", "told", "counted"),
    [
        (
            EQUAL,
            "pairs.jsonl:1 (id 'a'): Planned by Flink 2.3.0: SELECT #1 has the same plan and the same state in both "
            "versions. The built-in model (wrong results) disagrees: please report it.",
            "on 0 of 1 pairs (1 otherwise).",
        ),
        (
            PlanComparison(Decision.NOT_DECIDED, note="Flink does not take the baseline: no such table."),
            "pairs.jsonl:1 (id 'a'): Planned by Flink 2.3.0: SELECT #1 is not decided by its plans. Flink does not "
            "take the baseline: no such table.",
            "on 0 of 0 pairs (0 otherwise; 1 not decided).",
        ),
    ],
)
def test_a_pair_without_agreement_is_named(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    comparison: PlanComparison,
    told: str,
    counted: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    planned(monkeypatch, comparison)
    main(pairs(tmp_path, {"id": "a", **PAIR}, {"id": "same", **SAME}))
    errors = capsys.readouterr().err
    assert told in errors
    assert counted in errors


@pytest.mark.parametrize("fault", [FlinkError("The JVM of Flink ended."), ConnectionError()])
def test_a_planner_that_ends_costs_the_answers_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], fault: Exception
) -> None:
    def ended(*_: ScriptedJob) -> Sequence[PlanAnswer]:
        raise fault

    monkeypatch.chdir(tmp_path)
    found = planned(monkeypatch, STARTS)
    monkeypatch.setattr(found, "answers", ended)
    assert main(pairs(tmp_path, {"id": "a", **PAIR}, {"id": "b", **PAIR})) == 1
    captured = capsys.readouterr()
    notes = [json.loads(line)["files"][0]["planned"][0]["note"] for line in captured.out.splitlines()]
    assert notes == ["The JVM of Flink ended."] * 2
    assert found.versions == ["2.3"]


def test_a_disagreement_has_its_kind_in_ci(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    planned(monkeypatch, EQUAL)

    def shown(form: str) -> str:
        main(["check", "changed.sql", "--planner", "flink", "--format", form])
        return capsys.readouterr().out

    [run] = json.loads(shown("sarif"))["runs"]
    [notification] = run["invocations"][0]["toolExecutionNotifications"]
    ids = [rule["id"] for rule in run["tool"]["driver"]["notifications"]]
    assert ids[notification["descriptor"]["index"]] == notification["descriptor"]["id"] == "disagreement"
    assert (notification["level"], run["invocations"][0]["executionSuccessful"]) == ("warning", True)
    issues = {issue["check_name"]: issue for issue in json.loads(shown("gitlab"))}
    assert issues["disagreement"]["severity"] == "major"
    assert "::warning file=changed.sql,title=Keepstate%3A disagreement::" in shown("github").replace(",line=1", "")
    assert 'failures="1" errors="0"' in shown("junit").splitlines()[1]
    planned(monkeypatch, STARTS)
    assert "disagree" not in "".join(map(shown, ("gitlab", "github", "junit")))
