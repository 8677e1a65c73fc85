"""A verification for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from keepstate_flink.rehearsals import Rehearsal, SavepointOperator
from keepstate_flink.restarts import NO_DIFFERENCES
from keepstate_flink.verification import Measurement, RestartOutcome
from keepstate_lsp.cli.commands.verify.measurement_text import (
    DECISIONS,
    PREDICTED,
    WORDS,
    cause,
    difference_rows,
    exception,
    name_of,
    witness_rows,
)
from keepstate_lsp.cli.commands.verify.predictions import CheckedPrediction
from keepstate_lsp.cli.commands.verify.verify_document import Verification
from keepstate_lsp.cli.terminal.rendering import rendered
from keepstate_lsp.cli.terminal.sanitize import one_line

_COLORS = {
    RestartOutcome.STARTS: "green",
    RestartOutcome.EXACT: "green",
    RestartOutcome.DOES_NOT_START: "red",
    RestartOutcome.WRONG_RESULTS: "red",
    RestartOutcome.STATE_LOST: "yellow",
    RestartOutcome.NOT_MEASURED: "magenta",
}


def verification_text(verification: Verification, width: int, color: bool) -> str:
    """The result, with ANSI colours if they are wanted."""
    return rendered(_parts(verification), width, color)


def headline(verification: Verification) -> str:
    rows = f"with {verification.rows}" if verification.rows else "from a savepoint before the first row"
    return f"{verification.file} against {verification.baseline}: restarted on Flink {verification.flink}, {rows}"


def _parts(verification: Verification) -> Iterator[RenderableType]:
    yield Text(one_line(headline(verification)), style="bold")
    for notice in verification.notices:
        yield Text(one_line(notice), style="dim")
    for job in verification.jobs:
        yield ""
        yield from _job(job)


def _job(job: CheckedPrediction) -> Iterator[RenderableType]:
    measured = job.measurement
    if measured.name:
        yield Text(one_line(measured.name), style="bold")
    table = Table.grid(padding=(0, 2))
    table.add_row("measured", Text(WORDS[measured.outcome], style=_COLORS[measured.outcome]))
    table.add_row("predicted", Text.assemble(PREDICTED[job.predicted], *_disagreement(job)))
    if job.planned is not None:
        table.add_row("planned", Text.assemble(DECISIONS[job.planned.decision], *_otherwise(job)))
    for label, words in _facts(measured):
        table.add_row(label, Text(words))
    yield _indented(table)
    if measured.rehearsal is not None:
        yield _indented(_state(measured.rehearsal, measured.outcome))
    if measured.witness is not None:
        yield _rows(witness_rows(measured.witness))
    elif measured.differences != NO_DIFFERENCES:
        yield _rows(difference_rows(measured.differences))


def _rows(rows: Iterable[tuple[str, str]]) -> Padding:
    table = Table.grid(padding=(0, 2))
    for label, row in rows:
        table.add_row(label, Text(row))
    return _indented(table)


def _disagreement(job: CheckedPrediction) -> Iterator[tuple[str, str]]:
    if job.agrees is False:
        yield "  DISAGREES with the measurement: please report what --export DIR writes", "bold red"
    elif job.is_hidden:
        yield ", which these rows do not show", "yellow"


def _otherwise(job: CheckedPrediction) -> Iterator[tuple[str, str]]:
    if job.plan_agrees is False:
        yield "  DISAGREES with the measurement", "bold red"
    elif job.planned is not None and job.planned.explanation:
        yield f": {one_line(job.planned.explanation)}", "dim"


def _facts(measured: Measurement) -> Iterator[tuple[str, str]]:
    if measured.error:
        because = cause(measured)
        if because is not None:
            yield "because", because
        yield "exception", exception(measured)
    if measured.full_note:
        yield "note", one_line(measured.full_note)


def _state(rehearsal: Rehearsal, outcome: RestartOutcome) -> Table:
    table = Table.grid(padding=(0, 2))
    for number, operator in enumerate(rehearsal.operators):
        label = "state" if number == 0 else ""
        table.add_row(label, Text(_operator(operator.name)), _fate(operator, outcome))
    for name in rehearsal.fresh:
        table.add_row("", Text(_operator(name)), "begins empty: the savepoint has nothing for it")
    return table


def _operator(name: str) -> str:
    """Flink's name of an operator, without the catalog of a source.

    >>> _operator("Source: `default_catalog`.`default_database`.`orders`")
    'Source: orders'
    """
    kind, path, rest = name.partition(": `")
    return one_line(f"{kind}: {name_of(rest)}" if path else name)


def _fate(operator: SavepointOperator, outcome: RestartOutcome) -> str:
    states = "position" if operator.is_source else ", ".join(operator.states)
    if not operator.has_match:
        return f"{states}: the new job has no such operator"
    if operator.unread:
        return f"{', '.join(operator.unread)}: not read any more"
    if outcome is RestartOutcome.DOES_NOT_START:
        return f"{states}: its operator is still there"
    return f"{states}: restored"


def _indented(part: RenderableType) -> Padding:
    return Padding(part, (0, 0, 0, 2))
