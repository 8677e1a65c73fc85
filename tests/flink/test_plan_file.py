"""Files with compiled plans: what they say, and what is refused before Flink reads any of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from keepstate_flink.compiled.plan_file import NotAPlan, PlanFile
from keepstate_flink.generated_rows import TableColumn

TIME = {"type": "TIMESTAMP_WITHOUT_TIME_ZONE", "precision": 3, "kind": "ROWTIME"}
COLUMNS = [
    {"name": "k", "dataType": "VARCHAR(2147483647)"},
    {"name": "b", "kind": "COMPUTED", "expression": {}},
    {"name": "p", "kind": "METADATA", "dataType": "INT"},
    {"name": "ts", "dataType": TIME},
]


def table(path: str) -> dict[str, Any]:
    options = {"connector": "kafka", "class": "an option may have any name"}
    return {"identifier": path, "resolvedTable": {"schema": {"columns": COLUMNS}, "options": options}}


def plan() -> dict[str, Any]:
    """A plan with the members that are read; those of Flink have more."""
    state = [{"index": 0, "ttl": "0 ms", "name": "groupAggregateState"}]
    path = "`default_catalog`.`default_database`.`t`"
    return {
        "flinkVersion": "2.3",
        "nodes": [
            {"id": 3, "type": "stream-exec-table-source-scan_2", "scanTableSource": {"table": table(path)}},
            {"id": 4, "type": "stream-exec-group-aggregate_1", "state": state},
            {
                "id": 5,
                "type": "stream-exec-lookup-join_1",
                "temporalTable": {"temporalTableSourceSpec": {}, "table": {"table": table("`hive`.`d`.`a``b`")}},
            },
            {"id": 6, "type": "stream-exec-sink_2", "dynamicTableSink": {"table": table("`hive`.`e`.`s`")}},
        ],
        "edges": [{"source": 3, "target": 4}, {"source": 4, "target": 5}, {"source": 5, "target": 6}],
    }


def test_a_plan_is_read() -> None:
    found = PlanFile.read(json.dumps(plan()))
    assert (found.flink, found.first, found.stateful) == ("2.3", 3, ("4_stream-exec-group-aggregate_1",))
    assert found.queries == ("INSERT INTO s",)
    assert found.catalogs == {"default_catalog": {"default_database"}, "hive": {"d", "e"}}
    assert found.tables[0].columns == (
        TableColumn("k", "VARCHAR(2147483647)"),
        TableColumn("p", "INT"),
        TableColumn("ts", "TIMESTAMP(3)"),
    )


def test_a_plan_of_identifiers_has_no_columns() -> None:
    made = plan()
    del made["nodes"][0]["scanTableSource"]["table"]["resolvedTable"]
    assert [each.columns is None for each in PlanFile.read(json.dumps(made)).tables] == [True, False, False]


def without(key: str) -> Callable[[dict[str, Any]], None]:
    return lambda made: made.pop(key)


def first(**members: object) -> Callable[[dict[str, Any]], None]:
    return lambda made: made["nodes"][0].update(members)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (without("flinkVersion"), 'has no "flinkVersion"'),
        (without("nodes"), 'has no "nodes" and "edges"'),
        (without("edges"), 'has no "nodes" and "edges"'),
        (lambda made: made.update(flinkVersion="two"), "'two' is no version of Flink"),
        (lambda made: made.update(nodes=[]), 'has no "nodes" and "edges"'),
        (lambda made: made["nodes"].pop(), "an edge leads to a node that is not there"),
        (first(id="3"), "a node has no number"),
        (first(id=True), "a node has no number"),
        (first(type="batch-exec-sink_1"), "is no compiled plan of a stream"),
        (first(type=None), "is no compiled plan of a stream"),
        (first(scanTableSource={"table": {"identifier": "t"}}), "'t' is no path of a table"),
        (first(scanTableSource={"table": {}}), "reads or fills a table without a name"),
        (lambda made: made["nodes"][3].pop("dynamicTableSink"), "fills no table"),
        # Flink would load these classes, and serialized objects may run code.
        (first(projection=[{"kind": "CALL", "class": "evil.Function"}]), "names a class"),
        (first(outputType={"type": "RAW", "serializerSnapshot": "AAAA"}), "holds a serialized object"),
        (first(outputType={"type": "INT", "conversionClass": "evil.Type"}), "names a class"),
        (first(outputType={"type": "STRUCTURED", "implementationClass": "evil.Type"}), "names a class"),
    ],
)
def test_what_is_no_plan_is_said(spoil: Callable[[dict[str, Any]], None], words: str) -> None:
    made = plan()
    spoil(made)
    with pytest.raises(NotAPlan) as caught:
        PlanFile.read(json.dumps(made))
    assert words in str(caught.value)


@pytest.mark.parametrize("text", ["", "SELECT 1;", json.dumps(plan())[:200], "[" * 100_000])
def test_what_is_no_json_is_said(text: str) -> None:
    with pytest.raises(NotAPlan, match="is not JSON"):
        PlanFile.read(text)


@pytest.mark.parametrize("text", ["[]", "7", "null", "{}"])
def test_json_of_another_kind_is_no_plan(text: str) -> None:
    with pytest.raises(NotAPlan, match="is no compiled plan"):
        PlanFile.read(text)
