"""Keepstate in WebAssembly, as a browser runs it: its answers are those of this Python, byte for byte."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from keepstate.hosts.host import Host
from keepstate_lsp.version import VERSION
from requests_of_pairs import requests

SIDES = {
    side: {"files": {"job.sql": f"SELECT b, {function}(a) FROM t GROUP BY b"}, "job": "job.sql"}
    for side, function in (("current", "MAX"), ("baseline", "SUM"))
}
ON_A_FINDING = {"do": "hover", "engine": "flink", "position": {"line": 0, "character": 11}, **SIDES}
"""Its hover names measured examples of a rule page."""
RUNNER = Path(__file__).parents[2] / "vscode-client" / "playground" / "node.mjs"


@pytest.mark.timeout(1_500)
def test_answers_are_those_of_this_python(playground: Path) -> None:
    asked = [*requests(), json.dumps(ON_A_FINDING), "{", '{"do": "check", "engine": "vvr"}']
    run = subprocess.run(
        ["node", str(RUNNER), str(playground)],
        input="".join(f"{line}\n" for line in asked),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2_000:]
    answers = run.stdout.splitlines()
    assert len(answers) == len(asked) > 100
    host = Host(VERSION)
    for question, answer in zip(asked, answers, strict=True):
        assert answer == host.answer(question), question
