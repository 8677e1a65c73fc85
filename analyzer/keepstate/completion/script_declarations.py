"""Tables, views and functions that a script declares in front of the cursor, resolved when they are needed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from keepstate.completion.tolerant_validation import TolerantQueries
from keepstate.plan.catalog import FunctionDefinition, TableDefinition, ViewDefinition, define
from keepstate.plan.names.full_names import names_in
from keepstate.structure.token_names import unquoted
from keepstate.syntax.kinds import StatementKind
from keepstate.syntax.memo import Memo
from keepstate.syntax.splitting.recovery import missing_semicolons
from keepstate.syntax.statement import ParsedStatement
from keepstate.syntax.tokens import Token, TokenKind
from keepstate.text import Span
from keepstate.validation.declarations import declare
from keepstate.validation.queries import QueryCheck
from keepstate.validation.statement_context import DeclaredObject, Dialect, StatementContext
from keepstate.validation.values.scopes import OPEN_ROWS, StatementRefused

_CREATES = re.compile(r"CREATE\b", re.IGNORECASE)
_DEEPEST = 50
"""Views over views that are followed; more are taken for unknown."""


class Declarations(Mapping[str, DeclaredObject]):
    """The relations of a script by their names, as the validator wants them.

    A name is resolved at its first use, with all that it reads. The memo keeps the result for each statement and what
    it reaches, so a keystroke elsewhere costs nothing.
    """

    def __init__(self, text: str, memo: Memo, dialect: Dialect) -> None:
        """Read the declarations of ``text``, which ends in front of the statement that is being written."""
        self._memo = memo
        self._dialect = dialect
        self.definitions: dict[str, TableDefinition | ViewDefinition] = {}
        """Tables and views, in their order."""
        self.functions: dict[str, FunctionDefinition] = {}
        """By their names in upper case."""
        self.statements: list[ParsedStatement] = []
        self._resolving: list[str] = []
        pieces, _ = memo.splits.resplit(text)
        for span in pieces.statements:
            if _CREATES.match(text, span.start):
                self._read(memo.statement(span.of(text)))

    def __getitem__(self, name: str) -> DeclaredObject:
        definition = self.definitions[name]
        if name in self._resolving or len(self._resolving) > _DEEPEST:
            raise KeyError(name)
        statement = definition.statement
        self._resolving.append(name)
        try:
            declarations = tuple(
                self.get(each) for each in self._memo.of(names_in, statement) if each in self.definitions
            )
            key = (self._dialect, declarations, self.function_names)
            return self._memo.get_or_compute(Declarations, statement, key, lambda: self._declared(definition))
        finally:
            self._resolving.pop()

    def __iter__(self) -> Iterator[str]:
        return iter(self.definitions)

    def __len__(self) -> int:
        return len(self.definitions)

    @cached_property
    def function_names(self) -> frozenset[str]:
        return frozenset(self.functions)

    @cached_property
    def surroundings(self) -> StatementContext:
        return StatementContext(self, self.function_names, self._dialect)

    def function_as_written(self, name: str) -> str:
        """The name of a function in the case of its declaration."""
        tree = self.functions[name].statement.tree
        return str(tree.this.name) if tree is not None and tree.this.name.upper() == name else name

    def spellings(self, tokens: tuple[Token, ...]) -> dict[str, tuple[str, ...]]:
        """The names of fields of ROW here and in ``tokens``, by their upper case, which is all that a type has."""
        spellings = _spellings_in(tokens)
        for statement in self.statements:
            spellings = {**self._memo.of(_spellings_of, statement), **spellings}
        return spellings

    def _read(self, statement: ParsedStatement) -> None:
        if statement.kind is StatementKind.BROKEN:
            for part in missing_semicolons(statement) if statement.tokens else ():
                piece = part.of(statement.text)
                if piece != statement.text and _CREATES.match(piece):
                    self._read(self._memo.statement(piece))
            return
        definition = self._memo.of(define, statement)
        if definition is None:
            return
        self.statements.append(statement)
        if isinstance(definition, FunctionDefinition):
            self.functions[definition.name] = definition
        else:
            self.definitions[definition.name] = definition

    def _declared(self, definition: TableDefinition | ViewDefinition) -> DeclaredObject:
        """The declaration, as far as it can be read where Flink would refuse it."""
        statement = definition.statement
        for queries in (QueryCheck, TolerantQueries):
            try:
                declared = declare(statement, definition, self.surroundings, queries(statement, self.surroundings, []))
            except (StatementRefused, RecursionError):
                continue
            if declared is not None:
                return declared
        whole = Span(0, len(statement.text))
        return DeclaredObject(definition.name, statement, whole, OPEN_ROWS, _kind(definition))


def _kind(definition: TableDefinition | ViewDefinition) -> str:
    return "view" if isinstance(definition, ViewDefinition) else "table"


def _spellings_in(tokens: tuple[Token, ...]) -> dict[str, tuple[str, ...]]:
    """The names of fields in the types of these tokens, by their upper case."""
    spellings: dict[str, dict[str, None]] = {}
    depth = 0
    for index, token in enumerate(tokens):
        if token.word in ("<", "(") and index and tokens[index - 1].word == "ROW":
            depth += 1
        elif token.word in (">", ")") and depth:
            depth -= 1
        elif depth and tokens[index - 1].word in ("<", "(", ",") and token.kind in (TokenKind.WORD, TokenKind.NAME):
            name = unquoted(token)
            spellings.setdefault(name.upper(), {})[name] = None
    return {name: tuple(variants) for name, variants in spellings.items()}


def _spellings_of(statement: ParsedStatement) -> dict[str, tuple[str, ...]]:
    return _spellings_in(statement.tokens)
