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
_WRAPPERS = ("EXPLAIN", "EXECUTE", "COMPILE")


def statement_set_head(tokens: tuple[Token, ...]) -> int:
    """Return the number of tokens of ``EXECUTE STATEMENT SET BEGIN`` (or EXPLAIN, or COMPILE) at the start; 0 if there
    is none.
    """
    for index, token in enumerate(tokens[:-3]):
        if token.word == "STATEMENT":
            found = tokens[index + 1].word == "SET" and tokens[index + 2].word == "BEGIN"
            return index + 3 if found else 0
        if token.word in ("INSERT", "SELECT", "WITH", "CREATE"):
            return 0
    return 0


def missing_semicolons(broken: ParsedStatement) -> tuple[Span, ...]:
    """The statements in a broken one, if lines in it begin like statements: a semicolon was forgotten before them."""
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
        token = tokens[index]
        if (
            token.kind is not TokenKind.WORD
            or not _is_first_on_line(text, token)
            or tokens[index - 1].word in _WRAPPERS
        ):
            continue
        following = tokens[index + 1]
        seconds = _SECOND_WORDS.get(token.word)
        if seconds is not None:
            if following.word in seconds:
                yield index
        elif token.word in ("SET", "RESET"):
            if following.kind is TokenKind.STRING:
                yield index
        elif token.word == "END":
            if following.kind is TokenKind.END:
                yield index
        # SELECT and WITH stand at line starts inside of statements: only where reading stopped do they begin one.
        elif token.word in ("SELECT", "WITH") and stop is not None and token.start == stop.start:
            yield index


def _is_first_on_line(text: str, token: Token) -> bool:
    line = text[max(text.rfind("\n", 0, token.start), text.rfind("\r", 0, token.start)) + 1 : token.start]
    return not line.strip()
