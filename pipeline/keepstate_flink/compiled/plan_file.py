"""A file with a compiled plan (``COMPILE PLAN``), checked before Flink reads it.

Loading a plan makes Flink load the classes that it names. So a plan with any is refused: a file of a repository decides
about no code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from keepstate_flink.generated_rows import TableColumn

_VERSION = re.compile(r"\d+\.\d+")
_CLASSES = frozenset({"class", "conversionClass", "implementationClass", "externalDataType", "serializerSnapshot"})
"""Members of a plan whose values are names of classes, or serialized objects."""
_TIMES = {"TIMESTAMP_WITHOUT_TIME_ZONE": "TIMESTAMP", "TIMESTAMP_WITH_LOCAL_TIME_ZONE": "TIMESTAMP_LTZ"}
_TABLES = ("scanTableSource", "dynamicTableSink", "temporalTable")


class NotAPlan(Exception):
    """Error of a text that is no compiled plan, or of a plan that is not read; the message is the reason, to be read
    behind the name of the file.
    """


@dataclass(frozen=True)
class PlanTable:
    """A table of a plan: its ``path`` as Flink prints it, and its columns; ``None`` where the plan has none."""

    path: str
    columns: tuple[TableColumn, ...] | None
    is_sink: bool


@dataclass(frozen=True)
class PlanFile:
    """A compiled plan. ``flink`` is the version that compiled it, its first two numbers."""

    text: str
    flink: str
    tables: tuple[PlanTable, ...]
    stateful: tuple[str, ...]
    """The nodes that say which state they have, such as ``10_stream-exec-group-aggregate_1``."""
    first: int
    """The lowest number of a node: 1 in a session that compiled nothing before."""

    @staticmethod
    def read(text: str) -> PlanFile:
        """The plan in a text.

        Raises:
            NotAPlan: there is none, or one that cannot be taken.
        """
        try:
            plan = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise NotAPlan(f"is not JSON, so it is no compiled plan or was cut off: {error}") from error
        if not isinstance(plan, dict) or not isinstance(plan.get("flinkVersion"), str):
            raise NotAPlan('is no compiled plan: it has no "flinkVersion"')
        version = plan["flinkVersion"]
        if _VERSION.fullmatch(version) is None:
            raise NotAPlan(f"is no compiled plan: {version!r} is no version of Flink")
        nodes = _nodes(plan)
        class_key = next((key for key in _keys(plan) if key in _CLASSES), None)
        if class_key is not None:
            raise NotAPlan(f"names a class or holds a serialized object ({class_key}), which is not loaded")
        tables = tuple(_tables(nodes))
        if not any(table.is_sink for table in tables):
            raise NotAPlan("is a compiled plan that fills no table")
        stateful = tuple(f"{node['id']}_{node['type']}" for node in nodes if node.get("state"))
        return PlanFile(text, version, tables, stateful, min(node["id"] for node in nodes))

    @property
    def queries(self) -> tuple[str, ...]:
        """The names of its queries, as a script has them."""
        paths = (table.path for table in self.tables if table.is_sink)
        return tuple(f"INSERT INTO {_parts(path)[-1]}" for path in paths)

    @property
    def catalogs(self) -> Mapping[str, frozenset[str]]:
        """The databases of the tables by their catalogs."""
        by_catalog: dict[str, set[str]] = {}
        for table in self.tables:
            catalog, database = _parts(table.path)[:2]
            by_catalog.setdefault(catalog, set()).add(database)
        return {catalog: frozenset(databases) for catalog, databases in by_catalog.items()}


def _nodes(plan: Mapping[str, Any]) -> list[dict[str, Any]]:
    nodes, edges = plan.get("nodes"), plan.get("edges")
    if not isinstance(nodes, list) or not nodes or not isinstance(edges, list):
        raise NotAPlan('is no compiled plan: it has no "nodes" and "edges"')
    if not all(isinstance(node, dict) and type(node.get("id")) is int for node in nodes):
        raise NotAPlan("is no compiled plan: a node has no number")
    if not all(isinstance(node.get("type"), str) and node["type"].startswith("stream-exec-") for node in nodes):
        raise NotAPlan("is no compiled plan of a stream: a node is of another type")
    ids = {node["id"] for node in nodes}
    if not all(isinstance(edge, dict) and {edge.get("source"), edge.get("target")} <= ids for edge in edges):
        raise NotAPlan("is no whole compiled plan: an edge leads to a node that is not there")
    return nodes


def _keys(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            # The options of tables are for connectors, which are stand-ins.
            yield from node
            waiting += (each for key, each in node.items() if key != "options")
        elif isinstance(node, list):
            waiting += node


def _tables(nodes: list[dict[str, Any]]) -> Iterator[PlanTable]:
    for node in nodes:
        for kind in _TABLES:
            table = node.get(kind)
            # The table that a lookup asks stands one level deeper.
            while isinstance(table, dict) and "table" in table:
                table = table["table"]
            if isinstance(table, dict) and isinstance(table.get("identifier"), str):
                path = table["identifier"]
                if len(_parts(path)) != 3:
                    raise NotAPlan(f"is no compiled plan: {path!r} is no path of a table")
                yield PlanTable(path, _columns(table), kind == "dynamicTableSink")
            elif table is not None:
                raise NotAPlan("reads or fills a table without a name")


def _columns(table: Mapping[str, Any]) -> tuple[TableColumn, ...] | None:
    resolved = table.get("resolvedTable")
    schema = resolved.get("schema") if isinstance(resolved, dict) else None
    columns = schema.get("columns") if isinstance(schema, dict) else None
    if not isinstance(columns, list):
        return None
    stored_columns = [column for column in columns if isinstance(column, dict) and column.get("kind") != "COMPUTED"]
    return tuple(TableColumn(str(column.get("name")), _type(column.get("dataType"))) for column in stored_columns)


def _type(type_: Any) -> str:
    if isinstance(type_, dict) and type_.get("type") in _TIMES:
        nullable = "" if type_.get("nullable", True) else " NOT NULL"
        return f"{_TIMES[type_['type']]}({type_.get('precision', 6)}){nullable}"
    return type_ if isinstance(type_, str) else json.dumps(type_)


def _parts(path: str) -> list[str]:
    """The parts of a path in backticks.

    >>> _parts("`c`.`d`.`a``b`")
    ['c', 'd', 'a`b']
    """
    return [part.replace("``", "`") for part in re.findall(r"`((?:[^`]|``)*)`", path)]
