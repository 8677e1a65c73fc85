"""``keepstate verify`` as far as it needs no Flink: usage, baselines, and what is missing."""

from __future__ import annotations

import contextlib
import importlib.util
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import keepstate_flink.jvm
import keepstate_lsp.cli.commands.verify.measuring
from keepstate_flink.errors import FlinkMissing
from keepstate_flink.installation import full_version
from keepstate_flink.plans.plan_comparison import Decision, PlanComparison
from keepstate_flink.verification import Measurement, RestartOutcome
from keepstate_lsp.cli.commands.verify.measuring import ScriptPair
from keepstate_lsp.cli.commands.verify.predictions import CheckedPrediction, judged, prediction
from keepstate_lsp.cli.main import main
from repositories import GitRepository

SQL = "CREATE TABLE t (k INT) WITH ('connector' = 'kafka');\nSELECT k, COUNT(*) FROM t GROUP BY k;\n"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    repository = GitRepository(tmp_path / "work")
    repository.commit({"job.sql": SQL, "rows.csv": "k\n1\n2\n"})
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
        (["job.sql", "--data", "orders=rows.csv"], "does not read orders, for which --data has rows: it reads t."),
        (["job.sql", "--data", "T=rows.csv", "--data", "`B`=rows.csv", "--data", "c.a=rows.csv"], "not read a, b, for"),
        (
            ["job.sql", "--data", "t=rows.csv", "--data", "T=rows.csv"],
            "--data names t twice: a table has the rows of one",
        ),
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
    assert "pip install '.[flink]'" in capsys.readouterr().err


def test_the_java_is_named(
    repository: GitRepository, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def none() -> Path:
        raise FlinkMissing("Flink needs Java 17 to 23, and none was found.")

    monkeypatch.setattr(keepstate_flink.jvm, "_java", none)
    assert main(["verify", "job.sql"]) == 2
    assert "Flink needs Java 17 to 23" in capsys.readouterr().err


TTL = "table.exec.state.ttl"
PAIR = {"baseline": SQL, "current": SQL.replace("COUNT(*)", "COUNT(*) AS c")}
NEW_TTL = {"baseline_parameters": {TTL: "1 h"}, "parameters": {TTL: "0"}}


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """The versions of the clusters that were asked for; each job on them starts."""
    found: list[str | None] = []

    @contextlib.contextmanager
    def measuring(wanted: str | None, *_: object, plans: bool) -> Iterator[SimpleNamespace]:
        found.append(wanted)
        full_version(wanted or "2.3")

        def of(pair: ScriptPair) -> Iterator[CheckedPrediction]:
            one = judged(
                Measurement("SELECT #1", RestartOutcome.STARTS),
                prediction(pair.current, pair.baseline, wanted or "2.3"),
            )
            yield replace(one, planned=PlanComparison(Decision.DOES_NOT_START) if plans else None)

        yield SimpleNamespace(flink=wanted, of=of)

    monkeypatch.setattr(keepstate_lsp.cli.commands.verify.measuring, "measuring", measuring)
    return found


def answers(lines: list[dict[str, object]], capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, Any, str]:
    text = "".join(f"{json.dumps({'id': number, **PAIR, **line})}\n" for number, line in enumerate(lines))
    Path("pairs.jsonl").write_text(text)
    status = main(["verify", "--pairs", "pairs.jsonl", *options])
    captured = capsys.readouterr()
    return status, [json.loads(line) for line in captured.out.splitlines()], captured.err


def test_each_pair_has_its_settings(
    repository: GitRepository, started: list[str | None], capsys: pytest.CaptureFixture[str]
) -> None:
    lines: list[dict[str, object]] = [
        {},
        NEW_TTL,
        {**NEW_TTL, "engine": "flink", "baseline_engine_version": "1.20", "current_engine_version": "1.20"},
        {"engine": "flink", "current_engine_version": "1.20.5"},
        {"engine": "vvr", "current_engine_version": "vvr-11.1-flink-1.20"},
    ]
    status, found, _ = answers(lines, capsys)
    assert status == 0
    assert [each["predicted"] for each in found[:4]] == ["exact", "exact", "does-not-start", "exact"]
    assert started == [None, "1.20"]


def test_options_hold_for_all_pairs_and_lines_come_first(
    repository: GitRepository, started: list[str | None], capsys: pytest.CaptureFixture[str]
) -> None:
    older = ("--engine", "flink", "--engine-version", "1.20")
    both: dict[str, object] = {"baseline_engine_version": "2.3", "current_engine_version": "2.3"}
    _, found, _ = answers([NEW_TTL, {**NEW_TTL, **both}], capsys, *older)
    assert [each["predicted"] for each in found] == ["does-not-start", "exact"]
    assert started == ["1.20", "2.3"]
    started.clear()
    answers([{}, both], capsys, *older, "--flink", "2.1")
    assert started == ["2.1"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"engine": "spark"}, "There is no engine 'spark'"),
        ({"parameters": "x=1"}, '"parameters" is not an object.'),
        ({"engine": "flink", "current_engine_version": "banana"}, "'banana' is no version of flink"),
        ({"engine": "flink", "current_engine_version": "1.17"}, "Flink 1.17 is too old"),
    ],
)
def test_a_pair_with_wrong_settings_does_not_end_the_run(
    repository: GitRepository,
    started: list[str | None],
    line: dict[str, object],
    words: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, found, told = answers([line, {}], capsys)
    assert status == 2
    assert [each["measured"] for each in found] == ["not-measured", "starts"]
    assert words in found[0]["note"]
    assert words in told


def test_data_that_no_pair_reads_are_named(
    repository: GitRepository, started: list[str | None], capsys: pytest.CaptureFixture[str]
) -> None:
    data = ("--data", "t=rows.csv", "--data", "orders=rows.csv")
    status, found, told = answers([{}], capsys, *data)
    assert (status, found[0]["measured"]) == (2, "starts")
    assert "No job of pairs.jsonl reads orders, for which --data has rows." in told
    assert answers([{}], capsys, *data[:2])[0] == 0


def test_predictions_and_plans_are_counted(
    repository: GitRepository, started: list[str | None], capsys: pytest.CaptureFixture[str]
) -> None:
    refused: dict[str, object] = {"current": SQL.replace("COUNT(*)", "COUNT(DISTINCT k)")}
    _, found, told = answers([{}, refused], capsys, "--planner", "flink")
    assert [(line["agrees"], line["planned"]["agrees"]) for line in found] == [(True, False), (False, False)]
    assert "pairs.jsonl:1 (id 0): SELECT #1: measured starts, and by its plans it does not start." in told
    assert "pairs.jsonl:2 (id 1): SELECT #1: measured starts, predicted does not start." in told
    assert "The prediction agrees with the measurement on 1 of 2 pairs (1 otherwise)." in told
    _, found, told = answers([{}], capsys)
    assert "planned" not in found[0] and "by its plans" not in told
