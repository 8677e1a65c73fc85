"""Stand-ins for functions with declared signatures, on real versions of Flink."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from keepstate import read_functions
from keepstate_flink.cluster import Cluster, cluster, planner
from keepstate_flink.installation import full_version
from keepstate_flink.plans.plan_comparison import Decision, PlanComparison, StateMapping
from keepstate_flink.plans.planner import Planner
from keepstate_flink.running_jobs import Jobs, ScriptedJob
from keepstate_flink.script_pair_rows import made_rows
from keepstate_flink.verification import Measurement, RestartOutcome, Verifier
from shared_flink import shared_cluster

VERSIONS = [version for line in ("1.18", "1.20", "2.3") if (version := full_version(line)) is not None]
pytestmark = [
    pytest.mark.skipif(not VERSIONS, reason="no Flink is installed: make flink"),
]
TABLES = """CREATE TABLE t (k STRING, k2 STRING, a INT, d DOUBLE, words ARRAY<STRING>, ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json');
"""
FUNCTIONS = """CREATE FUNCTION norm AS 'com.acme.Norm' LANGUAGE JAVA;
CREATE TEMPORARY SYSTEM FUNCTION parts AS 'com.acme.Parts';
CREATE TEMPORARY FUNCTION conv AS 'com.acme.Conv';
CREATE FUNCTION IF NOT EXISTS rate AS 'com.acme.Rate';
"""
SIGNATURES = read_functions(
    {
        "Norm": "(STRING) RETURNS STRING",
        "parts": "(STRING) RETURNS TABLE (word STRING, length INT)",
        "conv": [
            "(STRING) RETURNS INT",
            "(INT) RETURNS DECIMAL(10, 2) NOT NULL",
            "(DOUBLE, INT) RETURNS BOOLEAN",
            "(ARRAY<STRING>) RETURNS ROW<x BIGINT, y MAP<STRING, DATE>, z ARRAY<TIMESTAMP(3)>, b BYTES, c CHAR(3)>",
        ],
        "rate": "(INT) RETURNS BIGINT",
    }
)
SINK = "CREATE TABLE s (k STRING, v BIGINT) WITH ('connector' = 'print');\n"
NORM = "SELECT norm(k), SUM(a) FROM t GROUP BY norm(k);"
PARTS = "SELECT word, SUM(length) FROM t, LATERAL TABLE(parts(k)) GROUP BY word;"
CONV = "SELECT k, MAX(conv(a)) FROM t WHERE conv(d, a) GROUP BY k;"
NESTED = "SELECT k, conv(words), conv(words).x FROM t;"


@pytest.fixture(scope="module", params=VERSIONS)
def running(request: pytest.FixtureRequest) -> Cluster:
    return shared_cluster(request.param)


def job(query: str, functions: str = FUNCTIONS) -> ScriptedJob:
    return ScriptedJob(f"{TABLES}{functions}{query}", functions=tuple(sorted(SIGNATURES.items())))


def measured(running: Cluster, was: ScriptedJob, now: ScriptedJob, has_rows: bool = True) -> Measurement:
    rows = made_rows(was.text, now.text) if has_rows else ()
    [found] = Verifier(Jobs(running), rows).measure(was, now)
    return found


def planned(running: Cluster, was: ScriptedJob, now: ScriptedJob) -> PlanComparison:
    [answer] = Planner(running.version, running.java).answers(was, now)
    return answer.comparison


@pytest.mark.parametrize(
    ("was", "now", "outcome", "decision", "names"),
    [
        (NORM, NORM, RestartOutcome.EXACT, Decision.EQUAL, ("norm",)),
        (NORM, NORM.replace("norm(k)", "norm(k2)"), RestartOutcome.WRONG_RESULTS, Decision.STARTS, ("norm",)),
        # Another type of the key, another type of the accumulator: only signatures tell.
        (NORM, NORM.replace("norm", "conv"), RestartOutcome.DOES_NOT_START, Decision.DOES_NOT_START, ("conv", "norm")),
        (NORM, NORM.replace("SUM(a)", "SUM(rate(a))"), RestartOutcome.DOES_NOT_START, Decision.DOES_NOT_START, None),
        (NORM, NORM.replace("norm(k)", "k"), RestartOutcome.WRONG_RESULTS, Decision.STARTS, ("norm",)),
        (PARTS, PARTS, RestartOutcome.EXACT, Decision.EQUAL, ("parts",)),
        (PARTS, PARTS.replace("SUM(length)", "SUM(length), COUNT(*)"), RestartOutcome.DOES_NOT_START, None, ("parts",)),
        (PARTS, PARTS.replace("parts(k)", "parts(k2)"), RestartOutcome.WRONG_RESULTS, Decision.STARTS, ("parts",)),
        (CONV, CONV, RestartOutcome.EXACT, Decision.EQUAL, ("conv",)),
        (CONV, CONV.replace("conv(a)", "conv(k2)"), RestartOutcome.DOES_NOT_START, Decision.DOES_NOT_START, ("conv",)),
        (NESTED, NESTED, RestartOutcome.EXACT, Decision.EQUAL, ("conv",)),
        ("SELECT k, SUM(a) FROM t GROUP BY k;", "SELECT k, SUM(a) FROM t GROUP BY k;", RestartOutcome.EXACT, None, ()),
    ],
)
def test_stand_ins_have_the_declared_types(
    running: Cluster,
    was: str,
    now: str,
    outcome: RestartOutcome,
    decision: Decision | None,
    names: tuple[str, ...] | None,
) -> None:
    found = measured(running, job(was), job(now))
    assert found.outcome is outcome, found
    plan = planned(running, job(was), job(now))
    assert decision is None or plan.decision is decision, plan
    if names is not None:
        assert found.stand_ins.names == plan.stand_ins.names == names
    assert ("declared signature" in found.full_note) is ("declared signature" in plan.explanation) is (names != ())
    of_values = outcome in (RestartOutcome.EXACT, RestartOutcome.WRONG_RESULTS) and names != ()
    assert ("Results hold for" in found.full_note) is of_values


def test_of_another_class_no_values_are_known(running: Cluster) -> None:
    was, now = job(NORM), job(NORM, FUNCTIONS.replace("com.acme.Norm", "org.acme.Norm"))
    found = measured(running, was, now)
    assert (found.outcome, found.stand_ins.replaced) == (RestartOutcome.STARTS, ("norm",))
    assert "norm has another class now" in found.full_note
    plan = planned(running, was, now)
    assert plan.decision is Decision.STARTS
    assert "norm has another class now" in plan.explanation


def test_a_class_with_another_name_has_the_same_values(running: Cluster) -> None:
    now = job(NORM.replace("norm", "rate2"), "CREATE FUNCTION rate2 AS 'com.acme.Norm';\n")
    now = ScriptedJob(now.text, functions=(*now.functions, ("RATE2", SIGNATURES["NORM"])))
    assert measured(running, job(NORM), now).outcome is RestartOutcome.EXACT


AGGREGATE = "An aggregate function has no stand-in, since no signature says its accumulator: name its jar"


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELECT k, rate(a) FROM t GROUP BY k;", AGGREGATE),
        ("SELECT rate(DISTINCT a) FROM t;", AGGREGATE),
        ("SELECT k, rate(a) OVER (PARTITION BY k ORDER BY ts) FROM t;", AGGREGATE),
        ("SELECT k, rate(a) FILTER (WHERE a > 1) FROM t GROUP BY k;", AGGREGATE),
        ("SELECT k, k2, norm(k) FROM t GROUP BY k;", "Flink does not take the baseline"),
        ("SELECT * FROM t, LATERAL TABLE(norm(k));", "A table function is declared with RETURNS TABLE"),
        ("SELECT parts(k) FROM t;", "A table function is declared with RETURNS TABLE"),
        ("SELECT rate(d) FROM t;", "(rate(INT) RETURNS BIGINT): Unsupported argument type. Expected type 'INT'"),
        ("SELECT norm(k, k2) FROM t;", "No match found for function signature norm(<CHARACTER>, <CHARACTER>)"),
        # Its value would decide what is planned.
        ("SELECT k, SUM(a) FROM t WHERE norm('x') = 'y' GROUP BY k;", "Flink calls norm with constants"),
        ("SELECT odd(k) FROM t;", "reads no type ROW<a INT b INT> in the signature of odd"),
        ("SELECT other(k) FROM t;", "Flink does not take the baseline"),
        ("SELECT lost(k) FROM t;", "a function of its own, lost: name its jar with --jar, or declare its signature"),
        ("SELECT snake(k) FROM t;", "calls a Python function, snake"),
    ],
)
def test_what_no_signature_says_is_not_measured(running: Cluster, query: str, words: str) -> None:
    more = "CREATE FUNCTION odd AS 'com.acme.Odd';\nCREATE FUNCTION lost AS 'com.acme.Lost';\n"
    more += "CREATE FUNCTION snake AS 'a.b' LANGUAGE PYTHON;\n"
    script = job(query, FUNCTIONS + more)
    others = read_functions({"snake": "(STRING) RETURNS STRING", "odd": "(STRING) RETURNS ROW<a INT b INT>"})
    script = ScriptedJob(script.text, functions=(*script.functions, *others.items()))
    found = measured(running, script, script, has_rows=False)
    assert found.outcome is RestartOutcome.NOT_MEASURED
    assert words in found.note
    plan = planned(running, script, script)
    assert plan.decision is Decision.NOT_DECIDED
    assert words in plan.note


@pytest.mark.parametrize("running", [each for each in VERSIONS if each.startswith("2.3.")], indirect=True)
def test_a_process_table_function_is_not_measured(running: Cluster) -> None:
    script = job("SELECT * FROM parts(TABLE t PARTITION BY k);")
    found = measured(running, script, script, has_rows=False)
    assert found.outcome is RestartOutcome.NOT_MEASURED
    assert "A process table function has no stand-in, since no signature says its state" in found.note


def test_functions_are_dropped_and_made_again(running: Cluster) -> None:
    again = "DROP FUNCTION IF EXISTS rate;\nDROP TEMPORARY SYSTEM FUNCTION parts;\nDROP FUNCTION norm;\n"
    again += "DROP TEMPORARY FUNCTION conv;\n"
    script = job(NORM, f"{FUNCTIONS}{again}{FUNCTIONS}")
    found = measured(running, script, script)
    assert (found.outcome, found.stand_ins.names) == (RestartOutcome.EXACT, ("norm",))
    gone = job(NORM, f"{FUNCTIONS}{again}")
    note = measured(running, gone, gone, has_rows=False).note
    assert note.startswith("Flink does not take the baseline")
    assert "No match found for function signature norm" in note
    behind = job(NORM.replace("SELECT", "INSERT INTO s SELECT"), f"{SINK}{FUNCTIONS}")
    behind = ScriptedJob(f"{behind.text}\n{again}", functions=behind.functions)
    assert measured(running, behind, behind).stand_ins.names == ("norm",)


def test_with_jars_a_class_that_is_in_none_is_a_stand_in(tmp_path: Path) -> None:
    jar = tmp_path / "functions.jar"
    with zipfile.ZipFile(jar, "w") as file:
        # A class that is there is run: this one is none.
        file.writestr("com/acme/Rate.class", b"")
    with cluster(VERSIONS[-1], [jar]) as running:
        given = {"functions": tuple(sorted(SIGNATURES.items())), "runs_functions": True}
        stood_in = ScriptedJob(f"{TABLES}{FUNCTIONS}{NORM}", **given)
        found = measured(running, stood_in, stood_in)
        run = ScriptedJob(f"{TABLES}{FUNCTIONS}SELECT rate(a) FROM t;", **given)
        note = measured(running, run, run, has_rows=False).note
    assert (found.outcome, found.stand_ins.names) == (RestartOutcome.EXACT, ("norm",))
    assert "Truncated class file" in note


REAL = Path(__file__).with_name("java") / "UserFunctions.java"
REAL_SCRIPT = (
    TABLES.replace("a INT,", "a INT NOT NULL, c BIGINT,")
    + """CREATE FUNCTION norm AS 'com.acme.UserFunctions$Norm';
CREATE FUNCTION adding AS 'com.acme.UserFunctions$Add';
CREATE FUNCTION parts AS 'com.acme.UserFunctions$Parts';
"""
)
REAL_SIGNATURES = {
    "norm": "(STRING) RETURNS STRING",
    "adding": ["(INT NOT NULL, INT NOT NULL) RETURNS INT NOT NULL", "(BIGINT) RETURNS BIGINT"],
    "parts": "(STRING) RETURNS TABLE (word STRING, length INT NOT NULL)",
}
REAL_QUERIES = (
    "SELECT norm(k), SUM(adding(a, 1)) FROM t GROUP BY norm(k);",
    "SELECT k, MAX(adding(c)) FROM t GROUP BY k;",
    "SELECT word, SUM(length) FROM t, LATERAL TABLE(parts(k)) GROUP BY word;",
    "SELECT w, MIN(n) FROM t LEFT JOIN LATERAL TABLE(parts(norm(k))) AS p (w, n) ON TRUE GROUP BY w;",
    "SELECT x.k FROM t AS x JOIN t AS y ON norm(x.k) = norm(y.k) AND adding(x.a, y.a) > 1;",
)


def declared(query: str, signatures: Mapping[str, object]) -> ScriptedJob:
    return ScriptedJob(f"{REAL_SCRIPT}{query}", functions=tuple(sorted(read_functions(signatures).items())))


@pytest.mark.parametrize("version", VERSIONS)
def test_the_state_of_a_function_is_that_of_its_stand_in(version: str) -> None:
    with planner(version, [REAL]) as java:
        asked = Planner(version, java)
        for query in REAL_QUERIES:
            real, stood_in = (
                ScriptedJob(f"{REAL_SCRIPT}{query}", runs_functions=True),
                declared(query, REAL_SIGNATURES),
            )
            for was, now in ((real, stood_in), (stood_in, real)):
                [answer] = asked.answers(was, now)
                fates = {(operator.fate, operator.unread) for operator in answer.comparison.operators}
                assert (answer.comparison.decision, fates) == (Decision.STARTS, {(StateMapping.FOUND, ())}), query
                assert answer.comparison.fresh == ()
        # Another signature shows.
        wrong = declared(REAL_QUERIES[0], {**REAL_SIGNATURES, "norm": "(STRING) RETURNS INT"})
        [answer] = asked.answers(ScriptedJob(f"{REAL_SCRIPT}{REAL_QUERIES[0]}", runs_functions=True), wrong)
        assert answer.comparison.decision is Decision.DOES_NOT_START
