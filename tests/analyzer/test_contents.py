"""The statements of a script by their kinds: patched from a former text, they are those of a text that is read anew."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from keepstate.syntax.kinds import StatementKind
from keepstate.syntax.memo import Memo
from keepstate.syntax.script import parse_script

_STATEMENTS = (
    "SELECT a FROM t",
    "INSERT INTO s SELECT a FROM t",
    "SET 'a' = 'b'",
    "CREATE TABLE t (a INT)",
    "SELECT FROM",
)
_scripts = st.lists(st.sampled_from(_STATEMENTS), min_size=1, max_size=6)


@given(st.lists(_scripts, min_size=1, max_size=5))
def test_kinds_after_edits_are_those_of_the_text(texts: list[list[str]]) -> None:
    memo = Memo()
    for statements in texts:
        text = ";\n".join(statements)
        script, alone = parse_script(text, memo), parse_script(text)
        for kind in StatementKind:
            assert [*script.contents.indexes_of(kind)] == [*alone.contents.indexes_of(kind)]
