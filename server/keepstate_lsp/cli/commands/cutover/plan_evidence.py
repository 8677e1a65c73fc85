"""Evidence for a plan out of the rows of the past: checks of its conditions, and the time that reading takes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from keepstate.cutover.cutover_plan import Assumption
from keepstate.cutover.past.checks import Check, Past, Status
from keepstate.cutover.past.estimate import Estimate, TableEstimate
from keepstate.cutover.past.row_facts import TableFacts
from keepstate.cutover.times import moment_words, rough_words


@dataclass(frozen=True)
class PlanEvidence:
    """``past`` are the facts about the rows that were given, ``checks`` the outcome for each condition of the plan.
    ``estimate`` is about what the plan reads again.
    """

    past: Past
    checks: tuple[Check, ...]
    estimate: Estimate

    @property
    def broken(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if check.status is Status.BROKEN)

    def of(self, assumption: Assumption) -> Check | None:
        """The check of a condition; ``None`` without rows."""
        return (
            next((check for check in self.checks if check.assumption == assumption), None) if self.past.tables else None
        )


def check_words(check: Check) -> str:
    """The outcome of a check behind its condition."""
    match check.status:
        case Status.HELD:
            return f"Held by the rows given: {check.words}."
        case Status.BROKEN:
            return f"Broken by the rows given: {check.words}."
        case Status.NOT_CHECKED:
            return f"Not checked: {check.words}."


def facts_lines(past: Past) -> Iterator[str]:
    """Sentences about the rows of each table."""
    for facts in past.tables.values():
        yield " ".join(_sentences(facts))


def _sentences(facts: TableFacts) -> Iterator[str]:
    span = "" if facts.first is None else f", from {moment_words(facts.first)} to {moment_words(facts.last or 0)}"
    yield f"{facts.table}: {_count(facts.rows)}{span}."
    if facts.times and facts.late.count:
        words = f"the worst is row {facts.late.row}, {rough_words(facts.late.by)} behind"
        yield f"{_share(facts.late.count)} more than the delay of the watermark behind a later one: {words}."
    elif facts.times and facts.behind.count:
        yield f"The latest row, row {facts.behind.row}, comes {rough_words(facts.behind.by)} behind a later one."
    elif facts.times:
        yield "They come in the order of their event times."
    if facts.untimed.count:
        has = "row has" if facts.untimed.count == 1 else "rows have"
        where = f"row {facts.untimed.row} first"
        yield f"{facts.untimed.count:,} {has} no event time, {where}: a window stops the job there."


def _share(count: int) -> str:
    return "1 row comes" if count == 1 else f"{count:,} rows come"


def _count(rows: int) -> str:
    return "1 row" if rows == 1 else f"{rows:,} rows"


def estimate_lines(estimate: Estimate) -> Iterator[str]:
    """Sentences on the rows to be read again, and on the time that this takes."""
    for table in estimate.tables:
        yield _table_words(table)
    arriving, throughput = estimate.arriving, estimate.throughput
    if estimate.is_whole and arriving is not None and throughput is not None:
        rows = f"{_count(estimate.rows)} at {throughput:,} rows a second, while {_rate(arriving)} come in one"
        if (seconds := estimate.seconds) is not None:
            yield f"It has caught up after {rough_words(math.ceil(seconds) * 1000)}: {rows}."
        else:
            yield f"It never catches up: {rows}."
    elif estimate.tables or estimate.missing:
        yield f"The time until it has caught up is not known. {' '.join(estimate.missing)}"


def _table_words(table: TableEstimate) -> str:
    if table.first is None or table.last is None:
        return f"{table.table}: {_count(table.rows)} to be read."
    span = f"from {moment_words(table.first)} to {moment_words(table.last)}"
    rate = "" if table.per_second is None else f", {_rate(table.per_second)} a second"
    return f"{table.table}: {_count(table.rows)} to be read, {span}{rate}."


def _rate(rows: float) -> str:
    """A number of rows with two digits at least.

    >>> _rate(1234.5), _rate(0.0125)
    ('1,234 rows', '0.013 rows')
    """
    return f"{int(rows):,} rows" if rows >= 100 else f"{Decimal(f'{rows:.2g}').normalize():f} rows"


def check_document(check: Check | None) -> dict[str, Any] | None:
    """A check as JSON."""
    return None if check is None else {"status": check.status.value, "words": check.words, "row": check.row}


def past_document(past: Past) -> list[dict[str, Any]]:
    """The facts about the rows as JSON."""
    return [
        {
            "table": facts.table,
            "rows": facts.rows,
            "first_ms": facts.first,
            "last_ms": facts.last,
            "without_time": facts.untimed.count,
            "too_late": {"rows": facts.late.count, "worst_row": facts.late.row or None, "worst_ms": facts.late.by},
        }
        for facts in past.tables.values()
    ]


def estimate_document(estimate: Estimate) -> dict[str, Any]:
    """The estimate as JSON."""
    return {
        "tables": [
            {
                "table": table.table,
                "rows": table.rows,
                "first_ms": table.first,
                "last_ms": table.last,
                "rows_per_second": table.per_second,
            }
            for table in estimate.tables
        ],
        "rows_per_second_read": estimate.throughput,
        "seconds_to_catch_up": estimate.seconds,
        "catches_up": estimate.seconds is not None if estimate.is_whole else None,
        "missing": list(estimate.missing),
    }
