"""Names as tokens write them."""

from __future__ import annotations

from keepstate.syntax.tokens import Token, TokenKind


def is_name(token: Token) -> bool:
    """Return whether a token may be a name: a word, or a name in backticks."""
    return token.kind in (TokenKind.WORD, TokenKind.NAME)


def unquoted(token: Token) -> str:
    """The name that a token writes."""
    return token.text[1:-1].replace("``", "`") if token.kind is TokenKind.NAME else token.text
