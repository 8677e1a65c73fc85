"""Features that leave a query open, beside changes that do not (spec section 17, step 4a, and CMB-01)."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.report import Report, Verdict
from pairs import TABLES

UNKNOWN, LOST = Verdict.UNKNOWN, Verdict.INCOMPATIBLE
FUNCTIONS = "CREATE FUNCTION split AS 'x.Split' LANGUAGE JAVA;\nCREATE FUNCTION wear AS 'm.wear' LANGUAGE PYTHON;\n"
TAGGED = "CREATE TEMPORARY VIEW tagged AS SELECT a, b, c, d, e, ts FROM t, LATERAL TABLE(split(c)) AS s (w);\n"
SPREAD = "CREATE TEMPORARY VIEW tagged AS SELECT a, b, c, d, e, ts FROM t CROSS JOIN UNNEST(ARRAY[c]) AS s (w);\n"
LATEST = (
    "CREATE TEMPORARY VIEW tagged AS SELECT a, b, c, d, e, ts FROM (SELECT a, b, c, d, e, ts, ROW_NUMBER() OVER "
    "(PARTITION BY a ORDER BY ts) AS rn FROM t, LATERAL TABLE(split(c)) AS s (w)) WHERE rn = 1;\n"
)
LIMIT = "TIMESTAMP '2026-01-01 00:00:00'"

QUERY = """{before}INSERT INTO o
SELECT a, {calls} FROM TABLE(TUMBLE(TABLE {table}, DESCRIPTOR(ts), INTERVAL '{size}' MINUTE)){functions}
WHERE b > {bound}{filter}
GROUP BY a, {keys}window_start, window_end{sets}{having}"""
NOTHING = {
    "before": "",
    "calls": "SUM(b) AS s, MAX(d) AS m",
    "table": "t",
    "size": "10",
    "functions": "",
    "bound": "0",
    "filter": "",
    "keys": "",
    "sets": "",
    "having": "",
}
FEATURES = {
    "filter": {"filter": f" AND window_start > {LIMIT}"},
    "having": {"having": f" HAVING window_end > {LIMIT}"},
    "aggregated field": {"calls": "SUM(b) AS s, MAX(d) AS m, MAX(window_end) AS e"},
    "computation": {"keys": "DATE_FORMAT(window_start, 'HH'), "},
    "grouping sets": {"sets": ", ROLLUP (c)"},
}
STICKY = {
    "python": {"calls": "SUM(b) AS s, MAX(d) AS m, wear(d) AS w"},
    "unregistered": {"calls": "SUM(b) AS s, MAX(d) AS m, house_wear(d) AS w"},
    "table function": {"functions": ", LATERAL TABLE(split(c)) AS s (w)"},
    "table function below the window": {"before": TAGGED, "table": "tagged"},
    "table function below a deduplication": {"before": LATEST, "table": "tagged"},
}
LOSSES = {
    "size": {"size": "20"},
    "key": {"keys": "e, "},
    "distinct": {"calls": "COUNT(DISTINCT c) AS s, MAX(d) AS m"},
}
OPEN_LOSSES = {"every aggregate": {"calls": "MIN(d) AS s"}}
"""A set of lost aggregates is no certain loss beside an open feature (step 4d)."""
HARMLESS = {
    "aggregate": {"calls": "SUM(b) AS s"},
    "another aggregate": {"calls": "SUM(b) AS s, MAX(d) AS m, COUNT(*) AS n"},
    "names": {"calls": "SUM(b) AS sums, MAX(d) AS m, COUNT(*) AS n"},
}


def query(*parts: dict[str, str]) -> str:
    """The query with these parts; calls of several parts go together."""
    chosen = dict(NOTHING)
    for part in parts:
        for name, text in part.items():
            if name == "calls" and chosen[name] != NOTHING[name]:
                chosen[name] += text.removeprefix(NOTHING[name])
            elif name == "keys":
                chosen[name] += text
            else:
                chosen[name] = text
    return FUNCTIONS + QUERY.format(**chosen)


def report(was: str, now: str, engine: str = "vvr") -> Report:
    found = check(*(JobVersion(f"{TABLES}{side};") for side in (now, was)), engine)
    assert (found.problems, found.baseline_problems) == ((), ())
    return found


def pairs(features: dict[str, dict[str, str]], changes: dict[str, dict[str, str]]) -> list[object]:
    return [
        pytest.param(query(feature), query(change, feature), id=f"{name}, {changed}")
        for name, feature in features.items()
        for changed, change in changes.items()
    ]


@pytest.mark.spec("CMB-01", "WTVF-23", "WTVF-24", "WTVF-27", "WTVF-28")
@pytest.mark.parametrize(("was", "now"), pairs(FEATURES, LOSSES))
def test_a_certain_loss_stays_one_beside_what_is_open(was: str, now: str) -> None:
    found = report(was, now)
    assert {finding.verdict for finding in found.findings} >= {UNKNOWN, LOST}
    assert (found.verdict, found.open_verdict) == (LOST, LOST)


@pytest.mark.spec("CMB-01", "WTVF-23", "WTVF-24", "WTVF-27", "WTVF-28")
@pytest.mark.parametrize(("was", "now"), pairs(FEATURES, {**OPEN_LOSSES, **HARMLESS}))
def test_anything_else_is_open(was: str, now: str) -> None:
    assert report(was, now).verdict is UNKNOWN


@pytest.mark.spec("CMB-01", "WTVF-25", "WTVF-26")
@pytest.mark.parametrize(("was", "now"), pairs(STICKY, {**LOSSES, **OPEN_LOSSES, **HARMLESS}))
def test_functions_leave_even_a_certain_loss_open(was: str, now: str) -> None:
    found = report(was, now)
    assert found.verdict is UNKNOWN
    assert found.open_verdict is max((finding.verdict for finding in found.findings), key=lambda verdict: verdict.rank)


@pytest.mark.spec("WTVF-25")
@pytest.mark.parametrize("name", [name for name in STICKY if name.startswith("table")])
def test_a_table_function_that_comes_or_goes_is_open(name: str) -> None:
    for was, now in ((query(), query(STICKY[name])), (query(STICKY[name]), query())):
        found = report(was, now)
        assert found.verdict in (UNKNOWN, LOST)
        assert "table-function-on-window" in {finding.rule for finding in found.findings}


def test_unnest_below_the_window_is_no_function_of_users() -> None:
    spread = {"before": SPREAD, "table": "tagged"}
    assert report(query(spread), query(spread, HARMLESS["another aggregate"])).verdict is Verdict.PARTIAL


@pytest.mark.spec("CMB-01", "WH-01")
def test_a_condition_beside_one_on_a_window_field_is_part_of_one_filter() -> None:
    for feature in ("filter", "having"):
        assert report(query(FEATURES[feature]), query(FEATURES[feature], {"bound": "1"})).verdict is UNKNOWN
    assert report(query(FEATURES["grouping sets"]), query(FEATURES["grouping sets"], {"bound": "1"})).verdict is LOST


@pytest.mark.parametrize("feature", [*FEATURES, *STICKY])
def test_nothing_changed(feature: str) -> None:
    whole = query({**FEATURES, **STICKY}[feature])
    for engine in ("vvr", "flink"):
        assert report(whole, whole.replace("SELECT a,", "select\n  a ,"), engine).findings == ()


@pytest.mark.spec("WTN-13", "WTN-06")
@pytest.mark.parametrize(
    ("was", "now", "verdict"),
    [
        (", MAX(window_end) AS e", "", LOST),
        ("", ", MAX(window_end) AS e", LOST),
        (", AVG(b) AS e", ", MAX(window_end) AS e", LOST),
        (", MAX(window_end) AS e", ", MAX(window_end) AS f", Verdict.COMPATIBLE),
    ],
)
def test_an_aggregated_field_is_a_column_of_ranked_rows(was: str, now: str, verdict: Verdict) -> None:
    ranked = (
        "INSERT INTO o SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end ORDER BY s) "
        "AS rn FROM (SELECT a, window_start, window_end, SUM(b) AS s{} FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), "
        "INTERVAL '10' MINUTE)) GROUP BY a, window_start, window_end)) WHERE rn <= 3"
    )
    assert report(ranked.format(was), ranked.format(now)).verdict is verdict
