"""The worker of the packaged extension: the answers of this Python, from what the package holds, without an editor."""

from __future__ import annotations

import json
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from keepstate_lsp.editor_host import EditorHost
from keepstate_lsp.version import VERSION
from requests_of_pairs import requests

VSIX = Path(__file__).parents[2] / "vscode-client" / "keepstate.vsix"
RUNNER = Path(__file__).with_name("extension_worker.mjs")
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


@pytest.mark.timeout(1_500)
def test_answers_are_those_of_this_python(extension: Path) -> None:
    asked = [json.dumps({"id": n, **one}) for n, one in enumerate(SETTINGS)] + requests()[::EACH]
    run = subprocess.run(
        ["node", str(RUNNER), str(extension), VERSION],
        # Another folder and no module of it: nothing of a workspace is imported.
        input="".join(f"{line}\n" for line in asked),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert run.returncode in (0, 1) and run.stderr == "", run.stderr[-2_000:]
    answers = run.stdout.splitlines()
    assert len(answers) == len(asked) > 20
    host = EditorHost(VERSION)
    for question, answer in zip(asked, answers, strict=True):
        assert answer == host.answer(question), question
