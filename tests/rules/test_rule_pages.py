"""Every example of every rule page: one comparison, and all that has to be true of it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from page_claims import CLAIMS, broken
from rule_pages import Example, all_examples


@pytest.mark.parametrize("example", all_examples(), ids=lambda example: example.name)
def test_example(example: Example) -> None:
    """Each claim that fails is named."""
    assert not (failed := broken(example)), "\n\n".join(failed)


def test_a_wrong_example_is_named_by_the_claims_that_it_breaks() -> None:
    example = next(one for one in all_examples() if len(one.markers) == 1 and one.verdict is None)
    assert broken(example) == []
    wrong = replace(example, markers=(), introduced_as_silent=False)
    names = {failure.partition(":\n")[0] for failure in broken(wrong)}
    assert names == {
        "markers and findings are one to one",
        "the verdict is the worst marker unless the example says another",
        "silence is announced",
    }
    assert len(CLAIMS) == len({claim.__name__ for claim in CLAIMS})


ANALYSES = """\
import json, sys
import keepstate
for engine, *texts in json.load(sys.stdin):
    analysis = keepstate.analyse(*map(keepstate.JobVersion, texts), engine)
    for number in range(len(analysis.report().findings)):
        analysis.fixes(number)
print("ended")
"""


@pytest.mark.parametrize("engine", ["vvr", "flink"])
def test_no_analysis_changes_a_value(engine: str) -> None:
    """In Python's development mode each value is frozen while a program runs (``value_class``)."""
    pairs = [(engine, example.current.text, example.baseline.text) for example in all_examples()[::4]]
    run = subprocess.run(
        [sys.executable, "-X", "dev", "-c", ANALYSES],
        input=json.dumps(pairs),
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == "ended\n"
