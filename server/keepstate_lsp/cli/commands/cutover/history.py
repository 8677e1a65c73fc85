"""Rows of the past out of files, and the facts about them: ``--data``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timezone, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any

import keepstate
from keepstate.cutover.past.checks import Past, last_name
from keepstate.cutover.past.facts import PastRow, facts_of
from keepstate.cutover.plans import CutoverPlan, TimedSource
from keepstate_flink.errors import FlinkError
from keepstate_flink.given_rows import moment_of, records_of
from keepstate_lsp.cli.errors import CommandError, UsageError

if TYPE_CHECKING:
    from keepstate import JobVersion

MOST_READ = 2_000_000
"""Rows of one table that are read: 20 seconds' work."""
_TEXTS = ("CHAR", "VARCHAR", "STRING")


def past_of(plan: CutoverPlan, data: Sequence[tuple[str, str]], sides: Sequence[JobVersion], zone: tzinfo) -> Past:
    """The facts about the rows of ``data``, as far as the plan reads their tables again.

    Raises:
        CommandError: a file cannot be read, or has more than ``MOST_READ`` rows.
        UsageError: no version reads a table.
    """
    sources = {last_name(source.table): source for source in plan.sources}
    read: dict[str, Mapping[str, str]] = {name: {} for name in sources}
    read |= {last_name(table.name): dict(table.columns) for side in sides for table in keepstate.read_tables(side)}
    unread = sorted({table for table, _ in data if last_name(table) not in read})
    if unread:
        names = ", ".join(sorted(read)) or "no declared table"
        raise UsageError(f"The job does not read {', '.join(unread)}, for which --data has rows: it reads {names}.")
    found = {}
    for table, path in data:
        name = last_name(table)
        if name in sources:
            source = sources[name]
            asked = _asked(plan, source, read[name])
            rows = _Reader(Path(path), source, asked, zone).rows()
            try:
                found[name] = facts_of(source.table, rows, source.delay, source.column is not None)
            except FlinkError as error:
                raise CommandError(error.sentence, error.hint) from error
    return Past(found)


def _asked(plan: CutoverPlan, source: TimedSource, types: Mapping[str, str]) -> Mapping[str, bool]:
    """The columns of which a NULL counts, with whether they are texts: an empty text in a CSV file is a text."""
    columns = {each.column for each in plan.assumptions if each.column and each.table == source.table}
    return {column: types.get(column, "").upper().startswith(_TEXTS) for column in sorted(columns)}


class _Reader:
    """Reads the rows of one file."""

    def __init__(self, path: Path, source: TimedSource, asked: Mapping[str, bool], zone: tzinfo) -> None:
        self._path = path
        self._source = source
        self._asked = asked
        self._zone = zone

    def rows(self) -> Iterator[PastRow]:
        source = self._source
        number = 0
        for number, record in enumerate(records_of(self._path), 1):
            if number > MOST_READ:
                raise CommandError(
                    f"{self._path} has more than {MOST_READ:,} rows, the most that are read here.",
                    "Name a part of them.",
                )
            partition = None if source.partition is None else _value(record, source.partition)
            yield PastRow(
                number,
                self._moment(number, record, source.column),
                self._moment(number, record, source.record_time),
                None if partition in (None, "") else str(partition),
                frozenset(column for column, is_text in self._asked.items() if _is_null(record, column, is_text)),
            )
        if number == 0:
            raise CommandError(f"{self._path} has no rows.")

    def _moment(self, number: int, record: Mapping[str, Any], column: str | None) -> int | None:
        if column is None:
            return None
        value = _value(record, column)
        try:
            return moment_of(value, timezone.utc if column in self._source.locals else self._zone)
        except ValueError as error:
            place = f"{self._source.table}.{column}"
            raise CommandError(f"{self._path}, row {number}: {value!r} is no time for {place}.") from error


def _value(record: Mapping[str, Any], column: str) -> Any:
    """The value of a column; names in files may have other capital letters."""
    if column in record:
        return record[column]
    wanted = column.lower()
    return next((value for key, value in record.items() if str(key).lower() == wanted), None)


def _is_null(record: Mapping[str, Any], column: str, is_text: bool) -> bool:
    value = _value(record, column)
    return value is None or (value == "" and not is_text)
