"""``keepstate verify`` as far as it needs no Flink: usage, baselines, and what is missing."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

import keepstate_flink.jvm
from keepstate_flink.errors import FlinkMissing
from keepstate_lsp.cli.main import main
from repositories import GitRepository

SQL = "CREATE TABLE t (k INT) WITH ('connector' = 'kafka');\nSELECT k, COUNT(*) FROM t GROUP BY k;\n"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    repository = GitRepository(tmp_path / "work")
    repository.commit({"job.sql": SQL})
    monkeypatch.chdir(repository.folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return repository


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Name either a file or --pairs FILE.jsonl."),
        (["job.sql", "--pairs", "pairs.jsonl"], "Name either a file or --pairs FILE.jsonl."),
        (["--pairs", "pairs.jsonl", "--against", "HEAD"], "--pairs has both versions in each line"),
        (["--pairs", "pairs.jsonl", "--export", "there"], "--versions and --export out"),
        (["job.sql", "--flink", "newest"], "'newest' is no version of Flink"),
        (["job.sql", "--flink", "1.17"], "Flink 1.17 is too old"),
        (["job.sql", "--against", "nowhere"], "nowhere"),
        (["none.sql"], "none.sql"),
        (["job.sql", "--data", "t=none.csv"], "none.csv cannot be read"),
        (["job.sql", "--engine", "spark"], "spark"),
        (["--pairs", "pairs.jsonl", "--time-limit", "5"], "leave --time-limit out"),
        (["job.sql", "--jar", "none.jar"], "none.jar does not exist."),
        (["job.sql", "--jar", "job.sql"], "job.sql is no jar."),
    ],
)
def test_what_cannot_be_asked(
    repository: GitRepository, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", *arguments]) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.out == ""


@pytest.mark.parametrize("time", ["0", "-1", "nan", "inf", "soon"])
def test_a_time_limit_is_a_time(repository: GitRepository, time: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "job.sql", f"--time-limit={time}"]) == 2
    assert "--time-limit" in capsys.readouterr().err


def test_a_new_file_has_nothing_to_lose(repository: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    repository.write("new.sql", SQL)
    assert main(["verify", "new.sql"]) == 0
    assert "It has no state that a restart could lose." in capsys.readouterr().err


def test_the_extra_is_named(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(keepstate_flink.jvm, "find_spec", lambda name: None if name == "py4j" else found(name))
    assert main(["verify", "job.sql"]) == 2
    assert "pip install 'keepstate[flink]'" in capsys.readouterr().err


def test_the_java_is_named(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def none() -> Path:
        raise FlinkMissing("Flink needs Java 17 to 23, and none was found.")

    monkeypatch.setattr(keepstate_flink.jvm, "_java", none)
    assert main(["verify", "job.sql"]) == 2
    assert "Flink needs Java 17 to 23" in capsys.readouterr().err
