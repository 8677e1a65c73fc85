"""Comments on merge requests say which cutover would be exact and what it costs, where a change costs state."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from cutover_changes import TABLES, grouped, session, total, tumble
from keepstate.analysis import RestartAnalysis
from keepstate_lsp.cli.main import main
from repositories import GitRepository

TITLE = "### Without a wrong result"


def job(query: str, sink: str = "results") -> str:
    return f"{TABLES}INSERT INTO {sink}\n{query};\n"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    made = GitRepository(tmp_path / "work")
    monkeypatch.chdir(made.folder)
    return made


def without_past(text: str) -> str:
    return re.sub(r"'connector' = 'kafka', 'topic' = 'orders'[^)]*", "'connector' = 'datagen'", text)


def lines(text: str) -> dict[str, str]:
    """The line of each file."""
    part = text.partition(TITLE)[2].partition("<details>")[0]
    return dict(re.findall(r"^- `([^`]+)`: (.*)$", part, re.MULTILINE))


@pytest.mark.parametrize(
    ("was", "now", "words"),
    [
        (
            job(grouped(tumble(10))),
            job(grouped(tumble(30))),
            "Exact, at a boundary between windows: the running job is stopped within 10 minutes, and then the new one "
            "reads 1 minute of orders again. They do not run side by side.",
        ),
        (
            job(total("SUM(amount)"), "totals"),
            job(total("MAX(amount)"), "totals"),
            "Exact, from a computed state: all former rows of orders are read once, on Spark, and both jobs run side "
            "by side until readers change over.",
        ),
        (
            job(total("SUM(amount)"), "totals"),
            job(total("LAST_VALUE(amount)"), "totals"),
            "Not exact, by a replay: the new job reads all rows of orders, and both jobs run side by side until it has "
            "caught up. What may be wrong: LAST\\_VALUE",
        ),
        (
            job(grouped(session(10))),
            job(grouped(session(20))),
            "Not exact, at a boundary in event time: the running job is stopped, and then the new one reads all rows "
            "of orders again. They do not run side by side. What may be wrong: Rows of sessions",
        ),
        (
            without_past(job(total("SUM(qty)"), "totals")),
            without_past(job(total("MAX(qty)"), "totals")),
            "No plan is exact: the rows of the past cannot be read again.",
        ),
    ],
)
def test_a_comment_says_what_an_exact_deployment_costs(
    repository: GitRepository, was: str, now: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.commit({"job.sql": was})
    repository.write("job.sql", now)
    assert main(["check", ".", "--format", "markdown", "--engine", "flink"]) == 1
    (line,) = lines(capsys.readouterr().out).values()
    assert line.startswith(words)
    assert line.endswith("The steps: `keepstate cutover job.sql --against HEAD --engine flink`")


WINDOWS = {"side_by_side": False, "stop_within_ms": 600_000, "reads_ahead_ms": 60_000, "reads_since": ["orders"]}
STATE = {"side_by_side": True, "stop_within_ms": None, "reads_ahead_ms": None, "reads_former_rows": ["orders"]}


@pytest.mark.parametrize(
    ("was", "now", "approach", "exact", "cost"),
    [
        (job(grouped(tumble(10))), job(grouped(tumble(30))), "boundary", True, WINDOWS),
        (job(total("SUM(qty)"), "totals"), job(total("MAX(qty)"), "totals"), "bootstrap", True, STATE),
        (
            job(total("SUM(amount)"), "totals"),
            job(total("LAST_VALUE(amount)"), "totals"),
            "replay",
            False,
            {"side_by_side": True, "reads_whole": ["orders"], "reads_since": [], "reads_former_rows": []},
        ),
        (
            without_past(job(total("SUM(qty)"), "totals")),
            without_past(job(total("MAX(qty)"), "totals")),
            "none",
            False,
            None,
        ),
    ],
)
def test_programs_get_the_same(
    repository: GitRepository,
    was: str,
    now: str,
    approach: str,
    exact: bool,
    cost: dict[str, Any] | None,
    capsys: pytest.CaptureFixture[str],
) -> None:
    repository.commit({"job.sql": was, "same.sql": was})
    repository.write("job.sql", now)
    main(["check", "job.sql", "same.sql", "--format", "json", "--engine", "flink"])
    files = {file["path"]: file for file in json.loads(capsys.readouterr().out)["files"]}
    assert "cutover" not in files["same.sql"]
    found = files["job.sql"]["cutover"]
    assert (found["approach"], found["exact"]) == (approach, exact)
    assert found["sentence"].startswith(("Exact, " if exact else "Not exact, ", "No plan is exact"))
    assert found["cost"] is None if cost is None else found["cost"].items() >= cost.items()


@pytest.mark.parametrize(("end", "words"), [(1_000_000_000_000, "Not exact, "), (4_000_000_000_000, "Exact, ")])
def test_a_bound_of_a_source_that_has_come_is_in_the_past(
    repository: GitRepository, end: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bounded = f"'topic' = 'orders', 'scan.bounded.mode' = 'timestamp', 'scan.bounded.timestamp-millis' = '{end}'"
    was, now = (job(grouped(tumble(size))).replace("'topic' = 'orders'", bounded) for size in (10, 30))
    repository.commit({"job.sql": was})
    repository.write("job.sql", now)
    main(["check", ".", "--format", "markdown", "--engine", "flink"])
    (line,) = lines(capsys.readouterr().out).values()
    assert line.startswith(words)


def test_only_what_costs_state_by_this_change_has_a_plan(
    repository: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    accepted = "-- keepstate: accept window-size-changed because it starts anew\n"
    window = grouped(tumble(30))
    at = window.index("FROM")
    repository.commit({f"{name}.sql": job(grouped(tumble(10))) for name in ("lost", "same", "accepted", "broken")})
    repository.write("lost.sql", job(window))
    repository.write("same.sql", f"{job(grouped(tumble(10)))}-- the same\n")
    repository.write("accepted.sql", job(f"{window[:at]}\n{accepted}{window[at:]}"))
    repository.write("broken.sql", job(window).replace("SUM(", "SUM(("))
    main(["check", ".", "--format", "markdown"])
    assert set(lines(capsys.readouterr().out)) == {"lost.sql"}


@pytest.mark.parametrize(("shape", "plans"), [("markdown", True), ("json", True), ("text", False), ("sarif", False)])
def test_a_plan_that_fails_costs_only_itself(
    repository: GitRepository,
    shape: str,
    plans: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Only comments and documents for programs ask for plans."""

    def fail(*_: object) -> None:
        raise ZeroDivisionError("no window")

    monkeypatch.setattr(RestartAnalysis, "outlined_cutover", fail)
    repository.commit({"job.sql": job(grouped(tumble(10)))})
    repository.write("job.sql", job(grouped(tumble(30))))
    assert main(["check", ".", "--format", shape]) == 1
    captured = capsys.readouterr()
    assert ("job.sql: no cutover was planned (ZeroDivisionError: no window)" in captured.err) is plans
    assert "window-size-changed" in captured.out and TITLE not in captured.out
