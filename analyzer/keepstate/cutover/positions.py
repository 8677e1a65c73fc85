"""Positions in sources: the first row that a job without state reads of each table, and the options that say so."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from keepstate.plan.catalog import Catalog, Option, TableDefinition
from keepstate.plan.metadata.connectors import connector_of
from keepstate.syntax.namespace import display_name
from keepstate.syntax.script import Script
from keepstate.text import Edit, Span


class Start(Enum):
    """The start of the rows that a job reads of a table."""

    TIME = "time"
    """Rows from a moment on, by the time at which the source got them."""
    BEGINNING = "beginning"
    """All rows that the source still has."""
    BY_HAND = "by hand"
    """The script does not say, or the connector is not known: a person sets it."""
    NOWHERE = "nowhere"
    """The source has no former rows."""


@dataclass(frozen=True)
class SourcePosition:
    """The start of one table. ``millis`` is the moment of ``TIME``; ``words`` say for a person what is set, or what has
    to be.
    """

    table: str
    start: Start
    connector: str
    millis: int | None = None
    words: str = ""
    edits: tuple[Edit, ...] = ()


def _kafka(millis: int | None) -> Mapping[str, str]:
    if millis is None:
        return {"scan.startup.mode": "earliest-offset"}
    return {"scan.startup.mode": "timestamp", "scan.startup.timestamp-millis": str(millis)}


_SETTABLE: Mapping[str, Callable[[int | None], Mapping[str, str]]] = {"kafka": _kafka}
"""Connectors whose options say where reading starts (Flink's documentation of the connector)."""
_WHOLE = frozenset({"filesystem", "upsert-kafka", "jdbc", "hbase", "iceberg", "paimon"})
"""Connectors that read all of their table when they start without state."""
_WITHOUT_PAST = frozenset({"datagen", "faker", "socket"})


def position_of(script: Script, catalog: Catalog, table: str, millis: int | None) -> SourcePosition:
    """The position of ``table`` from which rows since ``millis`` are read; all rows for ``None``.

    The edits of the script set it.
    """
    name = display_name(table)
    definition = catalog.tables.get(table)
    if definition is None:
        return SourcePosition(name, Start.BY_HAND, "", millis, f"{name} is declared elsewhere: set its start there.")
    options = catalog.options_of(definition)
    connector = connector_of(options)
    if connector in _WITHOUT_PAST:
        return SourcePosition(name, Start.NOWHERE, connector, None, f"{name} ({connector}) has no former rows.")
    if connector in _WHOLE:
        return SourcePosition(name, Start.BEGINNING, connector, None, f"{name} ({connector}) is read as a whole.")
    if connector not in _SETTABLE:
        words = f"{name} ({connector or 'no connector'}): set its start in the way of the connector."
        return SourcePosition(name, Start.BY_HAND, connector, millis, words)
    settings = _SETTABLE[connector](millis)
    words = f"{name} ({connector}): {', '.join(f'{key} = {value}' for key, value in settings.items())}"
    edits = tuple(_edits(script, definition, options, settings))
    if not edits:
        return SourcePosition(name, Start.BY_HAND, connector, millis, f"{words}; its options are declared elsewhere.")
    return SourcePosition(name, Start.BEGINNING if millis is None else Start.TIME, connector, millis, words, edits)


def _edits(
    script: Script, definition: TableDefinition, options: Mapping[str, Option], values: Mapping[str, str]
) -> Iterator[Edit]:
    """The edits of the WITH clause of a table that give it the ``values`` options; none where it has no such clause."""
    statement = next((each for each in script.statements if each.parsed is definition.statement), None)
    own = {
        key: option.place.span
        for key, option in options.items()
        if option.place is not None and option.place.statement is definition.statement
    }
    if statement is None or not own:
        return
    start = statement.span.start
    last = max(own.values(), key=lambda span: span.end)
    additions = []
    for key, value in values.items():
        assignment = f"'{key}' = '{value}'"
        if key in own:
            yield Edit(own[key].shift(start), assignment)
        else:
            additions.append(f", {assignment}")
    if additions:
        yield Edit(Span(last.end, last.end).shift(start), "".join(additions))
