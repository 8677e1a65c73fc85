"""The worker of the packaged extension: the answers of this Python, from what the package holds, without an editor."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from keepstate_lsp.editor_host.host import EditorHost
from keepstate_lsp.version import VERSION
from requests_of_pairs import requests

CACHE = (
    Path(
        os.environ.get("KEEPSTATE_TEST_CACHE")
        or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "keepstate-tests"
    )
    / "vscode"
)
VSIX = Path(__file__).parents[2] / "vscode-client" / "keepstate.vsix"
IN_NODE = Path(__file__).with_name("extension_worker.mjs")
IN_CHROMIUM = Path(__file__).with_name("extension_in_chromium.mjs")
EACH = 5
"""Of the requests, one in so many is asked: another test asks all of them in the playground."""
SETTINGS = [
    {"do": "settings", "path": "jobs/a.sql", "text": "SELECT 1", "name": "keepstate.toml", "configuration": text}
    for text in ("engine = 'flink'\n[severity]\ngroup-key-added = 'off'", "engine = ", "[severity]\nno-rule = 'off'")
]


@pytest.fixture(scope="module")
def extension(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("node") is None:
        pytest.skip("node is missing")
    if not VSIX.is_file():
        pytest.skip("NO PACKAGED EXTENSION: run make package")
    folder = tmp_path_factory.mktemp("extension")
    with zipfile.ZipFile(VSIX) as packaged:
        packaged.extractall(folder)
    return folder / "extension"


@pytest.fixture(scope="module")
def asked() -> list[str]:
    return [json.dumps({"id": n, **one}) for n, one in enumerate(SETTINGS)] + requests()[::EACH]


def ran(program: Path, folders: list[Path], asked: list[str]) -> str:
    run = subprocess.run(
        ["node", str(program), *map(str, folders)],
        input="".join(f"{line}\n" for line in asked),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert run.stderr == "", run.stderr[-2_000:]
    return run.stdout


def check_answers(asked: list[str], answers: list[str]) -> None:
    assert len(answers) == len(asked) > 20
    host = EditorHost(VERSION)
    for question, answer in zip(asked, answers, strict=True):
        assert answer == host.answer(question), question


@pytest.mark.timeout(1_500)
def test_answers_in_node_are_those_of_this_python(extension: Path, asked: list[str]) -> None:
    check_answers(asked, ran(IN_NODE, [extension], asked).splitlines())


@pytest.mark.timeout(1_500)
def test_answers_in_a_browser_are_those_of_this_python(extension: Path, asked: list[str]) -> None:
    """The worker is started as an extension host in a browser starts workers, under its policy."""
    if not (CACHE / "ready").exists():
        pytest.skip("Chromium for tests is not set up: make editors does")
    seen = json.loads(ran(IN_CHROMIUM, [CACHE, extension], asked[: len(asked) // 2]))
    assert "failure" not in seen, seen
    assert seen["messages"] == [] and seen["foreign"] == []
    check_answers(asked[: len(asked) // 2], seen["answers"])
