"""The quick look for tokens over several lines is right whenever it says that there are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepstate.syntax.tokens import lex, stays_in_lines

PIECES = """' '' ` " -- // /* */ /*+ a e E E' x' u&' _utf8' { } {{ }} ${ ${a} {a} {% %} {# #} $ $(a @ @a@ < <a > \\ \\'
:b %(a)s %s select 1 ; * / - + , ( ) 'x' /*c*/""".split()


@given(st.lists(st.sampled_from([*PIECES, " ", "\n", "\n  ", "\r\n", "\t", "é"]), max_size=30).map("".join))
def test_no_token_goes_over_lines_where_none_is_seen(text: str) -> None:
    if stays_in_lines(text):
        assert not [token for token in lex(text).tokens if "\n" in token.text]
        indented = text.replace("\n", "\n      ")
        assert [token.text.rstrip() for token in lex(indented).tokens] == [
            each.text.rstrip() for each in lex(text).tokens
        ]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 'it''s', `a``b`, x -- it's\n, /* don't\n care */ ${limit} // it's\nFROM t",
        "SELECT a /*+ OPTIONS('k' = 'v') */\nFROM t WHERE b = '' OR c LIKE '\\d'",
    ],
)
def test_quotes_that_end_in_their_line_are_told_from_others(text: str) -> None:
    assert stays_in_lines(text)
    assert not stays_in_lines(text + " 'a\nb'")
    assert not stays_in_lines(text + " 'a")
