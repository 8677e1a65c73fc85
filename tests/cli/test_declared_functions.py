"""Declared signatures of functions: from ``keepstate.toml`` and ``--function`` to both versions that Flink restarts."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest

import keepstate_flink.jvm
import keepstate_lsp.cli.commands.verify.measuring
from keepstate.report import Effect
from keepstate_flink.functions.part import StandInPart
from keepstate_flink.functions.stand_ins import identities
from keepstate_flink.verification import Measurement, RestartOutcome
from keepstate_lsp.cli.commands.planned.planner_answers import scripted
from keepstate_lsp.cli.commands.verify import check_option
from keepstate_lsp.cli.commands.verify.measuring import ScriptPair
from keepstate_lsp.cli.commands.verify.predictions import CheckedPrediction, judged, prediction
from keepstate_lsp.cli.main import main
from keepstate_lsp.cli.result.real_flink.planned import PlannedAnswer, settled
from repositories import GitRepository

JOB = """CREATE TABLE t (k STRING, a INT) WITH ('connector' = 'kafka');
CREATE FUNCTION norm AS 'com.acme.Norm';
SELECT norm(k), SUM(a) FROM t GROUP BY norm(k);
"""
SIGNATURE, OTHER = "(STRING) RETURNS STRING", "(STRING) RETURNS INT"
CONFIGURATION = f'engine = "flink"\n[functions]\nnorm = "{SIGNATURE}"\n'


@pytest.fixture
def repository(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    repository.commit({"job.sql": JOB})
    repository.write("job.sql", JOB.replace("SUM(a)", "MAX(a)"))
    monkeypatch.chdir(repository.folder)
    monkeypatch.setattr(keepstate_flink.jvm, "require_flink", lambda: None)
    monkeypatch.setattr(check_option, "require_flink", lambda: None)
    return repository


@pytest.fixture
def pairs(monkeypatch: pytest.MonkeyPatch) -> list[ScriptPair]:
    """The pairs that were to be restarted; each starts, with a stand-in."""
    found: list[ScriptPair] = []

    @contextlib.contextmanager
    def measuring(*_: object, **__: object) -> Iterator[SimpleNamespace]:
        def of(pair: ScriptPair) -> Iterator[CheckedPrediction]:
            found.append(pair)
            measurement = Measurement("SELECT #1", RestartOutcome.EXACT, stand_ins=StandInPart(("norm",), ("norm",)))
            yield CheckedPrediction(measurement, Effect.EXACT)

        yield SimpleNamespace(flink="2.3.0", of=of, notices=(), clear=lambda: None)

    monkeypatch.setattr(keepstate_lsp.cli.commands.verify.measuring, "measuring", measuring)
    monkeypatch.setattr(check_option, "measuring", measuring)
    return found


def written(functions: Mapping[str, object]) -> dict[str, list[str]]:
    return {name: [str(each) for each in signatures] for name, signatures in functions.items()}  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", [["verify", "job.sql"], ["check", "job.sql", "--verify"]])
@pytest.mark.parametrize(
    ("configuration", "options", "functions"),
    [
        ("", [], {}),
        (CONFIGURATION, [], {"NORM": [SIGNATURE]}),
        (CONFIGURATION, [f"--function=Norm{OTHER}"], {"NORM": [OTHER]}),
        (CONFIGURATION, ["--function=f() RETURNS INT"], {"NORM": [SIGNATURE], "F": ["() RETURNS INT"]}),
        (
            "",
            ["--function=f(INT) RETURNS INT", "--function=F(STRING) RETURNS STRING"],
            {"F": ["(INT) RETURNS INT", "(STRING) RETURNS STRING"]},
        ),
    ],
)
def test_today_s_signatures_hold_for_both_versions(
    repository: GitRepository,
    pairs: list[ScriptPair],
    command: list[str],
    configuration: str,
    options: list[str],
    functions: dict[str, list[str]],
) -> None:
    if configuration:
        repository.write("keepstate.toml", configuration)
    main([*command, *options, "--engine=flink", "--quiet"])
    [pair] = pairs
    assert written(pair.current.functions) == written(pair.baseline.functions) == functions
    assert scripted(pair.current).functions == tuple(sorted(pair.current.functions.items()))


def test_pairs_have_those_of_the_configuration_and_the_options(
    repository: GitRepository, pairs: list[ScriptPair]
) -> None:
    repository.write("keepstate.toml", CONFIGURATION)
    Path("pairs.jsonl").write_text(json.dumps({"baseline": JOB, "current": JOB}))
    main(["verify", "--pairs=pairs.jsonl", "--config=keepstate.toml", f"--function=f{OTHER}"])
    assert written(pairs[0].current.functions) == written(pairs[0].baseline.functions)
    assert written(pairs[0].current.functions) == {"NORM": [SIGNATURE], "F": [OTHER]}


def test_a_past_file_that_cannot_be_read_any_more_says_nothing(
    repository: GitRepository, pairs: list[ScriptPair]
) -> None:
    repository.commit({"keepstate.toml": CONFIGURATION.replace("RETURNS", "GIVES"), "job.sql": JOB})
    repository.write("keepstate.toml", CONFIGURATION)
    repository.write("job.sql", JOB.replace("SUM(a)", "MAX(a)"))
    main(["verify", "job.sql", "--quiet"])
    assert written(pairs[0].baseline.functions) == {"NORM": [SIGNATURE]}


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("norm", "is no signature"),
        ("norm(TEXT) RETURNS INT", "'TEXT' is no type"),
        ("norm(STRING) RETURNS TABLE (a INT)", "a value or a table"),
    ],
)
def test_an_option_that_is_no_signature_is_an_error(
    repository: GitRepository, pairs: list[ScriptPair], capsys: pytest.CaptureFixture[str], option: str, words: str
) -> None:
    assert main(["verify", "job.sql", f"--function=norm{SIGNATURE}", f"--function={option}"]) == 2
    assert words in capsys.readouterr().err
    assert pairs == []


def test_an_editor_hands_the_signatures_over(
    repository: GitRepository, pairs: list[ScriptPair], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    side = {"name": "job.sql", "text": JOB, "parameters": {}, "functions": {"NORM": [SIGNATURE]}}
    versions = tmp_path / "versions.json"
    versions.write_text(json.dumps({"engine": "flink", "current": side, "baseline": side}))
    main(["verify", "job.sql", f"--versions={versions}", "--quiet"])
    assert written(pairs[0].current.functions) == {"NORM": [SIGNATURE]}
    side["functions"] = {"NORM": ["RAW"]}
    versions.write_text(json.dumps({"engine": "flink", "current": side, "baseline": side}))
    assert main(["verify", "job.sql", f"--versions={versions}", "--quiet"]) == 2
    assert "does not hold the two versions of a job" in capsys.readouterr().err


STOOD_IN = (
    "norm is a stand-in of its declared signature. Results hold for its values, not for those of the function. "
    "norm has another class now: its values before and after are not compared."
)


def test_stand_ins_are_named(
    repository: GitRepository,
    pairs: list[ScriptPair],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    main(["verify", "job.sql", "--format=json", "--quiet"])
    [job] = json.loads(capsys.readouterr().out)["jobs"]
    assert (job["stand_ins"], job["note"]) == (["norm"], STOOD_IN)
    main(["check", "job.sql", "--verify", "--format=json", "--quiet"])
    [measured] = json.loads(capsys.readouterr().out)["files"][0]["measured"]
    assert (measured["stand_ins"], measured["note"]) == (["norm"], STOOD_IN)
    for command in (["verify", "job.sql"], ["check", "job.sql", "--verify"]):
        main([*command, "--color=never"])
        assert STOOD_IN in " ".join(capsys.readouterr().out.split())


def test_what_plans_settle_names_the_stand_ins() -> None:
    import keepstate

    now, was = (keepstate.JobVersion(JOB.replace("com.acme", package)) for package in ("com.acme", "org.acme"))
    answer = PlannedAnswer(
        "SELECT #1", "2.3.0", "equal", "", "undetermined", "", None, findings=(0,), stand_ins=("norm",)
    )
    [finding] = settled(keepstate.check(now, was, "flink"), [answer]).findings
    assert finding.consequence.endswith("(planned by Flink 2.3.0 with stand-ins for norm).")


def test_of_a_changed_function_nothing_is_predicted() -> None:
    import keepstate

    now, was = (keepstate.JobVersion(JOB.replace("com.acme", package)) for package in ("com.acme", "org.acme"))
    exact = Measurement("SELECT #1", RestartOutcome.EXACT)
    found = judged(exact, prediction(now, was, "2.3.0"))
    assert (found.predicted, found.agrees) == (Effect.UNDETERMINED, None)
    assert judged(exact, prediction(now, now, "2.3.0")).agrees is True


@pytest.mark.parametrize(
    ("baseline", "current", "classes"),
    [
        ({"f": "F"}, {"f": "F"}, [["F"]]),
        ({"f": "F", "g": "G"}, {"f": "F", "g": "G"}, [["F"], ["G"]]),
        # Of another class nothing is known.
        ({"f": "F"}, {"`F`": "G"}, [["F", "G"]]),
        ({"f": "F"}, {"g": "F"}, [["F"]]),
        ({"f": "F", "g": "G"}, {"f": "H", "h": "G"}, [["F", "H"], ["G"]]),
        ({"f": "F", "g": "G"}, {"f": "G"}, [["F", "G"]]),
    ],
)
def test_functions_have_the_same_values_in_both_versions(
    baseline: dict[str, str], current: dict[str, str], classes: list[list[str]]
) -> None:
    scripts = (
        "\n".join(f"CREATE TEMPORARY FUNCTION IF NOT EXISTS {name} AS '{each}';" for name, each in declared.items())
        for declared in (baseline, current)
    )
    found: dict[str, list[str]] = {}
    for implementation, identity in identities(*scripts):
        found.setdefault(identity, []).append(implementation)
    assert sorted(found.values()) == classes
