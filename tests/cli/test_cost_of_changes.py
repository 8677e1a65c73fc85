"""A changed job is read once, whatever asks for its statements: readings are counted, not time."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

import job_folders
import keepstate
from keepstate.syntax import memo
from keepstate.syntax.namespace import DEFAULT, Namespace
from keepstate.syntax.statement import ParsedStatement, parse_statement
from keepstate_lsp.cli.main import main
from keepstate_lsp.cli.run import comparison_tasks
from repositories import GitRepository

TABLE = "CREATE TABLE orders_{n} (id INT, amount INT) WITH ('connector' = 'kafka', 'topic' = 'orders-{n}');\n"
QUERY = "INSERT INTO totals_{n} SELECT id, SUM(amount) AS total FROM orders_{n} GROUP BY id;\n"
EDITS = {"another aggregate": ("SUM(", "MAX("), "a comment": ("SELECT id", "SELECT /* The shop. */ id")}
STATEMENTS_OF_BOTH = 3
"""The table, the query, and the query of before."""


@pytest.fixture
def readings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with each text that is parsed in this process and in forks of it, a line each."""
    file = tmp_path / "readings"
    file.touch()

    def recorded(text: str, namespace: Namespace = DEFAULT) -> ParsedStatement:
        with file.open("a") as lines:
            lines.write(f"{json.dumps(text)}\n")
        return parse_statement(text, namespace)

    monkeypatch.setattr(memo, "parse_statement", recorded)
    return file


def counted(readings: Path, *texts: str) -> Counter[str]:
    """The readings of each statement of ``texts``. A fix that is tried has a text of its own."""
    statements = {statement.strip() for text in texts for statement in text.split(";")}
    read = (json.loads(line) for line in readings.read_text().splitlines())
    return Counter(text for text in read if text.strip() in statements)


def job(number: int) -> str:
    return (TABLE + QUERY).format(n=number)


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("form", ["text", "github", "json"])
def test_a_comparison_of_two_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, readings: Path, edit: str, form: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("was.sql").write_text(job(1))
    Path("now.sql").write_text(job(1).replace(*EDITS[edit]))
    assert main(["diff", "was.sql", "now.sql", "--format", form]) == (edit == "another aggregate")
    texts = counted(readings, job(1), job(1).replace(*EDITS[edit]))
    assert texts == dict.fromkeys(texts, 1)
    assert len(texts) == STATEMENTS_OF_BOTH


@pytest.mark.parametrize("edit", EDITS)
def test_pairs_of_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, readings: Path, edit: str) -> None:
    monkeypatch.chdir(tmp_path)
    pairs = [{"id": str(n), "baseline": job(n), "current": job(n).replace(*EDITS[edit])} for n in range(3)]
    Path("pairs.jsonl").write_text("".join(f"{json.dumps(pair)}\n" for pair in pairs))
    main(["diff", "--pairs", "pairs.jsonl"])
    texts = counted(readings, *(pair[side] for pair in pairs for side in ("baseline", "current")))
    # A pair without findings is read once more, to say whether it runs anything.
    assert all(count <= 1 + (edit == "a comment") for count in texts.values())
    assert len(texts) == STATEMENTS_OF_BOTH * len(pairs)


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("edit", EDITS)
def test_jobs_of_a_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, readings: Path, edit: str, processes: int
) -> None:
    if processes > 1 and sys.platform != "linux":
        pytest.skip("processes that are no forks read on their own")
    monkeypatch.setattr(comparison_tasks, "_MUCH", 0)
    repository = GitRepository(tmp_path / "repository")
    numbers = range(6)
    repository.commit({f"job_{n}.sql": job(n) for n in numbers})
    for n in numbers:
        repository.write(f"job_{n}.sql", job(n).replace(*EDITS[edit]))
    monkeypatch.chdir(repository.folder)
    findings = edit == "another aggregate"
    assert main(["check", "--jobs", str(processes), "--format", "github"]) == findings
    texts = counted(readings, *(text for n in numbers for text in (job(n), job(n).replace(*EDITS[edit]))))
    assert len(texts) == STATEMENTS_OF_BOTH * len(numbers)
    assert all(count <= 1 + (not findings) for count in texts.values())


def test_the_end_of_a_command_collects_nothing(tmp_path: Path) -> None:
    """At its end CPython goes through all objects that are not exempt."""
    for name in ("was.sql", "now.sql"):
        (tmp_path / name).write_text(job(1))
    code = "import gc; from keepstate_lsp.cli.main import main; main(); print(gc.get_freeze_count(), gc.get_count()[0])"
    run = subprocess.run(
        [sys.executable, "-c", code, "diff", "was.sql", "now.sql"], cwd=tmp_path, capture_output=True, check=True
    )
    exempt, others = map(int, run.stdout.split()[-2:])
    assert exempt > 20 * others


def test_a_command_within_a_program_leaves_its_collections_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("was.sql", "now.sql"):
        Path(name).write_text(job(1))
    before = gc.get_threshold(), gc.get_freeze_count()
    main(["diff", "was.sql", "now.sql"])
    assert (gc.get_threshold(), gc.get_freeze_count()) == before


MOST_CALLS = {"vvr": 4.7, "flink": 6.1}
"""Calls of an analysis beside those of parsing its texts; they were 5.1 and 6.4 when each question walked the tree of a
statement, and 5.9 and 7.0 when plans were copied field by field.
"""


@pytest.mark.parametrize("engine", MOST_CALLS)
def test_calls_of_a_changed_pair(engine: str) -> None:
    def texts(number: int) -> list[str]:
        return [edit(job_folders.job(number)) for edit in (str, lambda text: text.replace("COUNT(*)", "AVG(amount)"))]

    def parsed(number: int) -> None:
        for text in texts(number):
            keepstate.parse_script(text)

    def analysed(number: int) -> None:
        current, baseline = map(keepstate.JobVersion, texts(number))
        assert keepstate.analyse(current, baseline, engine).report().findings

    # A window aggregation; the first ones fill the caches of the process.
    for number in (4, 8):
        parsed(number)
        analysed(number)
    assert calls_of(lambda: analysed(12)) <= MOST_CALLS[engine] * calls_of(lambda: parsed(16))


def calls_of(work: Callable[[], None]) -> int:
    count = 0

    def counted_call(_: FrameType, event: str, __: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted_call)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count
