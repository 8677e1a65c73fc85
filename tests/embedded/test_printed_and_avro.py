"""Declarations that a program prints, and Avro schemas as declarations."""

from __future__ import annotations

import json
from typing import Any

import pytest

from keepstate.embedded.avro_tables import avro_table
from keepstate.embedded.client_output import is_client_output, statements_of_output
from keepstate.embedded.text_scalars import EmbeddingError
from keepstate.syntax.script import parse_script

EDGE = "+--------+\n"
ENDS = "Shutting down the session...\ndone.\n"


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (f"{EDGE}| result |\n{EDGE}| CREATE TABLE t (a INT)\n |\n{EDGE}1 row in set\n", 1),
        (f"Flink SQL> SHOW;\n{EDGE}| result |\n{EDGE}| CREATE TABLE t (a INT) |\n{EDGE}1 row in set\n" * 3, 3),
        (f"{EDGE}| result |\n{EDGE}| CREATE TABLE t (a INT)\n |\n{EDGE}1 row in set\n\n{ENDS}", 1),
        (f"{EDGE}| result |\n{EDGE}| CREATE TABLE t (a INT);\n |\n{EDGE}", 1),
        (f"CREATE TABLE u (b INT);\n{EDGE}| result |\n{EDGE}| CREATE VIEW v AS SELECT 1\n |\n{EDGE}", 2),
        (f"\x1b[34;1m[INFO] done\x1b[0m\n{EDGE}| result |\n{EDGE}| CREATE TABLE t (a INT)\n |\n{EDGE}2 rows in set", 1),
    ],
    ids=range(6),
)  # fmt: skip
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_statements_stand_in_their_places(text: str, kinds: int, end: str) -> None:
    text = text.replace("\n", end)
    assert is_client_output(text)
    found = statements_of_output(text)
    assert len(found) == len(text)
    script = parse_script(found)
    assert not script.problems
    assert len(script.statements) == kinds
    assert text[found.index("CREATE") :].startswith("CREATE")


@pytest.mark.parametrize("text", ["", "SELECT 1 +-\n 2", "+--+\n| a |\n+--+\n", "+-" * 100_000, EDGE * 20_000])
def test_other_texts_are_no_output(text: str) -> None:
    assert not is_client_output(text)


def schema(*fields: Any) -> str:
    return json.dumps({"type": "record", "name": "R", "fields": [{"name": "x", "type": field} for field in fields]})


INNER = {"type": "record", "name": "I", "fields": [{"name": "y", "type": "int"}]}


@pytest.mark.parametrize(
    ("field", "type_"),
    [
        ("string", "STRING NOT NULL"),
        (["null", "long"], "BIGINT"),
        (["long", "null"], "BIGINT"),
        (["long"], "BIGINT NOT NULL"),
        ({"type": "int", "logicalType": "date"}, "DATE NOT NULL"),
        ({"type": "long", "logicalType": "timestamp-millis"}, "TIMESTAMP(3) NOT NULL"),
        ({"type": "fixed", "name": "F", "size": 4}, "VARBINARY(4) NOT NULL"),
        ({"type": "enum", "name": "E", "symbols": ["A"]}, "STRING NOT NULL"),
        ({"type": "array", "items": ["null", "int"]}, "ARRAY<INT> NOT NULL"),
        ({"type": "map", "values": "bytes"}, "MAP<STRING NOT NULL, BYTES NOT NULL> NOT NULL"),
        (INNER, "ROW<`y` INT NOT NULL> NOT NULL"),
        (["null", {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}], "DECIMAL(9, 2)"),
    ],
)
def test_types(field: Any, type_: str) -> None:
    assert avro_table("a/t.avsc", schema(field)) == f"CREATE TABLE `t` (`x` {type_});"
    assert not parse_script(avro_table("a/t.avsc", schema(field))).problems


def test_columns_stand_in_the_lines_of_their_fields() -> None:
    text = json.dumps(json.loads(schema("int", INNER, "I")), indent=1)
    found = avro_table("t.avsc", text).split("\n")
    assert len(found) == len(text.split("\n"))
    starts = [number for number, line in enumerate(text.split("\n")) if line == "  {"]
    assert [number for number, line in enumerate(found) if "`x`" in line] == starts


def doubled(number: int) -> Any:
    """A record with two fields of the type of the next one."""
    fields = [{"name": name, "type": f"N{number + 1}"} for name in "ab"]
    return {"type": "record", "name": f"N{number}", "fields": fields}


SELF = {"type": "record", "name": "R", "fields": [{"name": "r", "type": ["null", "R"]}]}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '"string"',
        schema(),
        schema(["int", "string"]),
        schema("Nothing"),
        schema(7),
        schema({"type": "record", "name": "E", "fields": []}),
        schema({"type": "bytes", "logicalType": "decimal", "precision": 50}),
        json.dumps(SELF),
        "[" * 100_000,
        '{"type": "record", "fields": [{"name": "a\\nb", "type": "int"}]}',
        '{"type": "record", "fields": [{"name": "a", "type": ' + '{"type": ' * 5_000 + '"int"' + "}" * 5_000 + "}]}",
        schema(*map(doubled, range(40))),
        '{"a": "\0"}',
    ],
    ids=range(16),
)  # fmt: skip
def test_what_is_no_schema_is_refused(text: str) -> None:
    with pytest.raises(EmbeddingError):
        avro_table("t.avsc", text)
