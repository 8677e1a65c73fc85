"""``keepstate check --fix`` where a fix is about other files: declarations, readers, and SQL in YAML."""

from __future__ import annotations

from typing import Any

import pytest

from fixed_jobs import TWO, content, fix, jobs, judged
from jobs import DECLARED, INCOMPATIBLE, JOB, UNREAD
from keepstate.report import Verdict
from keepstate.text import Edit, Span
from keepstate_lsp.cli.fixing import fixed_files
from repositories import GitRepository

__all__ = ["jobs"]

SPLIT = DECLARED.partition("INSERT INTO")
DDL, QUERY = SPLIT[0], SPLIT[1] + SPLIT[2]


def test_the_edit_of_another_file_is_named_and_not_made(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    jobs.commit({"keepstate.toml": '[[job]]\nfiles = ["jobs/*.sql"]\ncontext = ["ddl.sql"]\n', "ddl.sql": DDL})
    jobs.commit({"jobs/a.sql": QUERY, "jobs/b.sql": QUERY})
    edited = DDL.replace("order_time - INTERVAL '5' SECOND", "order_time - INTERVAL '9' SECOND")
    edited = edited.replace("amount DECIMAL(12, 2)", "amount DOUBLE", 1)
    jobs.write("ddl.sql", edited)
    jobs.write("jobs/a.sql", QUERY.replace("'1' MINUTE", "'2' MINUTE"))
    before = judged(capsys)
    _, said, _ = fix(capsys)
    assert content(jobs, "ddl.sql") == edited.encode()
    assert "ddl.sql" in said
    after = judged(capsys)
    for path, file in after.items():
        assert Verdict(file["verdict"]).rank <= Verdict(before[path]["verdict"]).rank


READER = """\
CREATE TABLE sums (region STRING, total DECIMAL(38, 2), n INT) WITH ('connector' = 'print');
INSERT INTO sums SELECT region, SUM(amount) AS total, CAST(COUNT(*) AS INT) AS n FROM orders GROUP BY region;
"""


@pytest.mark.parametrize("places", [("amount DECIMAL(12, 2)", "z INT, amount DOUBLE"), ("STRING,", "STRING, z INT,")])
@pytest.mark.parametrize("window", ["1", "2"])
def test_a_job_that_reads_the_file_gets_no_worse(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], places: tuple[str, str], window: str
) -> None:
    jobs.commit({"jobs/a.sql": DECLARED, "jobs/b.sql": READER})
    edited = DECLARED.replace(*places, 1).replace("'1' MINUTE", f"'{window}' MINUTE")
    jobs.write("jobs/a.sql", edited)
    jobs.write("jobs/b.sql", READER.replace("SUM(amount) AS total", "CAST(SUM(z) AS DECIMAL(38, 2)) AS total"))
    before = judged(capsys, "jobs/a.sql", "jobs/b.sql")
    assert before["jobs/b.sql"]["status"] == "compared"
    reader = content(jobs, "jobs/b.sql")
    fix(capsys, "jobs/a.sql")
    after = judged(capsys, "jobs/a.sql", "jobs/b.sql")
    assert content(jobs, "jobs/b.sql") == reader
    for path, file in after.items():
        assert Verdict(file["verdict"]).rank <= Verdict(before[path]["verdict"]).rank


@pytest.mark.parametrize("reads", [True, False])
def test_a_fix_that_breaks_a_job_that_reads_the_file_is_not_made(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, reads: bool
) -> None:
    jobs.commit({"jobs/a.sql": DECLARED, "jobs/b.sql": READER})
    edited = DECLARED.replace("STRING,", "STRING, z INT,", 1).replace("'1' MINUTE", "'2' MINUTE")
    jobs.write("jobs/a.sql", edited)
    if reads:
        jobs.write("jobs/b.sql", READER.replace("CAST(COUNT(*) AS INT)", "CAST(COUNT(z) AS INT)"))

    def everything_back(*_: Any) -> Any:
        yield 0, "Everything back", (Edit(Span(0, len(edited)), DECLARED),)

    monkeypatch.setattr(fixed_files.FixedFiles, "_candidates", everything_back)
    fix(capsys, "jobs/a.sql")
    assert content(jobs).decode() == (edited if reads else DECLARED)


HOST = "spec:\n  job:\n    name: daily\n    sql: |\n{sql}  parallelism: 2\n"


def hosted(text: str, indent: str = "      ") -> str:
    return HOST.format(sql="".join(f"{indent}{line}\n" if line else "\n" for line in text.splitlines()))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_sql_in_another_file_is_fixed_in_its_place(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], end: str
) -> None:
    jobs.commit({"keepstate.toml": '[[job]]\nscript = ["k8s.yaml#/spec/job/sql"]\n', "k8s.yaml": hosted(JOB)})
    jobs.write("k8s.yaml", hosted(TWO).replace("\n", end))
    assert fix(capsys)[0] == 0
    assert content(jobs, "k8s.yaml").decode() == hosted(JOB).replace("\n", end)


def test_one_of_two_values_of_a_file(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    both = 'script = ["k8s.yaml#/{}/spec/job/sql"]\n'
    jobs.commit({"keepstate.toml": "".join(f"[[job]]\n{both.format(name)}" for name in "xy")})

    def two(first: str, second: str) -> str:
        return "".join(
            f"{name}:\n" + "".join(f"  {line}\n" if line else "\n" for line in hosted(text).splitlines())
            for name, text in (("x", first), ("y", second))
        )

    jobs.commit({"k8s.yaml": two(JOB, JOB)})
    jobs.write("k8s.yaml", two(INCOMPATIBLE, UNREAD))
    fix(capsys)
    assert content(jobs, "k8s.yaml").decode() == two(JOB, UNREAD)
    jobs.write("k8s.yaml", two(INCOMPATIBLE, TWO))
    assert fix(capsys)[0] == 0
    assert content(jobs, "k8s.yaml").decode() == two(JOB, JOB)
