"""The names of each statement of a script, by the declarations in front of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sqlglot import exp

from keepstate.names.recorder import NameRole, Occurrence, Recorder, StatementNames
from keepstate.plan.catalog import Definition, define
from keepstate.plan.names.full_names import names_in, table_name, upper
from keepstate.syntax.contents import Contents
from keepstate.syntax.kinds import StatementKind
from keepstate.syntax.memo import Memo, recent
from keepstate.syntax.script import Script
from keepstate.syntax.statement import ParsedStatement
from keepstate.syntax.tokens import TokenKind
from keepstate.text import Span
from keepstate.validation.declarations import declare
from keepstate.validation.inserts import check_insert
from keepstate.validation.queries import QueryCheck
from keepstate.validation.statement_context import DeclaredNames, DeclaredObject, StatementContext
from keepstate.validation.values.scopes import StatementRefused

_ABOUT_TABLES = frozenset("ANALYZE DESC DESCRIBE SHOW TRUNCATE".split())
_NAMING = (TokenKind.WORD, TokenKind.NAME)
_DECLARING = frozenset({StatementKind.CREATE_TABLE, StatementKind.CREATE_VIEW, StatementKind.CREATE_FUNCTION})
_SCRIPTS = 2
"""A rename asks about two in turn."""

_Effect = DeclaredObject | str
"""The effect of a statement on those behind it: a declaration, or the name that it drops."""


@dataclass(frozen=True)
class _Walked:
    """The names of all statements of a script, and by the indexes of some the effects of these."""

    contents: Contents
    names: Sequence[StatementNames]
    effects: Mapping[int, _Effect]

    def patched(self, contents: Contents, memo: Memo) -> _Walked | None:
        """The same of other contents, where only statements without effects differ; ``None`` where others do."""
        edits = contents.edits_since(self.contents)
        if edits is None or not self.effects.keys().isdisjoint(edits):
            return None
        names = list(self.names)
        for index in edits:
            walk = _StatementWalk(memo)
            for place, effect in self.effects.items():
                if place < index:
                    walk.take(effect)
            names[index], new_effect = walk.statement(contents.parsed[index])
            if new_effect is not None:
                return None
        return _Walked(contents, names, self.effects)


def walked_names(script: Script) -> Sequence[StatementNames]:
    """The names of each statement. A keystroke in a query leaves those of the others as they are.

    >>> from keepstate.syntax.script import parse_script
    >>> names = walked_names(parse_script("CREATE TABLE t (a INT); SELECT a, b FROM t"))
    >>> [len(each.occurrences) for each in names], names[1].unresolved
    ([2, 2], (Span(start=10, end=11),))
    """
    last: dict[Contents, _Walked] = script.memo.of_group(_Walked, (), dict)
    memo, contents = script.memo, script.contents

    def walked() -> _Walked:
        patches = (each.patched(contents, memo) for each in reversed(last.values()))
        patch = next((each for each in patches if each is not None), None)
        return patch if patch is not None else _walked(contents, memo)

    return recent(last, contents, _SCRIPTS, walked).names


def _walked(contents: Contents, memo: Memo) -> _Walked:
    walk = _StatementWalk(memo)
    names: list[StatementNames] = []
    effects: dict[int, _Effect] = {}
    for index, parsed in enumerate(contents.parsed):
        statement_names, effect = walk.statement(parsed)
        names.append(statement_names)
        if effect is not None:
            effects[index] = effect
            walk.take(effect)
    return _Walked(contents, names, effects)


class _StatementWalk:
    """A walk over the statements of a script, one after the other."""

    def __init__(self, memo: Memo) -> None:
        self._memo = memo
        self._declared = DeclaredNames()

    def statement(self, parsed: ParsedStatement) -> tuple[StatementNames, _Effect | None]:
        """The names of the statement at this place, and its effect."""
        tree = parsed.tree
        if isinstance(tree, (exp.Drop, exp.Alter)):
            return self._drop_or_alter(parsed, tree)
        if parsed.kind is StatementKind.OTHER and parsed.head_tokens[0].word in _ABOUT_TABLES:
            return self._described(parsed), None
        declarations = tuple((name, self._declared.get(name)) for name in self._memo.of(names_in, parsed))
        functions = tuple(self._declared.callable_in(parsed.namespace).items())
        definition = self._memo.of(define, parsed)
        key = (declarations, functions)
        declared, statement_names = self._memo.get_or_compute(
            walked_names, parsed, key, lambda: _resolve(parsed, definition, *key)
        )
        keeps = declared is not None and declared.name in self._declared and _may_exist(parsed)
        return statement_names, None if keeps else declared

    def take(self, effect: _Effect) -> None:
        """Go on behind a statement with this effect."""
        if isinstance(effect, str):
            self._declared.drop(effect)
        else:
            self._declared.declare(effect)

    def _drop_or_alter(
        self, parsed: ParsedStatement, tree: exp.Drop | exp.Alter
    ) -> tuple[StatementNames, _Effect | None]:
        """The names of DROP and ALTER: the one that is dropped or changed."""
        target = tree.this
        if not isinstance(target, exp.Table):
            return StatementNames(), None
        name = table_name(target)
        declared = self._declared.get(name) or self._declared.get(upper(name))
        drops = isinstance(tree, exp.Drop) or any(isinstance(each, exp.AlterRename) for each in tree.args["actions"])
        effect = (declared.name if declared is not None else name) if drops else None
        symbol = declared.rows.origin if declared is not None else None
        if symbol is None:
            return StatementNames(), effect
        return StatementNames((Occurrence(Span(*target.parts[-1].meta["span"]), symbol, NameRole.WRITE),)), effect

    def _described(self, parsed: ParsedStatement) -> StatementNames:
        """The names of SHOW, DESCRIBE and the like: tables and views in one word."""
        occurrences = []
        path: list[str] = []
        for token, following in pairwise(parsed.tokens):
            if token.text == ".":
                continue
            path.append(token.text.strip("`"))
            if following.text == ".":
                continue
            declared = self._declared.get(parsed.namespace.name(*path))
            path = []
            if declared is not None and declared.rows.origin is not None and token.kind in _NAMING:
                occurrences.append(Occurrence(Span(token.start, token.end), declared.rows.origin))
        return StatementNames(tuple(occurrences))


def _may_exist(statement: ParsedStatement) -> bool:
    """Return whether a declaration says IF NOT EXISTS, and so leaves what there is."""
    return isinstance(statement.tree, exp.Create) and bool(statement.tree.args.get("exists"))


def _resolve(
    statement: ParsedStatement,
    definition: Definition | None,
    declarations: tuple[tuple[str, DeclaredObject | None], ...],
    functions: tuple[tuple[str, DeclaredObject], ...],
) -> tuple[DeclaredObject | None, StatementNames]:
    tree = statement.tree
    if tree is None:
        return None, StatementNames()
    symbols = {name: each.rows.origin for name, each in functions if each.rows.origin is not None}
    recorder = Recorder(statement, symbols)
    names: Mapping[str, DeclaredObject] = {name: declared for name, declared in declarations if declared is not None}
    surroundings = StatementContext(names, frozenset(name for name, _ in functions))
    queries = recorder.queries = QueryCheck(statement, surroundings, [], recorder)
    declared: DeclaredObject | None = None
    try:
        if statement.kind in _DECLARING:
            declared = declare(statement, definition, surroundings, queries)
        elif isinstance(tree, exp.Insert):
            check_insert(tree, surroundings, queries)
        elif statement.kind is StatementKind.QUERY:
            queries.outermost(tree)
        elif statement.kind is StatementKind.OTHER:
            for child in tree.iter_expressions():
                if isinstance(child, exp.Query):
                    queries.query(child)
                elif isinstance(child, exp.Insert):
                    check_insert(child, surroundings, queries)
    except StatementRefused:
        # The names up to there are kept.
        pass
    except RecursionError:
        return None, StatementNames()
    return declared, recorder.names()
