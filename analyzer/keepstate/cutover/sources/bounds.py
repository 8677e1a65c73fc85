"""Ends of sources: tables that a job reads up to a bound, and what is then left of a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from keepstate.plan.catalog import Catalog, Option
from keepstate.plan.job import Pipeline
from keepstate.plan.metadata.connectors import connector_of

_MODE, _MOMENT = "scan.bounded.mode", "scan.bounded.timestamp-millis"
_UNBOUNDED = "unbounded"
_FIXED = frozenset({"timestamp", "specific-offsets"})
_READ_ONCE = frozenset({"jdbc", "hbase"})
_WATCHED: Mapping[str, tuple[str, str | None]] = {
    "filesystem": ("source.monitor-interval", None),
    "iceberg": ("streaming", "true"),
}
"""Connectors that go on reading by an option only: its key, and the value that it needs (``None``: any)."""


class SourceEndKind(Enum):
    """The kind of the end of a source."""

    NONE = "none"
    """It has no end."""
    FIXED = "fixed"
    """The same row ends it whenever a job starts."""
    AT_START = "at start"
    """It ends at the rows that it has when a job starts."""


@dataclass(frozen=True)
class SourceEnd:
    """The end of a source; ``moment`` is the one of a bound by time, ``words`` name the option that sets it."""

    kind: SourceEndKind
    moment: int | None = None
    words: str = ""
    is_chosen: bool = False
    """An option sets the end; else the connector has one by itself."""


def end_of(options: Mapping[str, Option]) -> SourceEnd:
    """The end of a table with these options.

    >>> kafka = {"connector": Option("connector", "kafka"), _MODE: Option(_MODE, "latest-offset")}
    >>> end_of(kafka).kind, end_of({"connector": kafka["connector"]}).kind
    (<SourceEndKind.AT_START: 'at start'>, <SourceEndKind.NONE: 'none'>)
    """
    connector = connector_of(options)
    if connector in _READ_ONCE:
        return SourceEnd(SourceEndKind.AT_START, words=f"{connector} is read once")
    if connector in _WATCHED:
        key, expected = _WATCHED[connector]
        option = options.get(key)
        if option is not None and expected in (None, option.value.strip().lower()):
            return SourceEnd(SourceEndKind.NONE)
        return SourceEnd(SourceEndKind.AT_START, words=f"{key} is not {'set' if expected is None else expected}")
    mode = options.get(_MODE)
    if mode is None or mode.value.strip().lower() == _UNBOUNDED:
        return SourceEnd(SourceEndKind.NONE)
    value = mode.value.strip().lower()
    moment_option = options.get(_MOMENT)
    moment = (
        int(moment_option.value)
        if value == "timestamp" and moment_option is not None and moment_option.value.isdigit()
        else None
    )
    return SourceEnd(
        SourceEndKind.FIXED if value in _FIXED else SourceEndKind.AT_START, moment, f"{_MODE} = {value}", True
    )


def ends_of(pipeline: Pipeline, catalog: Catalog) -> Mapping[str, SourceEnd]:
    """The ends of the tables that a query reads as streams, with the hints at them."""
    ends = {}
    for scan in pipeline.plan.scans:
        if scan.number in pipeline.plan.lookups:
            continue
        definition = catalog.tables.get(scan.table)
        declared: Mapping[str, Option] = {} if definition is None else catalog.options_of(definition)
        ends[scan.table] = end_of({**declared, **{option.key: option for option in scan.options}})
    return ends
