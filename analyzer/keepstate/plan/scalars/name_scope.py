"""Names that an expression can use, and their meanings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cached_property

from keepstate.plan.expressions import AggregateCall, Call, Column, Expr, Literal, Unresolved, sort_key
from keepstate.plan.hashed_value import QuickCopy, with_fields
from keepstate.plan.operators import Aggregate, Calc, Operator, Window
from keepstate.plan.predicates import all_of, conjuncts
from keepstate.plan.provenance import Place
from keepstate.plan.references import CorrelatedColumn
from keepstate.plan.simplification.conditions import simplified_filter
from keepstate.plan.types.inference import type_of
from keepstate.plan.types.logical_types import LogicalType
from keepstate.value_class import value_class


@value_class(frozen=True)
class Field(QuickCopy):
    """A column that a relation gives; ``item`` is the select item or column definition that made it."""

    name: str
    expr: Expr
    item: Place | None = None


@value_class(frozen=True)
class Relation(QuickCopy):
    """A table, a view or a subquery as FROM sees it.

    ``fields`` are its columns in order. ``open_tables`` are tables below it whose columns the script does not declare:
    an unresolved name is a column of them. ``filters`` are conditions met on the way that no stateful operator has
    taken yet. ``window`` is the window whose fields its rows bear, ``depth`` the number of windows that the rows went
    through.
    """

    input: Operator
    fields: tuple[Field, ...] = ()
    alias: str | None = None
    path: tuple[str, ...] = ()
    """Catalog, database and name of a table that has no alias: qualified names may begin with each end of it."""
    open_tables: tuple[str, ...] = ()
    filters: tuple[Expr, ...] = ()
    window: Window | None = None
    depth: int = 0
    filtered_row: tuple[Expr, ...] = ()
    """The columns of the projection that the topmost of ``filters`` stands on, in its order."""
    merged: frozenset[str] = frozenset()
    """Columns that ``*`` leaves out, since USING made them one with those of a relation on the left."""
    beneath: tuple[Relation, ...] = field(default=(), compare=False, repr=False)
    """The relations that it was made from, for names that a subquery forgot to pass on (spec reading C-13)."""

    def is_called(self, names: tuple[str, ...]) -> bool:
        """Return whether the ``names`` in front of a column call this relation."""
        return names == (self.alias,) or (len(names) > 1 and self.path[-len(names) :] == names)

    def find(self, name: str) -> Field | None:
        return self._by_name.get(name)

    @cached_property
    def _by_name(self) -> Mapping[str, Field]:
        """The first column of each name."""
        return {candidate.name: candidate for candidate in reversed(self.fields)}

    def find_in_rows(self, name: str) -> tuple[Field, tuple[str, ...]] | None:
        """The least deep field of this name in the ROW columns, and the names that lead there: Flink takes the name of
        a field for that of a column.
        """
        paths = [(each, path) for each in self.fields for path in _paths(type_of(each.expr), name)]
        least = min((len(path) for _, path in paths), default=0)
        nearest = [both for both in paths if len(both[1]) == least]
        return nearest[0] if len(nearest) == 1 else None

    def find_beneath(self, name: str) -> Field | None:
        """The column of the same name below a projection that left it out."""
        for relation in self.beneath:
            field_ = relation.find(name) or relation.find_beneath(name)
            if field_ is None and relation.open_tables and not relation.beneath:
                return Field(name, Column(relation.open_tables[0], name))
            if field_ is not None:
                return field_
        return None


def _paths(type_: LogicalType | None, name: str) -> Iterator[tuple[str, ...]]:
    """The names that lead from a ROW to its fields of a name."""
    if type_ is None or type_.root != "ROW":
        return
    if type_.has_exactly(name):
        yield (name,)
    for own, element in zip(type_.exact_names or type_.names, type_.elements, strict=True):
        yield from ((own, *path) for path in _paths(element, name))


@value_class(frozen=True)
class Scope(QuickCopy):
    """The relations of one FROM clause, inside of the scope of the query around it."""

    relations: tuple[Relation, ...]
    parent: Scope | None = None
    common: tuple[Field, ...] = ()
    """See ``Source``."""

    def resolve(self, parts: tuple[str, ...], place: Place) -> Expr:
        """The expression that a possibly qualified name stands for, as used at ``place``.

        A name that nothing declares resolves to a column of the only undeclared table in sight, or to itself.
        """
        resolution = self._resolve(parts)
        if resolution is None:
            return Unresolved(".".join(parts), place=place)
        field_, rest = resolution
        expr = field_.expr.used_at(place, field_.item)
        for name in rest:
            expr = Call(".", (expr, Literal(name, "NAME")), place=place, via=expr.via)
        return expr

    def _resolve(self, parts: tuple[str, ...]) -> tuple[Field, tuple[str, ...]] | None:
        if len(parts) > 1:
            for split in range(len(parts) - 1, 0, -1):
                qualified = self._in_relation(parts[:split], parts[split])
                if qualified is not None:
                    field_, path = qualified
                    return field_, (*path, *parts[split + 1 :])
            if self.parent is not None and self.parent._knows(parts):
                return self._outer(parts)
        own = self._unqualified(parts[0])
        return (own[0], (*own[1], *parts[1:])) if own is not None else self._outer(parts)

    def _knows(self, parts: tuple[str, ...]) -> bool:
        """Return whether the first words of a name are a relation of this query or of one around it."""
        own = any(each.is_called(parts[:split]) for each in self.relations for split in range(1, len(parts)))
        return own or (self.parent is not None and self.parent._knows(parts))

    def _outer(self, parts: tuple[str, ...]) -> tuple[Field, tuple[str, ...]] | None:
        """Return the meaning of a name in the query around this one."""
        resolution = self.parent._resolve(parts) if self.parent is not None else None
        if resolution is None:
            return None
        column, rest = resolution
        return with_fields(
            column, expr=CorrelatedColumn(column.expr, place=column.expr.place, via=column.expr.via)
        ), rest

    def _in_relation(self, names: tuple[str, ...], name: str) -> tuple[Field, tuple[str, ...]] | None:
        for relation in self.relations:
            if relation.is_called(names):
                field_ = relation.find(name)
                if field_ is None and (nested := relation.find_in_rows(name)) is not None:
                    return nested
                if field_ is None and relation.open_tables:
                    field_ = Field(name, Column(relation.open_tables[0], name))
                field_ = field_ or relation.find_beneath(name)
                return (field_, ()) if field_ is not None else None
        return None

    def column(self, name: str) -> Field | None:
        """The first column of a name that a relation declares."""
        return next((field_ for each in self.relations if (field_ := each.find(name)) is not None), None)

    def _unqualified(self, name: str) -> tuple[Field, tuple[str, ...]] | None:
        """The column of a name, with the names of the fields that lead on from it."""
        for merged in self.common:
            if merged.name == name:
                return merged, ()
        if (column := self.column(name)) is not None:
            return column, ()
        for relation in self.relations:
            if (nested := relation.find_in_rows(name)) is not None:
                return nested
        undeclared = [relation for relation in self.relations if relation.open_tables]
        if len(undeclared) == 1:
            return Field(name, Column(undeclared[0].open_tables[0], name)), ()
        if undeclared:
            return None
        beneath = (relation.find_beneath(name) for relation in self.relations)
        return next(((field_, ()) for field_ in beneath if field_ is not None), None)


@value_class(frozen=True)
class Source(QuickCopy):
    """Result of FROM: one operator, and the relations whose names are visible."""

    input: Operator
    relations: tuple[Relation, ...]
    filters: tuple[Expr, ...] = ()
    window: Window | None = None
    depth: int = 0
    filtered_row: tuple[Expr, ...] = ()
    common: tuple[Field, ...] = ()
    """The columns that USING and NATURAL made of two. ``*`` begins with them, in their order."""

    @classmethod
    def of(cls, relation: Relation) -> Source:
        """``relation`` alone."""
        return cls(
            relation.input, (relation,), relation.filters, relation.window, relation.depth, relation.filtered_row
        )

    @property
    def row(self) -> tuple[Expr, ...]:
        """The columns in sight, in order."""
        return tuple(column.expr for relation in self.relations for column in relation.fields)

    @property
    def open_tables(self) -> tuple[str, ...]:
        return tuple(table for relation in self.relations for table in relation.open_tables)

    def open_tables_of(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The tables whose columns ``*``, or ``*`` behind ``names``, stands for without naming them."""
        relations = (relation for relation in self.relations if not names or relation.is_called(names))
        return tuple(table for relation in relations for table in relation.open_tables)

    def all_fields(self, names: tuple[str, ...], place: Place) -> list[Field]:
        """Return the columns of ``*``, or of ``*`` behind ``names``, at ``place``."""
        columns = list(self._plain_fields) if not names else []
        for relation in self.relations:
            if names and relation.is_called(names):
                columns += relation.fields
        return [Field(column.name, column.expr.used_at(place, column.item)) for column in columns]

    @property
    def _plain_fields(self) -> Iterator[Field]:
        yield from self.common
        # The first one of these names is a common column.
        names = {column.name for column in self.common}
        for relation in self.relations:
            for column in relation.fields:
                if column.name in names:
                    names.discard(column.name)
                elif column.name not in relation.merged:
                    yield column


def maybe_missing(relation: Relation) -> Relation:
    """The relation read where a row of it, or a value of a row, may be missing: each column may be NULL there."""

    def step(node: Expr) -> Expr:
        if isinstance(node, Column) and node.not_null:
            return with_fields(node, may_be_missing=True)
        return with_fields(node, of_group=False) if isinstance(node, AggregateCall) and node.of_group else node

    fields = tuple(with_fields(column, expr=column.expr.rewrite(step)) for column in relation.fields)
    return with_fields(relation, fields=fields, beneath=tuple(map(maybe_missing, relation.beneath)))


def sealed(source: Source | Relation) -> Operator:
    """The operator of a source with the conditions that were collected above it."""
    if isinstance(source.input, Aggregate) and source.filtered_row and not source.filters:
        # The filter has gone below the aggregation, and the projection that it stood on has not.
        return Calc(source.input, (), source.filtered_row)
    return filtered(source.input, source.filters, source.filtered_row)


def filtered(operator: Operator, conditions: tuple[Expr, ...], row: tuple[Expr, ...] = ()) -> Operator:
    """``operator`` behind a filter on a projection ``row``; filters right above each other are one."""
    if not conditions:
        return operator
    if isinstance(operator, Calc):
        return filtered(operator.input, (*operator.conditions, *conditions), row or operator.row)
    simple = _simplified_together(conditions)
    if not simple:
        return operator
    ordered = tuple(sorted(dict.fromkeys(simple), key=sort_key))
    return Calc(operator, ordered, row, place=ordered[0].place)


def _simplified_together(conditions: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """Conditions of several filters, or of WHERE and HAVING, as the one filter that the planner makes of them."""
    if len(conditions) == 1:
        return conditions
    place = conditions[0].place
    parts = conjuncts(simplified_filter(all_of(list(conditions))))
    return tuple(part if part.place is not None else with_fields(part, place=place) for part in parts)


def renamed(relation: Relation, names: tuple[str, ...]) -> Relation:
    """The relation with its first columns renamed, as ``AS t(a, b)`` and ``CREATE VIEW v (a, b)`` do."""
    if not names:
        return relation
    fields = tuple(
        with_fields(column, name=names[index]) if index < len(names) else column
        for index, column in enumerate(relation.fields)
    )
    return with_fields(relation, fields=fields)
