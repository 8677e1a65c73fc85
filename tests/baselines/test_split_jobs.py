"""The history of jobs that span files: the unit is the commit and the job, in an audit and in ``keepstate history``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from keepstate_lsp.baselines.git.failures import GitFailure
from keepstate_lsp.baselines.git.log import Merges
from keepstate_lsp.baselines.history.file_history import History
from keepstate_lsp.cli.result.history_rows import history_rows
from keepstate_lsp.jobs.audit_rows import HistoryReader, Row
from keepstate_lsp.jobs.job_history import JobHistory, PastJudge
from keepstate_lsp.jobs.survey import SurveyTerms
from keepstate_spark.audit.classifying import pair_of
from keepstate_spark.audit.judging import judged
from repositories import GitRepository
from split_jobs import (
    CONTEXT,
    DOUBLE,
    HOURLY,
    LASTING,
    LOCAL_TIME,
    MOST,
    ON_VIEWS,
    ORDERS,
    RESPELLED,
    REVENUE,
    SECOND_VIEW,
    SHOPS,
    VIEW,
    script,
)

R, DDL, H = "jobs/revenue.sql", "ddl/orders.sql", "jobs/hourly.sql"
Files = Mapping[str, "str | None"]
"""Texts by path; ``None`` for a file that goes."""


@dataclass(frozen=True)
class Story:
    """Commits of a repository, and of the last of them the job, the verdict on ``flink`` and the touched files of each
    change. A word in capitals stands for a change that is not compared.
    """

    name: str
    commits: Sequence[Files]
    changes: Sequence[tuple[str, str, tuple[str, ...]]]


SPLIT: Files = {DDL: ORDERS, R: REVENUE, H: HOURLY}
STATEMENT_SET: Files = {
    "set/a.sql": "EXECUTE STATEMENT SET BEGIN\n",
    "set/b.sql": REVENUE,
    "set/c.sql": REVENUE.replace("revenue", "largest").replace("SUM", "MAX"),
    "set/d.sql": "END;\n",
    DDL: ORDERS,
    "keepstate.toml": CONTEXT + script("set/*.sql", name="totals"),
}
INIT: Files = {"init.sql": ORDERS, "run.sql": REVENUE, "keepstate.toml": script("init.sql", "run.sql")}
NUMBERED: Files = {
    "sql/00_orders.sql": ORDERS,
    "sql/01_views.sql": VIEW + SECOND_VIEW,
    "sql/02_revenue.sql": ON_VIEWS,
    "keepstate.toml": script("sql/*.sql"),
}
YAML = "k8s/revenue.yaml"
KUBERNETES: Files = {
    DDL: ORDERS,
    YAML: "spec:\n  job:\n    args:\n    - |\n      " + REVENUE,
    "k8s/service.yaml": "kind: Service\n",
    "keepstate.toml": CONTEXT + script(f"{YAML}#/spec/job/args/0", name="revenue"),
}
TERRAFORM: Files = {
    DDL: ORDERS,
    "main.tf": f'resource "flink" "revenue" {{\n  statement = <<-EOT\n    {REVENUE}  EOT\n}}\n',
    "keepstate.toml": CONTEXT + script("main.tf#/resource/flink/revenue/statement", name="revenue"),
}
BROKEN = ORDERS.replace("shop STRING,", "shop STRING,, (")
STORIES = (
    Story("a type that a job sums", [SPLIT, {DDL: DOUBLE}], [(H, "unchanged", (DDL,)), (R, "incompatible", (DDL,))]),
    Story("a time that a window reads", [SPLIT, {DDL: LOCAL_TIME}],
          [(H, "incompatible", (DDL,)), (R, "unchanged", (DDL,))]),
    Story("an own edit", [SPLIT, {R: MOST}], [(R, "incompatible", (R,))]),
    Story("declaration and query", [SPLIT, {DDL: DOUBLE, R: MOST}],
          [(H, "unchanged", (DDL,)), (R, "incompatible", (R, DDL))]),
    Story("a file of no job", [SPLIT, {"README.md": "x"}], []),
    Story("another table", [{**SPLIT, "ddl/shops.sql": SHOPS}, {"ddl/shops.sql": SHOPS + "-- more\n"}], []),
    Story("named context", [{**SPLIT, "keepstate.toml": CONTEXT}, {DDL: DOUBLE}],
          [(H, "unchanged", (DDL,)), (R, "incompatible", (DDL,))]),
    Story("a lasting catalog", [{**SPLIT, DDL: LASTING}, {DDL: DOUBLE.replace("TABLE", "TABLE IF NOT EXISTS")}],
          [(H, "unchanged", (DDL,)), (R, "incompatible", (DDL,))]),
    Story("views over files",
          [{DDL: ORDERS, "ddl/v1.sql": VIEW, "ddl/v2.sql": SECOND_VIEW, R: ON_VIEWS}, {DDL: DOUBLE}],
          [(R, "incompatible", (DDL,))]),
    Story("two that differ",
          [{"a/orders.sql": ORDERS, "b/orders.sql": LOCAL_TIME, R: REVENUE}, {"a/orders.sql": DOUBLE}],
          [(R, "unknown", ("a/orders.sql",))]),
    Story("two of one meaning",
          [{"a/orders.sql": ORDERS, "b/orders.sql": RESPELLED, R: REVENUE}, {"a/orders.sql": DOUBLE}],
          [(R, "unknown", ("a/orders.sql", "b/orders.sql"))]),
    Story("the other of two, with context",
          [{"a/orders.sql": ORDERS, DDL: ORDERS, R: REVENUE, "keepstate.toml": CONTEXT}, {"a/orders.sql": DOUBLE}], []),
    # Scenario 14.
    Story("a file more in a script",
          [{**NUMBERED, "more.sql": SHOPS}, {"keepstate.toml": script("more.sql", "sql/*.sql")}],
          [("sql/02_revenue.sql", "unchanged", ("more.sql",))]),
    # A revision without a configuration is composed by that of the other side.
    Story("a configuration that comes", [SPLIT, {"keepstate.toml": CONTEXT}], []),
    Story("another context",
          [{"a/o.sql": ORDERS, "b/o.sql": DOUBLE, R: REVENUE, "keepstate.toml": 'context = ["a/*.sql"]'},
           {"keepstate.toml": 'context = ["b/*.sql"]'}], [(R, "incompatible", ("b/o.sql", "a/o.sql"))]),
    # Scenario 15.
    Story("a declaration that moves", [SPLIT, {DDL: None, "ddl/sales/orders.sql": ORDERS}], []),
    Story("moved and edited", [SPLIT, {DDL: None, "ddl/sales/orders.sql": DOUBLE}],
          [(H, "unchanged", ("ddl/sales/orders.sql", DDL)), (R, "incompatible", ("ddl/sales/orders.sql", DDL))]),
    # Scenario 16.
    Story("a declaration that goes", [SPLIT, {DDL: None}],
          [(H, "unknown", (DDL,)), (R, "unknown", (DDL,))]),
    Story("a declaration that comes",
          [{R: REVENUE, "ddl/shops.sql": SHOPS, "jobs/x.sql": ORDERS + REVENUE}, {DDL: ORDERS}],
          []),
    Story("a broken declaration", [SPLIT, {DDL: BROKEN}],
          [(H, "unknown", (DDL,)), (R, "unknown", (DDL,))]),
    Story("a broken declaration of the context", [{**SPLIT, "keepstate.toml": CONTEXT}, {DDL: BROKEN}],
          [(H, "NOT", (DDL,)), (R, "NOT", (DDL,))]),
    # Layouts.
    Story("init and file: the init file", [INIT, {"init.sql": DOUBLE}], [("run.sql", "incompatible", ("init.sql",))]),
    Story("init and file: both", [INIT, {"init.sql": DOUBLE, "run.sql": MOST}],
          [("run.sql", "incompatible", ("init.sql", "run.sql"))]),
    Story("numbered folder", [NUMBERED, {"sql/00_orders.sql": DOUBLE}],
          [("sql/02_revenue.sql", "incompatible", ("sql/00_orders.sql",))]),
    Story("statement set over files: a query", [STATEMENT_SET, {"set/b.sql": MOST}],
          [("totals", "incompatible", ("set/b.sql",))]),
    Story("YAML: the query", [KUBERNETES, {YAML: str(KUBERNETES[YAML]).replace("SUM", "MAX")}],
          [("revenue", "incompatible", (f"{YAML}#/spec/job/args/0",))]),
    Story("YAML: its table", [KUBERNETES, {DDL: DOUBLE}], [("revenue", "incompatible", (DDL,))]),
    Story("YAML: nothing of the query", [KUBERNETES, {YAML: "kind: X\n" + str(KUBERNETES[YAML])}], []),
    Story("YAML: another file", [KUBERNETES, {"k8s/service.yaml": "kind: Ingress\n"}], []),
    Story("HCL: the query", [TERRAFORM, {"main.tf": str(TERRAFORM["main.tf"]).replace("SUM", "MAX")}],
          [("revenue", "incompatible", ("main.tf#/resource/flink/revenue/statement",))]),
    Story("HCL: its table", [TERRAFORM, {DDL: DOUBLE}], [("revenue", "incompatible", (DDL,))]),
    Story("statement set over files: its table", [STATEMENT_SET, {DDL: DOUBLE}], [("totals", "incompatible", (DDL,))]),
)  # fmt: skip


def write(folder: Path, commits: Sequence[Files]) -> GitRepository:
    repository = GitRepository(folder)
    for number, files in enumerate(commits):
        for path, text in files.items():
            if text is None:
                (repository.folder / path).unlink()
        repository.commit({path: text for path, text in files.items() if text is not None}, str(number + 1))
    return repository


def surveyed(folder: Path, terms: SurveyTerms = SurveyTerms()) -> list[Row]:  # noqa: B008
    return [row for row in HistoryReader(terms)(str(folder), None) if row["kind"] == "change"]


def verdict_of(row: Row) -> str:
    report = list(judged(pair_of(row), "flink"))[-1]
    if report["outcome"] != "judged":
        return "NOT"
    return "unchanged" if report["unchanged"] else str(report["verdict"])


def touched(row: Row) -> tuple[str, ...]:
    return tuple(file["path"] for file in row["files"] if file["touched"])


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_a_commit_is_one_change_of_each_job_that_feels_it(repository: GitRepository, story: Story) -> None:
    write(repository.folder, story.commits)
    last = str(len(story.commits))
    rows = [row for row in surveyed(repository.folder) if row["subject"] == last and row["status"] == "changed"]
    found = {row["job"]: (verdict_of(row), set(touched(row))) for row in rows}
    assert found == {job: (verdict, set(files)) for job, verdict, files in story.changes}
    assert len(found) == len(rows)


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
@pytest.mark.parametrize("merges", Merges, ids=lambda merges: merges.value)
def test_the_history_of_a_job_says_what_an_audit_says(repository: GitRepository, story: Story, merges: Merges) -> None:
    write(repository.folder, story.commits)
    rows = [row for row in surveyed(repository.folder, SurveyTerms(merges)) if row["status"] == "changed"]
    expected: dict[str, list[tuple[str, str, tuple[str, ...]]]] = {}
    for row in rows:
        expected.setdefault(row["path"], []).append((row["subject"], verdict_of(row), touched(row)))
    jobs = {*expected, *(path for path in (R, "run.sql", H) if (repository.folder / path).exists())}
    with History.around(repository.folder) as history:
        for path in sorted(jobs):
            changes = JobHistory(history).changes(path, merges=merges)
            found = [
                (
                    row.change.commit.subject,
                    "NOT" if row.status.failed else row.word if row.word == "unchanged" else row.verdict.value,
                    tuple(file.path for file in row.change.files if file.touched),
                )
                for row in history_rows(changes, PastJudge("flink"))
                if row.verdict is not None
            ]
            assert list(reversed(found)) == expected.get(path, []), path


def test_three_changes_of_a_job_by_three_files(repository: GitRepository) -> None:
    """Scenario 20."""
    write(
        repository.folder,
        [{DDL: ORDERS, R: REVENUE}, {DDL: DOUBLE}, {R: MOST}, {DDL: ORDERS, R: REVENUE}, {"README": "x"}],
    )
    rows = surveyed(repository.folder)
    assert [(row["subject"], row["job"], row["status"], touched(row)) for row in rows] == [
        ("1", R, "new", (R,)),
        ("2", R, "changed", (DDL,)),
        ("3", R, "changed", (R,)),
        ("4", R, "changed", (R, DDL)),
    ]
    assert [verdict_of(row) for row in rows[1:]] == ["incompatible"] * 3
    assert all(row["path"] == R and row["assumed"] == [{"name": "orders", "path": DDL}] for row in rows[1:])
    assert {file["role"] for row in rows[1:] for file in row["files"]} == {"script", "assumed"}


def test_a_fork_is_the_same_pairs(tmp_path: Path, isolated_git: None) -> None:
    commits: list[Files] = [{DDL: ORDERS, R: REVENUE}, {DDL: DOUBLE}, {DDL: ORDERS}, {DDL: DOUBLE}]
    base, fork = (write(tmp_path / name, commits) for name in ("base", "fork"))
    pairs = [[row["pair"] for row in surveyed(each.folder) if row["pair"]] for each in (base, fork)]
    assert pairs[0] == pairs[1]
    assert pairs[0][0] == pairs[0][2] != pairs[0][1]
    # The texts are handed out with the first of equal pairs.
    assert [row["current_files"] is None for row in surveyed(base.folder)[1:]] == [False, False, True]


def test_the_past_of_a_declaration_is_that_of_its_readers(repository: GitRepository) -> None:
    write(repository.folder, [SPLIT, {DDL: DOUBLE}, {DDL: LOCAL_TIME}])
    with History.around(repository.folder) as history:
        rows = list(history_rows(JobHistory(history).changes(DDL), PastJudge("flink")))
    assert [(row.change.commit.subject, row.change.path, row.word) for row in rows] == [
        ("3", H, "incompatible"),
        ("3", R, "incompatible"),
        ("2", H, "unchanged"),
        ("2", R, "incompatible"),
        ("1", DDL, "new"),
    ]


@pytest.mark.parametrize("merges", Merges, ids=lambda merges: merges.value)
def test_branches_have_their_own_files(repository: GitRepository, merges: Merges) -> None:
    write(repository.folder, [{DDL: ORDERS, R: REVENUE}])
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.commit({DDL: DOUBLE}, "Type")
    repository.git("checkout", "--quiet", "main")
    repository.commit({"ddl/shops.sql": SHOPS}, "Beside")
    repository.git("merge", "--quiet", "--no-ff", "-m", "Merge", "topic")
    repository.commit({R: MOST}, "Query")
    rows = surveyed(repository.folder, SurveyTerms(merges))
    found = [(row["subject"], touched(row)) for row in rows if row["status"] == "changed"]
    assert found == [("Type" if merges is Merges.FULL else "Merge", (DDL,)), ("Query", (R,))]
    assert all(verdict_of(row) == "incompatible" for row in rows if row["status"] == "changed")


def test_a_later_survey_goes_on_with_all_files(repository: GitRepository) -> None:
    write(repository.folder, [{DDL: ORDERS, R: REVENUE}])
    landmark = list(HistoryReader(SurveyTerms())(str(repository.folder), None))[-1]["landmark"]
    repository.commit({DDL: DOUBLE}, "Type")
    later = list(HistoryReader(SurveyTerms())(str(repository.folder), landmark))
    assert [(row["subject"], row["path"]) for row in later if row["kind"] == "change"] == [("Type", R)]


def test_a_file_that_git_lost_costs_the_jobs_that_it_is_named_for(repository: GitRepository) -> None:
    write(repository.folder, [{DDL: ORDERS, H: HOURLY, "keepstate.toml": CONTEXT}, {H: HOURLY + "-- more"}])
    blob = repository.git("rev-parse", f"HEAD:{DDL}")
    (repository.folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    row = surveyed(repository.folder)[-1]
    assert (row["subject"], row["status"]) == ("2", "not-compared") and DDL in row["reason"]


def test_a_file_that_the_log_tells_wrong_of_is_damaged(tmp_path: Path) -> None:
    """The log is not asked again about files of other jobs, but about each file of a job that changed."""
    repository = write(tmp_path, [SPLIT])
    commit = repository.git("rev-parse", "HEAD").strip()
    with History.around(repository.folder) as history:
        right = {state.path: state.blob for state in history.files(commit)}
        history.verify_file(commit, DDL, right[DDL])
        for path, blob in ((DDL, right[R]), ("ddl/none.sql", right[DDL])):
            with pytest.raises(GitFailure, match="what the commit does not say"):
                history.verify_file(commit, path, blob)
