"""Position in the token stream, and the basic steps of the grammar: look, take, expect, fail, finish."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn, TypeVar

from sqlglot import exp

from keepstate.syntax.tokens import Token, TokenKind

Node = TypeVar("Node", bound=exp.Expr)

MAX_DEPTH = 100
"""Maximum nesting of expressions, queries and types. It is far above written SQL, and within Python's stack for this
parser and for recursive walks over the tree.
"""
TOO_DEEP = f"This is nested more than {MAX_DEPTH} levels deep; it was not analysed."

_FOUND = 40
"""Characters of an unexpected token that a message shows."""


class Unparsable(Exception):
    """The statement cannot be read; ``message`` is a sentence for a person, ``token`` the place."""

    def __init__(self, message: str, token: Token) -> None:
        super().__init__(message)
        self.message = message
        self.token = token


class TooDeep(Unparsable):
    """The statement is nested deeper than what is analysed."""


@dataclass(frozen=True, slots=True)
class Leniency:
    """Something that this grammar reads and the parser of open-source Flink refuses."""

    rule: str
    """In kebab case; of a ``reserved-word`` the version of Flink says whether it is refused."""
    index: int
    """The number of the token at which that parser stops."""
    message: str
    """One sentence in plain English."""


class TokenCursor:
    """Reads the tokens of one statement; ``token`` is the next one, ``end`` the end of the last one taken."""

    def __init__(self, tokens: tuple[Token, ...]) -> None:
        self.tokens = tokens
        self.index = 0
        self.token = tokens[0]
        self.end = 0
        self.depth = 0
        self.loose: set[int] = set()
        """Start offsets of placeholders that are not part of the tree."""
        self.leniencies: list[Leniency] = []
        """Text that was read although Flink refuses it, in the order of the tokens."""

    def advance(self) -> Token:
        """Take the next token (the end stays where it is)."""
        token = self.token
        if token.kind is not TokenKind.END:
            self.end = token.end
            self.index += 1
            self.token = self.tokens[self.index]
        return token

    def pass_placeholder(self) -> None:
        """Pass a placeholder with any content: parse the text around it, and note the placeholder itself."""
        self.loose.add(self.token.start)
        self.advance()

    def pass_placeholders(self) -> None:
        while self.token.kind is TokenKind.PLACEHOLDER:
            self.pass_placeholder()

    def peek(self, ahead: int = 1) -> Token:
        """The token ``ahead`` places behind the next one."""
        index = self.index + ahead
        return self.tokens[index] if index < len(self.tokens) else self.tokens[-1]

    def at(self, *words: str) -> bool:
        """Return whether the next tokens are these words and symbols, in this order."""
        if self.token.word != words[0]:
            return False
        return all(self.peek(ahead).word == word for ahead, word in enumerate(words[1:], 1))

    def accept(self, *words: str) -> bool:
        """Take the next tokens if they are these words and symbols, in this order."""
        if not self.at(*words):
            return False
        for _ in words:
            self.advance()
        return True

    def accept_any(self, *words: str) -> str:
        """Take the next token if it is one of these; its word, or nothing."""
        word = self.token.word
        if word and word in words:
            self.advance()
            return word
        return ""

    def expect(self, *words: str) -> None:
        """Take these words and symbols, in this order, or fail."""
        for word in words:
            if self.token.word != word:
                self.fail(word if word[0].isalpha() else f"'{word}'")
            self.advance()

    def fail(self, expected: str, token: Token | None = None) -> NoReturn:
        """Stop because something else was expected at ``token`` (the next one if not given)."""
        token = token or self.token
        if token.kind is TokenKind.BAD:
            raise Unparsable(_describe_bad(token), token)
        actual = "the statement ends" if token.kind is TokenKind.END else f"found '{_shorten(token.text)}'"
        if token.kind is TokenKind.PLACEHOLDER:
            actual = f"a template fills in '{_shorten(token.text)}' here"
        raise Unparsable(f"Expected {expected}, but {actual}.", token)

    def refuse(self, message: str, token: Token | None = None) -> NoReturn:
        """Stop with a message of its own."""
        raise Unparsable(message, token or self.token)

    def tolerate(self, rule: str, message: str, index: int | None = None) -> None:
        """Note that Flink's parser would stop at the token ``index`` (the next one if not given), and read on."""
        self.leniencies.append(Leniency(rule, self.index if index is None else index, message))

    def enter(self) -> None:
        """Go one level deeper; the caller leaves by ``depth -= 1``."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TooDeep(TOO_DEEP, self.token)

    def finish(self, start: int, node: Node) -> Node:
        """``node`` with the span from ``start`` to the last token taken."""
        node.meta["span"] = (start, self.end)
        return node

    def finish_clause(self, start: int, keyword_end: int, node: Node) -> Node:
        """Finish a node like ``finish``, with the span of its keyword or symbol at its start."""
        meta = node.meta
        meta["span"] = (start, self.end)
        meta["keyword"] = (start, keyword_end)
        return node


def _shorten(text: str) -> str:
    line = text.splitlines()[0] if text.splitlines() else text
    return line if len(line) <= _FOUND and line == text else line[:_FOUND] + "…"


def _describe_bad(token: Token) -> str:
    opener = token.text[:1]
    if opener == "'":
        return "This string has no closing quote."
    if opener == "`":
        return "This name has no closing backtick."
    if opener == '"':
        return "Flink SQL writes names in `backticks` and strings in 'single quotes', not in double quotes."
    if token.text.startswith("/*"):
        return "This comment has no closing */."
    return f"The character {_shorten(token.text)!r} has no meaning in Flink SQL."
