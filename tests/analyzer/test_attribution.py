"""Edits of independent queries: each has the findings that it has alone, and promised fixes hold on the text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import pytest

from keepstate import ENGINES, JobVersion
from keepstate.report import Finding, Report, Verdict
from shared_analyses import analyse, check

MIXED = "kinds-of-change-mixed"
"""The rule of profile vvr for several kinds of changes at once, which is about all of them (spec OL-03)."""


@dataclass(frozen=True)
class Block:
    """A query with the tables that it alone reads and fills; ``edits`` by name: what is replaced, and by what."""

    text: str
    edits: Mapping[str, tuple[str, str]]

    def edited(self, name: str | None) -> str:
        if name is None:
            return self.text
        was, now = self.edits[name]
        assert self.text.count(was) == 1, name
        return self.text.replace(was, now)


def table(name: str, columns: str, more: str = "'format' = 'json'") -> str:
    return f"CREATE TABLE {name} ({columns}) WITH ('connector' = 'kafka', 'topic' = 'of {name}', {more});\n"


SETTINGS = "SET 'table.exec.sink.require-on-conflict' = 'false';\n"
"""Settings with which Flink takes the job and each of its edits."""
BLOCKS = {
    "counted": Block(
        table("clicks", "reader INT, page INT, spent INT")
        + "CREATE TABLE per_reader (reader BIGINT, n BIGINT) WITH ('connector' = 'blackhole');\n"
        "INSERT INTO per_reader SELECT reader, COUNT(page) FROM clicks WHERE spent > 1 GROUP BY reader;\n",
        {
            "not null": ("reader INT, page", "reader INT NOT NULL, page"),
            "not null where it is counted": ("page INT", "page INT NOT NULL"),
            "type": ("reader INT, page", "reader BIGINT, page"),
            "format": ("'format' = 'json'", "'format' = 'debezium-json'"),
            "connector": ("'connector' = 'kafka', 'topic' = 'of clicks'", "'connector' = 'filesystem', 'path' = '/c'"),
            "upserts": ("spent INT)", "spent INT, PRIMARY KEY (reader) NOT ENFORCED)"),
            "topic": ("of clicks", "of clicks again"),
            "unread column": ("spent INT)", "spent INT, agent STRING)"),
            "filter": ("spent > 1", "spent > 2"),
            "filter removed": (" WHERE spent > 1", ""),
            "key": ("SELECT reader, COUNT(page) FROM clicks WHERE spent > 1 GROUP BY reader",
                    "SELECT page, COUNT(page) FROM clicks WHERE spent > 1 GROUP BY page"),
            "aggregate": ("COUNT(page)", "MAX(page)"),
            "projection": ("SELECT reader, COUNT", "SELECT reader + 1, COUNT"),
        },
    ),
    "summed": Block(
        table("orders", "id BIGINT, amount INT, shop STRING")
        + "CREATE TABLE per_order (id BIGINT, s BIGINT) WITH ('connector' = 'print');\n"
        "INSERT INTO per_order SELECT id, SUM(amount) FROM orders GROUP BY id;\n",
        {
            "not null": ("id BIGINT, amount INT, shop", "id BIGINT NOT NULL, amount INT, shop"),
            "type of what is summed": ("amount INT", "amount BIGINT"),
            "format": ("'format' = 'json'", "'format' = 'debezium-json'"),
            "upserts": (
                "shop STRING) WITH ('connector' = 'kafka', 'topic' = 'of orders', 'format' = 'json')",
                "shop STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = 'of orders',"
                " 'key.format' = 'json', 'value.format' = 'json')",
            ),
            "key of the table": ("shop STRING)", "shop STRING, PRIMARY KEY (id) NOT ENFORCED)"),
            "renamed": ("(id BIGINT, s BIGINT)", "(id BIGINT, total BIGINT)"),
            "filter added": ("FROM orders GROUP", "FROM orders WHERE shop = 'a' GROUP"),
            "aggregate added": ("SUM(amount) FROM", "SUM(amount) + CAST(COUNT(shop) AS INT) FROM"),
            "columns reordered": ("amount INT, shop STRING", "shop STRING, amount INT"),
            "having": ("GROUP BY id", "GROUP BY id HAVING COUNT(*) > 1"),
        },
    ),
    "windowed": Block(
        table("visits", "who STRING, place STRING, came TIMESTAMP(3), WATERMARK FOR came AS came - INTERVAL '5' SECOND")
        + "CREATE TABLE per_window (who STRING, began TIMESTAMP(3), n BIGINT) WITH ('connector' = 'blackhole');\n"
        "INSERT INTO per_window SELECT who, window_start, COUNT(place)\n"
        "FROM TABLE(TUMBLE(TABLE visits, DESCRIPTOR(came), INTERVAL '1' HOUR))\n"
        "GROUP BY who, window_start, window_end;\n",
        {
            "not null": ("who STRING, place STRING, came", "who STRING NOT NULL, place STRING, came"),
            "watermark": ("INTERVAL '5' SECOND", "INTERVAL '9' SECOND"),
            "size": ("INTERVAL '1' HOUR", "INTERVAL '2' HOUR"),
            "kind": ("TUMBLE(TABLE visits, DESCRIPTOR(came), ",
                     "CUMULATE(TABLE visits, DESCRIPTOR(came), INTERVAL '1' MINUTE, "),
            "key": ("who, window_start, window_end", "who, place, window_start, window_end"),
            "aggregate": ("COUNT(place)", "COUNT(DISTINCT place)"),
            "added": ("COUNT(place)", "COUNT(place) + COUNT(*)"),
            "connector": ("'connector' = 'kafka'", "'connector' = 'kinesis'"),
        },
    ),
    "joined": Block(
        table("cards", "card BIGINT, owner STRING, seen TIMESTAMP(3)")
        + table("owners", "owner STRING, town STRING, zip INT")
        + "CREATE TABLE towns (card BIGINT, town STRING) WITH ('connector' = 'blackhole');\n"
        "INSERT INTO towns SELECT c.card, o.town FROM cards AS c JOIN owners AS o ON c.owner = o.owner;\n",
        {
            "not null on the left": ("card BIGINT, owner STRING", "card BIGINT NOT NULL, owner STRING"),
            "not null on the right": ("town STRING, zip", "town STRING NOT NULL, zip"),
            "key on the right": ("zip INT)", "zip INT, PRIMARY KEY (owner) NOT ENFORCED)"),
            "column on the right": ("SELECT c.card, o.town", "SELECT c.card, CONCAT(o.town, CAST(o.zip AS STRING))"),
            "filter on the left": ("o.owner;", "o.owner WHERE c.card > 7;"),
            "kind": ("JOIN owners", "LEFT JOIN owners"),
        },
    ),
    "ordered": Block(
        table("cells", "cell INT, station INT, PRIMARY KEY (cell) NOT ENFORCED", "'format' = 'debezium-json'")
        + "CREATE TABLE stations (id INT, cell INT, PRIMARY KEY (id) NOT ENFORCED)\n"
        "WITH ('connector' = 'upsert-kafka', 'topic' = 'stations');\n"
        "INSERT INTO stations SELECT cell, cell FROM cells;\n",
        {
            "filled by another column": ("SELECT cell, cell", "SELECT station, cell"),
            "key of the table": ("PRIMARY KEY (cell)", "PRIMARY KEY (station)"),
        },
    ),
    "passed on": Block(
        table("logs", "line STRING, level INT")
        + "CREATE TABLE kept (line STRING) WITH ('connector' = 'blackhole');\n"
        "INSERT INTO kept SELECT line FROM logs WHERE level > 1;\n",
        {
            "filter": ("level > 1", "level > 2"),
            "expression": ("SELECT line", "SELECT UPPER(line)"),
            "not null": ("line STRING, level", "line STRING NOT NULL, level"),
        },
    ),
}  # fmt: skip
Chosen = tuple[tuple[str, str], ...]
"""Names of blocks, each with the name of an edit."""
EDITS: tuple[tuple[str, str], ...] = tuple((block, name) for block in BLOCKS for name in BLOCKS[block].edits)
Reported = tuple[str, Verdict, str, str | None]


def script(chosen: Chosen = ()) -> JobVersion:
    edits = dict(chosen)
    return JobVersion(SETTINGS + "\n".join(block.edited(edits.get(name)) for name, block in BLOCKS.items()))


@cache
def report(chosen: Chosen, engine: str) -> Report:
    found = check(script(chosen), script(), engine)
    assert not found.problems and not found.baseline_problems
    assert not found.refusals and not found.baseline_refusals
    return found


def reported(found: Report) -> set[Reported]:
    return {fact(finding) for finding in found.findings if finding.rule != MIXED}


def fact(finding: Finding) -> Reported:
    baseline = finding.baseline.text if finding.baseline is not None else None
    return finding.rule, finding.verdict, finding.current.text, baseline


def pairs_with(first: tuple[str, str]) -> Iterator[Chosen]:
    """The edit with each later one of another block."""
    return (both for both in combinations(EDITS, 2) if both[0] == first and both[0][0] != both[1][0])


each_edit = pytest.mark.parametrize("first", EDITS, ids=" ".join)
each_engine = pytest.mark.parametrize("engine", ENGINES)


@each_edit
@each_engine
def test_an_edit_is_one_of_its_block_only(first: tuple[str, str], engine: str) -> None:
    """No clause of another query is named for it."""
    text = script((first,)).text
    began = text.index(BLOCKS[first[0]].edited(first[1]))
    ended = began + len(BLOCKS[first[0]].edited(first[1]))
    for finding in report((first,), engine).findings:
        assert began <= finding.current.span.start and finding.current.span.end <= ended


@each_edit
@each_engine
def test_edits_of_two_queries_are_reported_as_each_alone(first: tuple[str, str], engine: str) -> None:
    for both in pairs_with(first):
        together = reported(report(both, engine))
        assert together == reported(report(both[:1], engine)) | reported(report(both[1:], engine)), both


@each_edit
@each_engine
def test_a_promised_revert_holds_on_the_text(first: tuple[str, str], engine: str) -> None:
    """The edits of the blocks that the promise names are not made: the job is compatible."""
    for both in pairs_with(first):
        found = report(both, engine)
        promised = analyse(script(both), script(), engine).with_revert(found).revert_to_be_compatible
        assert bool(promised) is (found.verdict is not Verdict.COMPATIBLE), both
        named = {fact(found.findings[index]) for index in promised}
        left = tuple(one for one in both if reported(report((one,), engine)).isdisjoint(named))
        assert report(left, engine).verdict is Verdict.COMPATIBLE, both
