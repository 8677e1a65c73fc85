"""Sentences that the page and the text of an audit share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from keepstate_spark.audit.audit_figures import AuditFigures, Month

GRADES: Mapping[str, str] = {
    "incompatible": "the state is lost, or the job does not start",
    "unknown": "only the restart shows it; treat it as lost",
    "partial": "a part of the state is kept",
    "compatible": "the state is kept",
    "not_compared": "could not be read or judged",
}
"""Labels of the outcomes of a change, the worst first."""

FIX_WORDS: Mapping[str, str] = {
    "restore-order": "restore the order",
    "keep-both": "keep the former metric beside the new one",
    "separate-job": "compute the new metric in a job of its own",
    "first-step": "deploy in two steps",
    "restore-removed": "put back what was removed",
    "revert": "take one clause back",
    "revert-smallest": "take several clauses back",
    "none": "no fix found",
}

KIND_WORDS: Mapping[str, str] = {
    "repository": "repository",
    "not-read": "not read from git",
    "unread": "SQL not read in full",
    "not-valid": "refused by Flink",
    "failed": "analysis failed",
    "timed-out": "no answer in time",
    "crashed": "analysis crashed",
}


def counted(number: int, noun: str) -> str:
    """``1,234 changes``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def share(part: int, whole: int) -> str:
    """A percentage; 0 % and 100 % stand for exact zero and exact whole alone."""
    if not whole:
        return "0 %"
    percent = 100 * part / whole
    if 0 < percent < 0.1:
        return "< 0.1 %"
    if 99.9 < percent < 100:
        return "> 99.9 %"
    return f"{percent:.1f} %" if percent % 100 else f"{percent:.0f} %"


def headline(figures: AuditFigures) -> str:
    """The scope of the audit in one sentence."""
    totals = figures.totals
    repositories = f"{totals.repositories:,} repositor{'y' if totals.repositories == 1 else 'ies'}"
    span = f", {totals.first} to {totals.last}" if totals.first else ""
    distinct = f" ({totals.distinct_pairs:,} different ones)" if totals.distinct_pairs != totals.changes else ""
    return (
        f"{counted(totals.changes, 'change')}{distinct} of {counted(totals.jobs, 'job')} in {repositories}{span}, "
        f"engine {figures.engine}"
    )


@dataclass(frozen=True)
class MonthRow:
    """A month, be it that nothing happened in it."""

    month: str
    incompatible: int = 0
    unknown: int = 0
    partial: int = 0
    compatible: int = 0
    not_compared: int = 0

    @property
    def changes(self) -> int:
        return sum(getattr(self, grade) for grade in GRADES)


def month_rows(figures: AuditFigures) -> list[MonthRow]:
    """All months from the first to the last, without gaps; commits may bear dates that are wrong."""
    known_months: dict[str, Month] = {entry.month: entry for entry in figures.months}
    if not known_months:
        return []
    last = max(known_months)
    months = sorted(month for month in known_months if _number(last) - _number(month) < _LONGEST)
    rows = []
    for number in range(_number(months[0]), _number(last) + 1):
        name = f"{number // 12:04}-{number % 12 + 1:02}"
        month = known_months.get(name)
        rows.append(MonthRow(name) if month is None else MonthRow(**{key: getattr(month, key) for key in _KEYS}))
    return rows


_LONGEST = 20 * 12
_KEYS = ("month", *GRADES)


def _number(month: str) -> int:
    year, _, number = month.partition("-")
    return int(year) * 12 + int(number) - 1
