"""Requests about measured and specified pairs, to be answered by several hosts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from keepstate import JobVersion
from rule_pages import all_examples
from truth import SpecCase, documents, restores, spec_cases

SAMPLE = 7
"""Of the pairs, one in so many is asked about."""
LONG = 3
"""Of these, one in so many is asked every question."""


def requests() -> list[str]:
    """A sample of all pairs: each is checked, some are asked every question."""
    found = []
    for number, (engine, current, baseline) in enumerate(list(_pairs())[::SAMPLE]):
        sides = {"engine": engine, "current": current, "baseline": baseline}
        place = {"line": current["files"]["job.sql"].count("\n") // 2, "character": 9}
        asked: Sequence[dict[str, Any]] = [{"do": "check", "fixes": number % LONG == 0}]
        if number % LONG == 0:
            asked = [
                *asked,
                *({"do": do} for do in ("notes", "plan", "validate")),
                *({"do": do, "position": place} for do in ("hover", "complete")),
            ]
        found += [json.dumps({"id": f"{number}", **each, **sides}) for each in asked]
    return found


def _pairs() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    for case in (*spec_cases(), *documents()):
        yield "vvr", *_of_case(case)
    for example in all_examples():
        yield example.profile, _side(example.current), _side(example.baseline)
    for pair in restores("pairs"):
        yield "flink", _side(JobVersion(pair.current)), _side(JobVersion(pair.baseline))


def _of_case(case: SpecCase) -> tuple[dict[str, Any], dict[str, Any]]:
    current = JobVersion(case.current, case.parameters, case.current_engine_version)
    baseline = JobVersion(case.baseline, case.parameters, case.baseline_engine_version)
    return _side(current), _side(baseline)


def _side(version: JobVersion) -> dict[str, Any]:
    return {
        "files": {"job.sql": version.text},
        "job": "job.sql",
        "parameters": dict(version.parameters),
        "engine_version": version.engine_version,
        "jobs": version.jobs.value,
    }
