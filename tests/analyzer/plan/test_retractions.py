"""Accumulators take rows back, and rankings keep them all, exactly where Flink's planner says so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from keepstate.physical.stored_job import StoredJob
from keepstate.plan.job import Job
from keepstate.plan.operators import GroupAggregate, Rank
from keepstate.state.stored_operators import StatePart
from keepstate.syntax.script import parse_script

HERE = Path(__file__).parent
SCHEMA = (HERE / "flink_retractions.sql").read_text("utf-8")
VERSIONS = ("2.3", "1.20")


def answers() -> Iterator[tuple[str, str, str]]:
    """Each query with a version of Flink, and its answer."""
    lines = (HERE / "flink_retractions.txt").read_text("utf-8").splitlines()
    query, found = "", []
    for line in [*lines, ""]:
        if line.startswith("    "):
            found.append(line.strip())
            continue
        if found:
            yield from ((query, version, found[min(number, len(found) - 1)]) for number, version in enumerate(VERSIONS))
        query, found = line, []


def planned(query: str, version: str) -> str:
    """The calls of the outermost aggregation, or the strategy of a ranking above it, in the words of EXPLAIN."""
    job = Job.of(parse_script(f"{SCHEMA}\n{query};"), {}, version)
    (pipeline,) = job.pipelines
    top = next(each for each in pipeline.plan.operators if isinstance(each, (GroupAggregate, Rank)))
    if isinstance(top, Rank):
        return top.strategy.value
    stored = StoredJob.of(job).pipelines[0].operators[top.number]
    fields = [field for state in stored.states if state.part is StatePart.ACCUMULATORS for field in state.fields]
    calls = [field for field in fields if field.meaning and field.meaning[0] in ("MAX", "MIN")]
    return " ".join(
        f"{field.meaning[0]}_RETRACT" if "WithRetract" in str(field.type) else field.meaning[0] for field in calls
    )


ANSWERS = list(answers())


def test_the_answers_are_read() -> None:
    assert len(ANSWERS) > 200


@pytest.mark.parametrize(("query", "version", "answer"), ANSWERS)
def test_calls_take_rows_back_where_flink_says_so(query: str, version: str, answer: str) -> None:
    assert planned(query, version) == answer
