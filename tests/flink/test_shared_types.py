"""Types whose values two declarations take, and rows made of them."""

from __future__ import annotations

import json

import pytest

from keepstate.plan.types.shared_types import shared
from keepstate_flink.generated_rows import TableColumn
from keepstate_flink.script_pair_rows import made_rows


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("INT", "INT NOT NULL", "INT NOT NULL"),
        ("BIGINT", "SMALLINT", "SMALLINT"),
        ("DOUBLE", "INT", "INT"),
        ("DECIMAL(12, 2)", "DECIMAL(10, 2)", "DECIMAL(10,2)"),
        ("DECIMAL(10, 0)", "DECIMAL(10, 4)", "DECIMAL(10,4)"),
        ("DOUBLE", "DECIMAL(10, 2)", "DECIMAL(10,2)"),
        ("STRING", "VARCHAR(3)", "VARCHAR(3)"),
        ("CHAR(2)", "STRING", "CHAR(2)"),
        ("BYTES", "BINARY(4)", "BINARY(4)"),
        ("TIMESTAMP(6)", "TIMESTAMP(3)", "TIMESTAMP(3)"),
        ("ROW<a INT>", "ROW<a INT, b STRING NOT NULL>", "ROW<a INT,b STRING NOT NULL>"),
        ("ROW<a INT, b STRING>", "ROW<b STRING, a BIGINT NOT NULL>", "ROW<a INT NOT NULL,b STRING>"),
        ("ARRAY<BIGINT>", "ARRAY<INT>", "ARRAY<INT>"),
        ("MAP<STRING, ROW<a INT>>", "MAP<STRING, ROW<c INT>>", "MAP<STRING,ROW<a INT,c INT>>"),
        ("INT", "STRING", None),
        ("ARRAY<INT>", "INT", None),
        ("ROW<a INT>", "ROW<a STRING>", None),
        ("ARRAY<INT>", "ARRAY<STRING>", None),
        ("RAW('a', 'b')", "INT", None),
    ],
)
def test_types_of_common_values(first: str, second: str, expected: str | None) -> None:
    assert shared(first, second) == expected
    swapped = shared(second, first)
    assert (swapped is None) is (expected is None)
    if expected is not None and "ROW" not in expected:
        assert swapped == expected


@pytest.mark.parametrize(
    ("was", "now", "has_null"),
    [
        ("INT", "INT NOT NULL", False),
        ("INT", "BIGINT", True),
        ("DOUBLE", "INT", True),
        ("ROW<a INT>", "ROW<a INT NOT NULL, b STRING>", True),
        ("ARRAY<INT>", "ARRAY<DOUBLE NOT NULL>", True),
    ],
)
def test_both_versions_read_the_same_rows(was: str, now: str, has_null: bool) -> None:
    types = {"t": {"v": was}}, {"t": {"v": now}}
    sides = [
        [
            rows_of("`default`.`db`.`T`", [TableColumn("k", "INT"), TableColumn("v", each)]).lines
            for rows_of in made_rows("", "", types)
        ]
        for each in (was, now)
    ]
    assert sides[0] == sides[1]
    values = {json.dumps(json.loads(line[2:])["v"]) for line in sides[0][0]}
    assert len(values) > 2
    assert ("null" in values) is has_null
