"""``keepstate audit`` on real repositories and a real Spark."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import job_histories
from jobs import BROKEN, INCOMPATIBLE, JOB, PARTIAL, REFORMATTED
from keepstate_lsp.cli.commands.audit.audit_page import audit_page
from keepstate_lsp.cli.commands.audit.audit_text import audit_for_terminal, audit_text
from keepstate_lsp.cli.main import main
from keepstate_lsp.jobs.audit_rows import HistoryReader
from keepstate_lsp.jobs.survey import SurveyTerms
from keepstate_spark.audit import classifying
from keepstate_spark.audit.audit_figures import AuditFigures
from keepstate_spark.audit.audit_folder import MANIFEST, AuditFolder
from keepstate_spark.audit.auditing import AuditRun, AuditTerms
from keepstate_spark.audit.classifying import Limits
from keepstate_spark.audit.repository_reading import AuditedRepository
from keepstate_spark.errors import PipelineError
from repositories import GitRepository, isolated

TABLES = {
    "pairs": ("repository", "job", "change", "commit"),
    "findings": ("repository", "job", "commit", "number"),
    "jobs": ("repository", "job"),
    "problems": ("repository", "commit", "message"),
}
INTERPRETED = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}
"""To compile a query takes longer than to run it on ten rows; the first run, and those of commands, do compile."""
DOCUMENT = Path(__file__).parents[2] / "docs" / "audit.md"


class Audit:
    """Runs audits of the same repositories into one folder."""

    def __init__(self, spark: SparkSession, folder: Path, *repositories: Path) -> None:
        # A session of its own: what a run sets is not for other tests.
        self.spark = spark.newSession()
        self.folder = folder
        self.repositories = [AuditedRepository(path.name, str(path)) for path in sorted(repositories)]
        self.judged = -1

    def run(self, engine: str = "vvr", limits: Limits = Limits(), **terms: Any) -> AuditFigures:  # noqa: B008
        survey = SurveyTerms(**terms)
        audit = AuditTerms(engine, "test", {"terms": repr(survey)}, limits)
        with AuditFolder.opened(self.folder) as folder:
            run = AuditRun(self.spark, folder, self.repositories, audit)
            run.read(HistoryReader(survey))
            self.judged = run.judge()
            figures = run.tabulate()
            run.publish({"report.html": audit_page(figures).encode()})
        return figures

    def rows(self, table: str) -> list[dict[str, Any]]:
        read = self.spark.read.parquet(str(self.folder / table))
        return [row.asDict(recursive=True) for row in read.orderBy(*TABLES[table]).collect()]

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        return {name: self.rows(name) for name in TABLES}


@dataclass(frozen=True)
class FirstRun:
    """The output of an audit of three repositories, which lie in ``folder`` as well."""

    folder: Path
    figures: AuditFigures
    judged: int
    tables: dict[str, list[dict[str, Any]]]


def audit_in(spark: SparkSession, folder: Path) -> Audit:
    return Audit(spark, folder / "out", *(folder / name for name in ("repository", "fork", "gone")))


def history_in(folder: Path) -> GitRepository:
    """Four versions of a job, the last but one a revert."""
    repository = GitRepository(folder)
    repository.commit({"jobs/a.sql": JOB, "jobs/b.sql": JOB}, "First")
    for subject, text in (("Size", INCOMPATIBLE), ("Revert", JOB), ("Size", INCOMPATIBLE), ("Layout", INCOMPATIBLE)):
        repository.commit({"jobs/a.sql": text if subject != "Layout" else text.replace("\nFROM", "\n  FROM")}, subject)
    return repository


@pytest.fixture(scope="module")
def first_run(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> FirstRun:
    """A run takes seconds, most of them whatever it is about: tests go on where this one ended, each in a copy."""
    folder = tmp_path_factory.mktemp("audited")
    with isolated(tmp_path_factory.mktemp("home")):
        base = history_in(folder / "repository")
        base.git("clone", "--quiet", str(base.folder), str(folder / "fork"))
        fork = GitRepository(folder / "fork")
        fork.commit({"jobs/b.sql": PARTIAL}, "Add")
        fork.commit({"jobs/b.sql": BROKEN}, "Slip")
        (folder / "gone" / ".git").mkdir(parents=True)
    audit = audit_in(spark, folder)
    figures = audit.run()
    return FirstRun(folder, figures, audit.judged, audit.tables())


@pytest.fixture
def audit(first_run: FirstRun, spark: SparkSession, isolated_git: None, tmp_path: Path) -> Audit:
    """The audit after its first run."""
    shutil.copytree(first_run.folder, tmp_path, symlinks=True, dirs_exist_ok=True)
    audit = audit_in(spark, tmp_path)
    for name, value in INTERPRETED.items():
        audit.spark.conf.set(name, value)
    return audit


@pytest.fixture
def base(audit: Audit, tmp_path: Path) -> GitRepository:
    """One of the repositories of ``audit``."""
    return GitRepository(tmp_path / "repository")


def test_every_change_has_its_row_and_every_pair_is_judged_once(first_run: FirstRun) -> None:
    tables, figures = first_run.tables, first_run.figures
    pairs = tables["pairs"]
    assert [(row["repository"], row["subject"], row["status"], row["verdict"]) for row in pairs] == [
        ("fork", "Size", "compared", "incompatible"),
        ("fork", "Revert", "compared", "incompatible"),
        ("fork", "Size", "compared", "incompatible"),
        ("fork", "Layout", "unchanged", "compatible"),
        ("fork", "Add", "compared", "partial"),
        ("fork", "Slip", "not-compared", "unknown"),
        ("repository", "Size", "compared", "incompatible"),
        ("repository", "Revert", "compared", "incompatible"),
        ("repository", "Size", "compared", "incompatible"),
        ("repository", "Layout", "unchanged", "compatible"),
    ]
    assert first_run.judged == len({row["pair"] for row in pairs}) == 5
    assert {row["rule"] for row in tables["findings"] if row["repository"] == "repository"} == {"window-size-changed"}
    jobs = {(row["repository"], row["path"]): row for row in tables["jobs"]}
    assert jobs["repository", "jobs/a.sql"]["incompatible"] == 3
    assert jobs["fork", "jobs/b.sql"]["not_compared"] == 1
    problems = [(row["repository"], row["kind"]) for row in tables["problems"]]
    assert problems == [("fork", "not-valid"), ("gone", "repository")]
    totals = figures.totals
    assert (totals.repositories, totals.changes, totals.distinct_pairs) == (3, 10, 5)
    assert (totals.incompatible, totals.partial, totals.compatible, totals.not_compared) == (6, 1, 2, 1)
    assert figures.rules[0].rule == "window-size-changed" and figures.rules[0].changes == 6


def test_the_columns_are_those_of_the_documentation(audit: Audit) -> None:
    text = DOCUMENT.read_text("utf-8")
    for table in TABLES:
        section = text.partition(f"### `{table}`")[2].partition("\n### ")[0]
        reported = re.findall(r"^\| `(\w+)` \| ([^|]+) \|", section, re.MULTILINE)
        schema = audit.spark.read.parquet(str(audit.folder / table)).schema
        assert [(name, kind.strip()) for name, kind in reported] == [
            (field.name, field.dataType.simpleString().split("<struct")[0]) for field in schema
        ], table


def test_nothing_depends_on_how_the_work_is_divided(
    audit: Audit, first_run: FirstRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classifying, "_PAIRS_OF_A_TASK", 1)
    audit.folder, audit.repositories = tmp_path / "other", audit.repositories[::-1]
    audit.spark.conf.set("spark.sql.shuffle.partitions", "7")
    audit.run()
    assert audit.judged == first_run.judged and audit.tables() == first_run.tables


def test_a_second_run_takes_what_is_new(audit: Audit, first_run: FirstRun, base: GitRepository, tmp_path: Path) -> None:
    audit.run()
    assert audit.judged == 0 and audit.tables() == first_run.tables
    base.git("mv", "jobs/a.sql", "jobs/c.sql")
    base.commit({"jobs/c.sql": INCOMPATIBLE.replace("\nFROM", "\n  FROM")}, "Rename")
    base.commit({"jobs/c.sql": REFORMATTED}, "Again")
    audit.run()
    assert audit.judged == 2
    bit_by_bit = audit.tables()
    audit.folder = tmp_path / "fresh"
    audit.run()
    assert audit.tables() == bit_by_bit
    assert [row["path"] for row in audit.rows("jobs") if row["job"] == "jobs/a.sql"][1] == "jobs/c.sql"


def test_a_history_that_was_rewritten_is_reported_as_it_is(audit: Audit, base: GitRepository) -> None:
    base.git("reset", "--quiet", "--hard", "HEAD~2")
    figures = audit.run()
    assert audit.judged == 0 and figures.totals.changes == 8


def test_a_repository_that_cannot_be_read_for_once_is_not_forgotten(
    audit: Audit, first_run: FirstRun, base: GitRepository
) -> None:
    hidden = base.folder.with_name("hidden")
    base.folder.rename(hidden)
    base.folder.mkdir()
    audit.run()
    assert audit.rows("pairs") == first_run.tables["pairs"]
    assert ("repository", "repository") in [(row["repository"], row["kind"]) for row in audit.rows("problems")]
    base.folder.rmdir()
    hidden.rename(base.folder)
    audit.run()
    assert [row["repository"] for row in audit.rows("problems")] == ["fork", "gone"]


def test_a_run_that_breaks_off_loses_nothing(
    audit: Audit, first_run: FirstRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keepstate_spark.audit.auditing.figures", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        audit.run("flink")
    assert audit.tables() == first_run.tables and audit.judged == 5
    monkeypatch.undo()
    # What was judged for the other engine is known.
    audit.run("flink")
    assert audit.judged == 0 and {row["engine"] for row in audit.rows("pairs")} == {"flink"}
    assert first_run.figures.engine == "vvr"


@pytest.mark.parametrize("moved", [0, 1, 3])
def test_tables_that_were_complete_are_published_by_the_next_run(audit: Audit, first_run: FirstRun, moved: int) -> None:
    draft = audit.folder / ".draft"
    draft.mkdir()
    for name in list(TABLES)[moved:]:
        (audit.folder / name).rename(draft / name)
    (draft / "COMPLETE").touch()
    with AuditFolder.opened(audit.folder):
        assert not draft.exists()
    assert audit.tables() == first_run.tables


def test_a_pair_without_time_is_a_row_and_gets_another_chance(audit: Audit) -> None:
    shutil.rmtree(audit.folder)
    figures = audit.run(limits=Limits(seconds=0.000_001))
    assert {row["kind"] for row in audit.rows("problems")} == {"timed-out", "repository"}
    assert figures.totals.not_compared == figures.totals.changes == 10
    audit.run(limits=Limits(seconds=0.000_001))
    assert audit.judged == 0
    audit.run()
    assert audit.judged == 5
    assert "timed-out" not in {row["kind"] for row in audit.rows("problems")}


def test_labels_of_made_up_histories_are_what_the_audit_says(spark: SparkSession, tmp_path: Path) -> None:
    for name, history in job_histories.repositories(160, 1, 1, 7):
        history.write(tmp_path / name)
    audit = Audit(spark, tmp_path / "out", *(tmp_path / "team-01").iterdir())
    figures = audit.run()
    assert figures.totals.changes >= 160
    labelled = 0
    for row in audit.rows("pairs"):
        label = re.search(r"\[([\w-]+)\]", row["subject"])
        if label is not None and not row["is_merge"]:
            labelled += 1
            assert label[1] in (row["verdict"], row["status"]), row
    assert labelled > 100


class TestFolder:
    def test_of_somebody_else(self, tmp_path: Path) -> None:
        (tmp_path / "thesis.txt").write_text("mine")
        with pytest.raises(PipelineError, match="not empty"), AuditFolder.opened(tmp_path):
            pass
        assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]

    def test_of_another_version(self, tmp_path: Path) -> None:
        (tmp_path / MANIFEST).write_text(json.dumps({"schema_version": 99}))
        with pytest.raises(PipelineError, match="version 99"), AuditFolder.opened(tmp_path):
            pass

    @pytest.mark.parametrize("text", ["", "no JSON", "[]", "{}", "[" * 100_000], ids=lambda text: text[:8] or "empty")
    def test_of_a_damaged_mark(self, tmp_path: Path, text: str) -> None:
        (tmp_path / MANIFEST).write_text(text)
        with pytest.raises(PipelineError, match="not one that an audit wrote"), AuditFolder.opened(tmp_path):
            pass

    def test_in_use(self, tmp_path: Path) -> None:
        with (
            AuditFolder.opened(tmp_path / "out"),
            pytest.raises(PipelineError, match="Another audit"),
            AuditFolder.opened(tmp_path / "out"),
        ):
            pass

    def test_that_is_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "out").write_text("")
        with pytest.raises(PipelineError, match="is a file"), AuditFolder.opened(tmp_path / "out"):
            pass


class TestPage:
    def test_texts_of_repositories_are_texts(self, audit: Audit, base: GitRepository) -> None:
        name = 'jobs/<script>alert(1)</script>"&[red].sql'
        base.commit({name: JOB}, "First")
        base.commit({name: INCOMPATIBLE}, "<img src=x onerror=alert(1)>")
        figures = audit.run()
        page = audit_page(figures)
        assert "&lt;script&gt;" in page
        assert not re.search(r"<(script|img|iframe|link|object)\b", page)
        assert not re.search(r"""(?:src|href)\s*=\s*["']?(?!#)\w+:""", page.replace("xlink:href", "href"))
        assert "[red].sql" in audit_text(figures)
        assert "\x1b[31m" in audit_for_terminal(figures, 100, True)
        assert page == audit_page(figures)

    def test_nothing_to_tell(self, spark: SparkSession, repository: GitRepository, tmp_path: Path) -> None:
        figures = Audit(spark, tmp_path / "out", repository.folder).run()
        assert "No job was ever changed" in audit_page(figures)
        assert "0 changes of 0 jobs in 1 repository" in audit_text(figures)


class TestCommand:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ((), "Name the repositories"),
            (("nowhere",), "There is no folder nowhere"),
            (("empty",), "There is no git repository in empty"),
            (("empty", "--engine", "storm"), "storm"),
            (("empty", "--since", "yesterday"), "is no day"),
            (("empty", "--pair-seconds", "0"), "is no number of seconds"),
            (("empty", "--cores", "-1"), "--cores"),
        ],
    )
    def test_what_it_does_not_take(
        self,
        arguments: tuple[str, ...],
        message: str,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "empty").mkdir()
        assert main(["audit", *arguments, "--output", "out"]) == 2
        assert message in capsys.readouterr().err
        assert not (tmp_path / "out").exists()

    def test_a_folder_of_mirrors_from_the_shell(self, isolated_git: None, tmp_path: Path) -> None:
        base = history_in(tmp_path / "repository")
        for kind, name in (("--mirror", "host/one.git"), ("--bare", "two.git")):
            base.git("clone", "--quiet", kind, str(base.folder), str(tmp_path / "mirrors" / name))
        command = [sys.executable, "-m", "keepstate_lsp.cli.main", "audit", "mirrors", "--output", "out"]
        run = subprocess.run(
            [*command, "--cores", "1"], cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
        )
        assert run.returncode == 0, run.stderr
        assert "8 changes (3 different ones) of 4 jobs in 2 repositories" in run.stdout
        assert run.stderr == ""
        assert (tmp_path / "out" / "report.html").read_text("utf-8").startswith("<!doctype html>")
        assert "window-size-changed" in (tmp_path / "out" / "report.txt").read_text("utf-8")
        manifest = json.loads((tmp_path / "out" / MANIFEST).read_text("utf-8"))
        assert (manifest["schema_version"], manifest["repositories"]) == (1, 2)

    # A cluster has a JVM for the driver, one for the worker, one for the executor.
    @pytest.mark.timeout(480)
    def test_a_cluster_gets_the_package_and_gives_the_same(self, repository: GitRepository, tmp_path: Path) -> None:
        repository.commit({"jobs/a.sql": JOB}, "First")
        repository.commit({"jobs/a.sql": INCOMPATIBLE}, "Size")
        command = [sys.executable, "-m", "keepstate_lsp.cli.main", "audit", str(repository.folder)]
        cluster = [*command, "--output", str(tmp_path / "cluster"), "--master", "local-cluster[1,1,1024]"]
        # The session of a cluster compiles for long runs, which this one is not.
        environment = {**os.environ, "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
        run = subprocess.run(cluster, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", check=False)
        assert run.returncode == 0, run.stderr
        assert "1 different change judged for the first time" in run.stdout
        assert "window-size-changed" in (tmp_path / "cluster" / "report.txt").read_text("utf-8")
