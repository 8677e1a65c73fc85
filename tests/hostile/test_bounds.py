"""Texts that were made to take for ever, or all memory, take neither."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import keepstate
from keepstate_lsp.cli.main import main
from keepstate_lsp.config import job_names
from keepstate_lsp.features.hover import escaped
from keepstate_lsp.restore_errors import read_error
from keepstate_lsp.runtime.time_limit import TookTooLong, within
from repositories import GitRepository

LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
import keepstate
text = sys.stdin.read()
keepstate.looks_like_flink(text)
current = text.replace("SUM", "MAX") + "; SELECT 1"
report = keepstate.check(keepstate.JobVersion(current), keepstate.JobVersion(text))
print(report.verdict.value, *sorted({finding.rule for finding in report.findings}), *(
    problem.message for problem in report.problems[:1]
))
"""
JOB = "INSERT INTO totals SELECT category, SUM({}) AS total FROM orders GROUP BY category"


def nested(opening: str, closing: str, inner: str = "a", times: int = 5_000) -> str:
    return opening * times + inner + closing * times


def views(body: str, count: int = 30) -> str:
    """Each view reads the one before it more than once: what is small when written is endless when run."""
    written = "".join(f"CREATE VIEW v{n} AS {body.format(f'v{n - 1}')};\n" for n in range(1, count))
    return f"CREATE VIEW v0 AS SELECT a FROM t;\n{written}INSERT INTO s SELECT a, SUM(a) FROM v{count - 1} GROUP BY a"


BOMBS: dict[str, str] = {
    "parentheses": JOB.format(nested("(", ")")),
    "CASE": JOB.format(nested("CASE WHEN x THEN ", " END")),
    "casts": JOB.format(nested("CAST(", " AS INT)")),
    "NOT": JOB.format("NOT " * 5_000 + "a"),
    "subqueries": "INSERT INTO s " + nested("SELECT a FROM (", ")", "SELECT a FROM t"),
    "EXISTS": "INSERT INTO s " + nested("SELECT a FROM t WHERE EXISTS (", ")", "SELECT 1 FROM u"),
    "types": f"CREATE TABLE t (a {nested('ARRAY<', '>', 'INT')});" + JOB.format("a"),
    "WITH": "WITH a AS (" * 5_000,
    "statement sets": "EXECUTE STATEMENT SET BEGIN " * 5_000,
    "unions": "INSERT INTO s " + " UNION ALL ".join(["SELECT a FROM t"] * 1_500),
    "unions of views": views("SELECT a FROM {0} UNION ALL SELECT a FROM {0}"),
    "joins of views": views("SELECT x.a FROM {0} AS x JOIN {0} AS y ON x.a = y.a", 24),
    "sums of views": views("SELECT a + a AS a FROM {0}"),
    "a join of 150 tables": "INSERT INTO s SELECT t0.a, SUM(t1.b) FROM t0"
    + "".join(f" JOIN t{n} ON t{n}.a = t0.a" for n in range(1, 150))
    + " GROUP BY t0.a",
    "a long name": JOB.format("a" * 400_000),
    "a long line": JOB.format("a" + " " * 400_000),
    "many columns": JOB.format("a) AS b, " + ", ".join(f"SUM(a{n}) AS b{n}" for n in range(600)) + ", SUM(a"),
    "many conditions": JOB.replace(
        "GROUP", "WHERE " + " AND ".join(f"(a{n} OR b{n})" for n in range(1_000)) + " GROUP"
    ),
    "100,000 statements": "SELECT 1;\n" * 100_000,
    "a table like itself": "CREATE TABLE a LIKE b; CREATE TABLE b LIKE a; INSERT INTO s SELECT x, SUM(y) FROM a",
    "a view of itself": "CREATE VIEW a AS SELECT * FROM b; CREATE VIEW b AS SELECT * FROM a; SELECT * FROM a",
}


@pytest.mark.skipif(sys.platform == "win32", reason="limits of processes are those of Unix")
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_bomb_of_sql_is_answered(bomb: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", LIMITED], input=BOMBS[bomb], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr[-1000:]
    assert run.stdout.split()[0] in ("compatible", "partial", "unknown", "incompatible")


def test_a_view_below_a_query_that_is_not_planned_is_not_passed_over_in_silence() -> None:
    before = views("SELECT a FROM {0} UNION ALL SELECT a FROM {0}")
    after = before.replace("SELECT a FROM t;", "SELECT a FROM t WHERE a > 1;")
    report = keepstate.check(keepstate.JobVersion(after), keepstate.JobVersion(before))
    assert report.verdict.value == "unknown"


REPEATED: dict[str, tuple[Callable[[str], object], Callable[[int], str]]] = {
    "dashes in a string": (keepstate.parse_script, lambda n: "SELECT ';\n" + "-- " * n + "x'"),
    "ends in comments in a string": (keepstate.parse_script, lambda n: "SELECT '" + "-- ;\n" * n + "x'"),
    "blanks behind an open quote": (keepstate.parse_script, lambda n: "SELECT ';\nSELECT 1;\n'" + " " * n + "x'"),
    "open comments": (keepstate.parse_script, lambda n: "/* " * n),
    "open quotes": (keepstate.parse_script, lambda n: "'" * (2 * n + 1)),
    "open escapes": (keepstate.parse_script, lambda n: "e'\\'" * n),
    "open names": (keepstate.parse_script, lambda n: "`a" * (2 * n + 1)),
    "open tags": (keepstate.parse_script, lambda n: "{% a" * n),
    "open remarks": (keepstate.parse_script, lambda n: "{# a" * n),
    "open holes": (keepstate.parse_script, lambda n: "a${x" * n),
    "character sets": (keepstate.parse_script, lambda n: "_a:" * n),
    "conflicts": (keepstate.parse_script, lambda n: "<<<<<<< a\n" * n),
    "GROUP BY": (keepstate.looks_like_flink, lambda n: "GROUP BY TUMBLE( " * n),
    "MATCH_RECOGNIZE": (keepstate.looks_like_flink, lambda n: "MATCH_RECOGNIZE (" * n),
    "CREATE FUNCTION": (keepstate.looks_like_flink, lambda n: "CREATE FUNCTION " * n),
    "PRIMARY KEY": (keepstate.looks_like_flink, lambda n: "PRIMARY KEY (a " * n),
    "comments of other SQL": (keepstate.looks_like_flink, lambda n: "/* " * n),
    "acceptances": (
        lambda text: keepstate.check(keepstate.JobVersion(text), keepstate.JobVersion("SELECT 1")),
        lambda n: "SELECT 2 -- keepstate: accept a" + " , a" * n + " !",
    ),
    "blank lines of a log": (read_error, lambda n: "\n" * n),
    "blank ends of a log": (read_error, lambda n: " \n\t" * n),
    "subtasks in a log": (read_error, lambda n: "a (1/2) switched from A to " * n),
    "messages in a log": (read_error, lambda n: " - a (1/2)" * n + " switched from A to FAILED"),
    "errors in a line": (read_error, lambda n: "Caused by: a.bException: " * n),
    "backticks in a hover": (escaped, lambda n: " ".join("`" * (k % 97 + 1) for k in range(n // 50))),
}


@pytest.mark.parametrize("name", REPEATED)
def test_twice_the_text_takes_about_twice_the_time(name: str) -> None:
    """No pattern tries a text in many ways. The square would be 16 for four times the text; seconds are not counted."""
    ask, text_of = REPEATED[name]

    def took(size: int) -> float:
        texts = [f"{text_of(size)} {chance}" for chance in range(3)]
        began = [time.thread_time()]
        for text in texts:
            ask(text)
            began.append(time.thread_time())
        return min(end - start for start, end in pairwise(began))

    ask(text_of(10))
    little, much = took(5_000), took(20_000)
    assert much < 10 * little + 0.02


def test_a_glob_of_many_stars_is_no_search() -> None:
    name = "a" * 255
    for glob in ("*a" * 50 + "b", "**/" * 50 + "b", "**" * 50 + "b", "a*" * 50 + "b"):
        assert not job_names.glob_test(glob)("/".join([name] * 8))
    assert job_names.glob_test("*a" * 50)(name)


@given(st.text("ab/*?[]!-", max_size=9), st.text("ab/", max_size=8))
def test_both_ways_of_matching_say_the_same(glob: str, path: str) -> None:
    import re

    parts = job_names._PART.findall(glob)
    expression = re.compile("".join(map(job_names._expression, parts)), re.DOTALL)
    assert job_names._matches_step_by_step(parts, path) is (expression.fullmatch(path) is not None)


def test_a_call_that_does_not_end_is_ended() -> None:
    def spin() -> None:
        while True:
            pass

    for _ in range(3):
        with pytest.raises(TookTooLong, match=r"more than 0\.1 seconds"):
            within(0.1, spin)
    assert within(60, lambda: 7) == 7


PROFILED = """
import cProfile
from keepstate_lsp.runtime.time_limit import TookTooLong, within

def spin():
    while True:
        pass

def calls():
    answers = [within(60, lambda: 7)]
    try:
        within(0.1, spin)
    except TookTooLong:
        answers.append(within(60, lambda: 8))
    return answers

print(cProfile.Profile().runcall(calls))
"""


def test_a_limit_hangs_under_no_profiler() -> None:
    """In CPython 3.11 a request that was taken back kept the interpreter busy before the next function, for ever, and
    no handler of a signal was called.
    """
    output = subprocess.run([sys.executable, "-c", PROFILED], capture_output=True, text=True, timeout=240, check=False)
    assert output.stdout == "[7, 8]\n", output.stderr


def test_a_comparison_that_takes_too_long_is_one_that_was_not_made(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("keepstate_lsp.cli.result.file_result.COMMAND_SECONDS", 0.2)
    repository.commit({"a.fql": "INSERT INTO s SELECT a, COUNT(*) FROM t GROUP BY a;\n" * 400})
    path = repository.write("a.fql", "INSERT INTO s SELECT a, SUM(b) FROM t GROUP BY a;\n" * 400)
    assert main(["check", str(path)]) == 2
    assert "more than 0.2 seconds of computing time" in " ".join(capsys.readouterr().out.split())


def test_a_huge_file_is_not_read(repository: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    repository.commit({"a.fql": "SELECT 1;"})
    path = repository.folder / "a.fql"
    with path.open("r+b") as file:
        # A hole of the file system: it takes no room on the disk.
        file.truncate(8 << 30)
    assert main(["check", str(path)]) == 2
    assert "is too large" in capsys.readouterr().out


def test_a_huge_blob_is_not_read(repository: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    repository.commit({"a.fql": b" " * (65 << 20)})
    path: Path = repository.write("a.fql", "SELECT 1;")
    assert main(["check", str(path)]) == 2
    assert "is too large" in capsys.readouterr().out
