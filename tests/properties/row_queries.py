"""Queries as values that can be evaluated on rows: scans, filters, projections, unions, joins, groups, rankings.

No part of the analyzer takes part here. A query knows its text and what it gives on tables of rows, and each operator
that keeps state knows what it keeps of them: so it can be said of two versions whether the state of one is of use to
the other, without any rule about queries (``test_row_queries``). Values may be NULL, and conditions have three values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from row_expressions import Condition, Expression, Names, Row

Tables = dict[str, list[Row]]
STRINGS, NUMBERS = ("k", "u", "c"), ("v", "w")
"""The columns of every table, by their types."""

# ---- what operators keep


@dataclass(frozen=True)
class Kept:
    """The state of an operator after the rows: ``keys``, and ``values`` by key for each aggregate in its order."""

    keys: frozenset[Any]
    values: tuple[frozenset[Any], ...] = ()
    rows: frozenset[Any] = frozenset()
    """The number of rows of each key: Flink stores it where rows are retracted."""
    bound: int = 0
    """Of a ranking, how many rows it gives."""


# ---- relations


@dataclass(frozen=True)
class Scan:
    table: str

    @property
    def inputs(self) -> tuple[Relation, ...]:
        return ()

    @property
    def columns(self) -> dict[str, str]:
        return {**dict.fromkeys(STRINGS, "s"), **dict.fromkeys(NUMBERS, "n")}

    def rows(self, tables: Tables) -> list[Row]:
        return tables[self.table]

    def read(self, needed: frozenset[str]) -> tuple[frozenset[str], ...]:
        return ()

    def kept(self, tables: Tables, needed: frozenset[str]) -> Kept | None:
        return None


@dataclass(frozen=True)
class _OfOne:
    input: Relation

    @property
    def inputs(self) -> tuple[Relation, ...]:
        return (self.input,)

    @property
    def columns(self) -> dict[str, str]:
        return self.input.columns

    def with_inputs(self, *inputs: Relation) -> Any:
        return replace(self, input=inputs[0])

    def kept(self, tables: Tables, needed: frozenset[str]) -> Kept | None:
        return None


@dataclass(frozen=True)
class Filter(_OfOne):
    condition: Condition

    def rows(self, tables: Tables) -> list[Row]:
        return [row for row in self.input.rows(tables) if self.condition.truth(row)]

    def read(self, needed: frozenset[str]) -> tuple[frozenset[str], ...]:
        return (needed | self.condition.columns,)


@dataclass(frozen=True)
class Project(_OfOne):
    items: tuple[tuple[str, Expression, str], ...]
    """Names with expressions and types."""

    @property
    def columns(self) -> dict[str, str]:
        return {name: type_ for name, _, type_ in self.items}

    def rows(self, tables: Tables) -> list[Row]:
        return [{name: item.value(row) for name, item, _ in self.items} for row in self.input.rows(tables)]

    def read(self, needed: frozenset[str]) -> tuple[frozenset[str], ...]:
        return (frozenset().union(*(item.columns for name, item, _ in self.items if name in needed)),)


@dataclass(frozen=True)
class UnionAll:
    inputs: tuple[Relation, ...]
    """Relations with the same columns."""

    @property
    def columns(self) -> dict[str, str]:
        return self.inputs[0].columns

    def with_inputs(self, *inputs: Relation) -> UnionAll:
        return UnionAll(inputs)

    def rows(self, tables: Tables) -> list[Row]:
        return [row for one in self.inputs for row in one.rows(tables)]

    def read(self, needed: frozenset[str]) -> tuple[frozenset[str], ...]:
        return (needed,) * len(self.inputs)

    def kept(self, tables: Tables, needed: frozenset[str]) -> Kept | None:
        return None


@dataclass(frozen=True)
class Join:
    """The pairs of rows with equal keys; their columns are called ``l_`` and ``r_``."""

    left: Relation
    right: Relation
    left_key: str
    right_key: str

    @property
    def inputs(self) -> tuple[Relation, ...]:
        return (self.left, self.right)

    @property
    def columns(self) -> dict[str, str]:
        sides = zip("lr", self.inputs, strict=True)
        return {f"{side}_{name}": type_ for side, one in sides for name, type_ in one.columns.items()}

    def with_inputs(self, *inputs: Relation) -> Join:
        return replace(self, left=inputs[0], right=inputs[1])

    def rows(self, tables: Tables) -> list[Row]:
        partners: dict[Any, list[Row]] = {}
        for row in self.right.rows(tables):
            partners.setdefault(row[self.right_key], []).append(row)
        return [
            {f"l_{name}": value for name, value in left.items()} | {f"r_{name}": value for name, value in right.items()}
            for left in self.left.rows(tables)
            if left[self.left_key] is not None
            for right in partners.get(left[self.left_key], ())
        ]

    def read(self, needed: frozenset[str]) -> tuple[frozenset[str], ...]:
        keys = (self.left_key, self.right_key)
        sides = zip("lr", keys, strict=True)
        return tuple(
            frozenset({key}) | {name.removeprefix(f"{side}_") for name in needed if name.startswith(f"{side}_")}
            for side, key in sides
        )

    def kept(self, tables: Tables, needed: frozenset[str]) -> Kept:
        """The rows of both sides that have partners; only how many there are, since rows are read back by their types.

        A condition on the key of one side holds for the other one as well, so that rows without partners may be gone.
        """
        counts = [
            Counter(row[name] for row in one.rows(tables))
            for one, name in zip(self.inputs, (self.left_key, self.right_key), strict=True)
        ]
        partners = {key for key in counts[0] if key is not None} & counts[1].keys()
        return Kept(frozenset((key, counts[0][key], counts[1][key]) for key in partners))


@dataclass(frozen=True)
class Call:
    """An aggregate; without an ``argument`` it counts rows."""

    function: str
    argument: Expression | None = None
    distinct: bool = False
    condition: Condition | None = None

    def text(self, names: Names) -> str:
        argument = "*" if self.argument is None else self.argument.text(names)
        filtered = f" FILTER (WHERE {self.condition.text(names)})" if self.condition is not None else ""
        return f"{self.function}({'DISTINCT ' if self.distinct else ''}{argument}){filtered}"

    def value(self, rows: list[Row]) -> Any:
        taken = [row for row in rows if self.condition is None or self.condition.truth(row)]
        if self.argument is None:
            return len(taken)
        values = [value for row in taken if (value := self.argument.value(row)) is not None]
        if self.distinct:
            values = list(dict.fromkeys(values))
        if self.function == "COUNT":
            return len(values)
        return {"SUM": sum, "MIN": min, "MAX": max}[self.function](values) if values else None

    @property
    def columns(self) -> frozenset[str]:
        own = self.argument.columns if self.argument is not None else frozenset()
        return own | (self.condition.columns if self.condition is not None else frozenset())


@dataclass(frozen=True)
class Group(_OfOne):
    """GROUP BY: the keys are called ``g0`` and so on, the aggregates ``a0`` and so on."""

    keys: tuple[tuple[Expression, str], ...]
    """Expressions with their types."""
    calls: tuple[Call, ...]
    having: Condition | None = None
    """Over the columns of the result."""

    @property
    def columns(self) -> dict[str, str]:
        keys = {f"g{number}": type_ for number, (_, type_) in enumerate(self.keys)}
        return keys | {f"a{number}": "n" for number in range(len(self.calls))}

    def _groups(self, tables: Tables) -> dict[tuple[Any, ...], list[Row]]:
        groups: dict[tuple[Any, ...], list[Row]] = {}
        for row in self.input.rows(tables):
            groups.setdefault(tuple(key.value(row) for key, _ in self.keys), []).append(row)
        return groups

    def rows(self, tables: Tables) -> list[Row]:
        found = []
        for key, rows in self._groups(tables).items():
            keys = {f"g{number}": value for number, value in enumerate(key)}
            row = keys | {f"a{number}": call.value(rows) for number, call in enumerate(self.calls)}
            if self.having is None or self.having.truth(row):
                found.append(row)
        return found

    def _live(self, needed: frozenset[str]) -> tuple[Call, ...]:
        """The aggregates that something reads, each once."""
        read = needed | (self.having.columns if self.having is not None else frozenset())
        return tuple(dict.fromkeys(call for number, call in enumerate(self.calls) if f"a{number}" in read))

    def read(self, needed: frozenset[str]) -> tuple[frozenset[str], ...]:
        calls = (call.columns for call in self._live(needed))
        return (frozenset().union(*(key.columns for key, _ in self.keys), *calls),)

    def kept(self, tables: Tables, needed: frozenset[str]) -> Kept:
        groups = self._groups(tables)
        values = tuple(
            frozenset((key, call.value(rows)) for key, rows in groups.items()) for call in self._live(needed)
        )
        return Kept(frozenset(groups), values, frozenset((key, len(rows)) for key, rows in groups.items()))


@dataclass(frozen=True)
class Distinct(_OfOne):
    def rows(self, tables: Tables) -> list[Row]:
        return [dict(row) for row in dict.fromkeys(tuple(row.items()) for row in self.input.rows(tables))]

    def read(self, needed: frozenset[str]) -> tuple[frozenset[str], ...]:
        return (frozenset(self.columns),)

    def kept(self, tables: Tables, needed: frozenset[str]) -> Kept:
        return Kept(frozenset(tuple(row.values()) for row in self.rows(tables)))


@dataclass(frozen=True)
class First(_OfOne):
    """The ``bound`` first rows of each ``partition`` by ``order``, from the largest down."""

    partition: str
    order: str
    bound: int

    def _ranked(self, tables: Tables) -> dict[Any, list[Row]]:
        parts: dict[Any, list[Row]] = {}
        for row in self.input.rows(tables):
            parts.setdefault(row[self.partition], []).append(row)
        return {
            key: sorted(rows, key=lambda row: (row[self.order] is not None, row[self.order] or 0, repr(row)))[::-1]
            for key, rows in parts.items()
        }

    def rows(self, tables: Tables) -> list[Row]:
        return [row for rows in self._ranked(tables).values() for row in rows[: self.bound]]

    def read(self, needed: frozenset[str]) -> tuple[frozenset[str], ...]:
        return (needed | {self.partition, self.order},)

    def kept(self, tables: Tables, needed: frozenset[str]) -> Kept:
        """The values of the order, of all rows: one that may lose rows again keeps them, beyond the bound as well.

        The other columns of the rows are read back by their types.
        """
        ranked = self._ranked(tables).items()
        return Kept(frozenset((key, tuple(row[self.order] for row in rows)) for key, rows in ranked), bound=self.bound)


Relation = Scan | Filter | Project | UnionAll | Join | Group | Distinct | First


@dataclass(frozen=True)
class RowQuery:
    """A query into a sink that takes all that it gives."""

    root: Relation

    @cached_property
    def operators(self) -> tuple[tuple[Relation, frozenset[str]], ...]:
        """All operators, each with the columns that are read of it, from the top down."""

        def below(relation: Relation, needed: frozenset[str]) -> Iterator[tuple[Relation, frozenset[str]]]:
            yield relation, needed
            for one, read in zip(relation.inputs, relation.read(needed), strict=True):
                yield from below(one, read)

        return tuple(below(self.root, frozenset(self.root.columns)))

    def kept(self, tables: Tables) -> list[Kept]:
        found = (operator.kept(tables, needed) for operator, needed in self.operators)
        return [one for one in found if one is not None]

    @property
    def shape(self) -> tuple[str, ...]:
        return tuple(type(operator).__name__ for operator, _ in self.operators)

    def rebuilt(self, change: Callable[[Relation], Relation], at: int) -> RowQuery:
        """The query with the operator number ``at`` changed."""
        numbers = iter(range(len(self.operators)))

        def walk(relation: Relation) -> Relation:
            number = next(numbers)
            inputs = [walk(one) for one in relation.inputs]
            rebuilt = relation.with_inputs(*inputs) if inputs else relation
            return change(rebuilt) if number == at else rebuilt

        return RowQuery(walk(self.root))
