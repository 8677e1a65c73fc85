"""Places of results: several at once, and files that appear whole or not at all."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from jobs import INCOMPATIBLE, JOB
from keepstate_lsp.cli.errors import CommandError
from keepstate_lsp.cli.main import main
from keepstate_lsp.cli.terminal.atomic_output import drafted
from keepstate_lsp.cli.terminal.output import Output


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "base.sql").write_text(JOB, "utf-8")
    (tmp_path / "current.sql").write_text(INCOMPATIBLE, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def diff(*arguments: str) -> int:
    return main(["diff", "base.sql", "current.sql", *arguments])


def test_several_formats_at_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert diff("--format", "json", "--output", "a.json", "--format", "github", "--output", "-") == 1
    assert capsys.readouterr().out.startswith("::error file=current.sql,line=11")
    assert json.loads((folder / "a.json").read_text("utf-8"))["verdict"] == "incompatible"
    assert not (folder / "-").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--format", "json", "--format", "sarif"], "2 --format, 0 --output"),
        (["--format", "json", "--format", "sarif", "--output", "x"], "2 --format, 1 --output"),
        (["--output", "x", "--output", "y"], "1 --format, 2 --output"),
        (["--format", "json", "--output", "x", "--format", "sarif", "--output", "x"], "the same place"),
        (["--format", "json", "--output", "-", "--format", "sarif", "--output", "-"], "the same place"),
        (["--docs-url", "javascript:alert(1)"], "is no address"),
    ],
)
def test_what_does_not_go_together(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    assert diff(*arguments) == 2
    assert says in capsys.readouterr().err
    assert sorted(path.name for path in folder.iterdir()) == ["base.sql", "current.sql"]


def test_pairs_answer_in_one_place(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "pairs.jsonl").write_text(json.dumps({"id": 1, "baseline": JOB, "current": JOB}), "utf-8")
    assert main(["diff", "--pairs", "pairs.jsonl", "--format", "sarif"]) == 2
    assert "JSON Lines" in capsys.readouterr().err
    assert main(["diff", "--pairs", "pairs.jsonl", "--format", "json", "--output", "out"]) == 0
    assert json.loads((folder / "out").read_text("utf-8"))["id"] == 1


def test_a_run_that_fails_leaves_what_was_there(folder: Path) -> None:
    (folder / "out").write_text("former", "utf-8")

    def interrupted() -> None:
        with Output(folder / "out") as output:
            output.write_text("half of it")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert (folder / "out").read_text("utf-8") == "former"
    assert sorted(path.name for path in folder.iterdir()) == ["base.sql", "current.sql", "out"]


def test_nothing_is_there_before_all_of_it_is(folder: Path) -> None:
    with Output(folder / "out") as output:
        output.write_text("half of it")
        assert not (folder / "out").exists()
    assert (folder / "out").read_text("utf-8") == "half of it"


def test_a_file_keeps_its_permissions_and_a_link_its_target(folder: Path) -> None:
    (folder / "real").write_text("former", "utf-8")
    (folder / "real").chmod(0o640)
    (folder / "link").symlink_to("real")
    with Output(folder / "link") as output:
        output.write_text("new")
    assert (folder / "link").is_symlink()
    assert (folder / "real").read_text("utf-8") == "new"
    assert stat.S_IMODE((folder / "real").stat().st_mode) == 0o640


def test_a_new_file_may_be_read_by_those_whom_the_machine_lets_read(folder: Path) -> None:
    (folder / "other").write_text("", "utf-8")
    with Output(folder / "out") as output:
        output.write_text("new")
    assert (folder / "out").stat().st_mode == (folder / "other").stat().st_mode


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_what_is_no_file_is_written_as_it_is(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    reader = os.open(folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        with Output(folder / "pipe") as output:
            output.write_text("through")
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO((folder / "pipe").stat().st_mode)


def test_a_folder_cannot_be_written(folder: Path) -> None:
    with pytest.raises(CommandError, match="cannot be written"), Output(folder):
        pytest.fail("opened")


@pytest.mark.parametrize("name", [".", "results", "results/.", "sub/..", "missing/results"])
def test_a_folder_of_results_may_have_any_name(folder: Path, name: str) -> None:
    (folder / "sub").mkdir()
    with drafted(Path(name)) as draft:
        (draft / "1.csv").write_text("a\n")
    assert (folder / name / "1.csv").read_text() == "a\n"
    assert not [path for path in folder.rglob("*") if "draft" in path.name or "lock" in path.name]


def test_the_root_is_no_folder_of_results() -> None:
    with pytest.raises(CommandError, match="no folder for results"), drafted(Path("/")):
        pass
