"""Grouping: an aggregate query gives group keys, aggregates and constants, and nothing else."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from keepstate.plan.scalars.interval_lengths import singular
from keepstate.plan.types.builtin_functions import LEGACY_PROPERTIES, LEGACY_WINDOWS
from keepstate.syntax import syntax_nodes
from keepstate.syntax.keywords import RESERVED
from keepstate.syntax.tokens import lex
from keepstate.validation.values.builtin_signatures import is_aggregate, is_built_in
from keepstate.validation.values.expression_check import ExpressionCheck
from keepstate.validation.values.scopes import FromItem, StatementRefused, ValidationScope, refuse
from keepstate.validation.values.value import ExpressionContext

_QUERIES = (exp.Select, exp.SetOperation, exp.Subquery, exp.Exists, exp.Values)


@dataclass
class Groups:
    """The keys of one aggregate query, by what they mean."""

    scope: ValidationScope
    expressions: ExpressionCheck
    keys: frozenset[Hashable]
    windows: frozenset[Hashable]
    """The group windows among the keys."""
    tells_windows: bool
    """True if both ends of a window table function are among the keys."""

    @staticmethod
    def of(node: exp.Select, scope: ValidationScope, expressions: ExpressionCheck) -> Groups | None:
        """The groups of a query; ``None`` for one that does not aggregate.

        Raises:
            Refused: a key is none.
        """
        group, having = node.args.get("group"), node.args.get("having")
        own = [*node.expressions, *([having.this] if having is not None else [])]
        functions = expressions.functions
        if group is None and having is None and not any(holds_aggregate(each, functions) for each in own):
            return None
        keys: set[Hashable] = set()
        windows: set[Hashable] = set()
        plain: set[str] = set()
        place = ExpressionContext("GROUP BY", aggregates=False, windows=False)
        for key in _keys(group):
            expressions.refuse_null(key, expressions.value(key, scope, place))
            name = str(key.this).upper() if isinstance(key, exp.Anonymous) else ""
            key_meaning = meaning(key, scope, expressions)
            if name in LEGACY_WINDOWS:
                if windows - {key_meaning}:
                    expressions.later.refuse(
                        "group-window", expressions.span(key), "A query has one group window only."
                    )
                if _is_grouped_in_sets(group):
                    message = "A group window does not stand beside GROUPING SETS, CUBE or ROLLUP."
                    expressions.later.refuse("group-window", expressions.span(key), message)
                windows.add(key_meaning)
            plain.add(key.name)
            keys.add(key_meaning)
        tells = {"window_start", "window_end"} <= plain
        return Groups(scope, expressions, frozenset(keys), frozenset(windows), tells)

    def check(self, node: exp.Expression) -> None:
        """Refuse what is neither key nor aggregate nor constant in ``node``."""
        if meaning(node, self.scope, self.expressions) in self.keys:
            return
        if isinstance(node, (*_QUERIES, exp.Placeholder)):
            return
        if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
            self._refuse(node)
            return
        if isinstance(node, (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)):
            self.check(node.this)
            return
        if isinstance(node, exp.Window):
            self._check_over(node)
            return
        if isinstance(node, exp.Anonymous):
            name = str(node.this).upper()
            if is_aggregate(name, self.expressions.functions):
                return
            if name in self.expressions.functions or not is_built_in(name):
                # It may be an aggregate.
                return
            head, _, tail = name.rpartition("_")
            if head in LEGACY_WINDOWS and tail in LEGACY_PROPERTIES:
                return
        if isinstance(node, exp.Dot) and _base(node) is not None:
            base = _base(node)
            assert base is not None
            if not isinstance(base, exp.Column):
                self.check(base)
            elif meaning(base, self.scope, self.expressions) not in self.keys:
                self._refuse(node)
            return
        for part in _parts(node):
            self.check(part)

    def _check_over(self, node: exp.Window) -> None:
        call = node.this
        if isinstance(call, (exp.IgnoreNulls, exp.RespectNulls)):
            call = call.this
        for argument in call.expressions if isinstance(call, exp.Anonymous) else ():
            self.check(argument)
        for key in node.args.get("partition_by") or ():
            self.check(key)
        order = node.args.get("order")
        for item in order.expressions if order is not None else ():
            self.check(item.this)

    def _refuse(self, node: exp.Expression) -> None:
        names = tuple(part.name for part in node.parts) if isinstance(node, exp.Column) else ()
        spans = tuple(map(self.expressions.span, node.parts)) if isinstance(node, exp.Column) else ()
        if names:
            resolution = self.scope.resolve(names, spans)
            if resolution is None or resolution.owner[0] > 0:
                return
        text = self.expressions.span(node).of(self.expressions.statement.text)
        refuse("not-grouped", self.expressions.span(node), f"{text} is neither in GROUP BY nor in an aggregate.")

    def check_star(self, item: exp.Expression, items: list[FromItem]) -> None:
        """Refuse ``*`` over a column that is no key."""
        for number, each in enumerate(items):
            for column in each.rows.columns:
                if ("column", (0, number), column.name, ()) not in self.keys and each.rows.complete:
                    span = self.expressions.span(item)
                    refuse("not-grouped", span, f"{column.name} is neither in GROUP BY nor in an aggregate.")

    def keeps_time(self, node: exp.Expression) -> bool:
        """Return whether a key is a time attribute still: that of a window is, any other is a plain timestamp."""
        if isinstance(node, exp.Column):
            return node.name == "window_time" and self.tells_windows
        return isinstance(node, exp.Anonymous)


def _is_grouped_in_sets(group: exp.Expression | None) -> bool:
    """Return whether rows are grouped in more ways than one."""
    if group is None:
        return False
    sets = [each for kind in ("grouping_sets", "cube", "rollup") for each in group.args.get(kind) or ()]
    sets += [each for each in group.expressions if isinstance(each, (exp.GroupingSets, exp.Cube, exp.Rollup))]
    return any(not isinstance(each, exp.GroupingSets) or len(each.expressions) > 1 for each in sets)


def holds_aggregate(node: exp.Expression, functions: frozenset[str]) -> bool:
    """Return whether an aggregate of this query itself stands in ``node``."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, _QUERIES):
            continue
        if isinstance(current, exp.Window):
            call = current.this
            if isinstance(call, (exp.IgnoreNulls, exp.RespectNulls)):
                call = call.this
            if isinstance(call, exp.Anonymous):
                waiting += call.expressions
            waiting += current.args.get("partition_by") or ()
            order = current.args.get("order")
            waiting += [item.this for item in order.expressions] if order is not None else []
            continue
        if isinstance(current, exp.Anonymous) and is_aggregate(str(current.this).upper(), functions):
            return True
        waiting += _parts(current)
    return False


def meaning(node: exp.Expression, scope: ValidationScope, expressions: ExpressionCheck) -> Hashable:
    """A value that is equal for expressions that Flink's validator takes for the same one."""
    if isinstance(node, exp.Paren):
        return meaning(node.this, scope, expressions)
    if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
        names = tuple(part.name for part in node.parts)
        try:
            resolution = scope.resolve(names, tuple(map(expressions.span, node.parts)))
        except StatementRefused:
            resolution = None
        if resolution is None:
            return ("name", names[-1])
        return ("column", resolution.owner, resolution.column.name, resolution.rest)
    if isinstance(node, exp.Dot):
        base = _base(node)
        if base is not None:
            return (".", meaning(base, scope, expressions), tuple(_fields(node)))
    if isinstance(node, exp.Literal):
        return ("literal", node.is_string, node.name)
    if isinstance(node, exp.Interval):
        return ("interval", tuple(singular(word.upper()) for word in words_of(node, expressions)))
    if isinstance(node, exp.Anonymous):
        inner = tuple(meaning(each, scope, expressions) for each in node.expressions)
        return ("call", str(node.this).upper(), inner)
    if isinstance(node, exp.DataType):
        return ("type", tuple(word.upper() for word in words_of(node, expressions)))
    parts: list[Hashable] = [type(node).__name__]
    for key, value in node.args.items():
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, exp.Expression):
                parts.append((key, meaning(part, scope, expressions)))
            elif part is not None and part is not False:
                parts.append((key, str(part)))
    return tuple(parts)


def words_of(node: exp.Expression, expressions: ExpressionCheck) -> tuple[str, ...]:
    """The tokens of a node without layout and comments, reserved words in upper case."""
    text = expressions.span(node).of(expressions.statement.text)
    return tuple(token.word if token.word in RESERVED else token.text for token in lex(text).tokens[:-1])


def _keys(group: exp.Expression | None) -> Iterator[exp.Expression]:
    if group is None:
        return
    waiting = [*group.expressions]
    for kind in ("grouping_sets", "cube", "rollup"):
        waiting += group.args.get(kind) or ()
    while waiting:
        current = waiting.pop(0)
        if isinstance(current, (exp.GroupingSets, exp.Cube, exp.Rollup, exp.Tuple)):
            waiting = [*current.expressions, *waiting]
        elif isinstance(current, exp.Paren):
            waiting = [current.this, *waiting]
        else:
            yield current


def _base(node: exp.Expression) -> exp.Expression | None:
    """The owner of the fields of ``a.b.c`` behind a column or a value in parentheses."""
    while isinstance(node, exp.Dot):
        node = node.this
    return node if not isinstance(node, exp.Identifier) else None


def _fields(node: exp.Expression) -> Iterator[str]:
    while isinstance(node, exp.Dot):
        yield node.expression.name
        node = node.this


def _parts(node: exp.Expression) -> list[exp.Expression]:
    parts: list[exp.Expression] = []
    for value in node.args.values():
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, exp.Expression) and not isinstance(
                part, (exp.Identifier, exp.Var, exp.DataType, syntax_nodes.FunctionClause, exp.IntervalSpan)
            ):
                parts.append(part)
    return parts
