"""Pairs of ``make differential``: made again by their seed, and of every kind, in scripts that are valid."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from generated_pairs import EDITS, REWRITES, Change, given_contexts, measured_contexts, pair_of, places_of
from keepstate.syntax.script import parse_script
from keepstate.validation import Answer, validate
from sql_places import Places
from sql_tokens import tokens_of

KINDS = {
    **{f"rewrite:{name}": kind for name, kind in REWRITES.items()},
    **{f"edit:{name}": kind for name, kind in EDITS.items()},
}
REFUSED = {"rewrite:spelling-group-ordinal"}
"""Flink takes no ordinals in GROUP BY, so the product does not either."""
TRIES = 2_000
FEW = 8


def is_valid(script: str) -> bool:
    return validate(parse_script(script)).answer is not Answer.INVALID


def test_a_pair_can_be_made_again() -> None:
    for number in range(40):
        assert pair_of(number, "3") == pair_of(number, "3")
    assert [pair_of(number, "3") for number in range(9)] != [pair_of(number, "4") for number in range(9)]


def test_both_sides_differ_and_every_second_pair_is_an_edit() -> None:
    for number in range(60):
        pair = pair_of(number, "5")
        assert pair.a != pair.b
        assert pair.kind.startswith("edit:" if number % 2 else "rewrite:")


def test_there_are_many_kinds() -> None:
    assert len(REWRITES) >= 40
    assert len(EDITS) >= 40


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_kind_makes_valid_scripts(kind: str) -> None:
    assert has_a_valid_pair(KINDS[kind]) is (kind not in REFUSED)


def has_a_valid_pair(change: Change) -> bool:
    """Return whether both sides of one of the first few pairs are valid; some edits drop what another clause reads."""
    random = Random(11)
    made = 0
    for _ in range(TRIES):
        pair = change(places_of(random.choice(measured_contexts()).script), random)
        if pair is None or pair[0] == pair[1]:
            continue
        if all(map(is_valid, pair)):
            return True
        made += 1
        if made == FEW:
            break
    return False


def test_given_scripts_are_contexts(tmp_path: Path) -> None:
    declared = "CREATE TABLE orders (id INT, item STRING) WITH ('connector' = 'kafka');\n"
    (tmp_path / "job.sql").write_text(declared + "SELECT item, COUNT(*) AS n FROM orders GROUP BY item;\n", "utf-8")
    lines = [{"sql": declared + "SELECT id FROM orders;"}, {"sql": "no query"}]
    (tmp_path / "jobs.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    contexts = given_contexts(tmp_path)
    assert [context.name for context in contexts] == ["given/job", "given/jobs-0"]
    pairs = [pair_of(number, "1", contexts) for number in range(0, 60, 3)]
    assert any(pair.context.startswith("given/") and "orders" in pair.b for pair in pairs)


def test_columns_are_found_through_layers() -> None:
    script = (
        "CREATE TABLE t (a INT, `b c` STRING NOT NULL, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)"
        " WITH ('connector' = 'kafka');\n"
        "CREATE VIEW v AS SELECT a AS x, ts FROM t;\n"
        "SELECT l.x FROM v AS l JOIN (SELECT * FROM t) AS r ON l.x = r.a;"
    )
    block = Places(script).queries[-1]
    assert [(column.reference, column.type, column.not_null) for column in block.columns] == [
        ("l.x", "INT", False),
        ("l.ts", "ROWTIME", False),
        ("r.a", "INT", False),
        ("r.`b c`", "STRING", True),
        ("r.ts", "ROWTIME", False),
    ]


def test_literals_and_comments_are_no_words() -> None:
    tokens = tokens_of("SELECT 'FROM; ('' ' /* WHERE ( */ -- GROUP\n, U&'x' /*+ h */ `a(`")
    assert [token.text for token in tokens] == ["SELECT", "'FROM; ('' '", ",", "U&'x'", "/*+ h */", "`a(`"]
    assert {token.depth for token in tokens} == {0}
