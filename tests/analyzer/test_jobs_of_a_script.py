"""Scripts that the cluster runs as several jobs: each INSERT outside of a statement set, and each set."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, Workspace, analyse, job_unit
from keepstate.engines import PROFILES
from keepstate.job_version import job_of
from keepstate.plan.units.cluster_jobs import JobUnit
from keepstate.report import Report

ENGINES = ("vvr", "flink")
TABLE = "CREATE TABLE t (k STRING, k2 STRING, a INT) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json');\n"
X = "INSERT INTO x SELECT k, COUNT(*) FROM t GROUP BY k;\n"
X2 = "INSERT INTO x SELECT k2, MIN(a), MAX(a) FROM t GROUP BY k2, k;\n"
Y = "INSERT INTO y SELECT k2, SUM(a) FROM t GROUP BY k2;\n"
Z = "INSERT INTO z SELECT k2, a FROM t WHERE a > 1;\n"


def in_set(*inserts: str) -> str:
    return "BEGIN STATEMENT SET;\n" + "".join(inserts) + "END;\n"


def report(was: str, now: str, engine: str, unit: JobUnit = JobUnit.EACH_INSERT) -> Report:
    versions = [JobVersion(TABLE + text, jobs=unit) for text in (now, was)]
    return analyse(versions[0], versions[1], engine).report()


def rules(found: Report) -> list[str]:
    return [finding.rule for finding in found.findings]


# What Flink 2.3 did with each pair: both sides of a job restore exactly, or the job does not start.
SILENT = {
    "one more": (X, X + Y),
    "one more in front": (X, Y + X),
    "one without state more": (X, X + Z),
    "one more into a sink that has one": (X, X + X2),
    "other order": (X + Y, Y + X),
    "other order of one sink": (X + X2, X2 + X),
    "a set of one": (X, in_set(X)),
    "a set more": (X, X + in_set(Y, Z)),
    "a set as it was, one beside it more": (in_set(X, Y), Z + in_set(X, Y)),
    "one without state less": (X + Z, X),
}
FOUND = {
    "joined": (X + Y, in_set(X, Y), ["jobs-joined"]),
    "joined, one without state": (X + Z, in_set(X, Z), ["jobs-joined"]),
    "into a set": (in_set(X, Y) + Z, in_set(X, Y, Z), ["jobs-joined"]),
    "two sets joined": (in_set(X, Y) + in_set(Z, X2), in_set(X, Y, Z, X2), ["jobs-joined"]),
    "split": (in_set(X, Y), X + Y, ["jobs-split"]),
    "out of a set": (in_set(X, Y, Z), in_set(X, Y) + Z, ["jobs-split"]),
    "one less": (X + Y, X, ["pipeline-removed"]),
    "a set grows": (in_set(X), in_set(X, Y), ["pipeline-added"]),
    "a set shrinks": (in_set(X, Y), in_set(X), ["pipeline-removed"]),
    "an edit beside": (X + Y, X + Y.replace("SUM", "MAX"), ["all-aggregates-replaced"]),
    "an edit in a job that is joined": (
        X + Y,
        in_set(X, Y.replace("SUM", "MAX")),
        ["jobs-joined", "all-aggregates-replaced"],
    ),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("family", SILENT)
def test_jobs_that_nothing_happens_to_are_silent(family: str, engine: str) -> None:
    was, now = SILENT[family]
    found = report(was, now, engine)
    assert found.verdict.value == "compatible" and rules(found) == []


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("family", FOUND)
def test_changes_of_jobs_are_found(family: str, engine: str) -> None:
    was, now, expected = FOUND[family]
    assert sorted(rules(report(was, now, engine))) == sorted(expected)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_job_that_ends_takes_its_state_along(engine: str) -> None:
    found = report(X + Y, X, engine)
    assert (found.verdict.value, found.findings[0].effect.value) == ("compatible", "state-dropped")
    assert found.pipelines[0].verdict.value == "compatible"


@pytest.mark.parametrize("engine", ENGINES)
def test_joined_jobs_are_shown_at_the_set(engine: str) -> None:
    joined = report(X + Y, in_set(X, Y), engine)
    assert joined.verdict.value == "incompatible"
    assert joined.findings[0].current.text == "BEGIN STATEMENT SET"
    split = report(in_set(X, Y), X + Y, engine)
    assert split.findings[0].baseline is not None
    assert split.findings[0].baseline.text == "BEGIN STATEMENT SET"


@pytest.mark.parametrize("family", [*SILENT, *FOUND])
def test_a_script_that_is_one_job_knows_no_sets(family: str) -> None:
    was, now = {**SILENT, **{name: pair[:2] for name, pair in FOUND.items()}}[family]
    found = report(was, now, "vvr", JobUnit.SCRIPT)
    assert not {"jobs-joined", "jobs-split"} & set(rules(found))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_temporary_table_of_a_job_that_ended_is_nothing_to_the_others(engine: str) -> None:
    was = (
        "CREATE TEMPORARY TABLE u (k STRING) WITH ('connector' = 'kafka');\n"
        "INSERT INTO y SELECT k, COUNT(*) FROM u GROUP BY k;"
    )
    assert "temporary-table-changed" in rules(report(X + was, X, engine, JobUnit.SCRIPT))
    assert rules(report(X + was, X, engine)) == ["pipeline-removed"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("edits", ["SUM(n)", "MIN(n)"], ids=["beside a job as it was", "beside a changed job"])
def test_a_reserved_word_is_felt_by_jobs_that_do_not_read_its_table(engine: str, edits: str) -> None:
    """Flink reads nothing of the script: what the keystroke before said of the other job holds no more."""
    other = "CREATE TABLE u (k STRING, n INT) WITH ('connector' = 'kafka');\n"
    was = TABLE + other + X + "INSERT INTO y SELECT k, SUM(n) FROM u GROUP BY k;\n"
    edited = was.replace("SUM(n)", edits)
    workspace, baseline = Workspace(), JobVersion(was, jobs=JobUnit.EACH_INSERT)
    for text in (was, edited, edited.replace("a INT", "a INT, user STRING"), edited):
        version = JobVersion(text, jobs=JobUnit.EACH_INSERT)
        assert analyse(version, baseline, engine, workspace).report() == analyse(version, baseline, engine).report()


def test_operator_ids_count_from_each_job() -> None:
    alone, beside, together = (
        [
            {stored.id.value for stored in query.operators.values()}
            for query in PROFILES["flink"].stored_queries(job_of(version))
        ]
        for version in (
            JobVersion(TABLE + Y, jobs=JobUnit.EACH_INSERT),
            JobVersion(TABLE + X + Y, jobs=JobUnit.EACH_INSERT),
            JobVersion(TABLE + X + Y),
        )
    )
    assert alone[0] and beside[1] == alone[0] and together[1] != alone[0]


UNITS = {
    "plain": (X + Y, [0, 1]),
    "set": (in_set(X, Y) + Z, [0, 0, 1]),
    "around a set": (X + in_set(Y, Z) + X2, [0, 1, 1, 2]),
    "two sets": (in_set(X, Y) + in_set(Z, X2), [0, 0, 1, 1]),
    "in one statement": ("EXECUTE STATEMENT SET BEGIN\n" + X + Y + "END;\n" + Z, [0, 0, 1]),
}


@pytest.mark.parametrize("family", UNITS)
def test_the_jobs_of_a_script_are_counted(family: str) -> None:
    text, expected = UNITS[family]
    assert [each.unit for each in job_of(JobVersion(text, jobs=JobUnit.EACH_INSERT)).pipelines] == expected
    assert {each.unit for each in job_of(JobVersion(text)).pipelines} == {0}


def test_what_is_said_counts_before_what_the_engine_does() -> None:
    assert job_unit("flink", None) is JobUnit.EACH_INSERT
    assert job_unit("vvr", "each-insert") is JobUnit.EACH_INSERT
    with pytest.raises(ValueError, match="each-statement"):
        job_unit("flink", "each-statement")
