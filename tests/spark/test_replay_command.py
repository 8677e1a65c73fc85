"""``keepstate replay``: what a person and a program get of it, and what bad input gets."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from keepstate_lsp.cli.main import main
from repositories import GitRepository

JOB = """CREATE TABLE orders (shop STRING, amount INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
WITH ('connector' = 'kafka');
INSERT INTO revenue SELECT window_start, window_end, shop, SUM(amount) AS total
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY window_start, window_end, shop;
INSERT INTO seen SELECT shop, COUNT(*) AS n FROM orders GROUP BY shop;
"""
EDITED = JOB.replace("AS total", "AS total, MAX(amount) AS largest")
RESTART = "2026-03-01 10:30"


@pytest.fixture
def job(tmp_path: Path) -> Path:
    repository = GitRepository(tmp_path / "repository")
    repository.commit({"job.sql": JOB})
    repository.write("job.sql", EDITED)
    with (repository.folder / "orders.jsonl").open("w") as file:
        for minute in range(120):
            row = {
                "shop": "ab"[minute % 2],
                "amount": 200 - minute,
                "ts": f"2026-03-01 {10 + minute // 60}:{minute % 60:02}:00",
            }
            file.write(json.dumps(row) + "\n")
        file.write('{"shop": "a", "amount": "many", "ts": "2026-03-01 10:00:00"}\n')
    return repository.folder / "job.sql"


def keepstate(job: Path, *arguments: str, data: bool = True) -> subprocess.CompletedProcess[str]:
    rows = ["--data", f"orders={job.parent / 'orders.jsonl'}"] if data else []
    return subprocess.run(
        [sys.executable, "-m", "keepstate_lsp.cli.main", "replay", str(job), *rows, *arguments],
        cwd=job.parent,
        env={**os.environ, "COLUMNS": "120", "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=500,
    )


def test_what_a_restart_does(job: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run = keepstate(job, "--restart-at", RESTART, "--output", str(out))
    # One row cannot be read, which is reported and counts.
    assert run.returncode == 1, run.stderr
    assert "orders: 1 of 121 rows cannot be read" in run.stderr
    words = " ".join(run.stdout.split())
    assert "INSERT INTO revenue partial The state is reused." in words
    assert "60 rows came before the restart" not in words and "30 rows came before the restart, 90 after it" in words
    assert "largest starts empty 2 of 2" in words
    assert "total kept 0 of 2 0 % 2 of 2" in words
    assert "until 2026-03-01 11:00:00, 30 min after the restart" in words
    assert "the savepoint has 2 results just as the current query would have built up" in words
    assert "Seen with 2 rows alone" in words
    assert "INSERT INTO seen compatible" in words
    assert "Without state: 100 % of the results are wrong (2 of 2, 2 keys), and stay so" in words

    summary = json.loads((out / "summary.json").read_text("utf-8"))
    assert (summary["verdict"], [query["state"] for query in summary["queries"]]) == ("partial", ["reused", "reused"])
    figures = summary["queries"][0]["figures"]
    assert figures["wrong"] == {"restarted": 2, "without_state": 2}
    assert {metric["metric"]: metric["wrong"]["restarted"] for metric in figures["metrics"]} == {
        "largest": 2,
        "total": 0,
    }
    assert {path.name for path in out.iterdir()} == {"summary.json", "differences.parquet", "report.html", "report.png"}


def test_restarts_at_many_times(job: Path) -> None:
    run = keepstate(job, "--sweep", "30 min", "--format", "json")
    # One row cannot be read, which is reported and counts.
    assert run.returncode == 1, run.stderr
    assert run.stderr.count("orders: 1 of 121 rows cannot be read") == 1
    revenue, seen = json.loads(run.stdout)["queries"]
    wrong = {point["time"]: point["wrong"] for point in revenue["points"]}
    # On the hour, the window that ends then is still waiting for the watermark.
    assert list(wrong) == ["2026-03-01 10:30:00", "2026-03-01 11:00:00", "2026-03-01 11:30:00"]
    assert wrong["2026-03-01 11:30:00"] == {"restarted": 2, "without_state": 4}
    assert all(point["wrong"] == {"restarted": 0, "without_state": 2} for point in seen["points"])


def test_without_rows_a_few_are_made_up(job: Path) -> None:
    run = keepstate(job, "--restart-at", RESTART, data=False)
    assert run.returncode == 2
    words = " ".join(run.stdout.split())
    assert "The table orders has the connector 'kafka', and nothing says where its rows are." in words
    assert "--data orders=PATH" in words
    assert "Seen with 2 made-up rows alone" in words


@pytest.mark.parametrize("when", [["--restart-at", RESTART], ["--sweep", "1 hour"]], ids=["restart", "sweep"])
def test_a_table_without_rows_is_reported(job: Path, when: list[str]) -> None:
    (job.parent / "orders.jsonl").write_text("", "utf-8")
    run = keepstate(job, *when)
    assert run.returncode == 1, run.stderr
    words = f"orders: 0 rows read from {job.parent / 'orders.jsonl'}."
    assert run.stderr.count(words) == 1
    assert words in " ".join(run.stdout.split())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--restart-at", "2027-01-01 00:00"],
            "lies after all rows of INSERT INTO revenue: they come from 2026-03-01 10:00:00",
        ),
        (["--restart-at", "2026-03-01 09:00"], "lies before all rows"),
    ],
)
def test_a_restart_outside_of_the_rows(job: Path, arguments: list[str], words: str) -> None:
    run = keepstate(job, *arguments)
    assert run.returncode == 2
    assert words in run.stderr and "Try: --restart-at" in run.stderr
    assert not run.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--restart-at", "tomorrow"], "tomorrow"),
        ([], "When is the restart?"),
        (["--sweep", "soon"], "soon"),
        (["--sweep", "1 h", "--restart-at", RESTART], "leave --restart-at out"),
        (["--restart-at", RESTART, "--data", "nothing=x"], "nothing"),
        (["--restart-at", RESTART, "--data", "orders=missing.jsonl"], "there is nothing"),
        (["--restart-at", RESTART, "--against", "no-such-ref"], "no-such-ref"),
    ],
)
def test_bad_usage_is_reported_before_spark_is_started(
    job: Path, arguments: list[str], words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(job), *arguments]) == 2
    assert words in capfd.readouterr().err


def test_a_new_file_has_nothing_to_lose(job: Path, capfd: pytest.CaptureFixture[str]) -> None:
    new = job.parent / "new.sql"
    new.write_text(JOB, "utf-8")
    assert main(["replay", str(new), "--restart-at", RESTART]) == 0
    assert "no state that a restart could lose" in capfd.readouterr().err


def test_a_cluster_needs_nothing_but_spark(job: Path) -> None:
    """Executors of their own processes: all that they do is in their JVM, so nothing has to be sent to them."""
    run = keepstate(job, "--restart-at", RESTART, "--master", "local-cluster[1,1,1024]", "--no-witness")
    assert run.returncode == 1, run.stderr
    assert "largest" in run.stdout and "starts empty" in run.stdout
