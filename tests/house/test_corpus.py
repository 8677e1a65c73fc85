"""The output of `make corpus` on a folder of SQL, here one of our own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import corpus
from corpus_statements import faults
from keepstate.syntax.statement import parse_statement

TAKEN = {"parse": "ok"}
REFUSED = {"parse": "error"}
STATEMENTS = [
    {"repo": "a", "path": "1", "sql": "SELECT a FROM t", "flink_2_1": TAKEN},
    {"repo": "a", "path": "1", "sql": "CREATE VIEW v AS SELECT * FROM f(TABLE t)", "flink_2_1": TAKEN},
    {"repo": "a", "path": "2", "sql": "SELECT a FROM ${t} WHERE", "flink_2_1": REFUSED, "template": True},
    {"repo": "a", "path": "2", "sql": "SELECT a FROM ${t}", "flink_2_1": REFUSED, "template": True},
]
PAIR = {"baseline": "SELECT COUNT(*) FROM f(TABLE t)", "current": "SELECT COUNT(*) FROM g(TABLE t)"}


def laid_out(folder: Path, statements: list[dict[str, object]]) -> Path:
    folder.joinpath("statements.jsonl").write_text("\n".join(map(json.dumps, statements)))
    folder.joinpath("pairs.jsonl").write_text(json.dumps(PAIR))
    return folder


def test_it_counts_what_is_read_and_names_what_is_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert corpus.main(laid_out(tmp_path, STATEMENTS)) == 0
    said = capsys.readouterr().out
    assert "2 of 4 statements are taken by Flink's parser" in said
    assert "2 parse with full spans (100.00%)" in said
    assert "1 are read around their holes" in said
    assert "1  table function F over a table" in said
    assert "engine vvr: unknown 1" in said
    assert "construct-not-supported: table function F over a table\n" in said
    assert said.endswith("all targets are met\n")


def test_a_statement_that_flink_takes_and_nobody_reads_misses_the_target(tmp_path: Path) -> None:
    unread = {"repo": "a", "path": "3", "sql": "SELECT FROM", "flink_2_1": TAKEN}
    assert corpus.main(laid_out(tmp_path, [*STATEMENTS, unread])) == 1


def test_a_folder_that_is_no_corpus_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert corpus.main(tmp_path) == 2
    assert "name the folder: make corpus CORPUS=folder" in capsys.readouterr().out


def test_a_tree_that_lost_something_has_faults() -> None:
    parsed = parse_statement("SELECT SUM(a) AS total FROM t WHERE b = 'x'")
    assert list(faults(parsed)) == []
    assert parsed.tree is not None
    parsed.tree.set("where", None)
    parsed.tree.args["from_"].meta["span"] = (1, 5)
    found = set(faults(parsed))
    assert {"a string is in no part of the tree", "From does not begin and end with a token"} <= found
