"""A version that the engine does not have is refused, wherever it is written, with one that may be meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from damage import JOB, MINUTES
from keepstate import measured_versions
from keepstate_lsp.cli.main import main
from keepstate_lsp.config import engine_versions
from keepstate_lsp.config.client_settings import Settings
from keepstate_lsp.config.effective_settings import resolve_settings
from keepstate_lsp.config.engine_versions import FLINK, VVR, version_fault
from repositories import GitRepository, isolated


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    with isolated(tmp_path):
        made = GitRepository(tmp_path / "repository")
        made.commit({JOB: MINUTES.format(1), "keepstate.toml": "", "former.sql": MINUTES.format(2)})
    monkeypatch.chdir(made.folder)
    return made


VERSIONS = {
    "2.3": (FLINK, VVR),
    "1.20": (FLINK, VVR),
    "v1.20.1": (FLINK, VVR),
    "flink-1.20": (FLINK, VVR),
    "2.4-SNAPSHOT": (FLINK, VVR),
    " 1.20 ": (FLINK, VVR),
    "vvr-11.1-flink-1.20": (VVR,),
    "VVR-8.0.11-flink-1.17": (VVR,),
    "vvr-8": (VVR,),
    "8.0.11": (VVR,),
    "11": (VVR,),
    "banana": (),
    "": (),
    " ": (),
    "1,20": (),
    "vvr": (),
    "vvr-11.1-flink-banana": (),
    "vvr-11.1-jdk11-flink-1.20": (VVR,),
    "vvr-11.1-jdk11": (VVR,),
    "vvr-x-flink-1.20": (),
    "flink-3.0": (),
    "1.20 or 2.3": (),
    "1." * 200 + "1": (),
}
"""Versions, and the engines that have them."""


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("engine", [FLINK, VVR, None])
def test_versions(version: str, engine: str | None) -> None:
    having = VERSIONS[version]
    fault = version_fault(engine, version)
    assert (fault is None) == (bool(having) if engine is None else engine in having)
    if fault is not None:
        assert "say " in fault
        assert len(fault) < 300


@pytest.mark.parametrize("more", [0, 1])
def test_a_version_of_any_length(more: int) -> None:
    version = "1.20-" + "x" * (engine_versions._LONGEST - 5 + more)
    fault = version_fault(FLINK, version)
    assert (fault is None) == (not more)
    assert fault is None or len(fault) < 2 * engine_versions._LONGEST


def test_what_is_suggested_is_a_version() -> None:
    fault = version_fault(FLINK, "vvr-11.1-flink-1.20")
    assert fault is not None and "say 1.20, or name the engine vvr" in fault


COMMANDS: dict[str, tuple[str, ...]] = {
    "check": ("check", JOB),
    "diff": ("diff", "former.sql", JOB),
    "plan": ("plan", JOB),
    "history": ("history", JOB),
    "accept": ("accept", JOB, "--because", "so"),
    "deployed mark": ("deployed", "mark", JOB),
    "deployed diff": ("deployed", "diff"),
    "explain": ("explain", "window-size-changed"),
    "audit": ("audit", ".", "--output", "audited"),
    "replay": ("replay", JOB, "--restart-at", "2026-03-01 10:00:00"),
}
WITHOUT_ENGINE = ("deployed mark",)
WITH_BASELINE = ("check", "diff", "plan", "accept", "deployed diff", "replay")


def files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("engine", "version"), [("vvr", "banana"), ("flink", "vvr-11.1-flink-1.20")])
@pytest.mark.parametrize("option", ["--engine-version", "--baseline-engine-version"])
def test_no_command_takes_a_version_that_the_engine_does_not_have(
    repository: GitRepository,
    capsys: pytest.CaptureFixture[str],
    command: str,
    engine: str,
    version: str,
    option: str,
) -> None:
    if option == "--baseline-engine-version" and command not in WITH_BASELINE:
        pytest.skip("it has no baseline")
    named = ["--engine", engine]
    if command in WITHOUT_ENGINE:
        repository.write("keepstate.toml", f'engine = "{engine}"\n')
        named = []
    if command == "deployed diff":
        assert main(["deployed", "mark", JOB, "--by", "Ada"]) == 0
        capsys.readouterr()
    before = files(repository.folder)
    assert main([*COMMANDS[command], *named, option, version]) == 2
    said = capsys.readouterr().err
    assert f"{version!r} is " in said and "say " in said
    assert files(repository.folder) == before


PLACES = {
    "for all jobs": 'engine-version = "{}"\n',
    "for some jobs": '[[job]]\nfiles = ["jobs/*.sql"]\nengine-version = "{}"\n',
    "for jobs that are not compared": '[[job]]\nfiles = ["former.sql"]\nengine-version = "{}"\n',
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("engine", "version"), [("vvr", "banana"), ("flink", "vvr-11.1-flink-1.20"), (None, "banana")])
def test_a_configuration_with_such_a_version_is_wrong(
    repository: GitRepository, capsys: pytest.CaptureFixture[str], place: str, engine: str | None, version: str
) -> None:
    head = "" if engine is None else f'engine = "{engine}"\n'
    repository.write("keepstate.toml", head + PLACES[place].format(version))
    for words in (("check",), ("deployed", "mark", JOB), ("plan", JOB)):
        assert main(list(words)) == 2
        assert f"{version!r} is " in capsys.readouterr().err
    terms = resolve_settings(repository.folder / JOB, Settings(), repository.folder)
    assert terms.error is not None and repr(version) in terms.error
    assert terms.fault is not None and terms.fault.span.of(terms.fault.text) == f'engine-version = "{version}"'


def test_the_engine_of_an_editor_has_to_have_the_version_of_the_configuration(repository: GitRepository) -> None:
    repository.write("keepstate.toml", 'engine-version = "vvr-11.1-flink-1.20"\n')
    path = repository.folder / JOB
    assert resolve_settings(path, Settings(), repository.folder).error is None
    other = resolve_settings(path, Settings(engine="flink"), repository.folder)
    assert other.error is not None and "is a version of vvr, not of flink" in other.error
    assert other.fault is not None


@pytest.mark.parametrize("side", ["current", "baseline"])
def test_a_pair_with_such_a_version_is_not_compared(
    repository: GitRepository, capsys: pytest.CaptureFixture[str], side: str
) -> None:
    pair = {"id": 1, "baseline": MINUTES.format(1), "current": MINUTES.format(1), f"{side}_engine_version": "banana"}
    repository.write("pairs.jsonl", json.dumps(pair))
    assert main(["diff", "--pairs", "pairs.jsonl"]) == 2
    printed = capsys.readouterr().out
    assert '"not-compared"' in printed
    assert "'banana' is no version of vvr" in printed


def test_a_version_of_the_past_that_was_mended_stops_nothing(
    repository: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.commit({"keepstate.toml": 'engine-version = "banana"\n'})
    repository.write("keepstate.toml", 'engine-version = "vvr-11.1-flink-1.20"\n')
    repository.write(JOB, MINUTES.format(1) + "-- the same\n")
    assert main(["check"]) == 0
    assert "engine" not in capsys.readouterr().out.replace("engine vvr", "")


TTL = "table.exec.state.ttl"
SUMS = "CREATE TABLE t (k STRING, a INT) WITH ('connector' = 'kafka');\nSELECT k, {} FROM t GROUP BY k;\n"


def compared(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, dict[str, Any], str]:
    Path("was.sql").write_text(SUMS.format("SUM(a)"))
    Path("now.sql").write_text(SUMS.format("SUM(a) AS total"))
    status = main(["diff", "was.sql", "now.sql", "--format", "json", *options])
    captured = capsys.readouterr()
    return status, json.loads(captured.out), captured.err


@pytest.mark.parametrize("is_configured", [False, True])
@pytest.mark.parametrize(
    ("version", "effect"),
    [("1.18", "does-not-start"), ("1.20", "does-not-start"), ("2.3", "exact"), ("2.3.0", "exact")],
)
def test_the_verdict_is_that_of_the_version(
    repository: GitRepository, version: str, effect: str, is_configured: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """State with a time to live restores without one on versions on which it was seen to."""
    key = f'engine-version = "{version}"' if is_configured else ""
    Path("keepstate.toml").write_text(f'engine = "flink"\n{key}\n')
    option = () if is_configured else ("--engine-version", version)
    ttl = ("--baseline-parameter", f"{TTL}=1 h", "--parameter", f"{TTL}=0")
    status, document, told = compared(capsys, *option, *ttl)
    effects = {finding["effect"] for finding in document["files"][0]["findings"]}
    assert effects <= {effect}
    assert (status, "does-not-start" in effects) == ((1, True) if effect == "does-not-start" else (0, False))
    assert "notices" not in document
    assert "No restart was measured" not in told


@pytest.mark.parametrize("is_configured", [False, True])
@pytest.mark.parametrize("version", ["1.17", "2.4", "2.9.1"])
def test_a_version_without_measurements_is_said_to_be_one(
    repository: GitRepository, version: str, is_configured: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    key = f'engine-version = "{version}"' if is_configured else ""
    Path("keepstate.toml").write_text(f'engine = "flink"\n{key}\n')
    _, document, told = compared(capsys, *(() if is_configured else ("--engine-version", version)))
    (notice,) = document["notices"]
    numbers = ".".join(version.split(".")[:2])
    assert notice["message"].startswith(f"No restart was measured on Flink {numbers}: ")
    assert notice["message"] in told
    assert ", ".join(measured_versions()) in notice["message"]


def test_no_version_and_another_engine_need_no_notice(
    repository: GitRepository, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compared(capsys, "--engine", FLINK)[1].get("notices") is None
    assert compared(capsys, "--engine", VVR, "--engine-version", "vvr-8.0.11-flink-1.17")[1].get("notices") is None


def test_each_pair_has_the_notice_of_its_version(repository: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    sides = {"baseline": SUMS.format("SUM(a)"), "current": SUMS.format("SUM(a) AS total"), "engine": FLINK}
    versions = ("1.17", "1.20", "2.4")
    pairs = [{**sides, "current_engine_version": version} for version in versions]
    Path("pairs.jsonl").write_text("".join(f"{json.dumps(pair)}\n" for pair in pairs))
    main(["diff", "--pairs", "pairs.jsonl"])
    notices = [json.loads(line).get("notices", []) for line in capsys.readouterr().out.splitlines()]
    assert [len(each) for each in notices] == [1, 0, 1]
    assert "1.17" in notices[0][0]["message"]
    assert "2.4" in notices[2][0]["message"]
