"""Equality of two planned scripts: of their plans, of what they store, and of operator ids."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from planned_scripts import PlannedScript
from stored_meaning import stored_meanings

_LEFT_OUT = {"id", "description", "serializableString", "comment"}
_NUMBER = re.compile(r"\[\d+\]")
_FIELD = re.compile(r"`(?:[^`]|``)*` ")


@dataclass(frozen=True)
class Comparison:
    """Facts about two planned scripts, as the fields of the measured pairs have them."""

    plan_equal: bool
    ids_equal: bool
    schema_equal: bool
    meaning_equal: bool

    @property
    def state_equal(self) -> bool:
        return self.schema_equal and self.meaning_equal


def compared(a: PlannedScript, b: PlannedScript, means_the_same: bool = False) -> Comparison:
    """The comparison of two scripts that Flink planned; the meaning is not traced where it is known to be the same."""
    assert a.plan is not None and b.plan is not None
    return Comparison(
        plan_equal=plan_lines(a.plan) == plan_lines(b.plan),
        ids_equal=_ids(a) == _ids(b),
        schema_equal=_schema(a) == _schema(b),
        meaning_equal=means_the_same or stored_meanings(a.plan) == stored_meanings(b.plan),
    )


def plan_lines(plan: dict[str, Any]) -> list[str]:
    """The nodes from sources to sinks, one line each, with inputs by their line; equal for equal plans."""
    nodes = {node["id"]: node for node in plan["nodes"]}
    inputs: dict[int, list[int]] = {id_: [] for id_ in nodes}
    for edge in plan["edges"]:
        inputs[edge["target"]].append(edge["source"])
    read = {source for sources in inputs.values() for source in sources}
    lines: list[str] = []
    numbers: dict[int, int] = {}

    def add(id_: int) -> int:
        if id_ not in numbers:
            places = [add(source) for source in inputs[id_]]
            lines.append(f"{json.dumps(_unnamed(nodes[id_]), sort_keys=True)} {places}")
            numbers[id_] = len(lines)
        return numbers[id_]

    for id_ in sorted(nodes):
        if id_ not in read:
            add(id_)
    return lines


def stored_lines(planned: PlannedScript) -> list[str]:
    """Stored state and operators as lines to be shown."""
    assert planned.plan is not None
    operators = [json.dumps(operator) for operator in planned.operators]
    return [*sorted(operators), *sorted(map(str, stored_meanings(planned.plan).elements()))]


def _unnamed(node: dict[str, Any]) -> Any:
    """A node without names of columns, but those of a source."""
    kept_names = "table-source-scan" in str(node["type"])
    return _without_names(node, kept_names)


def _without_names(value: Any, kept_names: bool) -> Any:
    if isinstance(value, dict):
        return {
            key: each if key in ("options", "value") else _without_names(each, kept_names)
            for key, each in value.items()
            if key not in _LEFT_OUT and (kept_names or key != "name") and not (kept_names and key == "outputType")
        }
    if isinstance(value, list):
        return [_without_names(each, kept_names) for each in value]
    if isinstance(value, str) and value.startswith("ROW<") and not kept_names:
        return _FIELD.sub("", value)
    return value


def _schema(planned: PlannedScript) -> Counter[str]:
    keyed = [operator for operator in planned.operators if not operator["source"]]
    return Counter(json.dumps([operator["key"], operator["kept"]]) for operator in keyed)


def _ids(planned: PlannedScript) -> Counter[str]:
    """Ids of operators with keys, and those of sources with their tables."""
    return Counter(
        f"{operator['id']} {_NUMBER.sub('', operator['name'])}" if operator["source"] else operator["id"]
        for operator in planned.operators
    )
