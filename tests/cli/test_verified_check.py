"""``keepstate check --verify``: which jobs are restarted, and what each format shows of it."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from jobs import INCOMPATIBLE, JOB, PARTIAL
from keepstate.report import Effect
from keepstate_flink.errors import FlinkError, FlinkMissing
from keepstate_flink.verification import Measurement, RestartOutcome
from keepstate_lsp.cli.arguments import REPORT_FORMATS
from keepstate_lsp.cli.commands.verify import check_option
from keepstate_lsp.cli.commands.verify.measuring import ScriptPair
from keepstate_lsp.cli.commands.verify.predictions import CheckedPrediction
from keepstate_lsp.cli.main import main
from repositories import GitRepository

TABLE = "CREATE TABLE t (k INT, a INT) WITH ('connector' = 'kafka');\n"
SUM = f"{TABLE}SELECT k, SUM(a) FROM t GROUP BY k;\n"
OTHER_KEY = SUM.replace("SELECT k", "SELECT a").replace("BY k", "BY a")


class Measurements:
    """Stands in for a cluster: one answer for every pair."""

    def __init__(self, answer: CheckedPrediction) -> None:
        self.flink = "2.3.0"
        self.versions: list[str | None] = []
        self.pairs: list[ScriptPair] = []
        self._answer = answer

    @contextlib.contextmanager
    def measuring(self, wanted: str | None, *rest: object) -> Iterator[Measurements]:
        self.versions.append(wanted)
        yield self

    def of(self, pair: ScriptPair) -> Sequence[CheckedPrediction]:
        self.pairs.append(pair)
        return [self._answer]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    repository = GitRepository(tmp_path)
    repository.commit({"same.sql": SUM, "spelled.sql": SUM, "broken.sql": SUM, "changed.sql": SUM, "gone.sql": SUM})
    repository.write("spelled.sql", SUM.replace("SUM", "sum"))
    repository.write("broken.sql", SUM.replace("GROUP", "GRUP"))
    repository.write("changed.sql", OTHER_KEY)
    repository.write("new.sql", SUM)
    (tmp_path / "gone.sql").unlink()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(check_option, "require_flink", lambda: None)
    return repository


def measured(monkeypatch: pytest.MonkeyPatch, outcome: RestartOutcome, effect: Effect, **more: Any) -> Measurements:
    found = Measurements(CheckedPrediction(Measurement("SELECT #1", outcome, **more), effect))
    monkeypatch.setattr(check_option, "measuring", found.measuring)
    return found


def test_only_jobs_with_findings_are_restarted(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = measured(monkeypatch, RestartOutcome.STARTS, Effect.WRONG_RESULTS, note="Without rows.")
    status = main(["check", ".", "--verify", "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    assert status == 2
    assert [pair.current.text for pair in found.pairs] == [OTHER_KEY]
    assert {file["path"]: file.get("measured") for file in document["files"] if file.get("measured")} == {
        "changed.sql": [
            {
                "name": "SELECT #1",
                "flink": "2.3.0",
                "measured": "starts",
                "predicted": "wrong-results",
                "agrees": True,
                "note": "Without rows.",
                "stand_ins": [],
            }
        ]
    }


@pytest.mark.parametrize("form", [name for name in REPORT_FORMATS if name != "json"])
def test_a_disagreement_is_loud(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    measured(
        monkeypatch, RestartOutcome.DOES_NOT_START, Effect.EXACT, error=("outer", "StateMigrationException: *inner*")
    )
    main(["check", "changed.sql", "--verify", "--format", form])
    words = " ".join(capsys.readouterr().out.replace("\\", "").split())
    assert "Measured on open-source Flink 2.3.0: SELECT" in words
    assert (
        "does not start. The prediction (exact) disagrees: please report it. StateMigrationException: *inner*" in words
    )


def test_nothing_starts_without_findings(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = measured(monkeypatch, RestartOutcome.STARTS, Effect.EXACT)
    assert main(["check", "spelled.sql", "--verify"]) == 0
    assert found.versions == []
    assert "Measured" not in capsys.readouterr().out


def test_each_version_has_a_cluster(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    found = measured(monkeypatch, RestartOutcome.STARTS, Effect.EXACT)
    repository.write("keepstate.toml", "[[job]]\nfiles = ['changed.sql']\nengine-version = 'vvr-8.0-flink-1.18'\n")
    repository.write("same.sql", OTHER_KEY)
    main(["check", "changed.sql", "same.sql", "--verify"])
    assert sorted(found.versions, key=str) == ["1.18", None]


def test_what_is_missing_ends_the_check(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing() -> None:
        raise FlinkMissing("Flink is reached through py4j, which is not installed.", "pip install '.[flink]'")

    monkeypatch.setattr(check_option, "require_flink", missing)
    assert main(["check", "changed.sql", "--verify"]) == 2
    captured = capsys.readouterr()
    assert "pip install '.[flink]'" in captured.err
    assert captured.out == ""


def test_a_cluster_that_ends_is_no_result(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextlib.contextmanager
    def ended(*_: object) -> Iterator[None]:
        raise FlinkError("The JVM of Flink ended.")
        yield

    monkeypatch.setattr(check_option, "measuring", ended)
    assert main(["check", "changed.sql", "--verify"]) == 2
    assert "The JVM of Flink ended." in capsys.readouterr().err


@pytest.fixture
def to_fix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    """Two jobs with another window each; an accepted metric is left of the second one when its window is back."""
    repository = GitRepository(tmp_path)
    repository.commit({"back.sql": JOB, "left.sql": JOB})
    monkeypatch.chdir(tmp_path)
    repository.write("left.sql", PARTIAL)
    assert main(["accept", "left.sql", "--because", "planned", "--by", "Ada"]) == 0
    repository.write("back.sql", INCOMPATIBLE)
    repository.write("left.sql", PARTIAL.replace("'1' MINUTE", "'2' MINUTE"))
    monkeypatch.setattr(check_option, "require_flink", lambda: None)
    return repository


def test_what_is_left_after_the_fixes_is_restarted(
    to_fix: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = measured(monkeypatch, RestartOutcome.STARTS, Effect.EXACT)
    capsys.readouterr()
    assert main(["check", "--fix", "--verify", "--format", "json"]) == 0
    captured = capsys.readouterr()
    assert captured.err.count("fixed: ") == 2
    assert (to_fix.folder / "back.sql").read_text("utf-8") == JOB
    assert (to_fix.folder / "left.sql").read_text("utf-8") == PARTIAL
    # The job that is as before is not restarted, and the other one with the text that the fix left.
    assert [(pair.current.text, pair.baseline.text) for pair in found.pairs] == [(PARTIAL, JOB)]
    files = {file["path"]: file for file in json.loads(captured.out)["files"]}
    assert [one["measured"] for one in files["left.sql"]["measured"]] == ["starts"]
    assert not files.get("back.sql", {}).get("measured")


def test_without_a_flink_the_fixes_stand_and_are_named(
    to_fix: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing() -> None:
        raise FlinkMissing("There is no Flink here.", "Get one.")

    monkeypatch.setattr(check_option, "require_flink", missing)
    capsys.readouterr()
    assert main(["check", "--fix", "--verify"]) == 2
    captured = capsys.readouterr()
    assert captured.out.count("fixed: ") == 2
    assert captured.err == "keepstate: There is no Flink here. Try: Get one.\n"
    assert (to_fix.folder / "left.sql").read_text("utf-8") == PARTIAL


def test_nothing_is_restarted_where_the_fixes_left_nothing(
    to_fix: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = measured(monkeypatch, RestartOutcome.STARTS, Effect.EXACT)
    assert main(["check", "back.sql", "--fix", "--verify"]) == 0
    assert found.versions == [] and found.pairs == []
    assert "fixed: back.sql: " in capsys.readouterr().out
    # What is not asked for is not fixed.
    assert "'2' MINUTE" in (to_fix.folder / "left.sql").read_text("utf-8")
