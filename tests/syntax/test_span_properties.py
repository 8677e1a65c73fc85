"""Properties of trees and spans, over random statements in random layout."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from flink_texts import TokenWriter, write
from keepstate.syntax.memo import Memo
from keepstate.syntax.script import StatementKind, parse_script
from keepstate.syntax.spans import span_of
from trees import assert_expressions_parse_again, assert_spans_nest, parse, tree_of

CHANCE = st.integers(0, 2**32).map(random.Random)
PROPERTY = settings(max_examples=150, deadline=None)


@given(CHANCE)
@PROPERTY
def test_every_node_has_a_span_in_its_parent_and_beside_its_siblings(chance: random.Random) -> None:
    assert_spans_nest(parse(write(TokenWriter(chance).statement(), chance)))


@given(CHANCE)
@PROPERTY
def test_the_text_of_an_expression_parses_to_an_equal_tree(chance: random.Random) -> None:
    assert_expressions_parse_again(parse(write(TokenWriter(chance).statement(), chance)))


@given(CHANCE)
@PROPERTY
def test_layout_changes_neither_tree_nor_token_key(chance: random.Random) -> None:
    tokens = TokenWriter(chance).statement()
    plain, adorned = parse(" ".join(tokens)), parse(write(tokens, chance, comments=0.4))
    assert plain.tree == adorned.tree
    assert plain.token_key == adorned.token_key


@given(CHANCE)
@PROPERTY
def test_spans_begin_and_end_with_code(chance: random.Random) -> None:
    parsed = parse(write(TokenWriter(chance).statement(), chance, comments=0.3))
    starts = {token.start for token in parsed.tokens}
    ends = {token.end for token in parsed.tokens}
    for node in tree_of(parsed).walk():
        span = span_of(node)
        assert span is not None and span.start in starts and span.end in ends


@given(CHANCE, st.integers(1, 4))
@PROPERTY
def test_a_script_finds_each_statement_where_it_stands(chance: random.Random, count: int) -> None:
    texts = [write(TokenWriter(chance).statement(1), chance) for _ in range(count)]
    gaps = [chance.choice([";", " ;\r\n-- x;'\n", ";;\n/* ' ; */"]) for _ in texts]
    script = parse_script("".join(text + "\n" + gap for text, gap in zip(texts, gaps, strict=True)))
    assert [statement.text for statement in script.statements] == texts
    assert all(statement.span.of(script.text) == statement.text for statement in script.statements)
    assert not script.problems


@given(CHANCE, st.sampled_from(["delete", "double", "swap", "cut"]))
@PROPERTY
def test_a_damaged_statement_leaves_the_others_alone(chance: random.Random, damage: str) -> None:
    tokens = TokenWriter(chance).statement()
    index = chance.randrange(len(tokens))
    if damage == "delete":
        del tokens[index]
    elif damage == "double":
        tokens.insert(index, tokens[index])
    elif damage == "swap":
        other = chance.randrange(len(tokens))
        tokens[index], tokens[other] = tokens[other], tokens[index]
    else:
        del tokens[index:]
    text = write(tokens, chance)
    script = parse_script(f"SELECT 1 AS one;\n{text}\n;\nINSERT INTO two SELECT 2")
    first, *_, last = script.statements
    assert (first.text, last.text) == ("SELECT 1 AS one", "INSERT INTO two SELECT 2")
    assert last.kind is StatementKind.INSERT
    for problem in script.problems:
        assert problem.span is not None and problem.span.end <= len(script.text)


def test_equal_texts_are_parsed_once_and_compared_by_identity() -> None:
    memo = Memo()
    first, second = parse_script("SELECT a FROM t;  SELECT a FROM t", memo).statements
    assert first.parsed is second.parsed
    assert first.span != second.span
    assert parse_script("SELECT a FROM t", memo).statements[0].parsed is first.parsed
    assert parse_script("SELECT a  FROM t", memo).statements[0].parsed is not first.parsed
    assert parse_script("SELECT a FROM t").statements[0].parsed is not first.parsed
