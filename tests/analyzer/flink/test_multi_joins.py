"""MULTI_JOIN hints: Flink makes one operator of the joins that they name. Plans and restores of 2.3.0."""

from __future__ import annotations

import pytest

from keepstate import JobVersion, check
from keepstate.report import Report, Verdict

TABLES = "".join(
    f"CREATE TABLE {name} (k STRING, k2 STRING, a INT) WITH ('connector' = 'kafka', 'format' = 'json');\n"
    for name in ("t", "u", "r")
)
THREE = "SELECT {} x.a, y.a, z.a FROM t AS x JOIN u AS y ON x.k = y.k {} JOIN r AS z ON x.k = z.k;"
TWO = "SELECT {} x.a, y.a FROM t AS x {} JOIN u AS y ON x.k = y.k;"
VIEW = (
    "CREATE VIEW v AS SELECT {} x.k, y.a FROM t AS x JOIN u AS y ON x.k = y.k;\nSELECT k, COUNT(*) FROM v GROUP BY k;"
)
SETTING = "SET 'table.optimizer.multi-join.enabled' = 'true';\n"
ALL = "/*+ MULTI_JOIN(x, y, z) */"

OTHER_OPERATORS = {
    # Cannot map savepoint state: joins have other ids
    "a hint for all inputs": (THREE.format("", ""), THREE.format(ALL, "")),
    "no hint any more": (THREE.format(ALL, ""), THREE.format("", "")),
    "of two inputs": (TWO.format("", ""), TWO.format("/*+ MULTI_JOIN(x, y) */", "")),
    "of one input": (TWO.format("", ""), TWO.format("/*+ multi_join(y) */", "")),
    "of fewer inputs": (THREE.format(ALL, ""), THREE.format("/*+ MULTI_JOIN(x, y) */", "")),
    "of a left join": (TWO.format("", "LEFT"), TWO.format("/*+ MULTI_JOIN(x, y) */", "LEFT")),
    "beside another hint": (TWO.format("", ""), TWO.format("/*+ STATE_TTL('x' = '1 d'), MULTI_JOIN(x) */", "")),
    "in a view": (VIEW.format(""), VIEW.format("/*+ MULTI_JOIN(x, y) */")),
}
SAME_OPERATORS = {
    "the same hint": (THREE.format(ALL, ""), THREE.format(ALL.lower(), "")),
    "other names": (
        TWO.format("/*+ MULTI_JOIN(x, y) */", ""),
        "SELECT /*+ MULTI_JOIN(b, c) */ b.a, c.a FROM t b JOIN u c ON b.k = c.k;",
    ),
    "one input names the join": (TWO.format("/*+ MULTI_JOIN(x, y) */", ""), TWO.format("/*+ MULTI_JOIN(x) */", "")),
    "no join": ("SELECT k, COUNT(*) FROM t GROUP BY k;", "SELECT /*+ MULTI_JOIN(t) */ k, COUNT(*) FROM t GROUP BY k;"),
    "a full join stays": (TWO.format("", "FULL"), TWO.format("/*+ MULTI_JOIN(x, y) */", "FULL")),
    "under the setting": (SETTING + THREE.format("", ""), SETTING + THREE.format(ALL, "")),
    "another hint": (TWO.format("", ""), TWO.format("/*+ BROADCAST(x) */", "")),
}


def report(was: str, now: str, engine: str = "flink") -> Report:
    return check(JobVersion(TABLES + now), JobVersion(TABLES + was), engine)


@pytest.mark.parametrize("engine", ["flink", "vvr"])
@pytest.mark.parametrize(("was", "now"), OTHER_OPERATORS.values(), ids=OTHER_OPERATORS)
def test_a_hint_that_merges_joins_is_never_green(was: str, now: str, engine: str) -> None:
    verdict = report(was, now, engine)
    assert verdict.verdict is Verdict.UNKNOWN
    assert "setting-changed" in [finding.rule for finding in verdict.findings]


@pytest.mark.parametrize("engine", ["flink", "vvr"])
@pytest.mark.parametrize(("was", "now"), SAME_OPERATORS.values(), ids=SAME_OPERATORS)
def test_a_hint_that_changes_no_operator_is_silent(was: str, now: str, engine: str) -> None:
    verdict = report(was, now, engine)
    assert (verdict.verdict, verdict.findings) == (Verdict.COMPATIBLE, ())


def test_the_finding_stands_on_the_hint() -> None:
    was, now = OTHER_OPERATORS["a hint for all inputs"]
    (finding,) = report(was, now).findings
    assert finding.current is not None
    assert finding.current.text == "MULTI_JOIN(x, y, z)"
