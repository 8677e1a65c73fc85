"""An audit stores and shows the texts of repositories as they are: none is a variable, a pattern or an expression.

The folder with the results, the folders of repositories, paths, subjects, authors, names and constants of SQL are all
called like something that Spark, a shell or a template would take for its own.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

import pandas
import pyarrow.dataset
import pyarrow.parquet
import pytest
from pyspark.sql import SparkSession

from hostile_queries import FOLDER, NAME, TEXT, quoted_name, quoted_text
from jobs import BROKEN, INCOMPATIBLE, JOB
from keepstate_lsp.cli.commands.audit.audit_page import audit_page
from keepstate_lsp.cli.commands.audit.audit_text import audit_text
from keepstate_lsp.jobs.audit_rows import HistoryReader
from keepstate_lsp.jobs.survey import SurveyTerms
from keepstate_spark.audit.audit_folder import MANIFEST, AuditFolder
from keepstate_spark.audit.auditing import AuditRun, AuditTerms
from keepstate_spark.audit.classifying import Limits
from keepstate_spark.audit.repository_reading import AuditedRepository
from repositories import GitRepository, isolated

REPOSITORY = f"team{FOLDER}"
PATH = f"jobs/{NAME}.sql"
BROKEN_PATH = f"jobs/broken{NAME}.sql"
AUTHOR = f"Ada {NAME} Ada"
SUBJECT = f"Size {NAME}"
SINK = f"daily{NAME}"
CONSTANT = TEXT.replace("\0", "").replace("\r", "")
"""A file with NUL is no text to git, and a lone carriage return is a new line to SQL."""
TRAPS = """SET 'spark.sql.variable.substitute' = 'true';
SET 'spark.sql.session.timeZone' = 'Asia/Tokyo';
ADD JAR 'trap.jar';
CREATE FUNCTION trap AS 'com.example.Trap' USING JAR 'trap.jar';
"""


def hostile(job: str) -> str:
    """``job`` with other names, a constant, and calls of functions that run code in Spark."""
    called = "java_method('java.lang.System', 'setProperty', 'keepstate.trap', 'snapped')"
    job = job.replace("INSERT INTO daily", f"INSERT INTO {quoted_name(SINK)}")
    job = job.replace(
        "SELECT region", f"SELECT region || {quoted_text(CONSTANT)} AS {quoted_name('a' + NAME)}, {called}"
    )
    return f"{TRAPS}{job}"


@dataclass(frozen=True)
class Audited:
    """The output of an audit in ``folder``, with the author and the subject of the last commit as git prints them."""

    folder: Path
    author: str
    subject: str
    page: str
    text: str


@pytest.fixture(scope="module")
def audited(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Audited:
    """Two runs, so that what the first one stored is read again."""
    folder = tmp_path_factory.mktemp("audited")
    with isolated(tmp_path_factory.mktemp("home")):
        repository = GitRepository(folder / REPOSITORY)
        repository.commit({PATH: hostile(JOB), BROKEN_PATH: JOB, "trap.jar": b"no jar"}, "First")
        repository.commit({BROKEN_PATH: BROKEN}, "Slip")
        repository.write(PATH, hostile(INCOMPATIBLE))
        repository.git("commit", "--quiet", "--all", "--message", SUBJECT, GIT_AUTHOR_NAME=AUTHOR)
        author, subject = repository.git("log", "-1", "--format=%an%x00%s").split("\0")
    terms = AuditTerms("vvr", "test", {}, Limits())
    with AuditFolder.opened(folder / f"out{FOLDER}") as out:
        for _ in range(2):
            run = AuditRun(spark.newSession(), out, [AuditedRepository(REPOSITORY, str(folder / REPOSITORY))], terms)
            run.read(HistoryReader(SurveyTerms()))
            run.judge()
            figures = run.tabulate()
            page = audit_page(figures)
            run.publish({"report.html": page.encode()})
    return Audited(folder / f"out{FOLDER}", author, subject, page, audit_text(figures))


def by_pandas(path: Path) -> pandas.DataFrame:
    return pandas.read_parquet(path)


def by_pyarrow(path: Path) -> pandas.DataFrame:
    return pyarrow.parquet.read_table(path).to_pandas()


def as_a_dataset(path: Path) -> pandas.DataFrame:
    return pyarrow.dataset.dataset(path, format="parquet").to_table().to_pandas()


READERS = [by_pandas, by_pyarrow, as_a_dataset]


@pytest.mark.parametrize("read", READERS)
def test_texts_of_a_repository_come_back(read: Callable[[Path], pandas.DataFrame], audited: Audited) -> None:
    assert audited.subject == SUBJECT and NAME in audited.author
    tables = {
        name: read(audited.folder / name).to_dict("records") for name in ("pairs", "findings", "jobs", "problems")
    }
    slip, size = sorted(tables["pairs"], key=lambda row: row["committed_at"])
    assert (size["repository"], size["path"], size["job"]) == (REPOSITORY, PATH, PATH)
    assert (size["author"], size["subject"], size["verdict"]) == (audited.author, SUBJECT, "incompatible")
    assert (slip["path"], slip["status"]) == (BROKEN_PATH, "not-compared")
    finding = next(row for row in tables["findings"] if row["rule"] == "window-size-changed")
    assert (finding["path"], finding["pipeline"]) == (PATH, f"INSERT INTO {SINK}")
    assert {row["path"] for row in tables["jobs"]} == {PATH, BROKEN_PATH}
    assert [row["path"] for row in tables["problems"]] == [BROKEN_PATH]


def test_reports_show_them_as_they_are(audited: Audited) -> None:
    page, texts = HTMLParser(), list[str]()
    page.handle_data = texts.append  # type: ignore[method-assign]
    page.feed(audited.page)
    page.close()
    assert any(PATH in text for text in texts)
    # Columns of a text are as wide as a terminal: a long path is cut.
    assert "${env:PATH}${system:user.home}" in audited.text
    assert json.loads((audited.folder / MANIFEST).read_text("utf-8"))["repositories"] == 1


def test_nothing_of_the_environment_is_in_any_table(audited: Audited) -> None:
    secrets = (os.environ["PATH"], os.path.expanduser("~") + "/")
    stored = [file.parent for file in audited.folder.rglob("*.parquet") if not file.is_dir()]
    assert len(set(stored)) >= 6, "history, reports and four tables"
    for folder in set(stored):
        values = pyarrow.parquet.read_table(folder).to_pylist()
        assert not any(secret in str(value) for value in values for secret in secrets)
    assert not any(secret in text for text in (audited.page, audited.text) for secret in secrets)


def test_no_statement_of_a_script_reaches_spark(audited: Audited, spark: SparkSession) -> None:
    assert PATH in set(by_pandas(audited.folder / "findings")["path"])
    assert spark.conf.get("spark.sql.variable.substitute") == "false"
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"
    assert spark.sparkContext._jsc.sc().listJars().isEmpty()
    assert spark.sparkContext._jvm.java.lang.System.getProperty("keepstate.trap") is None
    assert not spark.catalog.functionExists("trap")
