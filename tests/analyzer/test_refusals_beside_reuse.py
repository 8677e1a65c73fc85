"""Statements that get valid or invalid by an edit of what they read: a comparison refuses what a validation refuses."""

from __future__ import annotations

import pytest

from keepstate import ENGINES, JobVersion, validate
from keepstate.report import Verdict
from shared_analyses import check

KAFKA = "'connector' = 'kafka', 'topic' = 't', 'format' = 'json', 'properties.bootstrap.servers' = 'b'"
TABLE = f"CREATE TABLE t (k INT, a INT, spare INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ({KAFKA});\n"
SINK = "CREATE TABLE s (k INT, n BIGINT) WITH ('connector' = 'print');\n"
ALIAS = "INSERT INTO s SELECT c1, COUNT(c2) FROM t AS z (c1, c2, c3, c4) GROUP BY c1;\n"
WINDOW = (
    "INSERT INTO s SELECT c1, COUNT(c2) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR))"
    " AS z (c1, c2, c3, c4, b, e, r) GROUP BY c1, b, e;\n"
)
VIEW = (
    "CREATE VIEW v AS SELECT c1, c2 FROM t AS z (c1, c2, c3, c4);\n"
    "INSERT INTO s SELECT c1, COUNT(c2) FROM v GROUP BY c1;\n"
)
PLAIN = "INSERT INTO s SELECT k, COUNT(a) FROM t GROUP BY k;\n"
FILES = TABLE.replace(KAFKA, "'connector' = 'filesystem', 'path' = '/in', 'format' = 'json'")
ROWS = TABLE.replace(KAFKA, "'connector' = 'datagen'")
MORE, LESS = ("spare INT", "spare INT, more INT"), ("spare INT, ", "")
CLIENT = ("WITH (", "WITH ('properties.x' = 'y', ")
REFUSED = {
    "one more column below an alias": (TABLE + SINK + ALIAS, MORE),
    "one column less below an alias": (TABLE + SINK + ALIAS, LESS),
    "one more column below an alias of a window": (TABLE + SINK + WINDOW, MORE),
    "one more column below an alias in a view": (TABLE + SINK + VIEW, MORE),
    "an option that files do not have": (FILES + SINK + PLAIN, CLIENT),
    "an option that made rows do not have": (ROWS + SINK + PLAIN, CLIENT),
    "a column that the query names gone": (TABLE + SINK + PLAIN, ("a INT, ", "")),
}
SWAP = ("a INT, spare INT", "spare INT, a INT")


@pytest.mark.parametrize("edit", REFUSED)
@pytest.mark.parametrize("engine", ENGINES)
def test_an_edit_of_a_table_is_refused_where_its_reader_is(engine: str, edit: str) -> None:
    job, change = REFUSED[edit]
    assert change[0] in job
    current = job.replace(*change, 1)
    problems = [problem.message for problem in validate(JobVersion(current), engine).problems]
    report = check(JobVersion(current), JobVersion(job), engine)
    assert [refusal.message for refusal in report.refusals if refusal.certain] == problems
    assert report.refusals


@pytest.mark.parametrize("query", [ALIAS, WINDOW, VIEW])
@pytest.mark.parametrize("engine", ENGINES)
def test_columns_that_change_places_below_an_alias_are_others(engine: str, query: str) -> None:
    job = TABLE + SINK + query
    report = check(JobVersion(job.replace(*SWAP)), JobVersion(job), engine)
    assert report.verdict is not Verdict.COMPATIBLE and report.findings
