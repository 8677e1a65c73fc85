"""Numbers of semantic tokens, made of those of each statement, are those of the whole text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from keepstate import Draft
from keepstate.text import Encoding, LineIndex, Span
from keepstate_lsp.features.token_data import MODIFIERS, TYPES, token_data, token_edit

PIECES = """SELECT a FROM t ; , CREATE TABLE VIEW v AS ( ) `b c` 'x' 'y
z' COUNT(*) -- é𝄞 /*m
n*/ 1 𝄞 BEGIN END INSERT INTO /*+ OPTIONS('k'='v') */""".split(" ")


def decoded(data: list[int]) -> list[tuple[int, int, int, str, int]]:
    """The tokens that a client reads: line, character, length, type, modifiers."""
    line = start = 0
    tokens = []
    for behind, further, length, kind, modifiers in zip(*[iter(data)] * 5, strict=True):
        line, start = line + behind, further + (0 if behind else start)
        tokens.append((line, start, length, TYPES[kind], modifiers))
    return tokens


@given(
    st.lists(st.sampled_from([*PIECES, "\n", "\r\n", "\n  "]), max_size=40).map(" ".join),
    st.sampled_from(Encoding),
    st.none() | st.tuples(st.integers(0, 120), st.integers(0, 120)),
)
def test_the_tokens_are_those_of_the_text(text: str, encoding: Encoding, ends: tuple[int, int] | None) -> None:
    lines, draft = LineIndex(text), Draft()
    within = None if ends is None else Span(min(*ends, len(text)), min(max(ends), len(text)))
    expected = []
    for token in draft.meant_tokens(text):
        if within is not None and (token.span.end < within.start or token.span.start > within.end):
            continue
        modifiers = token.declares << MODIFIERS.index("declaration") | token.built_in << MODIFIERS.index(
            "defaultLibrary"
        )
        first, last = lines.position(token.span.start).line, lines.position(token.span.end).line
        for line in range(first, last + 1):
            whole = lines.line_span(line)
            start, end = max(whole.start, token.span.start), min(whole.end, token.span.end)
            if start < end:
                character = lines.position(start, encoding).character
                length = encoding.width(text[start:end])
                expected.append((line, character, length, token.meaning.value, modifiers))
    assert decoded(token_data(draft, lines, encoding, within)) == expected
    # The next text takes over what it shares with this one.
    longer = f"{text}\n;SELECT a"
    assert token_data(draft, LineIndex(longer), encoding) == token_data(Draft(), LineIndex(longer), encoding)


@given(st.lists(st.integers(0, 2), max_size=9), st.lists(st.integers(0, 2), max_size=9), st.integers(0, 3000))
def test_an_edit_of_the_numbers_makes_the_later_ones(before: list[int], after: list[int], shared: int) -> None:
    around = [7] * shared
    first, later = [*around, *before, *around], [*around, *after, *around]
    start, removed, new = token_edit(first, later)
    assert [*first[:start], *new, *first[start + removed :]] == later
    assert removed + len(new) <= len(before) + len(after)
