"""One edit is one finding, and it stands where the edit was made."""

from __future__ import annotations

import pytest

from keepstate import ENGINES, JobVersion, check
from keepstate.api import fixes
from keepstate.report import Effect, Report, Verdict

TABLES = """
CREATE TEMPORARY TABLE o (k BIGINT, v BIGINT, c STRING) WITH ('connector' = 'kafka');
CREATE TEMPORARY TABLE a (k BIGINT, n BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'jdbc');
CREATE TEMPORARY TABLE b (c STRING, n BIGINT, PRIMARY KEY (c) NOT ENFORCED) WITH ('connector' = 'jdbc');
"""
FILTERED = "CREATE TEMPORARY VIEW p AS SELECT * FROM o WHERE c <> 'x';\n"
OTHERWISE = "CREATE TEMPORARY VIEW q AS SELECT * FROM o WHERE c <> 'y';\n"
OVER_P = "CREATE TEMPORARY VIEW r AS SELECT c, v FROM {};\n"
TO_A = "INSERT INTO a SELECT k, COUNT(*) FROM {} GROUP BY k;\n"
TO_B = "INSERT INTO b SELECT c, COUNT(*) FROM {} GROUP BY c;\n"

REFERENCES = {
    "a view, then its table": (FILTERED + TO_B.format("p"), FILTERED + TO_B.format("o"), "p", "o"),
    "a view, then another": (
        FILTERED + OTHERWISE + TO_B.format("p"),
        FILTERED + OTHERWISE + TO_B.format("q"),
        "p",
        "q",
    ),
    "a misspelled view": (
        FILTERED + TO_A.format("p") + TO_B.format("p"),
        FILTERED + TO_A.format("p") + TO_B.format("pp"),
        "p",
        "pp",
    ),
    "in a view that the query reads": (
        FILTERED + OVER_P.format("p") + TO_B.format("r"),
        FILTERED + OVER_P.format("o") + TO_B.format("r"),
        "p",
        "o",
    ),
    "in a common table": (
        FILTERED + "INSERT INTO b WITH w AS (SELECT c FROM p) SELECT c, COUNT(*) FROM w GROUP BY c",
        FILTERED + "INSERT INTO b WITH w AS (SELECT c FROM o) SELECT c, COUNT(*) FROM w GROUP BY c",
        "p",
        "o",
    ),
}


def report(was: str, now: str, engine: str = "vvr") -> Report:
    return check(JobVersion(TABLES + now), JobVersion(TABLES + was), engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("was", "now", "before", "after"), REFERENCES.values(), ids=REFERENCES.keys())
def test_name_that_was_typed_is_underlined(was: str, now: str, before: str, after: str, engine: str) -> None:
    (finding,) = report(was, now, engine).findings
    assert finding.baseline is not None
    assert (finding.baseline.text, finding.current.text) == (before, after)
    # The declaration of the view stands untouched.
    assert finding.current.span.start > len(TABLES + FILTERED)


@pytest.mark.parametrize(("was", "now", "before", "after"), REFERENCES.values(), ids=REFERENCES.keys())
def test_name_that_was_typed_can_be_restored(was: str, now: str, before: str, after: str) -> None:
    current, baseline = JobVersion(TABLES + now), JobVersion(TABLES + was)
    assert Verdict.COMPATIBLE in {fix.verdict_after for fix in fixes(current, baseline, 0)}


def test_filter_that_was_edited_is_underlined_itself() -> None:
    edited = FILTERED.replace("'x'", "'z'")
    (finding,) = report(FILTERED + TO_B.format("p"), edited + TO_B.format("p")).findings
    assert finding.current.text == "c <> 'z'"


def test_filter_that_went_out_of_a_view_is_missed_in_the_view() -> None:
    bare = "CREATE TEMPORARY VIEW p AS SELECT * FROM o;\n"
    (finding,) = report(
        FILTERED + TO_A.format("p") + TO_B.format("p"), bare + TO_A.format("p") + TO_B.format("p")
    ).findings
    assert finding.removed
    assert finding.current.text == "o"
    assert finding.current.span.start < len(TABLES + bare)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("gone", range(3))
def test_removed_insert_is_missed_where_it_stood(gone: int, engine: str) -> None:
    inserts = [TO_A.format("o"), TO_B.format("o"), "INSERT INTO d SELECT v, COUNT(*) FROM o GROUP BY v;\n"]
    was = "EXECUTE STATEMENT SET BEGIN\n" + "".join(inserts) + "END;"
    left = [insert for number, insert in enumerate(inserts) if number != gone]
    now = "EXECUTE STATEMENT SET BEGIN\n" + "".join(left) + "END;"
    current, baseline = JobVersion(TABLES + now), JobVersion(TABLES + was)
    found = check(current, baseline, engine)
    (finding,) = [one for one in found.findings if one.rule == "pipeline-removed"]
    following = (TABLES + now).index(left[gone] if gone < len(left) else "END;")
    assert finding.current.span.start == following
    offered = [
        fix
        for fix in fixes(current, baseline, found.findings.index(finding), engine)
        if fix.title.startswith("Restore")
    ]
    assert [fix.verdict_after for fix in offered] == [Verdict.COMPATIBLE]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("text", ["", "\n\n", "-- nothing is left"])
def test_emptied_text_is_one_finding(text: str, engine: str) -> None:
    was = TABLES + "SET 'table.exec.state.ttl' = '1 d';\n" + TO_A.format("o") + TO_B.format("o")
    current, baseline = JobVersion(text), JobVersion(was)
    (finding,) = check(current, baseline, engine).findings
    assert finding.change == "all statements removed"
    assert [fix.verdict_after for fix in fixes(current, baseline, 0, engine)] == [Verdict.COMPATIBLE]


RANKED = (
    "CREATE TEMPORARY TABLE t (k BIGINT, v BIGINT, c STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) "
    "WITH ('connector' = 'kafka');\nCREATE TEMPORARY VIEW f AS SELECT k, v, c FROM "
    "(SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS n FROM t) WHERE n = 1;\n"
)
SHARED = ("INSERT INTO a SELECT k, v FROM f;\n", TO_B.format("f"))


@pytest.mark.parametrize("inserts", [SHARED, SHARED[::-1]], ids=["a", "b"])
def test_an_edit_that_two_queries_feel_is_told_by_the_worse_effect(inserts: tuple[str, str]) -> None:
    was, now = (RANKED.replace("ts DESC", each) + "".join(inserts) for each in ("ts DESC", "ts ASC"))
    (finding,) = [each for each in report(was, now, "flink").findings if each.rule == "rank-order-changed"]
    assert (finding.pipeline, finding.effect) == ("INSERT INTO b", Effect.WRONG_RESULTS)


@pytest.mark.parametrize("alias", ["x", "o2"])
def test_an_alias_in_a_view_that_two_queries_read_is_no_change(alias: str) -> None:
    view = "CREATE TEMPORARY VIEW j AS SELECT {0}.k, {0}.c, p.v FROM o AS {0} JOIN o AS p ON {0}.k = p.v;\n"
    was, now = (view.format(each) + TO_A.format("j") + TO_B.format("j") for each in ("o1", alias))
    assert report(was, now, "flink").findings == ()
