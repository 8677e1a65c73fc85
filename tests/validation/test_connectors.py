"""Options of the connectors that come with Flink, checked where a statement reads or fills their table."""

from __future__ import annotations

import pytest
from marked import assert_refused, assert_taken, validity

GENERATED = "CREATE TABLE g ({columns}) WITH ('connector' = 'datagen'{options});"
FILLED = "CREATE TABLE p (a INT, d STRING) WITH ('connector' = {options});"


def generated(columns: str, **options: str) -> str:
    """A table of datagen; an option ``a__kind`` is ``fields.a.kind``."""
    keys = {("fields." if "__" in key else "") + key.replace("__", "."): value for key, value in options.items()}
    listed = "".join(f", '{key}' = '{value}'" for key, value in keys.items())
    return GENERATED.format(columns=columns, options=listed)


SEQUENCE = {"a__kind": "sequence", "a__start": "1", "a__end": "9"}

REFUSED_SOURCES = [
    generated("a INT", **{"rows-per-seconds": "1"}),
    generated("a INT", b__min="1"),
    generated("a INT", A__min="1"),
    generated("a INT, b AS a + 1", b__min="1"),
    generated("a INT", a__length="3"),
    generated("a STRING", a__min="3"),
    generated("a BOOLEAN", a__min="3"),
    generated("a DATE", a__min="3"),
    generated("a CHAR(3)", **{"a__var-len": "true"}),
    generated("a INT", **{"a__max-past": "1 h"}),
    generated("a INT", a__start="1", a__end="9"),
    generated("a INT", **SEQUENCE, a__min="1"),
    generated("a INT", a__kind="sequence", a__start="1"),
    generated("a BOOLEAN", **SEQUENCE),
    generated("a TIMESTAMP(3)", **SEQUENCE),
    generated("a INT", a__kind="Sequence", a__start="1", a__end="9"),
    "CREATE TABLE g (a INT) WITH ('connector' = 'filesystem', 'format' = 'json');",
    "CREATE TABLE g (a INT) WITH ('connector' = 'filesystem', 'path' = 'x');",
    "CREATE TABLE g (a INT) WITH ('connector' = 'filesystem', 'path' = 'x', 'format' = 'json', 'monitor' = '1 s');",
    "CREATE TABLE g (a INT) WITH ('connector' = 'filesystem', 'path' = 'x', 'format' = 'json', 'csv.x' = 'y');",
    "CREATE TABLE k (a INT) WITH ('connector' = 'kafka'); CREATE TABLE m WITH ('topic' = 't') LIKE k; "
    "CREATE TABLE g WITH ('connector' = 'datagen') LIKE m;",
]
TAKEN_SOURCES = [
    generated("a INT", **{"rows-per-second": "1", "number-of-rows": "2", "scan.parallelism": "1"}),
    generated("a INT", a__min="1", a__max="2", **{"a__null-rate": "0.5"}),
    generated("a STRING", a__length="3", **{"a__var-len": "true"}),
    generated("a BOOLEAN", **{"a__null-rate": "0.5"}),
    generated("a TIMESTAMP(3)", **{"a__max-past": "1 h"}),
    generated("a INT", **SEQUENCE),
    generated("a STRING", **SEQUENCE),
    generated("a DECIMAL(5, 1)", **SEQUENCE),
    generated("a ARRAY<INT>, m MAP<STRING, INT>", a__length="2", a__element__min="1", m__key__length="2"),
    generated("a ROW<x INT, y STRING>", a__x__min="1", a__y__length="2", **{"a__null-rate": "0.1"}),
    generated("`a.b` INT, a STRING", a__b__min="1", a__length="3"),
    generated("a INT", **{"{{ key }}": "1"}),
    "CREATE TABLE g (a INT) WITH ('connector' = 'filesystem', 'path' = 'x', 'format' = 'json', 'json.any' = 'x');",
    "CREATE TABLE g (a INT) WITH ('connector' = 'kafka', 'any' = 'x');",
    "CREATE TABLE k (a INT) WITH ('connector' = 'kafka', 'topic' = 't'); "
    "CREATE TABLE g WITH ('connector' = 'datagen') LIKE k (EXCLUDING OPTIONS);",
]


@pytest.mark.parametrize("declared", REFUSED_SOURCES)
def test_options_of_a_source_are_refused_where_it_is_read(declared: str) -> None:
    assert_refused("connector-option", "SELECT 1 FROM «g»;", declared)
    assert_taken("SELECT 1;", declared)


@pytest.mark.parametrize("declared", TAKEN_SOURCES)
def test_options_of_a_source_are_taken(declared: str) -> None:
    assert_taken("SELECT 1 FROM g;", declared)


def test_options_of_a_hint_count() -> None:
    declared = generated("a INT")
    assert_taken("SELECT a FROM g /*+ OPTIONS('rows-per-second' = '1') */;", declared)
    found = validity("SELECT a FROM g /*+ OPTIONS('rows' = '1') */;", declared=declared).problems
    assert [problem.rule for problem in found] == ["connector-option"]
    pathless = "CREATE TABLE g (a INT) WITH ('connector' = 'filesystem', 'format' = 'json');"
    assert_taken("SELECT a FROM g /*+ OPTIONS('path' = 'x') */;", pathless)


@pytest.mark.parametrize(
    ("options", "is_taken"),
    [
        ("'print', 'print-identifier' = 'x', 'standard-error' = 'true', 'sink.parallelism' = '2'", True),
        ("'print', 'identifier' = 'x'", False),
        ("'print', 'format' = 'json'", False),
        ("'blackhole'", True),
        ("'blackhole', 'sink.parallelism' = '2'", False),
        ("'filesystem', 'path' = 'x', 'format' = 'csv', 'csv.any' = 'x', 'auto-compaction' = 'true'", True),
        ("'filesystem', 'path' = 'x', 'format' = 'csv', 'sink.rolling' = '1MB'", False),
        ("'filesystem', 'path' = 'x'", False),
        ("'jdbc', 'any' = 'x'", True),
    ],
)
def test_options_of_a_sink_are_checked_where_it_is_filled(options: str, is_taken: bool) -> None:
    declared = FILLED.format(options=options)
    if is_taken:
        assert_taken("INSERT INTO p SELECT 1, 'x';", declared)
    else:
        assert_refused("connector-option", "INSERT INTO «p» SELECT 1, 'x';", declared)


def test_another_engine_may_know_more_options() -> None:
    found = validity("SELECT a FROM g;", "vvr", declared=generated("a INT", other="1"))
    assert not found.problems
    assert [problem.depends for problem in found.undecided] == ["engine"]
