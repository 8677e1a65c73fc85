"""Finds the statements in a piece of text that does not parse as one."""

from __future__ import annotations

from collections.abc import Iterator

from keepstate.syntax.kinds import StatementKind
from keepstate.syntax.statement import ParsedStatement
from keepstate.syntax.tokens import Token, TokenKind
from keepstate.text import Span

_OBJECTS = (
    "AGENT",
    "CATALOG",
    "CONNECTION",
    "DATABASE",
    "FUNCTION",
    "MATERIALIZED",
    "MODEL",
    "SYSTEM",
    "TABLE",
    "TEMPORARY",
    "TOOL",
    "VIEW",
)
_SECOND_WORDS: dict[str, tuple[str, ...]] = {
    "ALTER": _OBJECTS,
    "BEGIN": ("STATEMENT",),
    "CREATE": (*_OBJECTS, "OR"),
    "DROP": _OBJECTS,
    "EXECUTE": ("STATEMENT", "INSERT", "PLAN"),
    "INSERT": ("INTO", "OVERWRITE"),
}
_STARTS = frozenset({*_SECOND_WORDS, "SET", "RESET"})
_WRAPPERS = ("EXPLAIN", "EXECUTE", "COMPILE")


def statement_set_head(tokens: tuple[Token, ...]) -> int:
    """Return the number of tokens of ``EXECUTE STATEMENT SET BEGIN`` (or EXPLAIN, or COMPILE) at the start; 0 if there
    is none.

    >>> from keepstate.syntax.tokens import lex
    >>> statement_set_head(lex("EXECUTE STATEMENT SET BEGIN INSERT INTO s SELECT a FROM t").tokens)
    4
    """
    for index, token in enumerate(tokens[:-3]):
        if token.word == "STATEMENT":
            found = tokens[index + 1].word == "SET" and tokens[index + 2].word == "BEGIN"
            return index + 3 if found else 0
        if token.word in ("INSERT", "SELECT", "WITH", "CREATE"):
            return 0
    return 0


def missing_semicolons(broken: ParsedStatement) -> tuple[Span, ...]:
    r"""The statements in a broken one, if lines in it begin like statements: a semicolon was forgotten before them.

    >>> from keepstate.syntax.memo import Memo
    >>> text = "CREATE TABLE t (a INT)\nINSERT INTO s SELECT a FROM t;"
    >>> [span.of(text) for span in missing_semicolons(Memo().statement(text))]
    ['CREATE TABLE t (a INT)', 'INSERT INTO s SELECT a FROM t;']
    """
    assert broken.kind is StatementKind.BROKEN
    starts = [0, *_statement_starts(broken)]
    tokens = broken.tokens
    if len(starts) == 1:
        return ()
    ends = [*starts[1:], len(tokens) - 1]
    return tuple(
        Span(tokens[start].start, tokens[end - 1].end) for start, end in zip(starts, ends, strict=True) if start < end
    )


def _statement_starts(broken: ParsedStatement) -> Iterator[int]:
    text, tokens = broken.text, broken.tokens
    stop = broken.problems[0].span
    for index in range(1, len(tokens) - 1):
        token, following = tokens[index], tokens[index + 1]
        # SELECT and WITH stand at line starts inside of statements: only where reading stopped do they begin one.
        stops_here = token.word in ("SELECT", "WITH") and stop is not None and token.start == stop.start
        ends_here = token.word == "END" and following.kind is TokenKind.END
        if starts_statement(text, token, following, tokens[index - 1]) or (
            (stops_here or ends_here)
            and token.kind is TokenKind.WORD
            and _is_first_on_line(text, token)
            and tokens[index - 1].word not in _WRAPPERS
        ):
            yield index


def starts_statement(text: str, token: Token, following: Token, before: Token) -> bool:
    r"""Return whether a token of ``text`` stands first on its line and begins a statement that is no query.

    >>> from keepstate.syntax.tokens import lex
    >>> text = "SELECT a\nCREATE TABLE t (a INT)"
    >>> tokens = lex(text).tokens
    >>> starts_statement(text, tokens[2], tokens[3], tokens[1])
    True
    """
    if token.word not in _STARTS or token.kind is not TokenKind.WORD:
        return False
    if not _is_first_on_line(text, token) or before.word in _WRAPPERS:
        return False
    if token.word in ("SET", "RESET"):
        return following.kind is TokenKind.STRING
    return following.word in _SECOND_WORDS[token.word]


def _is_first_on_line(text: str, token: Token) -> bool:
    line = text[max(text.rfind("\n", 0, token.start), text.rfind("\r", 0, token.start)) + 1 : token.start]
    return not line.strip()
