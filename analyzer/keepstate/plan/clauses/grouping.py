"""The keys of a GROUP BY clause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp

from keepstate.plan.clauses.grouping_sets import sets_of
from keepstate.plan.clauses.windows import group_window
from keepstate.plan.expressions import (
    AggregateCall,
    Column,
    Expr,
    GroupingElement,
    Literal,
    Unresolved,
    WindowField,
    WindowPart,
)
from keepstate.plan.hashed_value import with_fields
from keepstate.plan.operators import Window
from keepstate.plan.provenance import Place, declarations_of
from keepstate.plan.scalars.lowering import ScalarLowering
from keepstate.value_class import value_class


@value_class(frozen=True)
class GroupKeys:
    """``keys`` in source order without repetitions; a legacy window stands among them as its start.

    ``grouping`` names GROUPING SETS, CUBE and ROLLUP with their keys in canonical form; ``elements`` are these and the
    keys beside them as expressions.
    """

    keys: tuple[Expr, ...] = ()
    window: Window | None = None
    grouping: tuple[str, ...] = ()
    grouping_place: Place | None = None
    place: Place | None = None
    elements: tuple[Expr, ...] = ()
    doubled: bool = False
    """A key is written in two ways, of which Flink may make one key or two (``has_two_ways``)."""


def group_keys(node: exp.Group, scalars: ScalarLowering, aliases: dict[str, exp.Expression]) -> GroupKeys:
    """The keys of ``node``; ``aliases`` are the select items by name, for keys that only they explain."""
    keys: dict[Expr, None] = {}
    window: Window | None = None
    grouping: list[str] = []
    grouping_place: Place | None = None
    elements: list[Expr] = []
    exprs: list[Expr] = []
    literals: list[Literal] = []
    for element in sorted(_elements(node), key=lambda part: scalars.place(part).span):
        if isinstance(element, (exp.GroupingSets, exp.Cube, exp.Rollup)):
            place = scalars.place(element)
            grouping_place = place if grouping_place is None else grouping_place.through(place)
            lowered = [_key(key, scalars, aliases) for key in _flat_keys(element)]
            keys.update(dict.fromkeys(lowered))
            grouping.append(_grouping_text(element, scalars, aliases))
            elements.append(_element(element, scalars, aliases))
            continue
        for key in _flat_keys(element):
            key_window = group_window(key, scalars)
            if key_window is not None and window is None:
                window = key_window
                start = WindowField(WindowPart.START, scalars.window_depth, place=key_window.place)
                keys[start] = None
                elements.append(start)
                continue
            expr = _key(key, scalars, aliases)
            if isinstance(expr, Literal):
                literals.append(expr)
                continue
            keys.setdefault(expr)
            elements.append(expr)
            exprs.append(expr)
    if literals and not keys:
        # Constants are no keys, but a group has one: the state of ``GROUP BY 'a'`` is none of ``GROUP BY 'b'``.
        keys[literals[0]] = None
    if grouping and sets_of(elements) == [frozenset(keys)]:
        # GROUPING SETS of one set are its keys: the plan has no Expand.
        grouping, grouping_place = [], None
    return GroupKeys(
        tuple(keys),
        window,
        tuple(grouping),
        grouping_place,
        scalars.place(node),
        tuple(elements) if grouping else (),
        has_two_ways(exprs),
    )


def has_two_ways(exprs: Iterable[Expr]) -> bool:
    """Return whether one of the expressions occurs in two ways that Flink keeps apart: a computed column, say, and its
    definition.

    Aliases of one column are one way.
    """
    ways: dict[Expr, object] = {}
    for expr in exprs:
        plain = isinstance(expr, (Column, WindowField, AggregateCall))
        words = expr.place.words if expr.place is not None else ()
        way = declarations_of(expr.via) if plain else words
        if ways.setdefault(expr, way) != way:
            return True
    return False


def _elements(node: exp.Group) -> Iterator[exp.Expression]:
    yield from node.expressions
    for kind in ("grouping_sets", "cube", "rollup"):
        for element in node.args.get(kind) or ():
            if isinstance(element, exp.Expression):
                yield element


def _flat_keys(element: exp.Expression) -> Iterator[exp.Expression]:
    """The single keys in ``(a, (b, c))`` or in a list of grouping sets."""
    if isinstance(element, exp.Paren):
        yield from _flat_keys(element.this)
    elif isinstance(element, (exp.Tuple, exp.GroupingSets, exp.Cube, exp.Rollup)):
        for part in element.expressions:
            yield from _flat_keys(part)
    else:
        yield element


def _key(node: exp.Expression, scalars: ScalarLowering, aliases: dict[str, exp.Expression]) -> Expr:
    expr = scalars.lower(node)
    if isinstance(expr, Unresolved) and expr.name in aliases:
        return with_fields(scalars.lower(aliases[expr.name]), place=expr.place)
    return expr


def _element(node: exp.Expression, scalars: ScalarLowering, aliases: dict[str, exp.Expression]) -> Expr:
    """A key, or the keys and grouping sets in ``node``, as an expression."""
    if not isinstance(node, (exp.GroupingSets, exp.Cube, exp.Rollup, exp.Tuple, exp.Paren)):
        return _key(node, scalars, aliases)
    parts = node.expressions if not isinstance(node, exp.Paren) else [node.this]
    word = {exp.GroupingSets: "GROUPING SETS", exp.Cube: "CUBE", exp.Rollup: "ROLLUP"}.get(type(node), "")
    return GroupingElement(word, tuple(_element(part, scalars, aliases) for part in parts))


def _grouping_text(node: exp.Expression, scalars: ScalarLowering, aliases: dict[str, exp.Expression]) -> str:
    if isinstance(node, (exp.GroupingSets, exp.Cube, exp.Rollup, exp.Tuple, exp.Paren)):
        parts = node.expressions if not isinstance(node, exp.Paren) else [node.this]
        name = {exp.GroupingSets: "GROUPING SETS ", exp.Cube: "CUBE ", exp.Rollup: "ROLLUP "}.get(type(node), "")
        return f"{name}({', '.join(_grouping_text(part, scalars, aliases) for part in parts)})"
    return repr(_key(node, scalars, aliases))
