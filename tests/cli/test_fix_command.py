"""``keepstate check --fix``: the files afterwards, and what is said of them."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from jobs import BROKEN, DECLARED, INCOMPATIBLE, JOB, NOTICE, OPENED, OPENED_AND_LOST, PARTIAL, REFORMATTED, UNREAD
from keepstate.report import Verdict
from keepstate.text import Edit, Span
from keepstate_lsp.cli.fixing import fixed_files
from keepstate_lsp.cli.main import main
from repositories import GitRepository

TWO = INCOMPATIBLE.replace("COUNT(*) AS orders", "MIN(amount) AS orders")
"""Two changes in one query: taken back one by one, neither makes the job compatible."""
AND_A_METRIC = PARTIAL.replace("INTERVAL '1' MINUTE", "INTERVAL '2' MINUTE")
TEMPLATE = UNREAD.replace("'1' MINUTE", "'2' MINUTE")


@pytest.fixture
def jobs(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    monkeypatch.chdir(repository.folder)
    monkeypatch.setenv("COLUMNS", "200")
    repository.commit({"jobs/a.sql": JOB, "jobs/b.sql": JOB, "README.md": "Jobs"})
    return repository


def content(jobs: GitRepository, path: str = "jobs/a.sql") -> bytes:
    return (jobs.folder / path).read_bytes()


def judged(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """The document of a check, by path of the files."""
    capsys.readouterr()
    main(["check", *arguments, "--format", "json"])
    return {file["path"]: file for file in json.loads(capsys.readouterr().out)["files"]}


def fix(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """The status, the output and the lines on standard error of ``check --fix``."""
    capsys.readouterr()
    status = main(["check", "--fix", *arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


CASES: dict[str, tuple[str, str, tuple[str, ...], str | None]] = {
    # baseline, current, options, the text afterwards: none if any text with the verdict will do
    "another window": (JOB, INCOMPATIBLE, (), JOB),
    "a new metric": (JOB, PARTIAL, (), JOB),
    "a new metric that may stay": (JOB, PARTIAL, ("--fix-verdict", "partial"), JOB),
    "two changes at once": (JOB, TWO, (), JOB),
    "a window and a metric": (JOB, AND_A_METRIC, (), JOB),
    "a window and a metric, partial": (JOB, AND_A_METRIC, ("--fix-verdict", "partial"), JOB),
    "a removed metric, a notice": (JOB, NOTICE, (), NOTICE),
    "another layout": (JOB, REFORMATTED, (), REFORMATTED),
    "another layout, and a window": (JOB, REFORMATTED.replace("'1' MINUTE", "'2' MINUTE"), (), REFORMATTED),
    "nothing": (JOB, JOB, (), JOB),
    "unknown by a function": (OPENED, OPENED_AND_LOST, (), OPENED),
    "not valid": (DECLARED, BROKEN, (), None),
    "a template": (JOB, UNREAD, (), UNREAD),
    "a template, and a window": (JOB, TEMPLATE, (), TEMPLATE),
    "line ends of Windows": (JOB, INCOMPATIBLE.replace("\n", "\r\n"), (), JOB.replace("\n", "\r\n")),
    "a removed setting": (f"SET 'a.b' = 'c';\n{JOB}", INCOMPATIBLE, (), None),
    "profile flink": (JOB, INCOMPATIBLE, ("--engine", "flink"), JOB),
    "profile flink, a new metric": (JOB, PARTIAL, ("--engine", "flink"), JOB),
}


@pytest.mark.parametrize("case", CASES)
def test_the_text_afterwards(jobs: GitRepository, capsys: pytest.CaptureFixture[str], case: str) -> None:
    baseline, current, options, wanted = CASES[case]
    jobs.commit({"jobs/a.sql": baseline})
    jobs.write("jobs/a.sql", current)
    others = tuple(option for option in options if "fix" not in option and option != "partial")
    status, said, _ = fix(capsys, *options)
    once = content(jobs)
    if wanted is not None:
        assert once.decode() == wanted
    is_changed = once.decode() != current
    assert ("fixed: jobs/a.sql: " in said.replace("not fixed", "")) == is_changed
    # The status is that of the fixed text.
    assert main(["check", *others]) == status
    files = judged(capsys, *others)
    if is_changed and "jobs/a.sql" in files:
        asked = Verdict("partial" if "partial" in options else "compatible")
        assert files["jobs/a.sql"]["status"] in ("compared", "unchanged")
        assert Verdict(files["jobs/a.sql"]["verdict"]).rank <= asked.rank
    # A second time there is nothing to do.
    assert fix(capsys, *options)[0] == status
    assert content(jobs) == once
    assert (content(jobs, "jobs/b.sql"), content(jobs, "README.md")) == (JOB.encode(), b"Jobs")


@pytest.mark.parametrize("current", ["", "-- all is gone\n", JOB[: len(JOB) // 2], NOTICE + "INSERT INTO x SELECT"])
def test_no_text_gets_worse(jobs: GitRepository, capsys: pytest.CaptureFixture[str], current: str) -> None:
    jobs.write("jobs/a.sql", current)
    before = judged(capsys)
    fix(capsys)
    after = judged(capsys)
    for path, file in after.items():
        assert Verdict(file["verdict"]).rank <= Verdict(before[path]["verdict"]).rank
    once = content(jobs)
    fix(capsys)
    assert content(jobs) == once


def test_fixes_are_listed_in_front_of_the_report(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write("jobs/a.sql", INCOMPATIBLE)
    jobs.write("jobs/b.sql", TWO)
    status, said, errors = fix(capsys)
    assert (status, errors) == (0, "")
    lines = said.splitlines()
    assert lines[0] == "fixed: jobs/a.sql: Restore `INTERVAL '1' MINUTE` (compatible)"
    # All at once, in the place of one fix for each finding.
    assert lines[1].startswith("fixed: jobs/b.sql: ") and lines[1].endswith("(compatible)")
    assert lines[2].startswith("Nothing to compare")


def test_nothing_to_do_is_one_line(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    assert fix(capsys)[1].splitlines()[0] == "nothing to fix"
    jobs.write("jobs/a.sql", UNREAD)
    said = fix(capsys)[1].splitlines()
    assert said[0] == "not fixed: jobs/a.sql: it has statements that cannot be read"
    assert said[1].startswith("Against HEAD (") and said[3].startswith("jobs/a.sql: ")


@pytest.mark.parametrize("form", ["json", "sarif", "github", "gitlab", "junit", "markdown"])
def test_other_formats_stay_what_they_are(jobs: GitRepository, capsys: pytest.CaptureFixture[str], form: str) -> None:
    jobs.write("jobs/a.sql", INCOMPATIBLE)
    jobs.write("jobs/b.sql", REFORMATTED)
    status, said, errors = fix(capsys, "--format", form)
    assert status == 0
    assert errors.startswith("keepstate: fixed: jobs/a.sql: ") and len(errors.splitlines()) == 1
    main(["check", "--format", form])
    assert capsys.readouterr().out == said


ENCODED = {
    "a byte order mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "UTF-16": lambda text: text.encode("utf-16"),
    "big-endian UTF-16 with line ends of Windows": lambda text: (
        b"\xfe\xff" + text.replace("\n", "\r\n").encode("utf-16-be")
    ),
    "no line end at the end": lambda text: text.rstrip("\n").encode(),
    "characters outside of the plane": lambda text: f"-- \N{GRINNING FACE} é\r\n{text}".encode(),
    "mixed line ends": lambda text: text.replace("\n", "\r\n", 3).encode(),
}


@pytest.mark.parametrize("kind", ENCODED)
def test_bytes_and_mode_stay(jobs: GitRepository, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    encode = ENCODED[kind]
    file = jobs.write("jobs/a.sql", encode(INCOMPATIBLE))
    file.chmod(0o750)
    assert fix(capsys)[0] == 0
    assert file.read_bytes() == encode(JOB)
    assert stat.S_IMODE(file.stat().st_mode) == 0o750
    assert sorted(os.listdir(file.parent)) == ["a.sql", "b.sql"]


def test_settings_that_come_back_have_the_line_ends_of_the_file(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    setting = "SET 'table.exec.state.ttl' = '1 d';\n"
    jobs.commit({"jobs/a.sql": setting + JOB})
    jobs.write("jobs/a.sql", INCOMPATIBLE.replace("\n", "\r\n"))
    fix(capsys)
    assert content(jobs).count(b"\n") == content(jobs).count(b"\r\n")


NAMES = ["plain.sql", "with space.sql", "ünï.sql", 'quo"te.sql', "tab\there.sql", "[a].sql"]


@pytest.mark.parametrize(
    ("kind", "name"), [*(("plain", name) for name in NAMES), *((kind, NAMES[0]) for kind in ENCODED)]
)
def test_git_applies_the_diff(jobs: GitRepository, capfdbinary: Any, kind: str, name: str) -> None:
    encode = ENCODED.get(kind, str.encode)
    path = f"jobs/more jobs/{name}"
    jobs.commit({path: JOB})
    before = encode(TWO)
    jobs.write(path, before)
    assert main(["check", "--fix", "--diff"]) == 0
    captured = capfdbinary.readouterr()
    assert content(jobs, path) == before
    assert b"would be fixed: jobs/more jobs/" in captured.err
    # Paths are those of the repository, wherever git is started.
    subprocess.run(["git", "apply", "-"], cwd=jobs.folder / "jobs", input=captured.out, check=True)
    applied = content(jobs, path)
    jobs.write(path, before)
    assert main(["check", "--fix"]) == 0
    assert content(jobs, path) == applied != before


def test_a_diff_from_a_folder_below(jobs: GitRepository, capfdbinary: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs.write("jobs/a.sql", INCOMPATIBLE)
    monkeypatch.chdir(jobs.folder / "jobs")
    assert main(["check", "--fix", "--diff", "--quiet", "a.sql"]) == 0
    captured = capfdbinary.readouterr()
    assert captured.out.startswith(b"diff --git a/jobs/a.sql b/jobs/a.sql\n--- a/jobs/a.sql\n+++ b/jobs/a.sql\n@@ ")
    assert captured.err == b""
    subprocess.run(["git", "apply", "--check", "-"], cwd=jobs.folder, input=captured.out, check=True)


def test_the_status_of_a_diff_is_that_of_the_fixed_text(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fix(capsys, "--diff") == (0, "", "keepstate: nothing to fix\n")
    jobs.write("jobs/b.sql", UNREAD)
    jobs.write("jobs/a.sql", INCOMPATIBLE)
    status, said, _ = fix(capsys, "--diff")
    assert "jobs/a.sql" in said and "jobs/b.sql" not in said
    assert fix(capsys)[0] == status != 0


REFUSED = {
    ("--diff",): "--diff goes with --fix",
    ("--fix-verdict", "partial"): "--fix-verdict goes with --fix",
    ("--fix", "--staged"): "--staged",
    ("--fix", "--current", "HEAD"): "--current",
    ("--fix", "--planner", "flink"): "--planner",
    ("--fix", "--watch"): "--watch",
    ("--fix", "--against", "plan:p.json"): "plan:p.json",
    ("--fix", "--diff", "--format", "json"): "--format",
    ("--fix", "--diff", "--verify"): "--verify",
}


@pytest.mark.parametrize("options", REFUSED, ids=" ".join)
def test_options_that_cannot_go_together(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    jobs.write("jobs/a.sql", INCOMPATIBLE)
    assert main(["check", *options]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and len(captured.err.splitlines()) == 1
    assert REFUSED[options] in captured.err
    assert content(jobs) == INCOMPATIBLE.encode()


BASELINES = {
    "a revision": (("--against", "HEAD~1"), JOB),
    "a file": (("--against", "file:was.txt", "jobs/a.sql"), JOB),
    "what is deployed": (("--against", "deployed"), JOB),
    "the start of the change": (("--against", "deployed", "--new-since", "HEAD"), None),
    "processes": (("--against", "HEAD~1", "--jobs", "2"), JOB),
    "named": (("--against", "HEAD~1", "jobs/a.sql", "jobs/b.sql"), JOB),
}


@pytest.mark.parametrize("kind", BASELINES)
def test_other_baselines(jobs: GitRepository, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    options, wanted = BASELINES[kind]
    assert main(["deployed", "mark", "jobs/a.sql", "jobs/b.sql"]) == 0
    jobs.commit({"jobs/a.sql": INCOMPATIBLE, "was.txt": JOB})
    current = AND_A_METRIC.replace("SUM(amount) AS amount", "SUM(amount) AS amount")
    jobs.write("jobs/a.sql", current)
    fix(capsys, *options)
    if wanted is not None:
        assert content(jobs).decode() == wanted
    else:
        # What was there before the change stays.
        assert content(jobs).decode() == INCOMPATIBLE


def test_of_very_many_fixes_the_first_are_tried(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs.write("jobs/a.sql", INCOMPATIBLE)
    monkeypatch.setattr("keepstate_lsp.cli.fixing.fixed_files._MOST_TRIED", 0)
    assert fix(capsys)[1].startswith("not fixed: jobs/a.sql: ")
    monkeypatch.setattr("keepstate_lsp.cli.fixing.fixed_files._MOST_TRIED", 1)
    assert fix(capsys)[0] == 0


def test_what_is_accepted_stays(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write("jobs/a.sql", INCOMPATIBLE)
    assert main(["accept", "--because", "A new start is planned", "--by", "Ada"]) == 0
    said = fix(capsys)[1]
    assert said.splitlines()[0] == "nothing to fix"
    assert content(jobs) == INCOMPATIBLE.encode()
    jobs.write("jobs/a.sql", AND_A_METRIC)
    assert fix(capsys)[0] == 0
    assert content(jobs) == INCOMPATIBLE.encode()


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


def test_what_a_client_printed_is_left(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.commit({"jobs/a.sql": "".join(f"Flink SQL> {line}\n" for line in JOB.splitlines())})
    current = "".join(f"Flink SQL> {line}\n" for line in INCOMPATIBLE.splitlines()).encode()
    jobs.write("jobs/a.sql", current)
    fix(capsys)
    assert content(jobs) in (current, jobs.git("show", "HEAD:jobs/a.sql").encode() + b"\n")


def test_a_link_is_named_and_not_followed(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write("there.txt", INCOMPATIBLE)
    (jobs.folder / "jobs/a.sql").unlink()
    (jobs.folder / "jobs/a.sql").symlink_to("../there.txt")
    said = fix(capsys, "jobs/a.sql")[1]
    assert said.startswith("not fixed: jobs/a.sql: ")
    assert (jobs.folder / "jobs/a.sql").is_symlink()
    assert content(jobs, "there.txt") == INCOMPATIBLE.encode()


def test_a_file_that_cannot_be_written_harms_no_other(jobs: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    jobs.write("jobs/a.sql", INCOMPATIBLE).chmod(0o444)
    jobs.write("jobs/b.sql", INCOMPATIBLE)
    status, said, errors = fix(capsys)
    assert status == 2
    assert "jobs/a.sql: Not fixed: it is read-only." in errors
    assert "fixed: jobs/b.sql: " in said
    assert (content(jobs), content(jobs, "jobs/b.sql")) == (INCOMPATIBLE.encode(), JOB.encode())


def test_a_full_disk(jobs: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    write_whole = fixed_files.write_whole

    def full(path: Path, data: bytes, mode: int | None = None) -> None:
        if path.name == "a.sql":
            raise OSError(28, "No space left on device", str(path))
        write_whole(path, data, mode)

    monkeypatch.setattr(fixed_files, "write_whole", full)
    jobs.write("jobs/a.sql", INCOMPATIBLE)
    jobs.write("jobs/b.sql", INCOMPATIBLE)
    status, _, errors = fix(capsys)
    assert status == 2
    assert "jobs/a.sql: Not fixed: it cannot be written (No space left on device)." in errors
    assert (content(jobs), content(jobs, "jobs/b.sql")) == (INCOMPATIBLE.encode(), JOB.encode())


def test_a_file_that_changed_meanwhile_is_left(
    jobs: GitRepository, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    apply_edits = fixed_files.apply_edits

    def saved_meanwhile(text: str, edits: Any) -> str:
        jobs.write("jobs/a.sql", AND_A_METRIC)
        return apply_edits(text, edits)

    monkeypatch.setattr(fixed_files, "apply_edits", saved_meanwhile)
    jobs.write("jobs/a.sql", INCOMPATIBLE)
    status, _, errors = fix(capsys)
    assert status == 2
    assert "jobs/a.sql: Not fixed: it changed on disk while it was analysed." in errors
    assert content(jobs) == AND_A_METRIC.encode()
