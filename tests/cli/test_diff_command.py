"""``keepstate diff``."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from jobs import BROKEN, INCOMPATIBLE, JOB, NOTICE, PARTIAL, REFORMATTED, UNREAD
from keepstate_lsp.cli import source_text
from keepstate_lsp.cli.main import main
from repositories import GitRepository


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    (tmp_path / "base.sql").write_text(JOB)
    for name, text in {
        "incompatible": INCOMPATIBLE,
        "partial": PARTIAL,
        "notice": NOTICE,
        "reformatted": REFORMATTED,
        "broken": BROKEN,
        "unread": UNREAD,
    }.items():
        (tmp_path / f"{name}.sql").write_text(text)
    return tmp_path


def report(capsys: pytest.CaptureFixture[str]) -> dict:  # type: ignore[type-arg]
    return json.loads(capsys.readouterr().out)  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("name", "status", "verdict", "exit_status"),
    [
        ("incompatible", "compared", "incompatible", 1),
        ("partial", "compared", "partial", 0),
        ("notice", "compared", "compatible", 0),
        ("reformatted", "unchanged", "compatible", 0),
        ("base", "unchanged", "compatible", 0),
        ("broken", "not-valid", "unknown", 2),
        ("unread", "not-compared", "unknown", 2),
    ],
)
def test_verdict_and_exit_status(
    capsys: pytest.CaptureFixture[str], name: str, status: str, verdict: str, exit_status: int
) -> None:
    assert main(["diff", "base.sql", f"{name}.sql", "--format", "json"]) == exit_status
    document = report(capsys)
    (file,) = document["files"]
    assert (file["path"], file["status"], file["verdict"], document["verdict"]) == (
        f"{name}.sql",
        status,
        verdict,
        verdict,
    )
    assert file["baseline"] == {"spec": None, "commit": None, "path": None}
    assert document["version"] == 1
    assert document["engine"] == "vvr"


@pytest.mark.parametrize(
    ("fail_on", "partial", "incompatible"),
    [("never", 0, 0), ("incompatible", 0, 1), ("unknown", 0, 1), ("partial", 1, 1)],
)
def test_fail_on(capsys: pytest.CaptureFixture[str], fail_on: str, partial: int, incompatible: int) -> None:
    assert main(["diff", "base.sql", "partial.sql", "--fail-on", fail_on]) == partial
    assert main(["diff", "base.sql", "incompatible.sql", "--fail-on", fail_on]) == incompatible
    assert main(["diff", "base.sql", "broken.sql", "--fail-on", fail_on]) == 2
    assert main(["diff", "base.sql", "unread.sql", "--fail-on", fail_on]) == 2


def test_a_finding_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    main(["diff", "base.sql", "incompatible.sql", "--format", "json"])
    document = report(capsys)
    (file,) = document["files"]
    (finding,) = file["findings"]
    assert finding["rule"] == "window-size-changed"
    assert finding["spec"] == ["WTVF-11"]
    assert finding["verdict"] == "incompatible"
    assert finding["text"] == "INTERVAL '2' MINUTE"
    assert finding["baseline_text"] == "INTERVAL '1' MINUTE"
    assert finding["range"] == {"start": {"line": 10, "character": 56}, "end": {"line": 10, "character": 75}}
    assert finding["baseline_range"] == finding["range"]
    assert finding["accepted"] is None
    assert finding["parameter"] is None
    assert finding["pipeline"] == file["pipelines"][0]["name"]
    assert finding["fixes"][0]["verdict_after"] == "compatible"
    assert file["revert_to_be_compatible"] == [0]
    assert list(finding) == [
        "rule", "spec", "verdict", "effect", "message", "file", "range", "text", "baseline_range", "baseline_text",
        "pipeline", "parameter", "key", "accepted", "fixes",
    ]  # fmt: skip
    assert list(file) == [
        "path", "status", "reason", "baseline", "blame", "verdict", "effect", "open_verdict", "pipelines",
        "findings",
        "revert_to_be_compatible", "idle_acceptances", "next_steps",
    ]  # fmt: skip
    assert list(document) == ["version", "tool", "engine", "verdict", "files", "problems"]


def test_ranges_count_utf16_units(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("base", JOB), ("incompatible", INCOMPATIBLE)):
        (folder / f"{name}.sql").write_text(text.replace("FROM TABLE(TUMBLE", "/* 📦é */ FROM TABLE(TUMBLE"), "utf-8")
    main(["diff", "base.sql", "incompatible.sql", "--format", "json"])
    (finding,) = report(capsys)["files"][0]["findings"]
    assert finding["range"]["start"] == {"line": 10, "character": 56 + 10}


def test_the_same_input_gives_the_same_bytes(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    outputs = set()
    for _ in range(3):
        main(["diff", "base.sql", "incompatible.sql", "--format", "json"])
        outputs.add(capsysbinary.readouterr().out)
    assert len(outputs) == 1
    assert b"\r" not in outputs.pop()


def test_what_cannot_be_read_is_named_and_the_rest_compared(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    second = "\nINSERT INTO other SELECT region, COUNT({{ what }} ( FROM orders;\n"
    (folder / "partly.sql").write_text(INCOMPATIBLE + second)
    assert main(["diff", "base.sql", "partly.sql", "--format", "json"]) == 2
    captured = capsys.readouterr()
    document = json.loads(captured.out)
    (file,) = document["files"]
    assert file["status"] == "not-compared"
    assert file["verdict"] == "incompatible"
    assert "window-size-changed" in [finding["rule"] for finding in file["findings"]]
    assert [(entry["path"], entry["side"], entry["range"]["start"]["line"]) for entry in document["problems"]] == [
        ("partly.sql", "current", 13)
    ]
    assert "partly.sql: not compared: " in captured.err
    assert "partly.sql:14:" in captured.err

    assert main(["diff", "partly.sql", "base.sql", "--format", "json"]) == 2
    captured = capsys.readouterr()
    assert [entry["side"] for entry in json.loads(captured.out)["problems"]] == ["baseline"]
    assert "(in the baseline)" in captured.err


def test_text_names_both_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "base.sql", "incompatible.sql"]) == 1
    captured = capsys.readouterr()
    assert captured.out.startswith("incompatible.sql: incompatible with base.sql\n")
    assert "1 incompatible[window-size-changed] incompatible.sql:11:57\n" in captured.out
    assert captured.err == ""


def test_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def give(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    give(INCOMPATIBLE)
    assert main(["diff", "base.sql", "-"]) == 1
    give(INCOMPATIBLE)
    assert main(["diff", "-", "incompatible.sql"]) == 0
    assert main(["diff", "-", "-"]) == 2


@pytest.mark.parametrize(
    ("baseline", "current", "says"),
    [
        ("gone.sql", "base.sql", "gone.sql does not exist."),
        ("base.sql", "gone.sql", "it does not exist."),
        (".", "base.sql", ". is a folder, not a file."),
        ("base.sql", "binary.sql", "it is a binary file, not SQL text."),
        ("latin.sql", "base.sql", "latin.sql is not UTF-8 text (byte 0xE9 in line 2)"),
        ("base.sql", "pipe.sql", "it is not a regular file."),
        ("base.sql", "a\x00b.sql", "embedded null"),
    ],
)
def test_files_that_are_no_text(
    folder: Path, capsys: pytest.CaptureFixture[str], baseline: str, current: str, says: str
) -> None:
    (folder / "binary.sql").write_bytes(b"\x7fELF\0\0\xff")
    (folder / "latin.sql").write_bytes(b"SELECT 1;\nSELECT '\xe9'")
    if "pipe.sql" in current:
        if not hasattr(os, "mkfifo"):
            pytest.skip("no named pipes here")
        os.mkfifo(folder / "pipe.sql")
    for output in ("text", "json"):
        assert main(["diff", baseline, current, "--format", output]) == 2
        captured = capsys.readouterr()
        assert says in captured.err
        assert "Traceback" not in captured.err
        if output == "json":
            document = json.loads(captured.out)
            assert document["files"][0]["status"] == "not-compared"
            assert document["verdict"] == "unknown"
            assert document["problems"][0]["range"] is None


@contextmanager
def piped(text: str) -> Iterator[str]:
    """The name that a shell gives to the output of another command: ``<(git show main:a.sql)``."""
    reader, writer = os.pipe()
    os.write(writer, text.encode())
    os.close(writer)
    try:
        yield f"/dev/fd/{reader}"
    finally:
        os.close(reader)


@pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="no names for open pipes here")
class TestPipes:
    def test_each_side_may_be_one(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        base, current = (folder / "base.sql").read_text(), (folder / "incompatible.sql").read_text()
        with piped(base) as pipe:
            assert main(["diff", pipe, "incompatible.sql"]) == 1
        with piped(current) as pipe:
            assert main(["diff", "base.sql", pipe]) == 1
        with piped(base) as one, piped(current) as other:
            assert main(["diff", one, other]) == 1
        assert capsys.readouterr().err == ""

    def test_in_a_repository_with_declarations_elsewhere(
        self, repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """The declarations of other files are looked for, and still the pipe is read once."""
        monkeypatch.chdir(repository.folder)
        text = "INSERT INTO sink SELECT a FROM source;\n"
        repository.commit({"a.sql": text})
        with piped(text) as one, piped(text) as other:
            assert main(["diff", one, other]) == 0
            assert main(["diff", one, one]) == 2
        assert "Standard input can only be one" in capsys.readouterr().err

    def test_other_commands(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        text = (folder / "base.sql").read_text()
        for command, status in (("parse", 0), ("plan", 0), ("validate", 0), ("verify", 2)):
            with piped(text) as pipe:
                assert main([command, pipe]) == status
        assert capsys.readouterr().err.count("\n") == 1

    def test_the_size_is_bounded(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(source_text, "LARGEST_FILE", 100)
        with piped("-" * 101) as pipe:
            assert main(["parse", pipe]) == 2
            assert f"{pipe} is too large (more than 100 bytes)." in capsys.readouterr().err


def test_a_byte_order_mark_shifts_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "marked.sql").write_text(INCOMPATIBLE.replace("\n", "\r\n"), "utf-8-sig", newline="")
    main(["diff", "base.sql", "marked.sql", "--format", "json"])
    (finding,) = report(capsys)["files"][0]["findings"]
    assert finding["range"]["start"] == {"line": 10, "character": 56}


def test_a_fault_of_the_analyzer_costs_one_file(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import keepstate

    def broken(*_: object) -> None:
        raise RuntimeError("out of tea")

    monkeypatch.setattr(keepstate.Workspace, "analysis", broken)
    assert main(["diff", "base.sql", "partial.sql", "--format", "json"]) == 2
    captured = capsys.readouterr()
    assert "RuntimeError: out of tea" in json.loads(captured.out)["files"][0]["reason"]
    assert "fault of Keepstate" in captured.err


def test_output_goes_to_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "base.sql", "incompatible.sql", "--output", "out.txt"]) == 1
    assert capsys.readouterr().out == ""
    assert (folder / "out.txt").read_text("utf-8").startswith("incompatible.sql: incompatible")
    assert main(["diff", "base.sql", "incompatible.sql", "--output", "no/such/folder.txt"]) == 2
    assert "cannot be written" in capsys.readouterr().err


class TestPairs:
    def run(
        self, folder: Path, capsys: pytest.CaptureFixture[str], *lines: object, options: tuple[str, ...] = ()
    ) -> tuple[int, list[dict], str]:  # type: ignore[type-arg]
        text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
        (folder / "pairs.jsonl").write_text(text, "utf-8")
        status = main(["diff", "--pairs", "pairs.jsonl", *options])
        captured = capsys.readouterr()
        return status, [json.loads(line) for line in captured.out.splitlines()], captured.err

    def test_each_line_gets_a_line(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        status, answers, errors = self.run(
            folder,
            capsys,
            {"id": "a", "baseline": JOB, "current": INCOMPATIBLE, "expect": "ignored"},
            {"id": 2, "baseline": JOB, "current": PARTIAL, "engine": "vvr", "parameters": {"a": "1", "b": True}},
            {"id": ["x"], "baseline": JOB, "current": JOB, "baseline_engine_version": "8.0"},
        )
        assert status == 1
        assert errors == ""
        assert [(entry["id"], entry["verdict"]) for entry in answers] == [
            ("a", "incompatible"),
            (2, "partial"),
            (["x"], "compatible"),
        ]
        main(["diff", "base.sql", "incompatible.sql", "--format", "json"])
        alone = report(capsys)
        named = json.dumps({**alone["files"][0], "path": None}).replace('"file": "incompatible.sql"', '"file": null')
        # A pair has no file that commands could name.
        assert answers[0]["files"] == [json.loads(named.replace("incompatible.sql", "FILE"))]

    def test_a_pair_that_fails_does_not_end_the_run(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        status, answers, errors = self.run(
            folder,
            capsys,
            "{not json",
            "[1]",
            {"id": "no current", "baseline": JOB},
            {"id": "number", "baseline": JOB, "current": 7},
            {"id": "engine", "baseline": JOB, "current": JOB, "engine": "spark"},
            {"id": "parameters", "baseline": JOB, "current": JOB, "parameters": [1]},
            {"id": "unread", "baseline": JOB, "current": UNREAD},
            {"id": "broken", "baseline": JOB, "current": BROKEN},
            "",
            {"id": "good", "baseline": JOB, "current": PARTIAL},
        )
        assert status == 2
        assert [entry["status"] for entry in answers] == ["not-compared"] * 7 + ["not-valid", "compared"]
        assert [entry["files"][0]["status"] for entry in answers] == ["not-compared"] * 7 + ["not-valid", "compared"]
        assert [entry["id"] for entry in answers[:3]] == [None, None, "no current"]
        assert "pairs.jsonl:3 (id 'no current'): not compared: \"current\" is missing." in errors
        assert "pairs.jsonl:8 (id 'broken'): not valid: Flink refuses it: " in errors
        assert len(errors.splitlines()) == 8

    def test_standard_input_and_a_missing_file(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        line = json.dumps({"id": 1, "baseline": JOB, "current": JOB})
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(line.encode())))
        assert main(["diff", "--pairs", "-"]) == 0
        assert report(capsys)["id"] == 1
        assert main(["diff", "--pairs", "gone.jsonl"]) == 2
        assert "gone.jsonl cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "\n  \n"], ids=["empty", "blank"])
def test_no_pair_at_all_is_nothing_that_was_compared(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    (folder / "pairs.jsonl").write_text(text, "utf-8")
    assert main(["diff", "--pairs", "pairs.jsonl"]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and "pairs.jsonl holds no pair, so nothing was compared." in captured.err


def test_usage(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (
        ["diff"],
        ["diff", "base.sql"],
        ["diff", "base.sql", "partial.sql", "partial.sql"],
        ["diff", "--pairs", "x", "base.sql"],
        ["diff", "base.sql", "partial.sql", "--engine", "spark"],
        ["diff", "base.sql", "partial.sql", "--against", "HEAD"],
        ["diff", "base.sql", "partial.sql", "--format", "xml"],
        ["diff", "base.sql", "partial.sql", "--parameter", "novalue"],
        ["diff", "base.sql", "partial.sql", "--fail-on", "sometimes"],
    ):
        assert main(arguments) == 2, arguments
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err


def test_parameters_and_versions_reach_the_analyzer(monkeypatch: pytest.MonkeyPatch) -> None:
    import keepstate

    seen = []
    real = keepstate.Workspace.analysis

    def check(
        memory: keepstate.Workspace, current: keepstate.JobVersion, baseline: keepstate.JobVersion, engine: str
    ) -> object:
        seen.append((current, baseline, engine))
        return real(memory, current, baseline, engine)

    monkeypatch.setattr(keepstate.Workspace, "analysis", check)
    options = "--parameter a=1 --parameter b=x=y --baseline-parameter a=2 --engine-version 8.0"
    main(["diff", "base.sql", "partial.sql", *options.split()])
    main(["diff", "base.sql", "partial.sql", "--engine-version", "11", "--baseline-engine-version", "8"])
    (current, baseline, engine), (later, earlier, _) = seen
    assert engine == "vvr"
    assert (dict(current.parameters), current.engine_version) == ({"a": "1", "b": "x=y"}, "8.0")
    assert (dict(baseline.parameters), baseline.engine_version) == ({"a": "2", "b": "x=y"}, "8.0")
    assert (later.engine_version, earlier.engine_version) == ("11", "8")


def test_a_fix_that_makes_another_file_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    main(["diff", "base.sql", "partial.sql", "--format", "json"])
    fixes = [fix for finding in report(capsys)["files"][0]["findings"] for fix in finding["fixes"]]
    (separate,) = [fix for fix in fixes if fix["new_files"]]
    assert "in a new file" in separate["title"]
    (new,) = separate["new_files"]
    assert new["name"].startswith("partial_") and new["name"].endswith(".sql")
    assert new["text"].startswith("-- ") and "INSERT INTO " in new["text"]


def test_a_refused_baseline_has_its_own_name(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "refused.sql").write_text(JOB.replace("SELECT ", "SELECT nope, ", 1))
    main(["diff", "refused.sql", "base.sql"])
    said = capsys.readouterr().out
    assert "Refused in the baseline: refused.sql:" in said and "a pair" not in said
