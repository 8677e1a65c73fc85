"""Equality of compiled plans, node by node."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_LEFT_OUT = {"id", "description", "serializableString", "comment"}
_FIELD_ACCESS = "FIELD_ACCESS"
_FIELD = re.compile(r"`(?:[^`]|``)*` ")


def plan_lines(plan: Mapping[str, Any]) -> list[str]:
    """The nodes from sources to sinks, one line each, with inputs by their line; equal for equal plans."""
    nodes = {node["id"]: node for node in plan["nodes"]}
    inputs: dict[int, list[int]] = {id_: [] for id_ in nodes}
    for edge in plan["edges"]:
        inputs[edge["target"]].append(edge["source"])
    sources_read = {source for sources in inputs.values() for source in sources}
    lines: list[str] = []
    numbers: dict[int, int] = {}

    def add(id_: int) -> int:
        if id_ not in numbers:
            places = [add(source) for source in inputs[id_]]
            lines.append(f"{json.dumps(_unnamed(nodes[id_]), sort_keys=True)} {places}")
            numbers[id_] = len(lines)
        return numbers[id_]

    for id_ in sorted(nodes):
        if id_ not in sources_read:
            add(id_)
    return lines


def _unnamed(node: dict[str, Any]) -> Any:
    """A node without names of columns, but those of a source."""
    kept_names = "table-source-scan" in str(node["type"])
    return _without_names(node, kept_names)


def _without_names(value: Any, kept_names: bool) -> Any:
    if isinstance(value, dict):
        # Only its name says which field of a row is read, or which column a table function is called with.
        is_field = value.get("kind") == _FIELD_ACCESS
        return {
            key: each if key in ("options", "value") else _without_names(each, kept_names)
            for key, each in value.items()
            if key not in _LEFT_OUT
            and (kept_names or is_field or key != "name")
            and not (kept_names and key == "outputType")
        }
    if isinstance(value, list):
        return [_without_names(each, kept_names) for each in value]
    if isinstance(value, str) and value.startswith("ROW<") and not kept_names:
        return _FIELD.sub("", value)
    return value
