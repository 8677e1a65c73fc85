"""Names as tokens write them."""

from __future__ import annotations

from keepstate.syntax.tokens import Token, TokenKind


def is_name(token: Token) -> bool:
    """Return whether a token may be a name: a word, or a name in backticks.

    >>> from keepstate.syntax.tokens import lex
    >>> [is_name(token) for token in lex("orders `group` 'text'").tokens[:3]]
    [True, True, False]
    """
    return token.kind in (TokenKind.WORD, TokenKind.NAME)


def unquoted(token: Token) -> str:
    """The name that a token writes.

    >>> from keepstate.syntax.tokens import lex
    >>> [unquoted(token) for token in lex("orders `group`").tokens[:2]]
    ['orders', 'group']
    """
    return token.text[1:-1].replace("``", "`") if token.kind is TokenKind.NAME else token.text
