"""Random queries that can be evaluated, and random edits of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from row_expressions import Both, Case, Column, Comparison, Computed, Condition, Constant, Expression, IsNull, Not
from row_queries import Call, Distinct, Filter, First, Group, Join, Project, Relation, RowQuery, Scan, Tables, UnionAll

_TABLES = ("one", "one", "two")


def tables_of(random: Random) -> Tables:
    """Few values, some of them NULL, so that groups have several rows and joins find partners."""

    def row() -> dict[str, object]:
        found = {name: random.choice("aab") for name in ("k", "c")} | {"u": random.choice("abc")}
        found |= {"v": random.randrange(6), "w": random.randrange(1, 9)}
        gone = random.choice(("k", "u", "c", "v", "w", "", "", "", ""))
        return {name: None if name == gone else value for name, value in found.items()}

    return {name: [row() for _ in range(14)] for name in ("one", "two")}


# ---- expressions


def _of_type(columns: dict[str, str], type_: str) -> list[str]:
    return sorted(name for name, own in columns.items() if own == type_)


def expression(columns: dict[str, str], type_: str, random: Random, plain: float = 0.6) -> Expression:
    names = _of_type(columns, type_)
    constant = Constant(random.choice("abx") if type_ == "s" else random.randrange(1, 4))
    if not names:
        return constant
    column = Column(random.choice(names))
    if random.random() < plain:
        return column
    form = random.choice(("computed", "case", "coalesce"))
    if form == "coalesce":
        return Computed("COALESCE", column, constant)
    if form == "case":
        other: Expression = Column(random.choice(names)) if random.random() < 0.5 else constant
        return Case(condition(columns, random, simple=True), column, other)
    if type_ == "s":
        return Computed("COALESCE", column, Column(random.choice(names)))
    right: Expression = Column(random.choice(names)) if random.random() < 0.5 else constant
    return Computed(random.choice("+-*"), column, right)


def condition(columns: dict[str, str], random: Random, simple: bool = False) -> Condition:
    type_ = random.choice(sorted(set(columns.values())))
    column = Column(random.choice(_of_type(columns, type_)))
    constant = Constant(random.choice("abc") if type_ == "s" else random.randrange(1, 6))
    if not simple and random.random() < 0.2:
        both = (condition(columns, random, simple=True), condition(columns, random, simple=True))
        return Both(random.choice(("AND", "OR")), *both)
    if not simple and random.random() < 0.1:
        return Not(condition(columns, random, simple=True))
    if random.random() < 0.1:
        return IsNull(column)
    operators = ("=", "<>") if type_ == "s" else ("=", "<", ">", "<=", ">=", "<>")
    return Comparison(column, random.choice(operators), constant)


def call(columns: dict[str, str], random: Random) -> Call:
    filtered = condition(columns, random, simple=True) if random.random() < 0.25 else None
    numbers = _of_type(columns, "n")
    if not numbers or random.random() < 0.25:
        if random.random() < 0.5:
            return Call("COUNT", None, False, filtered)
        type_ = random.choice(sorted(set(columns.values())))
        return Call("COUNT", expression(columns, type_, random, 0.8), random.random() < 0.4, filtered)
    function = random.choice(("SUM", "SUM", "MIN", "MAX"))
    return Call(function, expression(columns, "n", random), False, filtered)


# ---- relations


def _small(random: Random) -> Relation:
    found: Relation = Scan(random.choice(_TABLES))
    if random.random() < 0.6:
        found = Filter(found, condition(found.columns, random))
    return found


def _projected(relation: Relation, random: Random, types: str) -> Project:
    items = tuple(
        (f"x{number}", expression(relation.columns, type_, random), type_) for number, type_ in enumerate(types)
    )
    return Project(relation, items)


def _union(random: Random, depth: int) -> Relation:
    types = random.choice(("sn", "snn", "ssn"))
    # Mostly branches over one table, which differ in their filters and in what they give.
    return UnionAll(tuple(_projected(_small(random), random, types) for _ in range(random.choice((2, 2, 3)))))


def _join(random: Random, depth: int) -> Relation:
    sides = [_small(random) if random.random() < 0.7 else _grouped(random, 0) for _ in range(2)]
    keys = [random.choice(_of_type(side.columns, "s") or _of_type(side.columns, "n")) for side in sides]
    if len({side.columns[key] for side, key in zip(sides, keys, strict=True)}) > 1:
        return _union(random, depth)
    return Join(*sides, *keys)


def _grouped(random: Random, depth: int) -> Relation:
    below = relation(random, depth - 1)
    if random.random() < 0.3:
        below = Filter(below, condition(below.columns, random))
    columns = below.columns
    named = [type_ for type_ in ("s", "s", "n") if _of_type(columns, type_)]
    keys = tuple(
        (expression(columns, type_, random, 0.8), type_)
        for type_ in random.sample(named, min(len(named), random.choice((1, 1, 2))))
    )
    keys = tuple((key, type_) for key, type_ in keys if key.columns)
    if not keys:
        return below
    calls = tuple(call(columns, random) for _ in range(random.choice((1, 2, 2, 3))))
    found = Group(below, keys, calls)
    if random.random() < 0.2:
        having = Comparison(Column("a0"), random.choice((">", "<=")), Constant(random.randrange(1, 5)))
        found = replace(found, having=having)
    return found


def _once(random: Random, depth: int) -> Relation:
    below = relation(random, depth - 1)
    return Distinct(_projected(below, random, random.choice(("s", "sn", "ss"))))


def _first(random: Random, depth: int) -> Relation:
    below = relation(random, depth - 1)
    strings, numbers = (_of_type(below.columns, type_) for type_ in "sn")
    if not (strings and numbers):
        return below
    return First(below, random.choice(strings), random.choice(numbers), random.choice((1, 2, 3)))


def relation(random: Random, depth: int) -> Relation:
    if depth <= 0:
        return _small(random)
    makers: tuple[Callable[[Random, int], Relation], ...] = (_union, _union, _join, _grouped, _grouped, _once, _first)
    found = random.choice(makers)(random, depth)
    if random.random() < 0.3:
        types = "".join(random.choice(sorted(set(found.columns.values()))) for _ in range(2))
        found = _projected(found, random, types)
    return found


def random_query(random: Random) -> RowQuery:
    """Something that keeps state stands on top, mostly an aggregation, over up to two layers."""
    makers = (_grouped, _grouped, _grouped, _once, _first, _join)
    return RowQuery(random.choice(makers)(random, random.choice((1, 2, 2))))


# ---- edits


def edited(query: RowQuery, random: Random, tables: bool = True) -> RowQuery:
    """The query with something changed in one of its operators, so that all of them stay where they are.

    With ``tables`` another table may be read instead.
    """
    found = [at for at, (one, _) in enumerate(query.operators) if tables or not isinstance(one, Scan)]
    at = random.choice(found)
    return query.rebuilt(lambda relation: _changed(relation, random), at)


def _changed(found: Relation, random: Random) -> Relation:
    if isinstance(found, Scan):
        return Scan("two" if found.table == "one" else "one")
    if isinstance(found, Filter):
        other = condition(found.columns, random)
        return replace(
            found, condition=random.choice((other, Not(found.condition), Both("AND", found.condition, other)))
        )
    if isinstance(found, Project):
        return _other_items(found, random)
    if isinstance(found, UnionAll):
        return _exchanged(found, random)
    if isinstance(found, Join):
        side = random.choice(("left", "right"))
        below, key = getattr(found, side), getattr(found, f"{side}_key")
        return replace(found, **{f"{side}_key": random.choice(_of_type(below.columns, below.columns[key]))})
    if isinstance(found, Group):
        return _other_group(found, random)
    if isinstance(found, First):
        changes = {
            "partition": random.choice(_of_type(found.columns, "s")),
            "order": random.choice(_of_type(found.columns, "n")),
            "bound": found.bound + 1,
        }
        part = random.choice(sorted(changes))
        return replace(found, **{part: changes[part]})
    return found


def _other_items(found: Project, random: Random) -> Project:
    items = list(found.items)
    at = random.randrange(len(items))
    name, _, type_ = items[at]
    twins = [other for other, (_, _, own) in enumerate(items) if own == type_ and other != at]
    if twins and random.random() < 0.5:
        other = random.choice(twins)
        items[at], items[other] = (name, items[other][1], type_), (items[other][0], items[at][1], type_)
    else:
        items[at] = (name, expression(found.input.columns, type_, random), type_)
    return replace(found, items=tuple(items))


def _exchanged(found: UnionAll, random: Random) -> UnionAll:
    """Two branches exchange their filters or one of their columns, or one of them comes twice or not at all."""
    first, second, *rest = found.inputs
    assert isinstance(first, Project) and isinstance(second, Project)
    part = random.choice(("input", "item", "twice", "gone"))
    if part == "twice":
        return UnionAll((*found.inputs, first))
    if part == "gone" and rest:
        return UnionAll((first, *rest))
    if part == "input":
        return UnionAll((replace(first, input=second.input), replace(second, input=first.input), *rest))
    at = random.randrange(len(first.items))
    ours, theirs = list(first.items), list(second.items)
    ours[at], theirs[at] = theirs[at], ours[at]
    return UnionAll((replace(first, items=tuple(ours)), replace(second, items=tuple(theirs)), *rest))


def _other_group(found: Group, random: Random) -> Group:
    columns = found.input.columns
    part = random.choice(("key", "call", "call", "call", "more", "less", "order", "having"))
    if part == "key":
        at = random.randrange(len(found.keys))
        _, type_ = found.keys[at]
        key = expression(columns, type_, random, 0.8)
        return replace(found, keys=(*found.keys[:at], (key, type_), *found.keys[at + 1 :])) if key.columns else found
    if part == "call":
        at = random.randrange(len(found.calls))
        return replace(found, calls=(*found.calls[:at], _other_call(found, at, random), *found.calls[at + 1 :]))
    if part == "more":
        # The columns above keep their names.
        return replace(found, calls=(*found.calls, call(columns, random)))
    if part == "order" and len(found.calls) > 1:
        first, second, *rest = found.calls
        return replace(found, calls=(second, first, *rest))
    if part == "having" and found.having is not None:
        return replace(found, having=Comparison(Column("a0"), "<>", Constant(random.randrange(1, 5))))
    return found


def _other_call(found: Group, at: int, random: Random) -> Call:
    was, columns = found.calls[at], found.input.columns
    fresh = call(columns, random)
    if was.argument is None or was.function == "COUNT":
        return fresh
    return random.choice(
        (
            fresh,
            replace(was, argument=expression(columns, "n", random)),
            replace(was, condition=condition(columns, random, simple=True)),
            replace(was, function=random.choice(("SUM", "MIN", "MAX"))),
        )
    )
