"""``keepstate validate``: is each file, and each program of a list, one that Flink takes?"""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import keepstate
from jobs import BROKEN, DECLARED, JOB, UNREAD
from keepstate import JobVersion, Validity
from keepstate_lsp.cli.main import main

TYPO = DECLARED.replace("SUM(amount)", "SUM(amout)")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    texts = {"good": DECLARED, "typo": TYPO, "broken": BROKEN, "open": JOB, "template": UNREAD}
    for name, text in texts.items():
        (tmp_path / f"{name}.sql").write_text(text, "utf-8")
    (tmp_path / "binary.sql").write_bytes(b"\0\1\2" * 20)
    return tmp_path


def place(text: str, word: str) -> str:
    start = text.index(word)
    line = text.count("\n", 0, start)
    return f"{line + 1}:{start - text.rfind(chr(10), 0, start)}"


@pytest.mark.parametrize(
    ("name", "status", "validity", "check"),
    [
        ("good", 0, "valid", None),
        ("typo", 1, "invalid", "unknown-column"),
        ("broken", 1, "invalid", "syntax"),
        ("open", 0, "undecided", "unknown-table"),
        ("template", 0, "undecided", "template"),
    ],
)
def test_a_file(capsys: pytest.CaptureFixture[str], name: str, status: int, validity: str, check: str | None) -> None:
    assert main(["validate", f"{name}.sql"]) == status
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"{name}.sql")
    assert line.endswith("valid" if check is None else f"[{check}]")
    assert main(["validate", f"{name}.sql", "--format", "json"]) == status
    (file,) = json.loads(capsys.readouterr().out)["files"]
    assert (file["path"], file["validity"]) == (f"{name}.sql", validity)
    assert [problem["check"] for problem in file["problems"]] == ([] if check is None else [check])


def test_the_place_of_a_refusal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "typo.sql"]) == 1
    assert capsys.readouterr().out.startswith(f"typo.sql:{place(TYPO, 'amout')}: Flink refuses this: ")
    main(["validate", "typo.sql", "--format", "json"])
    (problem,) = json.loads(capsys.readouterr().out)["files"][0]["problems"]
    start, end = problem["range"]["start"], problem["range"]["end"]
    assert f"{start['line'] + 1}:{start['character'] + 1}" == place(TYPO, "amout")
    assert (end["line"], end["character"] - start["character"]) == (start["line"], len("amout"))


def test_several_files_have_the_worst_status(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "good.sql", "typo.sql", "open.sql"]) == 1
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == ["good.sql", "typo.sql", "open.sql"]
    assert main(["validate", "typo.sql", "binary.sql", "good.sql", "--format", "json"]) == 2
    captured = capsys.readouterr()
    assert [file["validity"] for file in json.loads(captured.out)["files"]] == ["invalid", None, "valid"]
    assert "binary.sql" in captured.err


@pytest.mark.parametrize("name", ["binary.sql", "gone.sql"])
def test_what_is_no_text_is_2(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert main(["validate", name]) == 2
    captured = capsys.readouterr()
    assert (captured.out, name in captured.err) == ("", True)


def test_quiet_leaves_the_refusals(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "good.sql", "open.sql", "typo.sql", "--quiet"]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("typo.sql:")


@pytest.mark.parametrize(("text", "status"), [(DECLARED, 0), (TYPO, 1)])
def test_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, text: str, status: int
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main(["validate", "-"]) == status
    assert capsys.readouterr().out.startswith("-:")


def test_the_version_decides_about_reserved_words(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "offset.sql").write_text(
        DECLARED.replace("INTERVAL '1' MINUTE", "INTERVAL '1' MINUTE, INTERVAL '2' MINUTE")
    )
    assert main(["validate", "offset.sql", "--engine", "flink"]) == 1
    assert "[window-size]" in capsys.readouterr().out
    assert main(["validate", "offset.sql", "--engine", "vvr"]) == 0
    assert "cannot tell" in capsys.readouterr().out


def test_usage(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        ["validate"],
        ["validate", "good.sql", "--programs", "x.jsonl"],
        ["validate", "a.sql", "--engine", "x"],
    ):
        assert main(words) == 2
        assert capsys.readouterr().out == ""


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of Keepstate itself in each text that holds ``amout``."""
    sound = keepstate.validate

    def validate(version: JobVersion, *others: Any) -> Validity:
        if "amout" in version.text:
            raise IndexError("no such element")
        return sound(version, *others)

    monkeypatch.setattr(keepstate, "validate", validate)


FAULT = "The validation failed (IndexError: no such element). This is a fault of Keepstate; please report it."


@pytest.mark.usefixtures("faulty")
def test_a_fault_costs_one_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "typo.sql", "good.sql", "--format", "json"]) == 2
    captured = capsys.readouterr()
    assert captured.err == f"keepstate: typo.sql: {FAULT}\n"
    typo, good = json.loads(captured.out)["files"]
    problem = {"check": "internal-error", "message": FAULT, "range": None}
    assert typo == {"path": "typo.sql", "validity": None, "problems": [problem]}
    assert (good["path"], good["validity"]) == ("good.sql", "valid")


class TestPrograms:
    def run(
        self, folder: Path, capsys: pytest.CaptureFixture[str], *entries: object
    ) -> tuple[int, list[dict[str, Any]], str]:
        lines = [entry if isinstance(entry, str) else json.dumps(entry) for entry in entries]
        (folder / "programs.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
        status = main(["validate", "--programs", "programs.jsonl"])
        captured = capsys.readouterr()
        return status, [json.loads(line) for line in captured.out.splitlines()], captured.err

    def test_a_line_each(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        status, answers, errors = self.run(
            folder, capsys, {"id": 1, "sql": DECLARED}, {"id": "two", "sql": TYPO}, "", {"id": 3, "sql": UNREAD}
        )
        assert (status, errors) == (1, "")
        assert [(answer["id"], answer["validity"]) for answer in answers] == [
            (1, "valid"),
            ("two", "invalid"),
            (3, "undecided"),
        ]
        (problem,) = answers[1]["problems"]
        assert list(answers[1]) == ["id", "validity", "problems"]
        assert list(problem) == ["check", "message", "range"]

    def test_the_first_problem_of_the_script_comes_first(
        self, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        second = TYPO + "INSERT INTO daily SELECT regio FROM orders;\n"
        _, (answer,), _ = self.run(folder, capsys, {"id": 1, "sql": second})
        lines = [problem["range"]["start"]["line"] for problem in answer["problems"]]
        assert len(lines) == 2 and lines == sorted(lines)

    def test_the_context_declares(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        tables, query = DECLARED[: DECLARED.index("INSERT")], DECLARED[DECLARED.index("INSERT") :]
        status, answers, _ = self.run(
            folder,
            capsys,
            {"id": "without", "sql": query},
            {"id": "with", "sql": query, "context": [tables]},
            {
                "id": "typo",
                "sql": query.replace("SUM(amount)", "SUM(amout)"),
                "context": [tables, "SELECT nothing FROM"],
            },
        )
        assert [answer["validity"] for answer in answers] == ["undecided", "valid", "invalid"]
        (problem,) = answers[2]["problems"]
        assert (problem["check"], problem["range"]["start"]["line"]) == ("unknown-column", 1)
        assert status == 1

    def test_a_program_has_its_version(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        conflict = DECLARED.replace("\nSELECT", "\nON CONFLICT DO NOTHING SELECT")
        programs = [{"id": version, "sql": conflict, "engine_version": version} for version in ("1.20", "2.3")]
        _, answers, _ = self.run(folder, capsys, *programs)
        assert [answer["id"] for answer in answers] == ["1.20", "2.3"]
        assert answers[0]["validity"] == "invalid"

    @pytest.mark.parametrize(
        "line",
        [
            "{not json",
            "[1]",
            {"id": 7},
            {"id": 7, "sql": 8},
            {"id": 7, "sql": JOB, "context": "no list"},
            {"id": 7, "sql": JOB, "context": [1]},
            {"id": 7, "sql": JOB, "engine_version": "nonsense"},
        ],
        ids=str,
    )
    def test_a_malformed_line_does_not_end_the_run(
        self, folder: Path, capsys: pytest.CaptureFixture[str], line: object
    ) -> None:
        status, (bad, good), errors = self.run(folder, capsys, line, {"id": "good", "sql": DECLARED})
        assert status == 2 and errors.startswith("keepstate: programs.jsonl:1: ")
        assert (bad["validity"], [problem["check"] for problem in bad["problems"]]) == (None, ["not-read"])
        assert (good["id"], good["validity"]) == ("good", "valid")

    @pytest.mark.usefixtures("faulty")
    def test_a_fault_costs_one_program(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        status, (bad, good), errors = self.run(folder, capsys, {"id": 1, "sql": TYPO}, {"id": 2, "sql": DECLARED})
        assert (status, errors) == (2, f"keepstate: programs.jsonl:1: {FAULT}\n")
        assert bad == {
            "id": 1,
            "validity": None,
            "problems": [{"check": "internal-error", "message": FAULT, "range": None}],
        }
        assert (good["id"], good["validity"]) == (2, "valid")
