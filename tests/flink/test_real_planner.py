"""Plans of a real Flink: the states of a savepoint without one, and the decision of each restart that was measured."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from keepstate_flink.installation import NEWEST, full_version
from keepstate_flink.plans.plan_comparison import POSITION, Decision, PlanComparison
from keepstate_flink.plans.planner import Planner, planning
from keepstate_flink.rehearsals import rehearse
from keepstate_flink.running_jobs import Jobs, ScriptedJob
from keepstate_flink.script_pair_rows import made_rows
from keepstate_flink.verification import RestartOutcome, Verifier
from keepstate_lsp.cli.main import main
from shared_flink import shared_cluster
from truth import Restore, restores

VERSION = full_version(NEWEST)
pytestmark = [
    pytest.mark.skipif(VERSION is None, reason="no Flink is installed: make flink"),
]
TABLES = """CREATE TABLE t (k STRING, k2 STRING, a INT, b INT, d DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json');
"""
SUM = "SELECT k, SUM(a) AS s, COUNT(*) AS c FROM t GROUP BY k;"
RANKED = "SELECT k, a FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY a) AS n FROM t) WHERE n <= 2;"
WINDOW = (
    "SELECT k, window_start, SUM(a) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) "
    "GROUP BY k, window_start, window_end;"
)
QUERIES = (
    SUM,
    SUM.replace("COUNT(*)", "COUNT(DISTINCT b)"),
    RANKED,
    WINDOW,
    "SELECT t.k, u.a FROM t JOIN t AS u ON t.k = u.k2;",
    "SELECT t.k, u.a FROM t JOIN t AS u ON t.k = u.k2 AND t.ts BETWEEN u.ts AND u.ts + INTERVAL '1' HOUR;",
    "SELECT k, SUM(a) OVER (PARTITION BY k ORDER BY ts) FROM t;",
    "SELECT k, TUMBLE_START(ts, INTERVAL '1' HOUR), SUM(a) FROM t GROUP BY k, TUMBLE(ts, INTERVAL '1' HOUR);",
)
FAILED = ("FAILED_STATE_MIGRATION", "FAILED_UNMAPPED_STATE")
OTHER_RUNS = ("rocksdb", "uid", "compiled")
"""Words of measurements under settings that the scripts do not have."""
EVERY = 12


@pytest.fixture(scope="module")
def planner() -> Iterator[Planner]:
    assert VERSION is not None
    with planning(VERSION) as found:
        yield found


@pytest.fixture(scope="module")
def jobs() -> Jobs:
    assert VERSION is not None
    return Jobs(shared_cluster(VERSION))


def compared(planner: Planner, baseline: str, current: str, **options: bool) -> PlanComparison:
    [answer] = planner.answers(ScriptedJob(baseline, **options), ScriptedJob(current, **options))
    return answer.comparison


@pytest.mark.parametrize(
    ("baseline", "current", "decision"),
    [
        (SUM, SUM, Decision.EQUAL),
        (SUM, SUM.replace("AS s", "AS total"), Decision.EQUAL),
        (SUM.replace("FROM t", "FROM t WHERE a > 1"), SUM.replace("FROM t", "FROM t WHERE (a > 1)"), Decision.EQUAL),
        (SUM, SUM.replace("SUM(a)", "MAX(a)"), Decision.STARTS),
        (SUM.replace("FROM t", "FROM t WHERE a > 1"), SUM.replace("FROM t", "FROM t WHERE a > 2"), Decision.STARTS),
        (SUM, SUM.replace("SUM(a)", "SUM(d)"), Decision.DOES_NOT_START),
        (SUM, SUM.replace("COUNT(*)", "COUNT(*), MIN(b)"), Decision.DOES_NOT_START),
        (SUM, "SELECT k, a FROM t;", Decision.DOES_NOT_START),
        (RANKED, RANKED.replace("ORDER BY a", "ORDER BY d"), Decision.DOES_NOT_START),
        (WINDOW, WINDOW.replace("10", "20"), Decision.STARTS),
        (f"SET 'table.exec.state.ttl' = '1 d';\n{TABLES}{SUM}", SUM, Decision.STARTS),
        (f"SET 'pipeline.max-parallelism' = '8';\n{TABLES}{SUM}", SUM, Decision.NOT_DECIDED),
        (SUM, SUM.replace("FROM t", "FROM t /*+ OPTIONS('scan.parallelism' = '1') */"), Decision.NOT_DECIDED),
    ],
)
def test_a_decision(planner: Planner, baseline: str, current: str, decision: Decision) -> None:
    was = baseline if baseline.startswith("SET") else TABLES + baseline
    found = compared(planner, was, TABLES + current)
    assert found.decision is decision, found
    assert bool(found.reason) is (decision is Decision.DOES_NOT_START)


NESTED = """CREATE TABLE n (k STRING, o ROW<x INT, y INT>, v ARRAY<INT>, w ARRAY<INT>) WITH ('connector' = 'kafka');
SELECT k, SUM(e) FROM (SELECT k, {} FROM n{}) GROUP BY k;
"""


@pytest.mark.parametrize(
    ("was", "now", "decision"),
    [
        (("o.x AS e", ""), ("o.y AS e", ""), Decision.STARTS),
        (("e", ", UNNEST(v) AS u (e)"), ("e", ", UNNEST(w) AS u (e)"), Decision.STARTS),
        (("e", ", UNNEST(v) AS u (e)"), ("f AS e", ", UNNEST(v) AS u (f)"), Decision.EQUAL),
    ],
)
def test_fields_are_known_by_their_names(
    planner: Planner, was: tuple[str, str], now: tuple[str, str], decision: Decision
) -> None:
    assert compared(planner, NESTED.format(*was), NESTED.format(*now)).decision is decision


def test_states_are_those_of_a_savepoint(planner: Planner, jobs: Jobs) -> None:
    for query in QUERIES:
        job = ScriptedJob(TABLES + query)
        measured = {each.name: sorted(each.states) for each in rehearse(jobs, job, job).operators}
        [planned] = planner.answers(job, job)
        assert planned.comparison.decision is Decision.EQUAL
        found = {each.name: sorted(each.states) for each in planned.comparison.operators}
        assert found == {
            name: [POSITION] if states == ["SourceReaderState"] else states for name, states in measured.items()
        }


def measured(pair: Restore) -> set[str]:
    """The outcomes on the newest version, with the settings of the scripts."""
    of_version = {key: value for key, value in pair.measured.items() if key.startswith(f"{NEWEST}.")}
    return {value.outcome for key, value in of_version.items() if not any(word in key for word in OTHER_RUNS)}


def test_the_planner_starts_what_was_measured_to_start(planner: Planner) -> None:
    pairs = [pair for name in ("pairs", "pairs-2") for pair in restores(name)][::EVERY]
    wrong, decided = {}, 0
    for pair in pairs:
        outcomes = measured(pair)
        found = compared(planner, pair.baseline, pair.current)
        if found.decision is Decision.NOT_DECIDED or not outcomes or "FAILED_OTHER" in outcomes:
            continue
        decided += 1
        fails = bool(outcomes & set(FAILED))
        if fails is not (found.decision is Decision.DOES_NOT_START):
            wrong[pair.id] = found
        if found.decision is Decision.EQUAL and outcomes != {"RESTORED_EXACT"}:
            wrong[pair.id] = found
    assert wrong == {}
    assert decided >= 0.9 * len(pairs)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (f"{TABLES}REPLACE TABLE s AS SELECT k FROM t;", "A rehearsal does not run 'REPLACE TABLE s …'"),
        (f"CREATE FUNCTION f AS 'a.B';\n{TABLES}SELECT f(a) FROM t;", "The job calls a function of its own, f"),
        (f"SET 'execution.runtime-mode' = 'batch';\n{TABLES}{SUM}", "The job runs in batch mode"),
        (f"{TABLES}SELECT nothing FROM t;", "Flink does not take the current version"),
        (TABLES, "The script has no query"),
    ],
)
def test_what_cannot_be_planned_is_said(planner: Planner, script: str, words: str) -> None:
    found = compared(planner, TABLES + SUM, script)
    assert found.decision is Decision.NOT_DECIDED
    assert found.note.startswith(words)


def test_jobs_of_a_script_are_compared_one_by_one(planner: Planner) -> None:
    sinks = "".join(f"CREATE TABLE s{n} (k STRING, v BIGINT) WITH ('connector' = 'print');\n" for n in (1, 2, 3))
    first, second, third = (
        f"INSERT INTO s{n} SELECT k, COUNT({c}) FROM t GROUP BY k;\n" for n, c in enumerate("abd", 1)
    )
    was, now = (ScriptedJob(TABLES + sinks + each, one_job=False) for each in (first + second, second + third))
    found = {answer.name: answer.comparison for answer in planner.answers(was, now)}
    assert {name: comparison.decision for name, comparison in found.items()} == {
        "INSERT INTO s1": Decision.NOT_DECIDED,
        "INSERT INTO s2": Decision.EQUAL,
        "INSERT INTO s3": Decision.NOT_DECIDED,
    }
    assert "nothing to restore" in found["INSERT INTO s3"].note


def test_the_command_shows_the_answer(
    tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path_factory.mktemp("planned")
    for name, query in (("was.sql", SUM), ("now.sql", SUM.replace("SUM(a)", "SUM(d)"))):
        (folder / name).write_text(TABLES + query)
    sides = [str(folder / name) for name in ("was.sql", "now.sql")]
    assert main(["diff", *sides, "--engine", "flink", "--planner", "flink", "--format", "json"]) == 1
    [file] = json.loads(capsys.readouterr().out)["files"]
    [answer] = file["planned"]
    assert (answer["flink"], answer["decision"], answer["agrees"]) == (VERSION, "does-not-start", True)
    assert [operator["fate"] for operator in answer["operators"]] == ["found", "other-types"]
    assert "StateMigrationException" in answer["operators"][1]["error"]


NOT_STARTED = Decision.DOES_NOT_START
FILLED = f"""{TABLES}CREATE TABLE s (k STRING, s BIGINT, c BIGINT) WITH ('connector' = 'print');
INSERT INTO s {SUM.replace("SUM(a)", "SUM(CAST(a AS BIGINT))")}
"""


@pytest.mark.parametrize(
    ("current", "decision"),
    [
        (FILLED, Decision.EQUAL),
        (FILLED.replace("AS s,", "AS total,"), Decision.EQUAL),
        (FILLED.replace("COUNT(*)", "COUNT(b)"), Decision.STARTS),
        (FILLED.replace("SUM(CAST(a AS BIGINT))", "CAST(SUM(d) AS BIGINT)"), Decision.DOES_NOT_START),
        (FILLED.replace("FROM t GROUP", "FROM t WHERE a > 1 GROUP"), Decision.STARTS),
        (FILLED.replace("FROM t GROUP", "FROM (SELECT k, a FROM t UNION ALL SELECT k2, b FROM t) GROUP"), NOT_STARTED),
    ],
)
def test_a_compiled_plan_is_a_baseline(planner: Planner, current: str, decision: Decision) -> None:
    [compiled] = planner.planned(ScriptedJob(FILLED, is_compiled=True))
    baseline = ScriptedJob("", plan=json.dumps(compiled.plan))
    [answer] = planner.answers(baseline, ScriptedJob(current, is_compiled=True))
    assert answer.name == "INSERT INTO s"
    assert answer.comparison.decision is decision, answer


def test_numbers_of_another_session_do_not_fit(planner: Planner) -> None:
    [compiled] = planner.planned(ScriptedJob(FILLED, is_compiled=True))
    assert compiled.plan is not None
    nodes = [{**node, "id": node["id"] + 6} for node in compiled.plan["nodes"]]
    edges = [{**edge, "source": edge["source"] + 6, "target": edge["target"] + 6} for edge in compiled.plan["edges"]]
    moved = json.dumps({**compiled.plan, "nodes": nodes, "edges": edges})
    [answer] = planner.answers(ScriptedJob("", plan=moved), ScriptedJob(FILLED, is_compiled=True))
    assert answer.comparison.decision is Decision.DOES_NOT_START
    assert "numbered from 7 on, those of a new session from 1 on" in answer.comparison.explanation


@pytest.mark.parametrize(
    ("member", "value", "words"),
    [
        ("type", "stream-exec-teleport_1", "Flink does not take the baseline"),
        ("scanTableSource", {"table": {"identifier": "`a`.`b`.`c`"}}, "The compiled plan names `a`.`b`.`c` without"),
    ],
)
def test_a_plan_that_flink_does_not_load(planner: Planner, member: str, value: object, words: str) -> None:
    [compiled] = planner.planned(ScriptedJob(FILLED, is_compiled=True))
    assert compiled.plan is not None
    scan, *rest = compiled.plan["nodes"]
    spoilt = {**compiled.plan, "nodes": [{**scan, member: value}, *rest]}
    [answer] = planner.answers(ScriptedJob("", plan=json.dumps(spoilt)), ScriptedJob(FILLED, is_compiled=True))
    assert answer.comparison.decision is Decision.NOT_DECIDED
    assert answer.comparison.note.startswith(words)


def test_a_compiled_plan_is_restarted(planner: Planner, jobs: Jobs) -> None:
    [compiled] = planner.planned(ScriptedJob(FILLED, is_compiled=True))
    baseline = ScriptedJob("", plan=json.dumps(compiled.plan))
    changed = FILLED.replace("COUNT(*)", "COUNT(b)")
    verifier = Verifier(jobs, made_rows(FILLED, changed))
    for text, outcome in (
        (FILLED, RestartOutcome.EXACT),
        (changed, RestartOutcome.WRONG_RESULTS),
        (FILLED.replace("SUM(CAST(a AS BIGINT))", "CAST(SUM(d) AS BIGINT)"), RestartOutcome.DOES_NOT_START),
    ):
        [found] = verifier.measure(baseline, ScriptedJob(text, is_compiled=True))
        assert found.outcome is outcome, found
    # Run as it is, the text has no id of the plan.
    [found] = verifier.measure(baseline, ScriptedJob(FILLED))
    assert found.outcome is RestartOutcome.DOES_NOT_START
