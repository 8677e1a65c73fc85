"""The memory of the files of a workspace: small facts of all of them, syntax trees of few."""

from __future__ import annotations

import pytest

from keepstate.project.memory import ProjectMemory
from keepstate.syntax import memo

_TABLE = "CREATE TABLE t{0} (a INT) WITH ('connector' = 'kafka');\n"
_JOB = _TABLE + "INSERT INTO s{0} SELECT a FROM t{0};\n"
_MOST = 4_000


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of the statements that were parsed."""
    texts: list[str] = []
    parse = memo.parse_statement

    def recorded(text: str, *args: object) -> object:
        texts.append(text)
        return parse(text, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(memo, "parse_statement", recorded)
    return texts


def test_jobs_that_are_not_edited_leave_no_syntax_trees() -> None:
    memory = ProjectMemory()
    sizes = []
    for begin in (0, 1_000):
        for number in range(begin, begin + 1_000):
            memory.read(f"{number}.sql", _JOB.format(number))
        memory.keep_recent(_MOST)
        sizes.append(memory.memo.size)
    assert memory.texts == 2_000
    assert sizes[0] == sizes[1] < 200


def test_the_facts_of_a_file_outlive_its_syntax_trees(parsed: list[str]) -> None:
    memory = ProjectMemory()
    for number in range(1_000):
        memory.read(f"{number}.sql", _JOB.format(number))
    memory.keep_recent(_MOST)
    parsed.clear()
    contents = memory.read("3.sql", _JOB.format(3))
    assert (contents.runs, contents.needs, [each.name for each in contents.declarations]) == (
        True,
        ("s3", "t3"),
        ["t3"],
    )
    assert not parsed


@pytest.mark.parametrize("text", [_TABLE, _TABLE + "CREATE VIEW v{0} AS SELECT a FROM t{0};\n"])
def test_declarations_keep_their_trees_for_the_jobs_that_take_them(parsed: list[str], text: str) -> None:
    memory = ProjectMemory()
    for number in range(300):
        memory.read(f"{number}.sql", text.format(number))
    memory.keep_recent(_MOST)
    parsed.clear()
    for number in range(300):
        memory.memo.statement(text.format(number).split(";\n")[0])
    assert not parsed


def test_an_edited_job_keeps_its_trees(parsed: list[str]) -> None:
    memory = ProjectMemory()
    statements = [f"INSERT INTO s{number} SELECT a FROM t;\n" for number in range(300)]
    for edit in range(2):
        memory.read("edited.sql", "".join([*statements, f"SELECT {edit};"]))
    for number in range(1_000):
        memory.read(f"{number}.sql", _JOB.format(number))
    memory.keep_recent(_MOST)
    parsed.clear()
    memory.read("edited.sql", "".join([*statements, "SELECT 2;"]))
    assert parsed == ["SELECT 2"]
