"""One change has one report, in every process: sets of texts are iterated in another order in each."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from night import by_night
from rule_pages import all_examples

PARTS = 4

DIGESTS = """
import hashlib, json, sys
from keepstate import JobVersion, Workspace, analyse
memory = Workspace()
for pair in json.load(sys.stdin):
    baseline, current = (JobVersion(*side) for side in pair)
    for engine in ("vvr", "flink"):
        print(hashlib.sha256(repr(analyse(current, baseline, engine, memory).report()).encode()).hexdigest())
"""


def reports(pairs: str, seed: str) -> list[str]:
    """Digests of the reports of pairs of versions, by a process whose texts have hashes of their own."""
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", DIGESTS]
    found = subprocess.run(command, input=pairs, env=environment, capture_output=True, text=True, check=True)
    return found.stdout.split()


@pytest.mark.parametrize("part", range(PARTS))
def test_reports_are_the_same_in_every_process(part: int) -> None:
    first, last = (len(all_examples()) * end // PARTS for end in (part, part + 1))
    examples = all_examples()[first:last]
    sides = [
        [[side.text, dict(side.parameters), side.engine_version] for side in (example.baseline, example.current)]
        for example in examples
    ]
    one, *others = (reports(json.dumps(sides), seed) for seed in by_night(("1", "4", "5"), ("1", "4")))
    assert len(one) == 2 * len(examples)
    for other in others:
        assert [number for number, both in enumerate(zip(one, other, strict=True)) if both[0] != both[1]] == []
