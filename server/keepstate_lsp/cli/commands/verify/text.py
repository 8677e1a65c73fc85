"""A verification for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from keepstate.report import Effect
from keepstate_flink.rehearsals import Rehearsal, StoredOperator
from keepstate_flink.verification import Measurement, Outcome
from keepstate_lsp.cli.commands.verify.document import Verification
from keepstate_lsp.cli.commands.verify.predictions import Judged
from keepstate_lsp.cli.terminal.rendering import rendered
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
_PREDICTED = {
    Effect.EXACT: "exact",
    Effect.STARTS_EMPTY: "starts, and what is new counts from nothing",
    Effect.STATE_DROPPED: "starts, and drops what was removed",
    Effect.STATE_LOST: "state lost",
    Effect.DOES_NOT_START: "does not start",
    Effect.WRONG_RESULTS: "wrong results",
    Effect.UNDETERMINED: "unknown",
}
_COLORS = {
    Outcome.STARTS: "green",
    Outcome.EXACT: "green",
    Outcome.DOES_NOT_START: "red",
    Outcome.WRONG_RESULTS: "red",
    Outcome.STATE_LOST: "yellow",
    Outcome.NOT_MEASURED: "magenta",
}
_MOST_ROWS = 5
_LONGEST_ERROR = 300


def verification_text(found: Verification, width: int, color: bool) -> str:
    """The result, with ANSI colours if they are wanted."""
    return rendered(_parts(found), width, color)


def headline(found: Verification) -> str:
    rows = f"with {found.rows}" if found.rows else "from a savepoint before the first row"
    return f"{found.file} against {found.baseline}: restarted on Flink {found.flink}, {rows}"


def _parts(found: Verification) -> Iterator[RenderableType]:
    yield Text(one_line(headline(found)), style="bold")
    for notice in found.notices:
        yield Text(one_line(notice), style="dim")
    for job in found.jobs:
        yield ""
        yield from _job(job)


def _job(job: Judged) -> Iterator[RenderableType]:
    measured = job.measurement
    if measured.name:
        yield Text(one_line(measured.name), style="bold")
    table = Table.grid(padding=(0, 2))
    table.add_row("measured", Text(WORDS[measured.outcome], style=_COLORS[measured.outcome]))
    table.add_row("predicted", Text.assemble(_PREDICTED[job.predicted], *_disagreement(job)))
    for label, words in _facts(measured):
        table.add_row(label, Text(words))
    yield _indented(table)
    if measured.rehearsal is not None:
        yield _indented(_state(measured.rehearsal, measured.outcome))
    for title, rows in (("missing", measured.missing), ("unexpected", measured.unexpected)):
        if rows:
            more = f" (the first {_MOST_ROWS} of {len(rows):,})" if len(rows) > _MOST_ROWS else ""
            yield _indented(Text(f"{title} rows{more}", style="bold"))
            for row in rows[:_MOST_ROWS]:
                yield _indented(Text(f"  {one_line(row)}"))


def _disagreement(job: Judged) -> Iterator[tuple[str, str]]:
    if job.agrees is False:
        yield "  DISAGREES with the measurement: please report the pair", "bold red"


def _facts(measured: Measurement) -> Iterator[tuple[str, str]]:
    if measured.error:
        error = read_error("\n".join(f"Caused by: {line}" for line in measured.error))
        if error.cause is not None:
            yield "because", error.cause.title
        yield "exception", shortened(one_line(measured.error[-1]), _LONGEST_ERROR)
    if measured.note:
        yield "note", one_line(measured.note)


def _state(rehearsal: Rehearsal, outcome: Outcome) -> Table:
    table = Table.grid(padding=(0, 2))
    for number, operator in enumerate(rehearsal.operators):
        label = "state" if number == 0 else ""
        table.add_row(label, Text(one_line(operator.name)), _fate(operator, outcome))
    for name in rehearsal.fresh:
        table.add_row("", Text(one_line(name)), "begins empty: the savepoint has nothing for it")
    return table


def _fate(operator: StoredOperator, outcome: Outcome) -> str:
    states = ", ".join(operator.states)
    if not operator.found:
        return f"{states}: the new job has no such operator"
    if operator.unread:
        return f"{', '.join(operator.unread)}: not read any more"
    if outcome is Outcome.DOES_NOT_START:
        return f"{states}: its operator is still there"
    return f"{states}: restored"


def _indented(part: RenderableType) -> Padding:
    return Padding(part, (0, 0, 0, 2))
