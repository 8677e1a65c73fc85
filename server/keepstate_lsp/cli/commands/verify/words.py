"""Words for a measurement and a prediction, which people read on a terminal, in a report and in an editor."""

from __future__ import annotations

from keepstate.report import Effect
from keepstate_flink.verification import Measurement, Outcome
from keepstate_lsp.cli.terminal.sanitize import one_line, shortened
from keepstate_lsp.restore_errors import read_error

WORDS = {
    Outcome.STARTS: "starts",
    Outcome.DOES_NOT_START: "does not start",
    Outcome.EXACT: "exact: the results are those of a job that had always run",
    Outcome.STATE_LOST: "state lost: it starts, and counts from nothing",
    Outcome.WRONG_RESULTS: "wrong results: it starts, and gives other numbers",
    Outcome.NOT_MEASURED: "not measured",
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
_LONGEST_ERROR = 300


def cause(measured: Measurement) -> str | None:
    """The cause of Flink's exception, as a sentence; ``None`` where there is none, or none that is known."""
    if not measured.error:
        return None
    error = read_error("\n".join(f"Caused by: {line}" for line in measured.error))
    return None if error.cause is None else error.cause.title


def exception(measured: Measurement) -> str:
    """The innermost exception of Flink on one line; empty where there is none."""
    return shortened(one_line(measured.error[-1]), _LONGEST_ERROR) if measured.error else ""
