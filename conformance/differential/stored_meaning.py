"""The meaning of what the operators of a compiled plan store, with each column traced to columns of sources."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_PASSING = {
    "exchange", "watermark-assigner", "drop-update-before", "mini-batch-assigner", "legacy-sink", "ml-predict",
}  # fmt: skip
_LOCAL = {"local-group-aggregate", "local-window-aggregate"}
_AGGREGATES = {
    "group-aggregate", "global-group-aggregate", "incremental-group-aggregate", "window-aggregate",
    "global-window-aggregate", "group-window-aggregate",
}  # fmt: skip
_STATELESS = {"expand", "correlate", "lookup-join", "values", "async-calc"}
_OF_OUTPUT = {
    "id", "name", "description", "outputType", "inputProperties", "configuration", "generateUpdateBefore",
    "outputRowNumber", "measures",
    "outputRankNumber", "namedWindowProperties", "serializableString", "localAggInputRowType", "needRetraction",
    "countStarInserted", "aggCallNeedRetractions", "indexOfCountStar",
}  # fmt: skip
"""Fields of nodes that say what leaves them, or that the types of what is stored show."""
_COMMUTATIVE = {"$=$1", "$<>$1", "$AND$1", "$OR$1", "$+$1", "$*$1"}
_FLIPPED = {"$>$1": "$<$1", "$>=$1": "$<=$1"}
_NAME = re.compile(r"`((?:[^`]|``)*)` ")


@dataclass(frozen=True)
class _Rows:
    """The rows that leave a node: each column by its computation, and which rows there are.

    ``read`` are the rows in front of a local aggregation, with its keys and windows.
    """

    columns: tuple[str, ...]
    which: str
    read: tuple[_Rows, dict[str, Any]] | None = None


def stored_meanings(plan: dict[str, Any]) -> Counter[str]:
    """Meanings of the stored state, one for each operator that stores something."""
    nodes = {node["id"]: node for node in plan["nodes"]}
    inputs: dict[int, list[int]] = {id_: [] for id_ in nodes}
    for edge in plan["edges"]:
        inputs[edge["target"]].append(edge["source"])
    found: Counter[str] = Counter()
    traced: dict[int, _Rows] = {}
    for id_ in sorted(nodes):
        # An input has a smaller id than its reader but where the planner makes nodes late.
        _trace(id_, nodes, inputs, traced, found)
    return found


def _trace(
    id_: int, nodes: dict[int, Any], inputs: dict[int, list[int]], traced: dict[int, _Rows], found: Counter[str]
) -> _Rows:
    if id_ not in traced:
        read = [_trace(source, nodes, inputs, traced, found) for source in inputs[id_]]
        traced[id_], stored = _node(nodes[id_], read)
        if stored:
            found[stored] += 1
    return traced[id_]


def _node(node: dict[str, Any], read: Sequence[_Rows]) -> tuple[_Rows, str]:
    """The rows that leave a node, and the meaning of what it stores; empty for nothing."""
    kind = str(node["type"]).removeprefix("stream-exec-").partition("_")[0]
    if kind == "table-source-scan":
        return _scan(node), ""
    if kind == "calc":
        return _calc(node, read[0]), ""
    if kind in _PASSING:
        return read[0], ""
    if kind == "union":
        return _union(read), ""
    if kind in _LOCAL:
        return _Rows((), read[0].which, (read[0], node)), ""
    if kind in _AGGREGATES:
        return _aggregate(kind, node, read[0])
    if kind == "sink":
        columns = f"{read[0].columns} {read[0].which}"
        return read[0], f"sink {columns}" if node.get("requireUpsertMaterialize") else ""
    if kind == "window-table-function":
        return _windows(node, read[0]), ""
    own = json.dumps(_own(node), sort_keys=True)
    if kind == "deduplicate" and not node.get("keepLastRow") and not node.get("isRowtime"):
        keys = [read[0].columns[place] for place in node["uniqueKeys"]]
        stored = f"first {keys} {read[0].which}"
    else:
        stored = f"{kind} {own} {[(rows.columns, rows.which) for rows in read]}"
    mark = _short(stored)
    output = _output_names(node)
    keeps_order = kind in (
        "over-aggregate",
        "rank",
        "deduplicate",
        "changelog-normalize",
        "temporal-sort",
        "sort-limit",
    )
    front = read[0].columns if keeps_order else ()
    places = range(len(output))
    output_columns = tuple(front[place] if place < len(front) else f"{mark}.{place}" for place in places)
    return _Rows(output_columns, mark), "" if kind in _STATELESS else stored


def _scan(node: dict[str, Any]) -> _Rows:
    source = node["scanTableSource"]
    table = source["table"]["identifier"]
    # A filter that is pushed down stays in the Calc behind the source.
    limits = [each for each in source.get("abilities", ()) if each["type"] == "LimitPushDown"]
    return _Rows(tuple(f"{table}.{name}" for name in _output_names(node)), f"{table}{limits or ''}")


def _calc(node: dict[str, Any], read: _Rows) -> _Rows:
    columns = tuple(_expression(each, read.columns) for each in node["projection"])
    condition = node.get("condition")
    if condition is None:
        return _Rows(columns, read.which)
    conjuncts = condition["operands"] if condition.get("internalName") == "$AND$1" else [condition]
    words = sorted({_expression(each, read.columns) for each in conjuncts})
    inner, _, before = read.which.partition(" where ")
    every = sorted({*(json.loads(before) if before else ()), *words})
    return _Rows(columns, f"{inner} where {json.dumps(every)}")


def _windows(node: dict[str, Any], read: _Rows) -> _Rows:
    """The rows with the columns of their windows behind them."""
    windowing = _own(node["windowing"])
    windowing["timeAttributeIndex"] = read.columns[windowing["timeAttributeIndex"]]
    mark = _short(f"{json.dumps(windowing, sort_keys=True)} {read.which}")
    added = len(_output_names(node)) - len(read.columns)
    return _Rows((*read.columns, *(f"{mark}.{place}" for place in range(added))), mark)


def _union(read: Sequence[_Rows]) -> _Rows:
    columns = tuple("|".join(sorted(each)) for each in zip(*(rows.columns for rows in read), strict=True))
    return _Rows(columns, "all of " + _short(str(sorted(str((rows.columns, rows.which)) for rows in read))))


def _aggregate(kind: str, node: dict[str, Any], read: _Rows) -> tuple[_Rows, str]:
    local = node
    rows = read
    while rows.read is not None:
        rows, local = rows.read
    keys = [rows.columns[place] for place in local["grouping"]]
    # An incremental aggregation is named otherwise than the one behind it.
    calls = [
        {
            **{key: each for key, each in call.items() if key not in ("name", "type", "argList", "filterArg")},
            "of": [rows.columns[place] for place in call["argList"]],
            "filter": rows.columns[call["filterArg"]] if call.get("filterArg", -1) >= 0 else None,
        }
        for call in local.get("aggCalls") or local.get("originalAggCalls") or ()
    ]
    window = {key: each for key, each in (local.get("windowing") or {}).items() if key != "timeAttributeType"}
    if "timeAttributeIndex" in window:
        window["timeAttributeIndex"] = rows.columns[window["timeAttributeIndex"]]
    legacy = _own({key: node[key] for key in ("window", "state") if node.get(key) is not None})
    field = legacy.get("window", {}).get("timeField")
    if field is not None:
        legacy["window"]["timeField"] = rows.columns[field["fieldIndex"]]
    own = json.dumps([keys, window, legacy], sort_keys=True)
    told = [json.dumps(call, sort_keys=True) for call in calls]
    stored = f"aggregate {own} {told} {rows.which}"
    mark = _short(f"{own} {rows.which}")
    properties = node.get("namedWindowProperties") or ()
    columns = [*keys, *(_short(f"{call} {mark}") for call in told)]
    columns += [f"{each['property']['kind']} {mark}" for each in properties]
    missing = len(_output_names(node)) - len(columns)
    columns += [f"{mark}.{place}" for place in range(missing)]
    return _Rows(tuple(columns), mark), stored


def _own(value: Any) -> Any:
    """A field of a node without names and without what the types show."""
    if isinstance(value, dict):
        return {key: _own(each) for key, each in value.items() if key not in _OF_OUTPUT}
    if isinstance(value, list):
        return [_own(each) for each in value]
    return _NAME.sub("", value) if isinstance(value, str) else value


def _expression(rex: Any, columns: Sequence[str]) -> str:
    if not isinstance(rex, dict):
        return json.dumps(rex)
    kind = rex.get("kind")
    if kind == "INPUT_REF":
        return columns[rex["inputIndex"]]
    if kind != "CALL":
        return json.dumps({key: each for key, each in rex.items() if key != "name"}, sort_keys=True)
    name = rex.get("internalName") or rex.get("systemName") or rex.get("catalogName") or ""
    operands = [_expression(each, columns) for each in rex.get("operands", ())]
    if name in _FLIPPED:
        name, operands = _FLIPPED[name], operands[::-1]
    if name in _COMMUTATIVE:
        operands.sort()
    target = json.dumps(rex["type"]).replace(" NOT NULL", "") if "CAST" in name else ""
    return f"{name}({', '.join(operands)}){target}"


def _output_names(node: dict[str, Any]) -> list[str]:
    type_ = node["outputType"]
    if isinstance(type_, dict):
        return [field["name"] for field in type_["fields"]]
    return _top_names(type_)


def _top_names(type_: str) -> list[str]:
    """The names of the fields of a row, not of those in it."""
    names: list[str] = []
    depth = 0
    for part in re.finditer(r"`(?:[^`]|``)*`|'(?:[^']|'')*'|[<>()]", type_):
        text = part[0]
        if text in "<(":
            depth += 1
        elif text in ">)":
            depth -= 1
        elif text[0] == "`" and depth == 1:
            names.append(text[1:-1])
    return names


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
