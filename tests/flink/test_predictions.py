"""Agreement of a measurement with its prediction, and the words for both."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from keepstate import JobVersion, job_unit
from keepstate.report import Effect
from keepstate_flink.plans.plan_comparison import Decision, PlanComparison
from keepstate_flink.rehearsals import Rehearsal, SavepointOperator
from keepstate_flink.restarts import Differences
from keepstate_flink.verification import Measurement, RestartOutcome
from keepstate_flink.witness import RestartWitness, TableRows
from keepstate_lsp.cli.commands.verify.export import export
from keepstate_lsp.cli.commands.verify.measuring import ScriptPair
from keepstate_lsp.cli.commands.verify.predictions import ENGINE, CheckedPrediction, disagreements, judged, prediction
from keepstate_lsp.cli.commands.verify.verify_document import Verification, verification_document, worst
from keepstate_lsp.cli.commands.verify.verify_text import verification_text
from keepstate_lsp.cli.errors import CommandError

AGREES, NOT, OPEN = True, False, None
MIGRATION = (
    "org.apache.flink.util.StateMigrationException: For heap backends, the new state serializer (A@1) must not be "
    "incompatible with the old state serializer (A@2)."
)


@pytest.mark.parametrize(
    ("outcome", "effect", "agrees"),
    [
        (RestartOutcome.STARTS, Effect.EXACT, AGREES),
        (RestartOutcome.STARTS, Effect.WRONG_RESULTS, AGREES),
        (RestartOutcome.STARTS, Effect.STATE_LOST, AGREES),
        (RestartOutcome.STARTS, Effect.DOES_NOT_START, NOT),
        (RestartOutcome.DOES_NOT_START, Effect.DOES_NOT_START, AGREES),
        (RestartOutcome.DOES_NOT_START, Effect.EXACT, NOT),
        (RestartOutcome.DOES_NOT_START, Effect.WRONG_RESULTS, NOT),
        (RestartOutcome.EXACT, Effect.EXACT, AGREES),
        (RestartOutcome.EXACT, Effect.STATE_DROPPED, AGREES),
        (RestartOutcome.EXACT, Effect.WRONG_RESULTS, OPEN),
        (RestartOutcome.EXACT, Effect.STATE_LOST, NOT),
        (RestartOutcome.EXACT, Effect.DOES_NOT_START, NOT),
        (RestartOutcome.STATE_LOST, Effect.STATE_LOST, AGREES),
        (RestartOutcome.STATE_LOST, Effect.EXACT, NOT),
        (RestartOutcome.STATE_LOST, Effect.WRONG_RESULTS, OPEN),
        (RestartOutcome.WRONG_RESULTS, Effect.WRONG_RESULTS, AGREES),
        (RestartOutcome.WRONG_RESULTS, Effect.STARTS_EMPTY, AGREES),
        (RestartOutcome.WRONG_RESULTS, Effect.EXACT, NOT),
        (RestartOutcome.WRONG_RESULTS, Effect.STATE_LOST, NOT),
        (RestartOutcome.NOT_MEASURED, Effect.EXACT, OPEN),
        *((outcome, Effect.UNDETERMINED, OPEN) for outcome in RestartOutcome),
    ],
)
def test_agreement(outcome: RestartOutcome, effect: Effect, agrees: bool | None) -> None:
    assert CheckedPrediction(Measurement("q", outcome), effect).agrees is agrees


@pytest.mark.parametrize("effect", Effect)
@pytest.mark.parametrize("outcome", RestartOutcome)
def test_every_outcome_and_effect_has_words(outcome: RestartOutcome, effect: Effect) -> None:
    found = Verification("f.sql", "HEAD", "2.3.0", [CheckedPrediction(Measurement("q", outcome), effect)])
    assert verification_text(found, 80, color=False)
    assert verification_document(found)["jobs"][0]["measured"] == outcome.value


def test_the_worst_of_several_jobs() -> None:
    def jobs(*outcomes: RestartOutcome) -> list[CheckedPrediction]:
        return [CheckedPrediction(Measurement("q", outcome), Effect.EXACT) for outcome in outcomes]

    assert worst(jobs(RestartOutcome.EXACT, RestartOutcome.STARTS)) is RestartOutcome.STARTS
    assert worst(jobs(RestartOutcome.STATE_LOST, RestartOutcome.DOES_NOT_START)) is RestartOutcome.DOES_NOT_START
    assert worst(jobs(RestartOutcome.DOES_NOT_START, RestartOutcome.NOT_MEASURED)) is RestartOutcome.NOT_MEASURED
    assert worst([]) is RestartOutcome.NOT_MEASURED


def test_the_text_says_cause_state_and_rows() -> None:
    path = "`default_catalog`.`default_database`"
    refused = Measurement(
        "INSERT INTO daily",
        RestartOutcome.DOES_NOT_START,
        error=("java.lang.RuntimeException: outer", MIGRATION + "\x1b[31m"),
        rehearsal=Rehearsal(
            False,
            (
                SavepointOperator(f"Source: {path}.`orders`", ("SourceReaderState",), True),
                SavepointOperator("GroupAggregate[4]", ("timers", "accState"), False),
            ),
            ("Rank[5]",),
        ),
    )
    wrong = Measurement(
        "SELECT #1",
        RestartOutcome.WRONG_RESULTS,
        witness=RestartWitness(
            (TableRows(f"{path}.`orders`", ('+I{"a": 1}',), ('+I{"a": 2}',)),),
            Differences((f"{path}.`daily` +I[3]",), (f"{path}.`daily` +I[2]",)),
        ),
    )
    jobs = [CheckedPrediction(refused, Effect.EXACT), CheckedPrediction(wrong, Effect.WRONG_RESULTS)]
    text = verification_text(Verification("f.sql", "HEAD (abc)", "2.3.0", jobs), 200, color=False)
    assert text.splitlines() == [
        "f.sql against HEAD (abc): restarted on Flink 2.3.0, from a savepoint before the first row",
        "",
        "INSERT INTO daily",
        "  measured   does not start",
        "  predicted  exact  DISAGREES with the measurement: please report what --export DIR writes",
        "  because    What the operator stores has another layout.",
        f"  exception  {MIGRATION}\N{REPLACEMENT CHARACTER}[31m",
        "  state  Source: orders     position: its operator is still there",
        "         GroupAggregate[4]  timers, accState: the new job has no such operator",
        "         Rank[5]            begins empty: the savepoint has nothing for it",
        "",
        "SELECT #1",
        "  measured   wrong results: it starts, and gives other numbers",
        "  predicted  wrong results",
        '  before the savepoint  orders +I{"a": 1}',
        '  after the savepoint   orders +I{"a": 2}',
        "  should come out       daily +I[3]",
        "  comes out             daily +I[2]",
    ]


def test_an_export_has_no_name_of_the_job(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = "CREATE TABLE salaries (ann INT, pay INT) WITH ('connector' = 'kafka');"
    was = f"{table}\nSELECT ann, SUM(pay) FROM salaries GROUP BY ann;"
    secret = {"table.exec.state.ttl": "1 d", "fs.oss.accessKeySecret": "of ann"}
    pair = ScriptPair(JobVersion(was.replace("SUM", "MAX"), secret), JobVersion(was))
    measurement = Measurement("INSERT INTO salaries", RestartOutcome.WRONG_RESULTS, note="of Ann", error=("salaries",))
    found = Verification("salaries.sql", "ann", "2.3.0", [CheckedPrediction(measurement, Effect.EXACT)], "given rows")
    export(tmp_path / "a" / "b", pair, found)
    texts = {path.name: path.read_text("utf-8") for path in (tmp_path / "a" / "b").iterdir()}
    assert sorted(texts) == ["baseline.sql", "current.sql", "measured.json"]
    assert not [name for name, text in texts.items() if re.search("salar|ann|pay", text.lower())]
    assert texts["current.sql"] == texts["baseline.sql"].replace("SUM", "MAX")
    measured = json.loads(texts["measured.json"])
    assert measured["jobs"] == [{"measured": "wrong-results", "predicted": "exact", "agrees": False}]
    assert measured["parameters"] == {"current": {"table.exec.state.ttl": "1 d"}, "baseline": {}}
    assert "look at it before you show it to others" in capsys.readouterr().err


def test_an_export_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    found = Verification("f.sql", "HEAD", "2.3.0", [])
    pair = ScriptPair(JobVersion("SELECT 1"), JobVersion("SELECT 1"))
    with pytest.raises(CommandError, match="cannot be written"):
        export(tmp_path / "file", pair, found)


def test_rows_that_do_not_show_what_is_predicted() -> None:
    jobs = [CheckedPrediction(Measurement("SELECT #1", RestartOutcome.EXACT), Effect.WRONG_RESULTS)]
    text = verification_text(Verification("f.sql", "HEAD (abc)", "2.3.0", jobs, "given rows"), 200, color=False)
    assert "  predicted  wrong results, which these rows do not show" in text.splitlines()


TABLE = "CREATE TABLE t (k INT, a INT) WITH ('connector' = 'kafka');\n"
SINKS = "".join(f"CREATE TABLE s{n} (k INT, v INT) WITH ('connector' = 'print');\n" for n in (1, 2))
FIRST, SECOND = (f"INSERT INTO s{n} SELECT k, SUM(a) FROM t WHERE a > {n} GROUP BY k;\n" for n in (1, 2))
FILTERED = FIRST + SECOND.replace("> 2", "> 5")


@pytest.mark.parametrize(
    ("baseline", "current", "name", "one_job", "predicted"),
    [
        # A query that is gone takes its state along: of a job of its own, the rest goes on; of one job, nothing does.
        (FIRST + SECOND, SECOND, "INSERT INTO s2", False, Effect.EXACT),
        (FIRST + SECOND, SECOND, "INSERT INTO s2", True, Effect.DOES_NOT_START),
        (FIRST + SECOND, FILTERED, "INSERT INTO s1", False, Effect.EXACT),
        (FIRST + SECOND, FILTERED, "INSERT INTO s2", False, Effect.WRONG_RESULTS),
        (FIRST + SECOND, FILTERED, "INSERT INTO s1", True, Effect.WRONG_RESULTS),
        # A job of no query that the report names takes the effect on the whole script.
        (FIRST + SECOND, FILTERED, "INSERT INTO s3", False, Effect.WRONG_RESULTS),
    ],
)
def test_the_prediction_is_that_of_the_job(
    baseline: str, current: str, name: str, one_job: bool, predicted: Effect
) -> None:
    jobs = job_unit(ENGINE, "script" if one_job else None)
    was, now = (JobVersion(TABLE + SINKS + queries, jobs=jobs) for queries in (baseline, current))
    found = judged(Measurement(name, RestartOutcome.STARTS), prediction(now, was, "2.3.0"), one_job)
    assert found.predicted is predicted


@pytest.mark.parametrize(
    ("decision", "outcome", "agrees", "told"),
    [
        (Decision.EQUAL, RestartOutcome.EXACT, AGREES, 0),
        (Decision.EQUAL, RestartOutcome.STARTS, AGREES, 0),
        (Decision.EQUAL, RestartOutcome.WRONG_RESULTS, NOT, 1),
        (Decision.STARTS, RestartOutcome.WRONG_RESULTS, AGREES, 0),
        (Decision.STARTS, RestartOutcome.DOES_NOT_START, NOT, 1),
        (Decision.DOES_NOT_START, RestartOutcome.DOES_NOT_START, AGREES, 0),
        (Decision.DOES_NOT_START, RestartOutcome.STARTS, NOT, 1),
        (Decision.NOT_DECIDED, RestartOutcome.STARTS, OPEN, 0),
        (Decision.EQUAL, RestartOutcome.NOT_MEASURED, OPEN, 0),
    ],
)
def test_a_plan_beside_the_measurement(
    decision: Decision, outcome: RestartOutcome, agrees: bool | None, told: int
) -> None:
    job = CheckedPrediction(Measurement("q", outcome), Effect.UNDETERMINED, PlanComparison(decision, note="Why."))
    assert job.plan_agrees is agrees
    assert len(list(disagreements([job]))) == told
    text = verification_text(Verification("f.sql", "HEAD", "2.3.0", [job]), 200, color=False)
    assert ("DISAGREES" in text) is bool(told)
    assert ("Why." in text) is not bool(told)
    [found] = verification_document(Verification("f.sql", "HEAD", "2.3.0", [job]))["jobs"]
    assert found["planned"] == {"decision": decision.value, "agrees": agrees, "note": "Why."}
