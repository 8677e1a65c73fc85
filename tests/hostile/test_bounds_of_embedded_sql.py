"""The bounds of what is read of YAML, HCL, schemas and runners, on both sides."""

from __future__ import annotations

import json
from typing import Any

import pytest

from keepstate.embedded import avro_tables, hcl_values, pointers, text_scalars
from keepstate.embedded.masking import EmbeddedSql
from keepstate.embedded.pointers import FilePointer
from keepstate.embedded.search import LARGEST_SEARCHED, flink_texts
from keepstate_lsp.jobs import runners


def is_read(text: str, parts: tuple[str, ...] = ("a",), file: str = "x.yaml") -> bool:
    try:
        EmbeddedSql.of(text, FilePointer(file, parts))
    except text_scalars.EmbeddingError:
        return False
    return True


def is_schema(*types: Any) -> bool:
    fields = [{"name": "x", "type": each} for each in types]
    try:
        avro_tables.avro_table("t.avsc", json.dumps({"type": "record", "name": "R", "fields": fields}))
    except text_scalars.EmbeddingError:
        return False
    return True


@pytest.mark.parametrize("more", [0, 1])
def test_the_characters_of_a_file(more: int) -> None:
    text = "a: b\n"
    text += "#" * (text_scalars.LARGEST_HOST + more - len(text))
    assert is_read(text) is (more == 0)


@pytest.mark.parametrize("more", [0, 1])
def test_the_parts_of_a_pointer(more: int) -> None:
    count = pointers.MOST_PARTS + more
    assert is_read("[" * count + "a" + "]" * count, ("0",) * count) is (more == 0)


@pytest.mark.parametrize("more", [0, 1])
def test_the_templates_in_templates(more: int) -> None:
    count = hcl_values._MOST_NESTED + more
    assert is_read('a = "' + '${"' * count + '"}' * count + '"\n', file="x.tf") is (more == 0)


@pytest.mark.parametrize("more", [0, 1])
def test_the_depth_of_a_type(more: int) -> None:
    field: Any = "int"
    for _ in range(avro_tables._DEEPEST + more):
        field = {"type": "array", "items": field}
    assert is_schema(field) is (more == 0)


@pytest.mark.parametrize("more", [0, 1])
def test_the_number_of_types(more: int) -> None:
    assert is_schema(*["int"] * (avro_tables._MOST_TYPES + more)) is (more == 0)


@pytest.mark.parametrize("more", [0, 1])
def test_the_digits_of_a_decimal(more: int) -> None:
    field = {"type": "bytes", "logicalType": "decimal", "precision": avro_tables._MOST_DIGITS + more}
    assert is_schema(field) is (more == 0)


@pytest.mark.parametrize("more", [0, 1])
def test_the_characters_of_a_runner(more: int) -> None:
    text = "sql-client.sh -f a.sql\n"
    text += "#" * (runners.LARGEST_RUNNER + more - len(text))
    assert bool(list(runners.runs_in("run.sh", text, ["a.sql"]))) is (more == 0)


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_a_file_that_is_searched_for_sql(more: int) -> None:
    text = "sql: |\n  CREATE TABLE t (a INT) WITH ('connector' = 'kafka');\n"
    text += "#" * (LARGEST_SEARCHED + more - len(text))
    assert bool(list(flink_texts(text, "a.yaml"))) == (more <= 0)
