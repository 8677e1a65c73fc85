"""Declarations of Kafka tables for a second job that reads them: a consumer group of its own, an explicit start.

Two jobs under one group take each other's committed offsets. A new group has none, so a job that starts from the
offsets of its group (the default) has no place to begin.
"""

from __future__ import annotations

from keepstate.plan.declarations.definitions import TableDefinition
from keepstate.quick_fixes.lists import separator
from keepstate.text import Edit, Span, apply_edits

GROUP = "properties.group.id"
START = "scan.startup.mode"
EARLIEST = "earliest-offset"
_FROM_GROUP = "group-offsets"
_KAFKA = "kafka"


def starts_from_group(table: TableDefinition) -> bool:
    """Return whether a Kafka table begins at the offsets that its consumer group committed."""
    start = table.options.get(START)
    return _reads_kafka(table) and (start is None or start.value == _FROM_GROUP)


def own_consumer(table: TableDefinition, job: str) -> str:
    """Return the declaration of a table with the consumer group of another job, ``job``, and with an explicit start.

    Another connector than Kafka's has the same declaration.
    """
    if not _reads_kafka(table):
        return table.statement.text
    group = table.options.get(GROUP)
    options = {GROUP: job if group is None else f"{group.value}-{job}"}
    if starts_from_group(table):
        options[START] = EARLIEST
    edits: list[Edit] = []
    additions: list[str] = []
    for key, value in options.items():
        assignment = f"'{key}' = '{value.replace(chr(39), chr(39) * 2)}'"
        place = table.options[key].place if key in table.options else None
        if place is not None:
            edits.append(Edit(place.span, assignment))
        else:
            additions.append(assignment)
    spans = sorted(option.place.span for option in table.options.values() if option.place is not None)
    comma, end = separator(table.statement.text, spans), spans[-1].end
    edits += [Edit(Span(end, end), "".join(f"{comma}{assignment}" for assignment in additions))] if additions else []
    return apply_edits(table.statement.text, edits)


def _reads_kafka(table: TableDefinition) -> bool:
    connector = table.options.get("connector")
    return connector is not None and connector.place is not None and connector.value == _KAFKA
