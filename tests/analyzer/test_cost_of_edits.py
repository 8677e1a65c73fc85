"""An edit of a long job costs what changed: calls are counted, not time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache, partial
from itertools import count
from types import FrameType
from typing import Any

import pytest

import keepstate
from function_calls import instructions_of
from keepstate import comparison as comparisons
from keepstate import workspace as workspace_of_jobs
from keepstate.diff import job_differences
from keepstate.engines.flink.assessment import FlinkAssessment
from keepstate.job_version import job_of
from keepstate.physical import stored_query as stored_queries
from keepstate.physical.stored_job import StoredJob
from keepstate.plan.catalog import Catalog
from keepstate.plan.lowering.from_clause import FromLowering
from keepstate.plan.lowering.queries import QueryLowering
from keepstate.plan.planned import query_planning, wordings
from keepstate.plan.units.cluster_jobs import JobUnit
from keepstate.syntax.memo import Memo
from keepstate.validation.statements import outcome_cache
from keepstate.validation.statements.answer_cache import CachedAnswer

SETUPS = {
    "vvr": ("vvr", JobUnit.SCRIPT),
    "flink": ("flink", JobUnit.SCRIPT),
    "flink, each INSERT a job": ("flink", JobUnit.EACH_INSERT),
}
"""The engine, and the part of a script that is one job. The last one is what editors have without a configuration."""
ENGINES = tuple(SETUPS)
GROUP = """\
CREATE TABLE t{n} (k STRING, v BIGINT, unread INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
WITH ('connector' = 'kafka', 'topic' = 't{n}', 'format' = 'json');
CREATE TEMPORARY VIEW v{n} AS SELECT k, v, ts FROM t{n} WHERE v > 10;
INSERT INTO s{n} SELECT k, SUM(v) AS total FROM v{n} GROUP BY k; -- A comment; of no meaning.
INSERT INTO w{n} SELECT window_start, k, COUNT(*) AS n
FROM TABLE(TUMBLE(TABLE v{n}, DESCRIPTOR(ts), INTERVAL '10' MINUTE)) GROUP BY window_start, window_end, k;
"""
FEW, MANY = 12, 36
"""Both are long enough for the memory of texts."""
EDITS = {
    "an aggregate": ("SUM(v) AS total FROM v5 ", "SUM(v + {n}) AS total FROM v5 ", 1),
    "a comment": ("GROUP BY k;", "/* {n} */ GROUP BY k;", 1),
    "a view": ("FROM t5 WHERE v > 10", "FROM t5 WHERE v > {n}", 2),
    "a table": ("t5 (k STRING, v BIGINT", "t5 (k CHAR({n}), v BIGINT", 2),
    "a column that nothing reads": (
        "t5 (k STRING, v BIGINT, unread INT",
        "t5 (k STRING, v BIGINT, unread CHAR({n})",
        2,
    ),
}
"""The text at a place, the one typed there, and the number of queries that it reaches."""
UNFELT = ("a comment", "a column that nothing reads")
CALLS_OF_AN_UNTOUCHED_GROUP = 4
"""Of four statements, two of them queries. Beside an edit of a query it was 40 to 120, beside a declaration 165."""
CALLS_BESIDE_A_BROKEN_STATEMENT = 28
"""Likewise, where that of the baseline stands in for one that cannot be read: the doubts about tables move along."""
INSTRUCTIONS_OF_AN_UNTOUCHED_GROUP = {"a view": 530, "a table": 530, "a column that nothing reads": 420}
"""Bytecode of Python. Loops that run in C have none; those that did not took 800 to 1,500 instructions."""
INSTRUCTIONS_BESIDE_A_QUERY = 260
"""Likewise, for edits of queries."""


def script(groups: int) -> str:
    return "".join(GROUP.format(n=number) for number in range(groups))


def version_of(text: str, engine: str) -> keepstate.JobVersion:
    return keepstate.JobVersion(text, jobs=SETUPS[engine][1])


def analysis(text: str, baseline: str, engine: str, workspace: keepstate.Workspace) -> keepstate.RestartAnalysis:
    return workspace.analysis(version_of(text, engine), version_of(baseline, engine), SETUPS[engine][0])


def typed(groups: int, edit: str, number: int) -> str:
    was, now, _ = EDITS[edit]
    return script(groups).replace(was, now.format(n=number + 20), 1)


class Document:
    """A job of an editor, with the memory of its former texts."""

    def __init__(self, groups: int, engine: str) -> None:
        self.groups, self.engine = groups, engine
        self.workspace, self.numbers = keepstate.Workspace(), count()
        self.baseline = script(groups)
        self.check(self.baseline)

    def check(self, text: str) -> None:
        analysis(text, self.baseline, self.engine, self.workspace).report()

    def calls(self, edit: str) -> int:
        """The calls of one keystroke like some that came before."""
        return calls_of(self.keystroke(edit))

    def keystroke(self, edit: str) -> Callable[[], None]:
        """One keystroke like some that came before."""
        for _ in range(2):
            self.check(typed(self.groups, edit, next(self.numbers)))
        return partial(self.check, typed(self.groups, edit, next(self.numbers)))


@cache
def document(groups: int, engine: str) -> Document:
    return Document(groups, engine)


def calls_of(work: Callable[[], object]) -> int:
    calls = 0

    def note(_: FrameType, event: str, __: Any) -> None:
        nonlocal calls
        calls += event == "call"

    former = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(former)
    return calls


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("engine", ENGINES)
def test_what_an_edit_does_not_reach_costs_no_loop_in_python(engine: str, edit: str) -> None:
    few, many = (instructions_of(document(groups, engine).keystroke(edit)) for groups in (FEW, MANY))
    most = INSTRUCTIONS_OF_AN_UNTOUCHED_GROUP.get(edit, INSTRUCTIONS_BESIDE_A_QUERY)
    assert (many - few) / (MANY - FEW) <= most


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("engine", ENGINES)
def test_what_an_edit_does_not_reach_costs_next_to_nothing(engine: str, edit: str) -> None:
    few, many = (document(groups, engine).calls(edit) for groups in (FEW, MANY))
    assert (many - few) / (MANY - FEW) <= CALLS_OF_AN_UNTOUCHED_GROUP


@pytest.mark.parametrize("engine", ENGINES)
def test_a_statement_in_pieces_costs_one_look_at_the_others(engine: str) -> None:
    calls: list[int] = []
    for groups in (FEW, MANY):
        # Each document has a memory of its own: what is broken stays out of that of other tests.
        open_document, text = Document(groups, engine), script(groups)
        pieces = ["SELECT k, SUM(v) AS total FROM v5 " + "x" * number for number in range(4)]
        versions = [
            text.replace("SELECT k, SUM(v) AS total FROM v5 ", f"SELECT k, SUM(v AS {piece}") for piece in pieces
        ]
        for version in versions[:3]:
            open_document.check(version)
        calls.append(calls_of(lambda: open_document.check(versions[3])))  # noqa: B023
    assert (calls[1] - calls[0]) / (MANY - FEW) <= CALLS_BESIDE_A_BROKEN_STATEMENT


@pytest.mark.parametrize("edit", EDITS)
def test_only_the_queries_that_an_edit_reaches_are_stored_assessed_and_validated_anew(
    edit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # With the memory of these keystrokes alone.
    long = Document(FEW, "flink")
    long.check(typed(FEW, edit, 7))
    counts = [
        counted(monkeypatch, stored_queries, "_built_query"),
        counted(monkeypatch, FlinkAssessment, "_assess"),
        counted(monkeypatch, outcome_cache, "outcome_of"),
    ]
    long.check(typed(FEW, edit, 8))
    reached = EDITS[edit][2]
    is_silent = edit in UNFELT
    assert is_silent == (not counts[0]) and len(counts[0]) <= reached
    assert is_silent == (not counts[1]) and len(counts[1]) <= reached
    # The view and the table are statements as well.
    assert 0 < len(counts[2]) <= reached + 2


def counted(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> list[None]:
    calls: list[None] = []
    plain = getattr(owner, name)

    def call(*arguments: Any) -> Any:
        calls.append(None)
        return plain(*arguments)

    monkeypatch.setattr(owner, name, call)
    return calls


@pytest.mark.parametrize("engine", ENGINES)
def test_a_hover_looks_through_the_clauses_of_a_query_once(engine: str) -> None:
    one = Document(FEW, engine)
    calls: list[int] = []
    for number in range(3):
        text = typed(FEW, "an aggregate", number)
        one.check(text)
        name, at = SETUPS[engine][0], text.index("INSERT INTO s5")
        hover = partial(keepstate.state_hovers, version_of(text, engine), name, one.workspace, at)
        calls = [calls_of(hover) for _ in range(2)]
        assert hover() == ()
    # It was 840 and 270: each place of each expression was turned into one of the text.
    assert calls[0] <= 500 and calls[1] <= 200


READERS = 12
SHARED = """\
CREATE TABLE base (k STRING, v BIGINT, unread INT) WITH ('connector' = 'kafka', 'topic' = 'base', 'format' = 'json');
CREATE VIEW shared AS SELECT k, v FROM base WHERE v > 10;
CREATE VIEW above AS SELECT k, v FROM shared WHERE v < 99;
""" + "".join(
    f"INSERT INTO s{n} SELECT k, SUM(v) AS total{n} FROM {('shared', 'above', 'base')[n % 3]} GROUP BY k;\n"
    for n in range(READERS)
)
SILENT = {
    "a comment in a table": ("unread INT", "unread /* {} */ INT"),
    "a comment in a view": ("v > 10", "v > /* {} */ 10"),
    "an option of the client": ("'topic' = 'base'", "'topic' = 'base', 'properties.x' = '{}'"),
    "a column that nothing reads": ("unread INT", "unread INT, typed{} INT"),
    "the type of a column that nothing reads": ("unread INT", "unread CHAR(1{})"),
    "the tasks of the source": ("'topic' = 'base'", "'topic' = 'base', 'scan.parallelism' = '1{}'"),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("edit", SILENT)
def test_readers_are_not_planned_compared_and_validated_again_where_their_meaning_stays(
    engine: str, edit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, baseline = keepstate.Workspace(), version_of(SHARED, engine)
    was, now = SILENT[edit]
    texts = [SHARED.replace(was, now.format(number)) for number in range(2)]
    for text in (SHARED, texts[0]):
        workspace.analysis(version_of(text, engine), baseline, SETUPS[engine][0]).report()
    planned = counted(monkeypatch, query_planning, "_plan_of")
    compared = counted(monkeypatch, job_differences, "_pair")
    validated = counted(monkeypatch, outcome_cache, "outcome_of")
    stored = counted(monkeypatch, stored_queries, "_built_query")
    report = workspace.analysis(version_of(texts[1], engine), baseline, SETUPS[engine][0]).report()
    # Ids follow from the tasks of a source.
    is_stored_anew = SETUPS[engine][0] == "flink" and edit == "the tasks of the source"
    assert bool(report.findings) is is_stored_anew
    assert not compared
    assert len(validated) == 1
    # Its plan stays all the same.
    assert not planned
    assert len(stored) == (READERS if is_stored_anew else 0)


@pytest.mark.parametrize("engine", ENGINES)
def test_views_and_tables_are_lowered_once_for_all_their_readers(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace, baseline = keepstate.Workspace(), version_of(SHARED, engine)
    workspace.analysis(baseline, baseline, SETUPS[engine][0]).report()
    planned = counted(monkeypatch, query_planning, "_plan_of")
    expanded = counted(monkeypatch, QueryLowering, "_expanded")
    declared = counted(monkeypatch, FromLowering, "_fields_of")
    edited = SHARED.replace("v BIGINT, unread INT", "v DECIMAL(9, 2), unread INT")
    workspace.analysis(version_of(edited, engine), baseline, SETUPS[engine][0]).report()
    assert (len(planned), len(expanded), len(declared)) == (READERS, 2, 1)


COLUMNS = {
    "a condition": ("v > 10", "v > 1{}", 1),
    "a condition of the view above": ("v < 99", "v < 9{}", 1),
    "a column that no reader names": ("SELECT k, v FROM base", "SELECT k, v, unread AS more{} FROM base", 1 + 5),
    "the type of a column": ("SELECT k, v FROM base", "SELECT k, CAST(v AS DECIMAL(1{}, 2)) AS v FROM base", 1 + 5 + 4),
    "the nullability of a column": ("SELECT k, v FROM base", "SELECT k, COALESCE(v, {}) AS v FROM base", 1),
}
"""Edits of a view, and the number of statements that are validated again: the view. Where its columns differ, also 4
queries and a view, and 4 queries that read this one where its columns differ too.
"""


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("edit", COLUMNS)
def test_readers_of_a_view_are_validated_again_where_its_columns_differ(
    engine: str, edit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, baseline = keepstate.Workspace(), version_of(SHARED, engine)
    was, now, count = COLUMNS[edit]
    texts = [SHARED.replace(was, now.format(number), 1) for number in range(2)]
    for text in (SHARED, texts[0]):
        workspace.analysis(version_of(text, engine), baseline, SETUPS[engine][0]).report()
    validated = counted(monkeypatch, outcome_cache, "outcome_of")
    report = workspace.analysis(version_of(texts[1], engine), baseline, SETUPS[engine][0]).report()
    assert len(validated) == count
    assert report == keepstate.Workspace().analysis(version_of(texts[1], engine), baseline, SETUPS[engine][0]).report()


@pytest.mark.parametrize(("levels", "count"), [(outcome_cache.MOST_NESTED - 1, 1), (outcome_cache.MOST_NESTED, 2)])
def test_columns_of_deep_types_are_not_compared(levels: int, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    type_ = "INT"
    for _ in range(levels):
        type_ = f"ROW<a {type_}>"
    text = f"""\
CREATE TABLE t (deep {type_}, v INT) WITH ('connector' = 'kafka', 'topic' = 't', 'format' = 'json');
CREATE VIEW w AS SELECT deep, v FROM t WHERE v > 10;
INSERT INTO s SELECT deep, SUM(v) AS total FROM w GROUP BY deep;
"""
    workspace, baseline = keepstate.Workspace(), keepstate.JobVersion(text)
    workspace.analysis(baseline, baseline, "flink").report()
    validated = counted(monkeypatch, outcome_cache, "outcome_of")
    workspace.analysis(keepstate.JobVersion(text.replace("v > 10", "v > 11")), baseline, "flink").report()
    assert len(validated) == count


def test_a_view_that_is_refused_is_validated_with_its_readers() -> None:
    workspace, baseline = keepstate.Workspace(), keepstate.JobVersion(SHARED)
    for condition in ("v > 10", "nothing > 10", "v > 11", "v > 'a' + 1", "nothing > 10", "v > 10"):
        version = keepstate.JobVersion(SHARED.replace("v > 10", condition))
        report = workspace.analysis(version, baseline, "flink").report()
        assert report == keepstate.Workspace().analysis(version, baseline, "flink").report()
        assert bool(report.refusals) is (condition not in ("v > 10", "v > 11"))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_revert_to_the_baseline_is_compared_once_for_all_keystrokes(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, baseline = keepstate.Workspace(), version_of(SHARED, engine)
    compared = counted(monkeypatch, comparisons, "compare_jobs")
    counts = []
    for call in ("MAX(v)", "MIN(v)", "AVG(v)"):
        version = version_of(SHARED.replace("SUM(v) AS total0", f"{call} AS total0"), engine)
        analysis = workspace.analysis(version, baseline, SETUPS[engine][0])
        report = analysis.report()
        compared.clear()
        fixes = analysis.fixes(0)
        counts.append(len(compared))
        assert len(report.findings) == 1
        assert fixes == keepstate.Workspace().analysis(version, baseline, SETUPS[engine][0]).fixes(0)
        assert [fix.kind for fix in fixes] == ["revert", "keep-both"]
    # The former metric beside the new one makes a text of its own each time.
    assert counts == [2, 1, 1]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_edit_of_a_query_looks_up_no_other_statement_for_its_validity(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = Document(FEW, engine)
    long.check(typed(FEW, "an aggregate", 7))
    looked_up = counted(monkeypatch, CachedAnswer, "holds_in")
    long.check(typed(FEW, "an aggregate", 8))
    assert len(looked_up) <= 1


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("edit", "readers"), [("a view", 2), ("a table", 3)])
def test_an_edit_of_a_declaration_looks_up_what_reads_it_alone_for_their_validity(
    engine: str, edit: str, readers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = Document(FEW, engine)
    long.check(typed(FEW, edit, 7))
    looked_up = counted(monkeypatch, CachedAnswer, "holds_in")
    long.check(typed(FEW, edit, 8))
    assert len(looked_up) <= readers


def test_a_parameter_of_a_sink_counts_for_the_stored_query() -> None:
    text = """\
CREATE TABLE c (name STRING, city STRING, PRIMARY KEY (name) NOT ENFORCED)
WITH ('connector' = 'upsert-kafka', 'topic' = 'c', 'key.format' = 'json', 'value.format' = 'json');
CREATE TABLE s (c STRING PRIMARY KEY NOT ENFORCED, n BIGINT)
WITH ('connector' = 'upsert-kafka', 'topic' = 's', 'key.format' = 'json', 'value.format' = 'json');
INSERT INTO s SELECT city, COUNT(*) FROM c GROUP BY city, name;
"""
    memo = Memo()
    texts = (text, f"SET 'table.exec.sink.upsert-materialize' = 'NONE';\n{text}")
    stored = [StoredJob.of(job_of(keepstate.JobVersion(each), memo)) for each in texts]
    assert [stored_queries.SINK in each.pipelines[0].operators for each in stored] == [True, False]


BETWEEN = {
    "a comment in front": ("CREATE TABLE base", "-- {}\nCREATE TABLE base"),
    "a comment between": ("CREATE VIEW above", "-- {}; of no statement\nCREATE VIEW above"),
    "a comment at the end": ("GROUP BY k;\n", "GROUP BY k; -- {}\n"),
    "lines": ("CREATE VIEW above", "{}CREATE VIEW above"),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("edit", BETWEEN)
def test_nothing_is_compared_and_judged_again_where_all_statements_stay(
    engine: str, edit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, baseline = keepstate.Workspace(), version_of(SHARED, engine)
    edited = SHARED.replace("v > 10;", "v > 11;")
    was, now = BETWEEN[edit]
    workspace.analysis(version_of(edited, engine), baseline, SETUPS[engine][0]).report()
    planned = counted(monkeypatch, workspace_of_jobs.Job, "of")
    compared = counted(monkeypatch, comparisons, "compare_jobs")
    judged = counted(monkeypatch, comparisons, "judge")
    text = edited.replace(was, now.format("\n" * 3 if edit == "lines" else "typed"))
    report = workspace.analysis(version_of(text, engine), baseline, SETUPS[engine][0]).report()
    assert not planned and not compared and not judged
    assert report == keepstate.Workspace().analysis(version_of(text, engine), baseline, SETUPS[engine][0]).report()
    assert len(report.findings) == 1


@pytest.mark.parametrize(
    "text",
    [
        # Another statement, another order, one more, one less.
        SHARED.replace("v < 99", "v < 98"),
        "".join(reversed(SHARED.splitlines(keepends=True))),
        f"{SHARED}INSERT INTO s0 SELECT k, v FROM base;\n",
        SHARED[: SHARED.rindex("INSERT")],
        # A statement that the engine refuses.
        f"{SHARED}INSERT INTO s SELEC k FROM base;\n",
    ],
)
@pytest.mark.parametrize("engine", ENGINES)
def test_other_statements_are_compared(engine: str, text: str) -> None:
    workspace, baseline = keepstate.Workspace(), version_of(SHARED, engine)
    for each in (SHARED, text, f"-- typed\n{text}", SHARED, f"-- typed\n{SHARED}", f"{text}-- typed"):
        version = version_of(each, engine)
        report = workspace.analysis(version, baseline, SETUPS[engine][0]).report()
        assert report == keepstate.Workspace().analysis(version, baseline, SETUPS[engine][0]).report()


def test_other_parameters_are_compared() -> None:
    workspace, baseline = keepstate.Workspace(), keepstate.JobVersion(SHARED)
    for number, ttl in enumerate(("1 d", "2 d", "1 d")):
        version = keepstate.JobVersion(f"-- {number}\n{SHARED}", {"table.exec.state.ttl": ttl})
        report = workspace.analysis(version, baseline, "flink").report()
        assert report == keepstate.Workspace().analysis(version, baseline, "flink").report()


def test_readers_of_one_declaration_share_what_it_reaches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of 12 queries reads one of three declarations: each of these is followed once, and worded once."""
    text = SHARED.replace("unread INT", "unread INT, more INT")
    workspace, baseline = keepstate.Workspace(), keepstate.JobVersion(SHARED)
    workspace.analysis(baseline, baseline, "vvr").report()
    followed = counted(monkeypatch, Catalog, "_reach_of")
    worded = counted(monkeypatch, wordings._Declared, "__init__")
    workspace.analysis(keepstate.JobVersion(text), baseline, "vvr").report()
    # A view is followed for itself too, and the validation asks about a declaration by itself.
    assert 0 < len(followed) <= 3 + 2
    assert 0 < len(worded) <= 2 * 3 + 2
