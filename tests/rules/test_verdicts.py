"""The meaning of verdicts, and the combination of several changes to one (spec sections 1 and 17)."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.engines import verdict_of
from keepstate.report import Effect, Report, Verdict

TABLES = """\
CREATE TABLE rides (
  city STRING, driver BIGINT, fare INT, ended TIMESTAMP(3), WATERMARK FOR ended AS ended - INTERVAL '5' SECOND
) WITH ('connector' = 'kafka');
"""
COUNTS = "INSERT INTO counts SELECT city, COUNT(*), SUM(fare) FROM rides GROUP BY city;\n"
SHOWN = "INSERT INTO shown SELECT driver, MAX(fare), MIN(fare) FROM rides GROUP BY driver;\n"
PARTIAL = (COUNTS, COUNTS.replace("SUM(fare)", "SUM(fare), MAX(fare)"))
UNKNOWN = (SHOWN, SHOWN.replace("MIN(fare)", "MINE(fare)"))
INCOMPATIBLE = (SHOWN, SHOWN.replace("driver", "city"))
NOTICE = (SHOWN, SHOWN.replace(", MIN(fare)", ""))
NONE = (SHOWN, SHOWN.replace("MAX(fare)", "MAX(fare) AS most"))


def compared(*pairs: tuple[str, str]) -> Report:
    baseline, current = ("".join(side) for side in zip(*pairs, strict=True))
    return check(JobVersion(TABLES + current), JobVersion(TABLES + baseline))


@pytest.mark.spec("OV-01", "OV-02", "OV-03", "OV-04")
def test_the_verdict_follows_from_what_becomes_of_the_state() -> None:
    assert {effect: verdict_of(effect) for effect in Effect} == {
        Effect.EXACT: Verdict.COMPATIBLE,
        Effect.STATE_DROPPED: Verdict.COMPATIBLE,
        Effect.STARTS_EMPTY: Verdict.PARTIAL,
        Effect.STATE_LOST: Verdict.INCOMPATIBLE,
        Effect.DOES_NOT_START: Verdict.INCOMPATIBLE,
        Effect.WRONG_RESULTS: Verdict.INCOMPATIBLE,
        Effect.UNDETERMINED: Verdict.UNKNOWN,
    }


@pytest.mark.parametrize(
    ("pair", "effect"),
    [
        pytest.param(NONE, Effect.EXACT, marks=pytest.mark.spec("OV-01")),
        pytest.param(NOTICE, Effect.STATE_DROPPED, marks=pytest.mark.spec("OV-01")),
        pytest.param(PARTIAL, Effect.STARTS_EMPTY, marks=pytest.mark.spec("OV-02")),
        pytest.param(INCOMPATIBLE, Effect.STATE_LOST, marks=pytest.mark.spec("OV-03")),
        pytest.param(UNKNOWN, Effect.UNDETERMINED, marks=pytest.mark.spec("OV-04")),
    ],
)
def test_a_report_says_verdict_and_effect(pair: tuple[str, str], effect: Effect) -> None:
    report = compared(pair)
    assert (report.verdict, report.effect) == (verdict_of(effect), effect)


@pytest.mark.spec("CMB-01")
def test_in_one_query_what_cannot_be_known_comes_first() -> None:
    """A function that may run in Python leaves open whatever else changed, even a key (spec C-01)."""
    report = compared((SHOWN, SHOWN.replace("MIN(fare)", "MINE(fare)").replace("driver", "city")))
    assert report.verdict is Verdict.UNKNOWN
    assert {finding.verdict for finding in report.findings} >= {Verdict.UNKNOWN, Verdict.INCOMPATIBLE}


@pytest.mark.spec("CMB-01")
def test_in_one_query_a_lost_key_outweighs_an_aggregate_that_starts_empty() -> None:
    report = compared((COUNTS, COUNTS.replace("SUM(fare)", "SUM(fare), MAX(fare)").replace("city", "driver")))
    assert report.verdict is Verdict.INCOMPATIBLE


@pytest.mark.spec("CMB-02")
@pytest.mark.parametrize(
    ("others", "verdict"),
    [
        ((NONE,), Verdict.PARTIAL),
        ((NOTICE,), Verdict.PARTIAL),
        ((UNKNOWN,), Verdict.UNKNOWN),
        ((INCOMPATIBLE,), Verdict.INCOMPATIBLE),
    ],
)
def test_a_job_has_the_worst_verdict_of_its_queries(others: tuple[tuple[str, str], ...], verdict: Verdict) -> None:
    assert compared(PARTIAL, *others).verdict is verdict


@pytest.mark.spec("CMB-02")
def test_stacked_operators_have_the_worst_verdict_of_all() -> None:
    top = (
        "SELECT city, n FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY city ORDER BY n DESC) AS place "
        "FROM (SELECT city, driver, COUNT(*) AS n{} FROM rides GROUP BY city, driver)) WHERE place < 3;"
    )
    # The ranking does not keep the sum, but the aggregation does: it stands below a ranking.
    assert compared((top.format(""), top.format(", SUM(fare) AS total"))).verdict is Verdict.PARTIAL
    below, above = top.format(", SUM(fare) AS total"), top.replace("city, n FROM", "city, n, total FROM")
    assert compared((below, above.format(", SUM(fare) AS total"))).verdict is not Verdict.COMPATIBLE


@pytest.mark.spec("CMB-03", "OL-03")
def test_several_kinds_of_things_changed() -> None:
    sink = "CREATE TABLE counts (city STRING, n BIGINT, total INT) WITH ('connector' = '{}');\n"
    changed = (COUNTS, COUNTS.replace("SUM(fare)", "SUM(fare) + MAX(fare)"))
    report = compared((sink.format("kafka"), sink.format("print")), changed)
    assert report.verdict is Verdict.UNKNOWN
    assert {finding.rule for finding in report.findings} >= {"kinds-of-change-mixed"}
    assert compared((sink.format("kafka"), sink.format("print")), INCOMPATIBLE).verdict is Verdict.INCOMPATIBLE


@pytest.mark.spec("CMB-04")
@pytest.mark.parametrize("pair", [PARTIAL, UNKNOWN, INCOMPATIBLE, NOTICE])
def test_changes_that_are_none_neither_raise_nor_lower_a_verdict(pair: tuple[str, str]) -> None:
    alone = compared(pair)
    beside = compared(pair, ("", "-- a comment\nCREATE TEMPORARY VIEW unused AS SELECT city AS town FROM rides;\n"))
    assert (beside.verdict, len(beside.findings)) == (alone.verdict, len(alone.findings))
