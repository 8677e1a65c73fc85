"""A run in which nothing differs parses nothing: its processes of git and its imports are counted, not its time."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import pytest

from jobs import INCOMPATIBLE, JOB
from keepstate.project.file_declarations import FileDeclarations
from keepstate.project.source_files import SourceFile
from keepstate.project.text_names import begins_query
from keepstate.syntax.memo import Memo
from keepstate.syntax.script import Script
from keepstate_lsp.cli.main import main
from keepstate_lsp.cli.run import run_projects
from keepstate_lsp.jobs.declaration_readers import ReadParts, changed_names
from repositories import GitRepository

NOT_NEEDED = (
    "sqlglot",
    "git",
    "rich.console",
    "keepstate.plan",
    "keepstate.syntax.splitting",
    "keepstate.comparison",
)
SLOW_TO_IMPORT = ("_hashlib", "logging", "tempfile", "importlib.resources", "difflib", "ctypes", "rich", "traceback")
"""Modules that an unchanged repository needs no part of: a third of the time that such a check took."""
MOST_MODULES = 150
"""Of Keepstate, in a check without a change."""
TRUTH = Path(__file__).parents[1] / "truth"
RUN = """\
import json, sys
from keepstate_lsp.cli.main import main
status = main(sys.argv[1:])
print()
print(json.dumps([status, sorted(sys.modules)]))
"""


@dataclass(frozen=True)
class Cost:
    status: int
    output: str
    imported: frozenset[str]
    processes: Counter[str]
    """Commands of git."""


def cost(folder: Path, trace: Path, *arguments: str) -> Cost:
    """The cost of a run in a process of its own."""
    trace.unlink(missing_ok=True)
    run = subprocess.run(
        [sys.executable, "-c", RUN, *arguments],
        cwd=folder,
        env={**os.environ, "GIT_TRACE": str(trace)},
        capture_output=True,
        check=True,
    )
    *output, told = run.stdout.decode().splitlines()
    status, modules = json.loads(told)
    traced = trace.read_text() if trace.exists() else ""
    begun = re.findall(r"trace: built-in: git (\S+)(?: (--batch\S*))?", traced)
    processes = Counter(" ".join(filter(None, words)) for words in begun)
    return Cost(status, "\n".join(output), frozenset(modules), processes)


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    found = GitRepository(tmp_path / "repository")
    found.commit({"jobs/a.sql": JOB, "jobs/b.sql": JOB, "README.md": "Jobs.\n"})
    return found


@pytest.mark.parametrize(
    ("arguments", "not_needed", "more"),
    [
        # The remotes are asked for a hint at where the branch began.
        ((), (*NOT_NEEDED, *SLOW_TO_IMPORT, "keepstate_lsp.jobs.deployed"), {"remote": 1}),
        (("--staged",), (*NOT_NEEDED, *SLOW_TO_IMPORT), {}),
        # A named file may declare tables only, and then the jobs that read them are listed.
        (("jobs",), ("git", "rich.console", "keepstate.comparison"), {}),
    ],
)
def test_a_check_without_a_change(
    repository: GitRepository,
    tmp_path: Path,
    arguments: tuple[str, ...],
    not_needed: tuple[str, ...],
    more: dict[str, int],
) -> None:
    found = cost(repository.folder, tmp_path / "trace", "check", *arguments)
    assert found.status == 0, found.output
    assert found.imported.isdisjoint(not_needed)
    assert found.processes == {"rev-parse": 1, "cat-file --batch": 1, "ls-files": 1, **more}
    if not arguments:
        assert sum(name.startswith("keepstate") for name in found.imported) <= MOST_MODULES


def test_one_file_compared_with_itself(repository: GitRepository, tmp_path: Path) -> None:
    found = cost(repository.folder, tmp_path / "trace", "diff", "jobs/a.sql", "jobs/a.sql")
    assert found.output.splitlines()[0] == "Compatible: no findings; 1 file: 1 unchanged."
    assert found.imported.isdisjoint(NOT_NEEDED)
    assert not found.processes


def test_equal_files_outside_of_repositories(tmp_path: Path) -> None:
    for name in ("a.sql", "b.sql"):
        (tmp_path / name).write_text(JOB)
    found = cost(tmp_path, tmp_path / "trace", "diff", "a.sql", "b.sql")
    assert "1 unchanged" in found.output
    assert found.imported.isdisjoint(NOT_NEEDED)


def test_a_change_is_parsed(repository: GitRepository, tmp_path: Path) -> None:
    repository.write("jobs/a.sql", INCOMPATIBLE)
    found = cost(repository.folder, tmp_path / "trace", "check")
    assert found.status == 1
    assert set(NOT_NEEDED) - found.imported == {"git", "rich.console"}
    # The files of the work tree are listed once.
    assert found.processes["ls-files"] == 1


TABLE = "CREATE TABLE orders (id INT, amount {type}) WITH ('connector' = 'kafka');\n"
READER = "INSERT INTO totals SELECT id, SUM(amount) AS total FROM orders GROUP BY id;\n"


def test_equal_jobs_in_folders_with_other_declarations_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {f"{folder}/job.sql": READER for folder in ("old", "new")}
    for folder, amount in (("old", "INT"), ("new", "DECIMAL(10, 2)")):
        files[f"{folder}/tables.sql"] = TABLE.format(type=amount)
    folder = GitRepository(tmp_path / "repository")
    folder.commit(dict(files))
    monkeypatch.chdir(folder.folder)
    assert main(["diff", "old/job.sql", "new/job.sql", "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["verdict"] == "incompatible"


def test_a_job_that_reads_a_changed_declaration_is_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = GitRepository(tmp_path / "repository")
    folder.commit({"job.sql": READER, "tables.sql": TABLE.format(type="INT")})
    folder.write("tables.sql", TABLE.format(type="DECIMAL(10, 2)"))
    monkeypatch.chdir(folder.folder)
    assert main(["check", "job.sql", "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["verdict"] == "incompatible"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"-- keepstate: accept window-size-changed because it is meant\n{JOB}", "accepts nothing"),
        ("\n", "neither text holds a statement"),
    ],
)
def test_what_only_the_analyzer_can_tell_of_equal_texts_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str, words: str
) -> None:
    (tmp_path / "a.sql").write_text(text)
    monkeypatch.chdir(tmp_path)
    main(["diff", "a.sql", "a.sql"])
    assert words in capsys.readouterr().out


def test_a_configuration_that_differs_is_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, ttl in (("old", "1 d"), ("new", "2 d")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "job.sql").write_text(TABLE.format(type="INT") + READER)
        (tmp_path / name / "keepstate.toml").write_text(f"[parameters]\n'table.exec.state.ttl' = '{ttl}'\n")
    monkeypatch.chdir(tmp_path)
    main(["diff", "old/job.sql", "new/job.sql", "--format", "json"])
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert file["status"] == "compared"


PLAIN_TABLE = "CREATE TABLE orders (id INT) WITH ('connector' = 'kafka');\n"
RUNS = "INSERT INTO totals SELECT id FROM orders;\n"
NO_QUERY = "orders.sql: It declares tables, and no job known here reads them."


@pytest.mark.parametrize(
    ("text", "reads", "declares"),
    [
        (PLAIN_TABLE + RUNS, False, False),
        (PLAIN_TABLE + "-- all; of them\n" + RUNS.lower(), False, False),
        (PLAIN_TABLE + "EXECUTE STATEMENT SET BEGIN " + RUNS + "END;", False, False),
        (PLAIN_TABLE + "BEGIN STATEMENT SET;\n" + RUNS + "END;", False, False),
        # A name, a string and a comment run nothing.
        (PLAIN_TABLE, True, True),
        (PLAIN_TABLE + f"-- {RUNS}", True, True),
        (PLAIN_TABLE + f"/* ;\n{RUNS} */", True, True),
        (PLAIN_TABLE + f"SET 'pipeline.name' = ';{RUNS.strip()}';", True, True),
        (PLAIN_TABLE.replace("orders", "`orders; INSERT INTO s`"), True, True),
        (PLAIN_TABLE + "CREATE VIEW v AS SELECT id FROM orders;", True, True),
        # Their first words do not show the query, so they are read.
        (PLAIN_TABLE + "EXECUTE " + RUNS, True, False),
        (PLAIN_TABLE + "SELECT id FROM orders;", True, False),
        (PLAIN_TABLE + "CREATE TABLE s WITH ('connector' = 'kafka') AS SELECT id FROM orders;", True, False),
        (PLAIN_TABLE.replace(";", "") + RUNS, True, False),
        (PLAIN_TABLE + "INSERT INTO totals SELECT 'it;\nSELECT id FROM orders;", True, False),
        # A query that nothing can read is no declaration.
        (PLAIN_TABLE + "INSERT INTO totals SELEC id FROM orders;", False, False),
    ],
)
def test_an_unchanged_file_is_read_only_where_its_words_show_no_query(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    text: str,
    reads: bool,
    declares: bool,
) -> None:
    folder = GitRepository(tmp_path / "repository")
    folder.commit({"orders.sql": text})
    monkeypatch.chdir(folder.folder)
    texts: list[str] = []

    def recorded(file: SourceFile, script: Script) -> FileDeclarations:
        texts.append(file.text)
        return read(file, script)

    read = FileDeclarations.of_script
    monkeypatch.setattr(FileDeclarations, "of_script", staticmethod(recorded))
    assert main(["check", "."]) == 0
    assert bool(texts) is reads
    assert (NO_QUERY in capsys.readouterr().err) is declares


def test_the_words_of_a_query_agree_with_its_reading() -> None:
    queries = [path.read_text() for path in sorted(TRUTH.rglob("*.sql"))]
    texts = [re.sub(r"(?m)^(SELECT|WITH)\b", r"INSERT INTO s \1", text) for text in queries]
    shown = [text for text in texts if begins_query(text)]
    assert len(shown) > len(texts) // 3
    for text in shown:
        contents = FileDeclarations.of(SourceFile("a.sql", text), Memo())
        assert contents.runs or contents.unread


def test_changed_files_are_looked_at_once_however_many_folders_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = GitRepository(tmp_path / "repository")
    files = {f"team_{number}/job.sql": PLAIN_TABLE.replace("orders", f"o{number}") for number in range(6)}
    folder.commit(dict(files))
    for path, text in files.items():
        folder.write(path, text.replace("INT", "BIGINT"))
    monkeypatch.chdir(folder.folder)
    count = 0

    def counted(current: ReadParts, baseline: ReadParts, paths: Iterable[str]) -> frozenset[str]:
        nonlocal count
        count += 1
        return changed_names(current, baseline, paths)

    monkeypatch.setattr(run_projects, "changed_names", counted)
    main(["check", *(str(Path(path).parent) for path in files)])
    # Once for the named files, and once for all that changed since the baseline.
    assert count <= 2


MOST_CALLS_OF_AN_UNCHANGED_FILE = 450
"""Of a file in a named folder; they were 700 when its folder and its place were worked out for each question."""


def test_an_unchanged_file_costs_few_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = GitRepository(tmp_path / "repository")
    files = [f"{team}/{n}.sql" for team, count in (("few", 10), ("many", 60)) for n in range(count)]
    folder.commit(dict.fromkeys(files, PLAIN_TABLE + RUNS))
    monkeypatch.chdir(folder.folder)
    main(["check", "few"])
    few, many = (calls_of(lambda team=team: main(["check", team])) for team in ("few", "many"))
    assert (many - few) / 50 <= MOST_CALLS_OF_AN_UNCHANGED_FILE


def calls_of(work: Callable[[], int]) -> int:
    count = 0

    def counted_call(_: FrameType, event: str, __: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted_call)
    try:
        assert work() == 0
    finally:
        sys.setprofile(None)
    return count
