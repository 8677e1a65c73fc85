"""Select lists: their places, the names of their items, and whether they have all columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import count

from sqlglot import exp

from keepstate.plan.expressions import Call, Literal
from keepstate.plan.lowering.environment import Environment
from keepstate.plan.names.implied_names import path_end
from keepstate.plan.provenance import Place
from keepstate.plan.scalars.name_scope import Field, Scope
from keepstate.plan.types.inference import type_of
from keepstate.text import Span


def implied_name(node: exp.Expression, position: int) -> str:
    """The name that Flink gives to a select item without an alias.

    >>> [implied_name(item, 1) for item in exp.select("o.id", "(id)", "id + 1").selects]
    ['id', 'id', 'EXPR$1']
    """
    return path_end(node.unnest()) or f"EXPR${position}"


def selects_everything(node: exp.Select) -> bool:
    """Return whether an item of a select list is ``*`` or ``t.*``.

    >>> [selects_everything(exp.select(*items)) for items in (["a"], ["a", "t.*"])]
    [False, True]
    """
    return any(map(is_star, node.expressions))


def is_star(item: exp.Expression) -> bool:
    """Return whether a select item is ``*``, or ends in it.

    >>> [is_star(item) for item in exp.select("*", "t.*", "t.a", "COUNT(*)").selects]
    [True, True, False, False]
    """
    last = item.this if isinstance(item, exp.Column) else item.expression if isinstance(item, exp.Dot) else item
    return isinstance(last, exp.Star)


def is_starred(item: exp.Expression) -> bool:
    """Return whether a select item is a star, under an alias or not.

    >>> [is_starred(item) for item in exp.select("t.*", "t.a AS b").selects]
    [True, False]
    """
    return is_star(item.this if isinstance(item, exp.Alias) else item)


def unlike_stars(items: Sequence[tuple[bool, Sequence[Field]]]) -> tuple[Field, ...]:
    """Return the columns of select ``items``, of which a star gives its columns names that stand not in front of them:
    equal ones get a number, as Flink gives it.

    >>> names = ((True, [Field("k", expr("a")), Field("k", expr("b"))]), (False, [Field("k", expr("c"))]))
    >>> [field.name for field in unlike_stars(names)]
    ['k', 'k0', 'k']
    """
    result: list[Field] = []
    names: set[str] = set()
    for starred, fields in items:
        for field in fields:
            name, number = field.name, count()
            while starred and name in names:
                name = f"{field.name}{next(number)}"
            names.add(name)
            result.append(field if name == field.name else replace(field, name=name))
    return tuple(result)


def fields_of_row(star: exp.Expression, scope: Scope, place: Place) -> list[Field] | None:
    """The columns of ``row.*`` at ``place``; ``None`` for the star of a relation, or of what is not known.

    >>> one = statement("SELECT o.* FROM orders AS o")
    >>> fields_of_row(one.tree.selects[0], Scope(()), select_list(one.tree, Environment(one))) is None
    True
    """
    names: list[str] = []
    node = star.this if isinstance(star, exp.Dot) else star
    while isinstance(node, exp.Dot) and isinstance(node.expression, exp.Identifier):
        names.insert(0, node.expression.name)
        node = node.this
    if not isinstance(node, exp.Column):
        return None
    names = [*(part.name for part in node.parts if not isinstance(part, exp.Star)), *names]
    if len(names) == 1 and any(relation.alias == names[0] for relation in scope.relations):
        return None
    row = scope.resolve(tuple(names), place)
    type_ = type_of(row)
    if type_ is None or type_.root != "ROW":
        return None
    return [
        Field(name, Call(".", (row, Literal(name, "NAME")), place=place, via=row.via), place)
        for name in type_.exact_names or type_.names
    ]


def select_list(node: exp.Select, environment: Environment) -> Place:
    """From SELECT to the end of its last item.

    >>> one = statement("SELECT a, b FROM t")
    >>> select_list(one.tree, Environment(one)).text
    'SELECT a, b'
    """
    whole = environment.place(node)
    if not node.expressions:
        return whole
    last = environment.place(node.expressions[-1])
    return Place(whole.statement, Span(_select_start(node, environment), last.span.end))


def _select_start(node: exp.Select, environment: Environment) -> int:
    """The offset of the SELECT keyword: a WITH clause in front belongs to the same node."""
    start = environment.place(node).span.start
    clause = node.args.get("with_")
    if clause is None:
        return start
    text = environment.statement.text
    return text.upper().find("SELECT", environment.place(clause).span.end)


def select_list_of(side: exp.Expression, environment: Environment) -> Place | None:
    """The select list of an operand of a set operation.

    >>> one = statement("(SELECT a FROM t)")
    >>> select_list_of(one.tree, Environment(one)).text
    'SELECT a'
    """
    while isinstance(side, (exp.Subquery, exp.SetOperation)):
        side = side.this
    return select_list(side, environment) if isinstance(side, exp.Select) else None
