"""The threshold of a gate is compared with the worst finding, which may be worse than the verdict of the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from jobs import INCOMPATIBLE, JOB, OPENED, OPENED_AND_LOST, PARTIAL
from keepstate_lsp.cli.main import main
from repositories import GitRepository

FAIL_ON = ("incompatible", "unknown", "partial", "never")
STATUS = {
    # By --fail-on, in the order of FAIL_ON.
    "unknown and incompatible": (OPENED, OPENED_AND_LOST, "unknown", "incompatible", (1, 1, 1, 0)),
    "unknown": (OPENED, OPENED.replace("COUNT(*)", "COUNT(region)"), "unknown", "unknown", (0, 1, 1, 0)),
    "incompatible": (JOB, INCOMPATIBLE, "incompatible", "incompatible", (1, 1, 1, 0)),
    "partial": (JOB, PARTIAL, "partial", "partial", (0, 0, 1, 0)),
}
each_case = pytest.mark.parametrize(
    ("before", "after", "verdict", "open_verdict", "fail_on", "status"),
    [
        pytest.param(before, after, verdict, open_verdict, fail_on, status, id=f"{name}, {fail_on}")
        for name, (before, after, verdict, open_verdict, statuses) in STATUS.items()
        for fail_on, status in zip(FAIL_ON, statuses, strict=True)
    ],
)


@pytest.fixture
def shop(repository: GitRepository, monkeypatch: pytest.MonkeyPatch) -> GitRepository:
    monkeypatch.chdir(repository.folder)
    return repository


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    status = main([*arguments, "--format", "json"])
    return status, json.loads(capsys.readouterr().out)["files"][0]


@each_case
def test_check(
    shop: GitRepository, capsys: pytest.CaptureFixture[str],
    before: str, after: str, verdict: str, open_verdict: str, fail_on: str, status: int,
) -> None:  # fmt: skip
    shop.commit({"a.sql": before})
    shop.write("a.sql", after)
    answered, file = document(capsys, "check", "--fail-on", fail_on)
    assert (answered, file["verdict"], file["open_verdict"]) == (status, verdict, open_verdict)


@each_case
def test_diff(
    tmp_path: Path, capsys: pytest.CaptureFixture[str],
    before: str, after: str, verdict: str, open_verdict: str, fail_on: str, status: int,
) -> None:  # fmt: skip
    paths = tmp_path / "was.sql", tmp_path / "now.sql"
    for path, text in zip(paths, (before, after), strict=True):
        path.write_text(text, "utf-8")
    answered, file = document(capsys, "diff", *map(str, paths), "--fail-on", fail_on)
    assert (answered, file["verdict"], file["open_verdict"]) == (status, verdict, open_verdict)


def test_configured_threshold(shop: GitRepository, capsys: pytest.CaptureFixture[str]) -> None:
    shop.commit({"a.sql": OPENED, "keepstate.toml": 'fail-on = "incompatible"\n'})
    shop.write("a.sql", OPENED_AND_LOST)
    assert document(capsys, "check")[0] == 1


@pytest.mark.parametrize(
    ("rules", "open_verdict", "status"),
    [
        (("python-aggregate",), "incompatible", 1),
        (("window-size-changed",), "compatible", 0),
        (("window-size-changed", "python-aggregate"), "compatible", 0),
    ],
)
def test_what_is_accepted_is_left_out(
    shop: GitRepository, capsys: pytest.CaptureFixture[str], rules: tuple[str, ...], open_verdict: str, status: int
) -> None:
    """An accepted feature does not take the certain loss away; without any change left the feature costs nothing."""
    shop.commit({"a.sql": OPENED})
    shop.write("a.sql", OPENED_AND_LOST)
    for rule in rules:
        assert main(["accept", "a.sql", "--rule", rule, "--because", "so"]) == 0
    answered, file = document(capsys, "check", "--fail-on", "incompatible")
    assert (answered, file["verdict"], file["open_verdict"]) == (status, "unknown", open_verdict)


@pytest.mark.parametrize(
    ("deployed", "merged", "current", "open_verdict", "status"),
    [
        (OPENED, OPENED, OPENED_AND_LOST, "incompatible", 1),
        (OPENED, OPENED_AND_LOST, OPENED_AND_LOST.replace("COUNT(*)", "COUNT(region)"), "partial", 0),
        (JOB, OPENED, OPENED_AND_LOST, "incompatible", 1),
    ],
)
def test_two_baselines(
    shop: GitRepository, capsys: pytest.CaptureFixture[str],
    deployed: str, merged: str, current: str, open_verdict: str, status: int,
) -> None:  # fmt: skip
    shop.commit({"a.sql": deployed})
    assert main(["deployed", "mark", "a.sql"]) == 0
    shop.commit({"a.sql": merged + "-- merged\n"})
    shop.git("checkout", "--quiet", "-b", "topic")
    shop.write("a.sql", current)
    answered, file = document(
        capsys, "check", "--against", "deployed", "--new-since", "merge-base:main", "--fail-on", "incompatible"
    )
    assert (answered, file["open_verdict"]) == (status, open_verdict)


def test_formats_agree_with_the_status(shop: GitRepository, tmp_path: Path) -> None:
    shop.commit({"a.sql": OPENED})
    shop.write("a.sql", OPENED_AND_LOST)
    outputs = {name: tmp_path / name for name in ("junit", "github", "sarif", "markdown", "gitlab")}
    words = [word for name, path in outputs.items() for word in ("--format", name, "--output", str(path))]
    assert main(["check", "--fail-on", "incompatible", *words]) == 1
    texts = {name: path.read_text("utf-8") for name, path in outputs.items()}
    (failure,) = ElementTree.fromstring(texts["junit"]).iter("failure")
    assert failure.get("type") == "incompatible"
    assert texts["github"].count("::error ") == 1
    (run,) = json.loads(texts["sarif"])["runs"]
    assert sorted(result["level"] for result in run["results"]) == ["error", "warning"]
    assert "unknown, with a finding that is incompatible" in texts["markdown"]
    assert {issue["severity"] for issue in json.loads(texts["gitlab"])} == {"critical", "major"}
