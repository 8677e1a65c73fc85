"""Splitter, tokenizer, parser, spans; and positions in the three encodings of LSP."""

from __future__ import annotations

from itertools import pairwise

from analysis_targets import fresh, fresh_of_pairs, seeds, seeds_of_pairs
from fuzz_target import Target, text_of, texts_of
from keepstate import looks_like_flink, parse_script
from keepstate.syntax.spans import span_of
from keepstate.syntax.splitting.resplitting import Splits
from keepstate.syntax.splitting.splitter import split
from keepstate.syntax.statement import ParsedStatement, parse_statement
from keepstate.syntax.tokens import lex
from keepstate.text import Encoding, LineIndex, Position, Span
from sql_seeds import SQL_WORDS

ODD_WORDS = (
    "'",
    "`",
    '"',
    "/*",
    "*/",
    "--",
    "\\",
    ";",
    "\x00",
    "\ufeff",
    "😀",
    "\u2028",
    "\ud800",
    "\r",
    "{{",
    "}}",
    "${",
    "{%",
)


def read_a_script(data: bytes) -> None:
    """The pieces of any text lie in it, in order, and a second reading gives the same."""
    text = text_of(data)
    looks_like_flink(text)
    script = parse_script(text)
    done = 0
    for statement in script.statements:
        assert done <= statement.span.start <= statement.span.end <= len(text)
        assert statement.span.of(text) == statement.text
        done = statement.span.end
        _check_statement(statement.parsed)
    for span in (
        *(p.span for p in script.problems),
        *(c.span for c in script.comments),
        *(h.span for h in script.placeholders),
    ):
        assert span is None or 0 <= span.start <= span.end <= len(text), span
    assert [problem.span for problem in script.problems] == sorted(
        (problem.span for problem in script.problems), key=lambda span: (span.start, span.end) if span else (0, 0)
    )


def _check_statement(parsed: ParsedStatement) -> None:
    text = parsed.text
    done = 0
    for token in lex(text).tokens:
        assert done <= token.start <= token.end <= len(text)
        assert text[token.start : token.end] == token.text, token
        done = token.end
    for problem in parsed.problems:
        assert problem.span is None or problem.span.end <= len(text)
    if parsed.tree is None:
        return
    for node in parsed.tree.walk():
        span = span_of(node)
        assert span is None or 0 <= span.start <= span.end <= len(text), (node, span)
    again = parse_statement(text + " ")
    assert again.tree == parsed.tree, "a space behind a statement changes what it says"


def read_after_an_edit(data: bytes) -> None:
    """To split only around an edit gives what it gives to split everything."""
    before, after = texts_of(data, 2)
    splits = Splits()
    for text in (before, after, before):
        pieces, _ = splits.resplit(text)
        assert pieces == split(text)


def convert_positions(data: bytes) -> None:
    """Offsets and positions lead to each other, in every encoding, and what is outside is brought inside."""
    text = text_of(data)
    lines = LineIndex(text)
    for encoding in Encoding:
        last = Position(0, 0)
        for offset in range(len(text) + 1):
            position = lines.position(offset, encoding)
            assert last <= position, "positions go forward with offsets"
            last = position
            back = lines.offset(position, encoding)
            span = lines.line_span(position.line)
            assert back == min(offset, span.end), "only the inside of a line break has no position of its own"
            assert span.start <= back <= span.end
        for line in (-1, 0, lines.line_count - 1, lines.line_count, 10**9):
            for character in (-1, 0, 1, 7, 10**9):
                assert 0 <= lines.offset(Position(line, character), encoding) <= len(text)
    spans = [lines.line_span(line) for line in range(lines.line_count)]
    assert all(one.end <= other.start for one, other in pairwise(spans))
    assert spans[-1] == Span(spans[-1].start, len(text))


TARGETS = (
    Target("scripts", read_a_script, seeds, (*SQL_WORDS, *ODD_WORDS), fresh),
    Target(
        "edited-scripts",
        read_after_an_edit,
        seeds_of_pairs,
        (*SQL_WORDS, *ODD_WORDS),
        fresh_of_pairs,
    ),
    Target(
        "positions",
        convert_positions,
        lambda: ["SELECT 1;\r\nSELECT '😀é\u2028'\r;\n\n".encode(), b"", b"\r", b"a\n"],
        ODD_WORDS,
    ),
)
