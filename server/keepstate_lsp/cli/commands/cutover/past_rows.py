"""Rows of the past out of files, and the facts about them: ``--data``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import timezone, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import keepstate
from keepstate.cutover.cutover_plan import Approach, CutoverPlan, TimedSource
from keepstate.cutover.past.checks import Past
from keepstate.cutover.past.row_facts import PastRow, facts_of
from keepstate.cutover.table_names import named_tables
from keepstate_flink.errors import FlinkError
from keepstate_flink.row_files import moment_of, records_of
from keepstate_lsp.cli.errors import CommandError, UsageError

if TYPE_CHECKING:
    from keepstate import JobVersion

MOST_READ = 2_000_000
"""Rows of one table that are read: 20 seconds' work."""
_TEXTS = ("CHAR", "VARCHAR", "STRING")
_Value = TypeVar("_Value")


def files_of(plan: CutoverPlan, data: Sequence[tuple[str, str]], sides: Sequence[JobVersion]) -> Mapping[str, str]:
    """The files of ``--data`` by the names that the script has for their tables.

    Raises:
        UsageError: no version reads a table, or an option means several, or two options mean one.
    """
    return _by_table("--data", data, _read(plan, sides))


def kept_of(plan: CutoverPlan, retention: Sequence[tuple[str, int]], sides: Sequence[JobVersion]) -> Mapping[str, int]:
    """The lengths of ``--retention`` by the names that the script has for their tables.

    Raises:
        UsageError: as for ``files_of``.
    """
    tables = _read(plan, sides)
    if plan.approach is Approach.RESTART:
        # Such a plan names no sources, and the script may not declare them.
        retention = [(table, millis) for table, millis in retention if named_tables(table, tables)]
    return _by_table("--retention", retention, tables)


def _read(plan: CutoverPlan, sides: Sequence[JobVersion]) -> list[str]:
    """The tables that a job reads, as it writes them. A name stands twice where it means two tables."""
    tables: Counter[str] = Counter(source.table for source in plan.sources)
    for side in sides:
        tables |= Counter(table.name for table in keepstate.read_tables(side))
    return sorted(tables.elements())


def _by_table(option: str, entries: Sequence[tuple[str, _Value]], tables: Sequence[str]) -> Mapping[str, _Value]:
    values: dict[str, _Value] = {}
    unread = sorted({name for name, _ in entries if not named_tables(name, tables)})
    if unread:
        names = ", ".join(dict.fromkeys(tables)) or "no declared table"
        raise UsageError(f"The job does not read {', '.join(unread)}, which {option} names: it reads {names}.")
    for name, value in entries:
        table, *rivals = named_tables(name, tables)
        if table in rivals:
            raise UsageError(f"The job reads several tables as {table}, which {option} does not tell apart.")
        if rivals:
            raise UsageError(f"{option} {name} may be {' or '.join((table, *rivals))}: write the whole name.")
        if table in values:
            raise UsageError(f"{option} names {table} twice.")
        values[table] = value
    return values


def past_of(plan: CutoverPlan, files: Mapping[str, str], sides: Sequence[JobVersion], zone: tzinfo) -> Past:
    """The facts about the rows of ``files``, as far as the plan reads their tables again.

    Raises:
        CommandError: a file cannot be read, or has more than ``MOST_READ`` rows.
    """
    sources = {source.table: source for source in plan.sources}
    types = {table.name: dict(table.columns) for side in sides for table in keepstate.read_tables(side)}
    facts = {}
    for table, path in files.items():
        if (source := sources.get(table)) is not None:
            rows = _Reader(Path(path), source, _null_columns(plan, source, types.get(table, {})), zone).rows()
            try:
                facts[table] = facts_of(table, rows, source.delay, source.column is not None)
            except FlinkError as error:
                raise CommandError(error.sentence, error.hint) from error
    return Past(facts)


def _null_columns(plan: CutoverPlan, source: TimedSource, types: Mapping[str, str]) -> Mapping[str, bool]:
    """The columns of which a NULL counts, with whether they are texts: an empty text in a CSV file is a text."""
    columns = {each.column for each in plan.assumptions if each.column and each.table == source.table}
    return {column: types.get(column, "").upper().startswith(_TEXTS) for column in sorted(columns)}


class _Reader:
    """Reads the rows of one file."""

    def __init__(self, path: Path, source: TimedSource, keys: Mapping[str, bool], zone: tzinfo) -> None:
        self._path = path
        self._source = source
        self._asked = keys
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
    name = column.lower()
    return next((value for key, value in record.items() if str(key).lower() == name), None)


def _is_null(record: Mapping[str, Any], column: str, is_text: bool) -> bool:
    value = _value(record, column)
    return value is None or (value == "" and not is_text)
