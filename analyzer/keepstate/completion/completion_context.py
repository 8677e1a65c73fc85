"""Facts about the place of a completion, which all kinds of proposals use."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from keepstate.completion.cursor_place import Cursor
from keepstate.completion.cursor_scopes import Scopes
from keepstate.completion.script_declarations import Declarations
from keepstate.structure.levels import Level, Levels, levels_of
from keepstate.syntax.memo import Memo
from keepstate.syntax.tokens import Token, TokenKind
from keepstate.validation.statement_context import Dialect


@dataclass(frozen=True)
class Context:
    """One place in one text."""

    cursor: Cursor
    memo: Memo
    dialect: Dialect

    @cached_property
    def levels(self) -> Levels:
        return levels_of(self.cursor.tokens, self.cursor.index)

    @cached_property
    def declarations(self) -> Declarations:
        return Declarations(self.cursor.text[: self.cursor.start], self.memo, self.dialect)

    @cached_property
    def scopes(self) -> Scopes:
        return Scopes(self.cursor.text, self.levels, self.declarations, self.memo)

    @property
    def level(self) -> Level:
        """The brackets around the cursor."""
        return self.levels.current

    def token(self, number: int) -> Token:
        return self.cursor.tokens[number]

    def word(self, number: int) -> str:
        """The word of a token in upper case; empty for names in backticks and outside of the statement."""
        if not 0 <= number < len(self.cursor.tokens):
            return ""
        token = self.cursor.tokens[number]
        return token.word if token.kind in (TokenKind.WORD, TokenKind.SYMBOL) else ""

    def words_before(self, count: int) -> tuple[str, ...]:
        """The last words in front of the cursor, the nearest one last."""
        return tuple(self.word(self.cursor.index - back) for back in range(count, 0, -1))

    @cached_property
    def members_before(self) -> list[int]:
        """The tokens directly in the brackets around the cursor, in front of it."""
        return [member for member in self.level.members if member < self.cursor.index]

    def since_comma(self) -> list[int]:
        """The tokens of the item of a list in which the cursor stands, in front of it."""
        members: list[int] = []
        for member in reversed(self.members_before):
            if self.word(member) == ",":
                break
            members.insert(0, member)
        return members
