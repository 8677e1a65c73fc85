"""Words for a measurement and a prediction, which people read on a terminal, in a report and in an editor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from keepstate.report import Effect
from keepstate_flink.plans.plan_comparison import Decision
from keepstate_flink.restarts import Differences
from keepstate_flink.verification import Measurement, RestartOutcome
from keepstate_flink.witness import RestartWitness
from keepstate_lsp.cli.terminal.sanitize import one_line, shortened
from keepstate_lsp.restore_errors import read_error

WORDS = {
    RestartOutcome.STARTS: "starts",
    RestartOutcome.DOES_NOT_START: "does not start",
    RestartOutcome.EXACT: "exact: the results are those of a job that had always run",
    RestartOutcome.STATE_LOST: "state lost: it starts, and counts from nothing",
    RestartOutcome.WRONG_RESULTS: "wrong results: it starts, and gives other numbers",
    RestartOutcome.NOT_MEASURED: "not measured",
}
PREDICTED = {
    Effect.EXACT: "exact",
    Effect.STARTS_EMPTY: "starts, and what is new counts from nothing",
    Effect.STATE_DROPPED: "starts, and drops what was removed",
    Effect.STATE_LOST: "state lost",
    Effect.DOES_NOT_START: "does not start",
    Effect.WRONG_RESULTS: "wrong results",
    Effect.UNDETERMINED: "unknown",
}
DECISIONS = {
    Decision.EQUAL: "has the same plan and the same state in both versions",
    Decision.STARTS: "starts; its plans say nothing of values",
    Decision.DOES_NOT_START: "does not start",
    Decision.NOT_DECIDED: "is not decided by its plans",
}
"""Words for the answers of Flink's planner, behind the name of the job."""
_LONGEST_ERROR = 300
_MOST_ROWS = 5


def other_version(compiled_by: str, target: str | None) -> str:
    """A sentence on a compiled plan of another version than the one that the job runs on; empty for the same.

    >>> other_version("1.20", "2.3.0"), other_version("1.20", "1.20.5"), other_version("1.20", None)
    ('Flink 1.20 compiled the plan, and the job runs on Flink 2.3.0: one planner cannot stand for both.', '', '')
    """
    if target is None or target == compiled_by or target.startswith(f"{compiled_by}."):
        return ""
    return (
        f"Flink {compiled_by} compiled the plan, and the job runs on Flink {target}: one planner cannot stand for both."
    )


def cause(measured: Measurement) -> str | None:
    """The cause of Flink's exception, as a sentence; ``None`` where there is none, or none that is known."""
    if not measured.error:
        return None
    error = read_error("\n".join(f"Caused by: {line}" for line in measured.error))
    return None if error.cause is None else error.cause.title


def exception(measured: Measurement) -> str:
    """The innermost exception of Flink on one line; empty where there is none."""
    return shortened(one_line(measured.error[-1]), _LONGEST_ERROR) if measured.error else ""


def witness_rows(witness: RestartWitness) -> Iterator[tuple[str, str]]:
    """The smallest rows and what comes out of them, each with a label; an empty one stands for that above it."""
    for rows in witness.rows:
        for when, lines in (("before", rows.before), ("after", rows.after)):
            yield from _labelled(f"{when} the savepoint", [f"{name_of(rows.table)} {one_line(line)}" for line in lines])
    yield from difference_rows(witness.differences)


def difference_rows(differences: Differences) -> Iterator[tuple[str, str]]:
    """The rows that should come out and those that do, labelled as well."""
    for title, rows in (("should come out", differences.missing), ("comes out", differences.unexpected)):
        parts = [row.partition("` ") for row in rows]
        yield from _labelled(title, [f"{name_of(sink)} {one_line(values)}" for sink, _, values in parts])


def name_of(path: str) -> str:
    """The last name of a path of Flink.

    >>> name_of("`default_catalog`.`default_database`.`orders`")
    'orders'
    """
    return path.rpartition(".`")[2].strip("`")


def _labelled(label: str, rows: Sequence[str]) -> Iterator[tuple[str, str]]:
    for number, row in enumerate(rows[:_MOST_ROWS]):
        yield (label if number == 0 else ""), row
    if len(rows) > _MOST_ROWS:
        yield "", f"and {len(rows) - _MOST_ROWS:,} more"
